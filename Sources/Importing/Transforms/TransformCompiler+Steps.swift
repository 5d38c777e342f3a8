import Diagnostics
import ObjectModel

extension TransformCompiler {
  /// The greatest number of characters that padding fills up to.
  static let greatestPadding = 10_000
  /// Applies steps one after the other; nil when one of them cannot be, which is reported.
  mutating func apply(_ steps: [TransformStep], to value: Value, owner: String?) -> Value? {
    var value = value
    for step in steps {
      guard let next = apply(step, to: value, owner) else { return nil }
      value = next
    }
    return value
  }

  private mutating func apply(_ step: TransformStep, to value: Value, _ owner: String?) -> Value? {
    let name = step.action.name
    let place = step.position
    if let operation = textOperation(step) {
      guard case .success(let operation) = operation, let value = text(value, step) else { return nil }
      return emit(.text(value.register, operation), .text, name, origin: value.origin, reading: value.reading)
    }
    switch step.action {
    case .concat(let names, let separator):
      guard let parts = texts(of: names, value, step, owner) else { return nil }
      return emit(.concat(parts, separator: Array(separator.utf8)), .text, name, origin: value.origin)
    case .length:
      guard let text = text(value, step) else { return nil }
      return emit(.length(text.register), .integer, name, origin: value.origin)
    case .map(let table, let otherwise):
      guard let text = convert(value, to: .text, step: name, at: place) else { return nil }
      return emit(.map(text.register, table, fallback(otherwise)), .text, name, origin: value.origin)
    case .lookup(let lookup, let otherwise): return self.lookup(lookup, otherwise, value, place)
    case .hash(let function):
      guard let text = convert(value, to: .text, step: name, at: place) else { return nil }
      return emit(
        .hash(text.register, function), function == .stable64 ? .integer : .text, name, origin: value.origin)
    case .convert(let kind): return convert(value, to: kind, step: name, at: place)
    case .coalesce(let names): return coalesce(names, value, step, owner)
    case .defaultValue(let text):
      guard let constant = constant(text, value.kind, name: name) else {
        report("transformType", place, "“\(text)” is not \(value.kind.described), as what comes before is")
        return nil
      }
      return emit(
        .coalesce([value.register, constant.register]), value.kind, name, origin: value.origin, reading: value.reading)
    case .nullIf(let texts):
      let table = ValueTable(texts.map { ($0, "") })
      guard value.kind == .text else {
        report(
          "transformType", place, "“\(name)” takes a text, but what comes before is \(value.kind.described)")
        return nil
      }
      return emit(.nullIf(value.register, table), .text, name, origin: value.origin, reading: value.reading)
    case .when(let cases, let otherwise): return when(cases, otherwise, value, step, owner)
    case .arithmetic, .negate, .absolute, .round: return numberStep(step, value, owner)
    default: return dateStep(step, value)
    }
  }

  private mutating func text(_ value: Value, _ step: TransformStep) -> Value? {
    guard value.kind == .text else {
      report(
        "transformType", step.position,
        "“\(step.action.name)” takes a text, but what comes before is \(value.kind.described)",
        hint: "put “to: text” before it")
      return nil
    }
    return value
  }

  // MARK: Texts

  private enum Compiled { case success(Instruction.TextOperation), failure }

  /// The operation of a step from text to text; nil for other steps.
  private mutating func textOperation(_ step: TransformStep) -> Compiled? {
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    switch step.action {
    case .trim: return .success(.trim)
    case .strip(let characters): return .success(.strip(Array(characters.unicodeScalars)))
    case .collapse: return .success(.collapse)
    case .upper: return .success(.upper)
    case .lower: return .success(.lower)
    case .capitalise: return .success(.capitalise)
    case .unaccent: return .success(.unaccent)
    case .prepend(let text): return .success(.prepend(bytes(text)))
    case .append(let text): return .success(.append(bytes(text)))
    case .replace(let old, let new):
      guard !old.isEmpty else { return invalid(step, "there is no text to replace") }
      return .success(.replace(bytes(old), with: bytes(new)))
    case .replacePattern(let pattern, let new):
      guard let search = search(pattern, replacement: new, step) else { return .failure }
      return .success(.replacePattern(search))
    case .extract(let pattern, let group):
      guard let search = search(pattern, replacement: "", step) else { return .failure }
      guard group >= 0, group <= search.groupCount else {
        return invalid(step, "there is no group \(group): the expression has \(search.groupCount)")
      }
      return .success(.extract(search, group: group))
    case .split(let separator, let take):
      guard !separator.isEmpty else { return invalid(step, "the separator is empty") }
      guard take != 0, take.magnitude <= 1_000_000 else {
        return invalid(step, "parts are counted from 1, or from the end with -1")
      }
      return .success(.split(bytes(separator), take: take))
    case .substring(let from, let length):
      guard from != 0, from.magnitude <= 1 << 30, length.map({ $0 >= 0 }) ?? true else {
        return invalid(step, "characters are counted from 1, or from the end with -1, and a length is not negative")
      }
      return .success(.substring(from: from, length: length))
    case .pad(let length, let filling, let atStart):
      guard length >= 0, length <= Self.greatestPadding, !filling.isEmpty else {
        return invalid(step, "a text is filled up to at most \(Self.greatestPadding) characters, with at least one")
      }
      return .success(.pad(to: length, with: bytes(filling), atStart: atStart))
    default: return nil
    }
  }

  private mutating func invalid(_ step: TransformStep, _ message: String) -> Compiled {
    report("transformOption", step.position, "“\(step.action.name)”: \(message)")
    return .failure
  }

  private mutating func search(_ pattern: String, replacement: String, _ step: TransformStep) -> TextSearch? {
    do throws(TextPatternError) {
      return try TextSearch(pattern, replacement: replacement)
    } catch {
      report("invalidPattern", step.position, "the regular expression cannot be used: \(error.message)")
      return nil
    }
  }

  private mutating func texts(of names: [String], _ value: Value, _ step: TransformStep, _ owner: String?) -> [Int]? {
    var parts: [Int] = []
    guard let first = convert(value, to: .text, step: step.action.name, at: step.position) else { return nil }
    parts.append(first.register)
    for name in names {
      guard let column = column(name, from: owner, at: step.position),
        let text = convert(column, to: .text, step: step.action.name, at: step.position)
      else { return nil }
      parts.append(text.register)
    }
    return parts
  }

  private func fallback(_ otherwise: TransformStep.Otherwise) -> Instruction.MapFallback {
    switch otherwise {
    case .reject: .reject
    case .null: .null
    case .keep: .keep
    case .text(let text): .text(Array(text.utf8))
    }
  }

  // MARK: The store

  private mutating func lookup(
    _ lookup: StoreLookup, _ otherwise: TransformStep.Otherwise, _ value: Value, _ place: SourcePosition
  ) -> Value? {
    guard let model else { return nil }
    guard let entity = model.entity(named: lookup.entity) else {
      unknown(
        "unknownEntity", place, "the model has no entity “\(lookup.entity)”", lookup.entity, model.entities.map(\.name))
      return nil
    }
    var kinds: [ValueKind] = []
    for name in [lookup.findBy, lookup.take] {
      guard let attribute = entity.attribute(named: name) else {
        unknown(
          "unknownAttribute", place, "“\(entity.name)” has no attribute “\(name)”", name,
          entity.attributes.map(\.name))
        return nil
      }
      let isText = attribute.type == .string || attribute.type == .uri
      guard !attribute.isTransient, ValueKind(attribute.type) != .text || isText else {
        report(
          "transformOption", place, "“lookup” cannot use “\(name)”, an attribute of type \(attribute.type.xmlName)")
        return nil
      }
      kinds.append(ValueKind(attribute.type))
    }
    guard kinds[0] != .decimal, kinds[0] != .double else {
      report("transformOption", place, "“lookup” finds by texts, whole numbers, dates and truth values")
      return nil
    }
    // Keys are compared as texts, so numbers have to be written alike on both sides.
    guard let typed = convert(value, to: kinds[0], step: "lookup", at: place),
      let text = convert(typed, to: .text, step: "lookup", at: place)
    else { return nil }
    let table = plan.lookups.firstIndex(of: lookup) ?? plan.lookups.count
    if table == plan.lookups.count { plan.lookups.append(lookup) }
    // An empty text names no object, as elsewhere it is no number.
    let key = emit(.nullIf(text.register, ValueTable([("", "")])), .text, "lookup", origin: value.origin)
    let found = emit(.lookup(key.register, table: table, fallback(otherwise)), .text, "lookup", origin: value.origin)
    return convert(found, to: kinds[1], step: "lookup", at: place)
  }

  mutating func unknown(
    _ code: String, _ place: SourcePosition, _ message: String, _ name: String, _ candidates: [String]
  ) {
    report(code, place, message, hint: NearestName.find(name, in: candidates).map { "did you mean “\($0)”?" })
  }

  // MARK: Choices

  private mutating func coalesce(
    _ names: [String], _ value: Value, _ step: TransformStep, _ owner: String?
  ) -> Value? {
    var values = [value]
    for name in names {
      guard let column = column(name, from: owner, at: step.position) else { return nil }
      values.append(column)
    }
    guard let same = unified(values, step) else { return nil }
    return emit(
      .coalesce(same.map(\.register)), same[0].kind, step.action.name, origin: value.origin, reading: value.reading)
  }

  /// The values as those of one type: their own, or text.
  private mutating func unified(_ values: [Value], _ step: TransformStep) -> [Value]? {
    var kind = values[0].kind
    for value in values.dropFirst() { kind = ValueKind.common(kind, value.kind) ?? .text }
    var same: [Value] = []
    for value in values {
      guard let made = convert(value, to: kind, step: step.action.name, at: step.position) else { return nil }
      same.append(made)
    }
    return same
  }

  private mutating func when(
    _ cases: [TransformStep.Case], _ otherwise: TransformStep.Result?, _ value: Value, _ step: TransformStep,
    _ owner: String?
  ) -> Value? {
    let results = cases.map(\.result) + (otherwise.map { [$0] } ?? [])
    // Values of columns, and the value itself when it may stay, say which type the result has; texts follow.
    var known: [Value] = otherwise == nil ? [value] : []
    var columns: [Value?] = []
    for result in results {
      guard case .column(let name) = result else {
        columns.append(nil)
        continue
      }
      guard let column = column(name, from: owner, at: step.position) else { return nil }
      columns.append(column)
      known.append(column)
    }
    var kind = known.first?.kind ?? .text
    for value in known { kind = ValueKind.common(kind, value.kind) ?? .text }
    var registers: [Int] = []
    for (number, result) in results.enumerated() {
      switch result {
      case .column:
        guard let column = columns[number],
          let same = convert(column, to: kind, step: step.action.name, at: step.position)
        else { return nil }
        registers.append(same.register)
      case .null: registers.append(emit(.constant(.null), kind, step.action.name, origin: -1).register)
      case .text(let text):
        guard let constant = constant(text, kind, name: step.action.name) else {
          report("transformType", step.position, "“\(text)” is not \(kind.described), as the other results are")
          return nil
        }
        registers.append(constant.register)
      }
    }
    if otherwise == nil {
      guard let own = convert(value, to: kind, step: step.action.name, at: step.position) else { return nil }
      registers.append(own.register)
    }
    var result = registers[registers.count - 1]
    for (number, item) in cases.enumerated().reversed() {
      guard let condition = predicate(item.condition) else { return nil }
      result =
        emit(
          .select(condition: condition, registers[number], result), kind, step.action.name, origin: value.origin
        ).register
    }
    return Value(register: result, kind: kind, reading: value.reading, origin: value.origin)
  }

  // MARK: Numbers

  private mutating func numberStep(_ step: TransformStep, _ value: Value, _ owner: String?) -> Value? {
    let name = step.action.name
    guard let number = number(value, step: name, at: step.position) else { return nil }
    switch step.action {
    case .negate: return emit(.negate(number.register), number.kind, name, origin: value.origin)
    case .absolute: return emit(.absolute(number.register), number.kind, name, origin: value.origin)
    case .round(let places, let rounding):
      guard places.magnitude <= 38 else {
        report("transformOption", step.position, "“round”: there are at most 38 decimal places")
        return nil
      }
      return emit(.round(number.register, places: places, rounding), number.kind, name, origin: value.origin)
    case .arithmetic(let operation, let operand, let places):
      var other: Value?
      switch operand {
      case .column(let column):
        let value = expressionColumn(column, at: step.position)
        other = value.flatMap { self.number($0, step: name, at: step.position) }
      case .number(let text):
        let kind: ValueKind =
          FieldReading.constant(text, as: .integer) != nil && number.kind == .integer ? .integer : .decimal
        other = constant(text, kind, name: name)
        if other == nil {
          report(
            "transformOption", step.position, "“\(name)”: “\(text)” is not a number",
            hint: "write “\(name): { column: \(text) }” for a column")
        } else if operation == .divide || operation == .modulo,
          FieldReading.constant(text, as: .decimal)?.digits == 0
        {
          report("transformOption", step.position, "“\(name)”: nothing can be divided by zero")
          return nil
        }
      }
      guard let other, let (left, right) = common(number, other, step: name, at: step.position) else { return nil }
      // A quotient of whole numbers is no whole number.
      if operation == .divide, left.kind == .integer {
        guard let first = convert(left, to: .decimal, step: name, at: step.position),
          let second = convert(right, to: .decimal, step: name, at: step.position)
        else { return nil }
        return emit(
          .arithmetic(operation.function, first.register, second.register, places: places), .decimal,
          name, origin: value.origin)
      }
      return emit(
        .arithmetic(operation.function, left.register, right.register, places: places), left.kind,
        name, origin: value.origin)
    default: preconditionFailure("the step takes no number")
    }
  }

  // MARK: Dates

  private mutating func dateStep(_ step: TransformStep, _ value: Value) -> Value? {
    let name = step.action.name
    guard value.kind == .date || value.kind == .text,
      let date = convert(value, to: .date, step: name, at: step.position)
    else {
      if value.kind != .date, value.kind != .text {
        report(
          "transformType", step.position, "“\(name)” takes a date, but what comes before is \(value.kind.described)")
      }
      return nil
    }
    switch step.action {
    case .addToDate(let units, let zone):
      var months = 0
      var seconds: Int64 = 0
      for (unit, amount) in units {
        guard amount.magnitude <= 1_000_000_000 else {
          report("transformOption", step.position, "“\(name)”: \(amount) \(unit.rawValue) are beyond any date")
          return nil
        }
        switch unit {
        case .years: months += 12 * amount
        case .months: months += amount
        case .weeks: seconds += 604_800 * Int64(amount)
        case .days: seconds += 86_400 * Int64(amount)
        case .hours: seconds += 3_600 * Int64(amount)
        case .minutes: seconds += 60 * Int64(amount)
        case .seconds: seconds += Int64(amount)
        }
      }
      return emit(
        .addToDate(date.register, months: months, seconds: seconds, zone: zone), .date, name, origin: value.origin)
    case .datePart(let part, let zone):
      return emit(.datePart(date.register, part, zone: zone), .integer, name, origin: value.origin)
    case .startOf(let unit, let zone):
      return emit(.startOf(date.register, unit, zone: zone), .date, name, origin: value.origin)
    case .formatDate(let pattern, let zone):
      var problems: [DatePattern.Finding] = []
      let compiled = DatePattern.compile(pattern, isForWriting: true, findings: &problems)
      for problem in problems where problem.isError {
        report("datePattern", step.position, problem.message, hint: problem.hint)
      }
      return compiled.map {
        emit(.formatDate(date.register, $0, zone: zone), .text, name, origin: value.origin)
      }
    default: preconditionFailure("the step takes no date")
    }
  }
}

extension TransformStep.Action {
  /// The step's name in a pipeline.
  public var name: String {
    switch self {
    case .trim: "trim"
    case .strip: "strip"
    case .collapse: "collapse"
    case .upper: "upper"
    case .lower: "lower"
    case .capitalise: "capitalise"
    case .unaccent: "unaccent"
    case .replace, .replacePattern: "replace"
    case .extract: "extract"
    case .split: "split"
    case .substring: "substring"
    case .pad: "pad"
    case .prepend: "prepend"
    case .append: "append"
    case .concat: "concat"
    case .length: "length"
    case .map: "map"
    case .lookup: "lookup"
    case .arithmetic(let operation, _, _): operation.rawValue
    case .negate: "negate"
    case .absolute: "abs"
    case .round: "round"
    case .addToDate: "date_add"
    case .datePart: "date_part"
    case .startOf: "start_of"
    case .formatDate: "format"
    case .convert: "to"
    case .hash: "hash"
    case .coalesce: "coalesce"
    case .defaultValue: "default"
    case .nullIf: "null_if"
    case .when: "when"
    }
  }
}
