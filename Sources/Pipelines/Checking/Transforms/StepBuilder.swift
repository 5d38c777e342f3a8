import Diagnostics
import Importing
import RecordFormats

/// Turns `step` components into ``TransformStep`` values.
struct StepBuilder {
  let findings: Findings

  /// The steps that could be read; what is wrong with the others is in the findings.
  func steps(_ values: [StepValue]) -> [TransformStep] {
    values.compactMap { value in
      action(value).map { TransformStep($0, position: value.name.position) }
    }
  }

  private func action(_ step: StepValue) -> TransformStep.Action? {
    let name = step.name.value
    let value = step.value
    // `trim: false` is a step that does nothing, which nobody means.
    if let flag = value.flag(name), !flag {
      findings.add(
        .invalidOption, at: value.fields[name]?.position ?? step.name.position, "the step “\(name)” cannot be false",
        hint: "leave it out")
      return nil
    }
    switch name {
    case "trim": return .trim
    case "collapse": return .collapse
    case "upper": return .upper
    case "lower": return .lower
    case "capitalise": return .capitalise
    case "unaccent": return .unaccent
    case "length": return .length
    case "negate": return .negate
    case "abs": return .absolute
    case "strip": return value.text(name).map { .strip($0.value) }
    case "prepend": return value.text(name).map { .prepend($0.value) }
    case "append": return value.text(name).map { .append($0.value) }
    case "default": return value.text(name).map { .defaultValue($0.value) }
    case "to": return value.choice(name, as: ValueKind.self).map { .convert($0) }
    case "hash": return value.choice(name, as: TransformStep.HashFunction.self).map { .hash($0) }
    case "coalesce": return value.texts(name).map { .coalesce($0.map(\.value)) }
    case "null_if": return value.texts(name).map { .nullIf($0.map(\.value)) }
    case "when": return cases(value.components(name))
    default: return value.component(name).flatMap { component(name, $0, step) }
    }
  }

  private func component(_ name: String, _ value: ComponentValue, _ step: StepValue) -> TransformStep.Action? {
    switch name {
    case "replace": return replace(value)
    case "extract":
      return value.text("pattern").map { .extract($0.value, group: value.count("group") ?? 0) }
    case "split":
      guard let take = integer("take", value, default: 1) else { return nil }
      return value.text("at").map { .split(at: $0.value, take: take) }
    case "substring":
      return integer("from", value, default: 1).map { .substring(from: $0, length: value.count("length")) }
    case "pad":
      return value.count("to").map {
        .pad(to: $0, with: value.text("with")?.value ?? " ", atStart: value.text("side")?.value != "end")
      }
    case "concat":
      return value.texts("columns").map { .concat($0.map(\.value), with: value.text("with")?.value ?? "") }
    case "map": return map(value)
    case "lookup":
      guard let entity = value.text("entity"), let findBy = value.text("find_by"), let take = value.text("take"),
        let otherwise = otherwise(value)
      else { return nil }
      return .lookup(
        StoreLookup(entity: entity.value, findBy: findBy.value, take: take.value), otherwise: otherwise)
    case "round":
      return integer("places", value, default: 0).map {
        .round(places: $0, value.choice("mode", as: TransformStep.Rounding.self) ?? .halfUp)
      }
    case "date_add":
      var units: [TransformStep.DateUnit: Int] = [:]
      for unit in TransformStep.DateUnit.allCases where value.has(unit.rawValue) {
        guard let amount = integer(unit.rawValue, value, default: 0) else { return nil }
        units[unit] = amount
      }
      return zone(value).map { .addToDate(units, zone: $0) }
    case "date_part":
      guard let part = value.choice("part", as: TransformStep.DatePart.self) else { return nil }
      return zone(value).map { .datePart(part, zone: $0) }
    case "start_of":
      guard let unit = value.choice("unit", as: TransformStep.DateUnit.self) else { return nil }
      return zone(value).map { .startOf(unit, zone: $0) }
    case "format":
      guard let pattern = value.text("pattern") else { return nil }
      return zone(value).map { .formatDate(pattern.value, zone: $0) }
    case "divide": return operand(value, number: "by").map { .arithmetic(.divide, $0, places: value.count("places")) }
    default:
      guard let operation = TransformStep.Arithmetic(rawValue: name) else { return nil }
      return operand(value, number: "number").map { .arithmetic(operation, $0, places: nil) }
    }
  }

  // MARK: Parts

  private func integer(_ name: String, _ value: ComponentValue, default least: Int) -> Int? {
    guard let text = value.text(name) else { return value.has(name) ? nil : least }
    if let number = Int(text.value), number.magnitude <= 1 << 31 { return number }
    findings.add(
      .wrongType, at: text.position, "“\(name)” takes a whole number, but here is “\(text.value)”")
    return nil
  }

  private func zone(_ value: ComponentValue) -> Int? {
    guard let zone = value.text("zone") else { return 0 }
    if let offset = FieldBuilder.zoneOffset(zone.value) { return offset }
    findings.add(
      .invalidOption, at: zone.position, "“zone” cannot be “\(zone.value)”",
      hint: "write UTC or an offset such as \"+02:00\"")
    return nil
  }

  private func operand(_ value: ComponentValue, number: String) -> TransformStep.Operand? {
    let constant = value.text(number)
    let column = value.text("column")
    guard (constant == nil) != (column == nil) else {
      findings.add(
        .missingField, at: value.position, "this takes either “\(number)” or “column”")
      return nil
    }
    return constant.map { .number($0.value) } ?? column.map { .column($0.value) }
  }

  private func replace(_ value: ComponentValue) -> TransformStep.Action? {
    let text = value.text("text")
    let pattern = value.text("pattern")
    guard (text == nil) != (pattern == nil) else {
      findings.add(.missingField, at: value.position, "“replace” takes either “text” or “pattern”")
      return nil
    }
    let new = value.text("with")?.value ?? ""
    return text.map { .replace($0.value, with: new) } ?? pattern.map { .replacePattern($0.value, with: new) }
  }

  private func otherwise(_ value: ComponentValue) -> TransformStep.Otherwise? {
    if let text = value.text("default") {
      if let word = value.text("otherwise") {
        findings.add(
          .invalidOption, at: word.position, "“otherwise” says nothing beside “default”", hint: "keep one of the two")
        return nil
      }
      return .text(text.value)
    }
    switch value.text("otherwise")?.value {
    case "keep": return .keep
    case "null": return .null
    default: return .reject
    }
  }

  private func cases(_ values: [ComponentValue]) -> TransformStep.Action? {
    var cases: [TransformStep.Case] = []
    var otherwise: TransformStep.Result?
    for (index, value) in values.enumerated() {
      let result: TransformStep.Result
      switch (value.text("give"), value.text("take")) {
      case (let text?, nil): result = .text(text.value)
      case (nil, let column?): result = .column(column.value)
      case (nil, nil): result = .null
      case (_?, let column?):
        findings.add(
          .invalidOption, at: column.position, "“take” says nothing beside “give”", hint: "keep one of the two")
        return nil
      }
      if let condition = value.expression("if") {
        cases.append(TransformStep.Case(condition, result))
      } else if index == values.count - 1, index > 0 {
        otherwise = result
      } else {
        findings.add(
          .missingField, at: value.position, "this case of “when” needs the field “if”",
          hint: "only the last of several may do without")
        return nil
      }
    }
    return .when(cases, otherwise: otherwise)
  }

  // MARK: Tables

  /// The largest table in a file.
  private static let largestTable = 64 << 20

  private func map(_ value: ComponentValue) -> TransformStep.Action? {
    guard let otherwise = otherwise(value) else { return nil }
    var pairs = (value.pairs("values") ?? []).map { (key: $0.name.value, value: $0.value.value) }
    if let file = value.text("file") {
      guard let rows = table(file) else { return nil }
      pairs += rows
    } else if pairs.isEmpty {
      if !value.has("values") {
        findings.add(.missingField, at: value.position, "“map” needs “values” or “file”")
      }
      return nil
    }
    return .map(ValueTable(pairs), otherwise: otherwise)
  }

  /// The first two columns of a CSV file.
  private func table(_ file: Located<String>) -> [(key: String, value: String)]? {
    let path = findings.resolve(file)
    do throws(ReadError) {
      let source = ByteSource(path: path)
      if let size = source.fileSize, size > Self.largestTable {
        findings.add(
          .unreadableFile, at: file.position, "the table “\(path)” is larger than \(Self.largestTable >> 20) MiB")
        return nil
      }
      let format = RecordFormat.csv(CSVOptions())
      var reader = try format.reader(source: source, columns: .all, index: 0)
      guard reader.columns.count >= 2 else {
        findings.add(
          .unreadableFile, at: file.position,
          "the table “\(path)” has \(reader.columns.count == 1 ? "one column" : "no columns"), but takes two")
        return nil
      }
      var batch = RecordBatch()
      var rows: [(key: String, value: String)] = []
      while try reader.read(into: &batch, limit: BatchLimit()) {
        if let error = batch.errors.first {
          findings.add(
            .unreadableFile, at: file.position, "“\(path)”, line \(error.position.line): \(error.message)")
          return nil
        }
        for record in 0..<batch.recordCount {
          rows.append((batch.text(record, 0) ?? "", batch.text(record, 1) ?? ""))
        }
      }
      return rows
    } catch {
      findings.add(.unreadableFile, at: file.position, "the table “\(path)” cannot be read: \(error.message)")
      return nil
    }
  }
}
