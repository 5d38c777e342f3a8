import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel

/// What happens to a record between reading and conversion, as `docs/transforms.md` has it: values are made when they are
/// asked for, and a step that has no result matters only then.
extension ReferenceImporter {
  /// What somebody else makes of a record: the twin of a program or of a hook.
  struct Twin: Sendable {
    /// The columns that it sees and may change, as texts.
    var columns: [String]
    var body: @Sendable (inout ReadRecord) -> Verdict
  }

  /// What becomes of a record before conversion.
  enum Verdict {
    case good
    case skipped
    case refused([String])
  }

  /// The columns that the import asks its source for.
  var sourceColumns: [String] {
    let made = Set(part.columns.map(\.name))
    let named = part.root.namedColumns.filter { !made.contains($0) } + part.columns.compactMap(\.from)
    return named + (part.since.map { [$0.column] } ?? [])
  }

  /// The columns of a header that an import neither uses nor says to ignore.
  ///
  /// What a contract says about them goes instead.
  func unusedColumns(_ part: ImportPart, of header: [String], besides ignored: [String]) -> [String] {
    guard names == .header, part.contract?.newColumns == nil else { return [] }
    var importer = self
    importer.part = part
    let used = Set(importer.sourceColumns + ignored)
    return header.filter { !used.contains($0) }
  }

  /// The record with the values that were made, and what becomes of it.
  mutating func transform(_ read: ReadRecord) -> (ReadRecord, Verdict) {
    var record = read
    var codes: Set<String> = Set(contract?.codes(read) ?? [])
    if contract?.isBroken ?? false { outcome.failure = ImportError.Code.contract.rawValue }
    var undecided: TransformFailure?
    do throws(TransformFailure) {
      if let filter = part.filter, try !holds(filter.text, record) { return (record, .skipped) }
    } catch {
      undecided = error
    }
    // What others change are texts; the columns that a definition makes come before, also those of a record that is
    // refused already and that others do not get.
    for twin in twinsOfPart {
      if record.original == nil { record.original = record.cells }
      let names = twin.columns.isEmpty ? part.root.namedColumns + part.columns.compactMap(\.from) : twin.columns
      for name in names {
        switch try? column(name, record, for: nil) {
        case nil: break
        case .absent?: record.cells[name] = .absent
        case .null?: record.cells[name] = .null
        case let value?:
          if record.cells[name]?.isStructure != true { record.cells[name] = .text(value.text) }
        }
      }
      record.shared.formUnion(names)
      guard codes.isEmpty, undecided == nil else { continue }
      switch twin.body(&record) {
      case .good: break
      case .skipped: return (record, .skipped)
      case .refused(let reasons): codes.formUnion(reasons)
      }
    }
    if let undecided {
      // What an attribute that takes the column cannot read either is one fault: the attribute's.
      let found = undecided.column.map { unreadable($0, record, part.root) } ?? []
      codes.formUnion(found.isEmpty ? [undecided.code] : found)
    }
    make(part.root, &record, &codes)
    return (record, codes.isEmpty ? .good : .refused(codes.sorted()))
  }

  /// Whether a field's value is not taken as it is.
  func isMade(_ field: FieldImport, _ record: ReadRecord) -> Bool {
    let isColumn = part.columns.contains { $0.name == field.column } && !record.shared.contains(field.column)
    return isColumn || !field.steps.isEmpty || field.value != nil
  }

  /// Makes the values of all fields of an entity and its targets that are not taken as they are.
  private func make(_ entity: EntityImport, _ record: inout ReadRecord, _ codes: inout Set<String>) {
    for field in entity.findBy + entity.attributes {
      guard isMade(field, record) else { continue }
      guard let attribute = model.entity(named: entity.entityName)?.attribute(named: field.attributeName) else {
        continue
      }
      let conversion = ReferenceConversion(field: field, attribute: attribute)
      do throws(TransformFailure) {
        var value: TransformValue
        if let expression = field.value {
          value = try self.value(expression.text, record)
        } else {
          value = try column(field.column, record, for: nil)
        }
        for step in field.steps { value = try apply(step.action, value, record, field.conversion, own: nil) }
        record.made[field.position.byteOffset] = conversion.convert(value, replaces: entity.mode == .replace)
      } catch {
        record.made[field.position.byteOffset] = .failed(error.code)
        codes.insert(error.code)
      }
    }
    for relationship in entity.relationships where relationship.list == nil {
      make(relationship.target, &record, &codes)
    }
  }

  /// Why fields that take a column as it is cannot read its value.
  private func unreadable(_ column: String, _ record: ReadRecord, _ entity: EntityImport) -> [String] {
    var codes: [String] = []
    for relationship in entity.relationships where relationship.list == nil {
      codes += unreadable(column, record, relationship.target)
    }
    for field in entity.findBy + entity.attributes
    where field.column == column && field.steps.isEmpty && field.value == nil {
      if case .failed(let code) = convert(record, field, entity), code.hasPrefix("value.") { codes.append(code) }
    }
    return codes
  }

  // MARK: Columns

  /// The value of a column.
  ///
  /// - Parameter definition: the column that is being made, whose own name means the source's.
  private func column(
    _ name: String, _ record: ReadRecord, for definition: String?
  ) throws(TransformFailure) -> TransformValue {
    guard name != definition, !record.shared.contains(name), let own = part.columns.first(where: { $0.name == name })
    else { return Self.raw(record.cells[name] ?? .absent) }
    // What the condition asks for is made before programs and hooks see the record, everything else behind them.
    var record = record
    if isAskedByCondition(name) {
      record.cells = record.original ?? record.cells
      record.shared = []
    }
    var value: TransformValue
    switch own.source {
    case .column(let from): value = try column(from, record, for: name)
    case .expression(let text): value = try self.value(text.text, record)
    }
    for step in own.steps { value = try apply(step.action, value, record, own.reading, own: name) }
    if let kind = own.kind { value = try Self.read(value, as: kind, own.reading) }
    return value
  }

  /// Whether the condition names a column, or a column that is made from it.
  private func isAskedByCondition(_ name: String) -> Bool {
    guard let text = part.filter?.text else { return false }
    var asked = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    for _ in part.columns {
      for column in part.columns where asked.contains(column.name) {
        if let from = column.from { asked.insert(from) }
      }
    }
    return asked.contains(name)
  }

  private static func raw(_ cell: Cell) -> TransformValue {
    switch cell {
    case .absent: .absent
    case .null: .null
    case .text(let text), .number(let text), .boolean(let text): .text(text)
    case .list, .object: .text(JSONForm.text(cell))
    }
  }

  /// A value of a type; texts are read.
  static func read(
    _ value: TransformValue, as kind: ValueKind, _ options: ConversionOptions
  ) throws(TransformFailure) -> TransformValue {
    let type: AttributeType
    switch (value, kind) {
    case (.absent, _), (.null, _), (.date, .date), (.boolean, .boolean), (.integer, .integer), (.decimal, .decimal):
      return value
    case (.integer(let number), .decimal): return .decimal(ExactDecimal(Int128(number)))
    case (.decimal(let number), .integer):
      guard number.places == 0, let whole = Int64(exactly: number.digits) else {
        throw TransformFailure("transform.value")
      }
      return .integer(whole)
    case (_, .text): return .text(value.text)
    case (.text(""), _): return .null
    case (_, .integer): type = .integer64
    case (_, .decimal): type = .decimal
    case (_, .date): type = .date
    case (_, .boolean): type = .boolean
    case (_, .double): preconditionFailure("the reference importer has no doubles in transforms")
    }
    var field = FieldImport(attributeName: "", column: "")
    field.conversion = options
    var attribute = AttributeDescription(name: "", type: type)
    attribute.isOptional = true
    switch ReferenceConversion(field: field, attribute: attribute).convert(Cell.text(value.text)) {
    case .value(.integer(let number)): return .integer(number)
    case .value(.date(let seconds)): return .date(seconds)
    case .value(.boolean(let truth)): return .boolean(truth)
    case .value(.null): return .null
    case .value(.decimal), .failed("value.precision"):
      guard let number = ExactDecimal(ReferenceConversion.trimmed(value.text)) else {
        throw TransformFailure("transform.value")
      }
      return .decimal(number)
    default: throw TransformFailure("transform.value")
    }
  }

  // MARK: Expressions

  /// The types of columns in expressions: their definition's, else that of the attribute that they fill.
  private func typed(_ name: String, _ record: ReadRecord) throws(TransformFailure) -> TransformValue {
    let value = try column(name, record, for: nil)
    guard !part.columns.contains(where: { $0.name == name }), case .text = value else { return value }
    func find(_ entity: EntityImport) -> (AttributeType, ConversionOptions)? {
      for field in entity.findBy + entity.attributes
      where field.column == name && field.steps.isEmpty && field.value == nil {
        if let type = model.entity(named: entity.entityName)?.attribute(named: field.attributeName)?.type {
          return (type, field.conversion)
        }
      }
      for relationship in entity.relationships where relationship.list == nil {
        if let found = find(relationship.target) { return found }
      }
      return nil
    }
    guard let (type, options) = find(part.root) else { return value }
    do throws(TransformFailure) {
      switch type {
      case .integer16, .integer32, .integer64: return try Self.read(value, as: .integer, options)
      case .decimal: return try Self.read(value, as: .decimal, options)
      case .date: return try Self.read(value, as: .date, options)
      case .boolean: return try Self.read(value, as: .boolean, options)
      default: return value
      }
    } catch {
      throw TransformFailure(error.code, column: name)
    }
  }

  private func value(_ text: String, _ record: ReadRecord) throws(TransformFailure) -> TransformValue {
    guard let expression = try? ObjectExpression(format: text) else {
      preconditionFailure("\(text) cannot be read")
    }
    do {
      return try ReferenceExpression { try self.typed($0, record) }.value(expression)
    } catch {
      throw error as? TransformFailure ?? TransformFailure("transform.expression")
    }
  }

  private func holds(_ text: String, _ record: ReadRecord) throws(TransformFailure) -> Bool {
    guard let predicate = try? ObjectPredicate(format: text) else {
      preconditionFailure("\(text) cannot be read")
    }
    do {
      return try ReferenceExpression { try self.typed($0, record) }.holds(predicate)
    } catch {
      throw error as? TransformFailure ?? TransformFailure("transform.expression")
    }
  }

  // MARK: Steps

  private func apply(
    _ step: TransformStep.Action, _ value: TransformValue, _ record: ReadRecord, _ options: ConversionOptions,
    own: String?
  ) throws(TransformFailure) -> TransformValue {
    switch step.step {
    case let step as CoalesceStep:
      var all = [value]
      for name in step.columns { all.append(try column(name, record, for: own)) }
      return all.first { !$0.isMissing && $0 != .text("") } ?? value
    case let step as ConcatStep:
      var parts = [value]
      for name in step.columns { parts.append(try column(name, record, for: own)) }
      parts = parts.filter { !$0.isMissing }
      return parts.isEmpty
        ? value : .text(parts.map(\.text).joined(separator: String(decoding: step.separator, as: UTF8.self)))
    case let step as DefaultStep: return value.isMissing || value == .text("") ? .text(step.text) : value
    case let step as WhenStep:
      var result = step.otherwise
      for one in step.cases {
        if try holds(one.condition.text, record) {
          result = one.result
          break
        }
      }
      switch result {
      case .text(let text): return .text(text)
      case .column(let name): return try column(name, record, for: own)
      case .null: return .null
      case nil: return value
      }
    default: break
    }
    if value.isMissing { return value }
    switch step.step {
    case is ArithmeticStep, is SignStep, is RoundStep: return try compute(step, value, record, options, own: own)
    case let step as ConvertStep: return try Self.read(value, as: step.kind, options)
    case let step as LookupStep: return try lookUp(step, value)
    case is LengthStep: return .integer(Int64(value.text.unicodeScalars.count))
    case let step as NullIfStep:
      return step.texts.contains { $0.utf8.elementsEqual(value.text.utf8) } ? .null : value
    default: return try ReferenceTextStep.apply(step, value.text)
    }
  }

  private func compute(
    _ step: TransformStep.Action, _ value: TransformValue, _ record: ReadRecord, _ options: ConversionOptions,
    own: String?
  ) throws(TransformFailure) -> TransformValue {
    /// Texts are whole numbers if they look so, else decimals.
    func number(_ value: TransformValue) throws(TransformFailure) -> TransformValue {
      guard case .text = value else { return value }
      return try Self.read(value, as: .decimal, options)
    }
    let first = try number(value)
    guard let a = first.number else { return .null }
    var isWhole = if case .integer = first { true } else { false }
    func result(_ number: ExactDecimal) throws(TransformFailure) -> TransformValue {
      guard isWhole else { return .decimal(number) }
      guard let whole = Int64(exactly: number.digits), number.places == 0 else {
        throw TransformFailure("transform.overflow")
      }
      return .integer(whole)
    }
    switch step.step {
    case let step as SignStep:
      return try result(ExactDecimal(step.onlyNegative ? abs(a.digits) : -a.digits, places: a.places))
    case let step as RoundStep where step.rounding == .halfUp: return try result(a.rounded(step.places))
    case let step as ArithmeticStep:
      let second: TransformValue
      switch step.operand {
      case .number(let text):
        second = Int64(text).map { .integer($0) } ?? ExactDecimal(text).map { .decimal($0) } ?? .null
      case .column(let name): second = try number(try column(name, record, for: own))
      }
      guard let b = second.number else { return .null }
      if case .integer = second {} else { isWhole = false }
      switch step.operation {
      case .add: return try result(a + b)
      case .subtract: return try result(a - b)
      case .multiply: return try result(a * b)
      case .divide:
        guard let quotient = a.divided(by: b, places: step.places ?? 10) else {
          throw TransformFailure("transform.division")
        }
        return .decimal(quotient)
      case .modulo: preconditionFailure("the reference importer has no \(step.operation)")
      }
    default: preconditionFailure("the reference importer has no \(step.name)")
    }
  }
}

extension EntityImport {
  /// The columns that fields and lists name.
  var namedColumns: [String] {
    (findBy + attributes).filter { $0.value == nil }.map(\.column)
      + relationships.flatMap { relationship in
        relationship.list.map { [$0.column] } ?? relationship.target.namedColumns
      }
  }
}

extension ColumnTransform {
  /// The column that it is made from.
  fileprivate var from: String? { if case .column(let name) = source { name } else { nil } }
}

/// Steps from text to text.
enum ReferenceTextStep {
  static func apply(_ step: TransformStep.Action, _ text: String) throws(TransformFailure) -> TransformValue {
    let scalars = Array(text.unicodeScalars)
    func made(_ scalars: some Collection<Unicode.Scalar>) -> TransformValue {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      return .text(String(view))
    }
    func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    switch step.step {
    case is TrimStep: return .text(ReferenceConversion.trimmed(text))
    case is CollapseStep:
      let words = scalars.split { $0.properties.isWhitespace }
      return made(Array(words.joined(separator: [" "])))
    case let step as CaseStep: return .text(step.isUpper ? text.uppercased() : text.lowercased())
    case let step as ReplaceStep:
      guard case .text(let old) = step.what else { break }
      return .text(text.replacingOccurrences(of: old, with: step.new, options: .literal))
    case let step as AffixStep: return .text(step.isBefore ? string(step.text) + text : text + string(step.text))
    case let step as SplitStep:
      let parts = text.components(separatedBy: string(step.separator))
      let place = step.take > 0 ? step.take - 1 : parts.count + step.take
      return parts.indices.contains(place) ? .text(parts[place]) : .null
    case let step as SubstringStep:
      let start = step.from > 0 ? step.from - 1 : max(scalars.count + step.from, 0)
      return made(scalars.dropFirst(start).prefix(step.length ?? scalars.count))
    case let step as PadStep:
      let fill = Array(string(step.filling).unicodeScalars)
      let padding = (0..<max(step.length - scalars.count, 0)).map { fill[$0 % fill.count] }
      return made(step.side == .start ? padding + scalars : scalars + padding)
    default: break
    }
    preconditionFailure("the reference importer has no \(step.name)")
  }
}

extension ReferenceConversion {
  /// What a value that a transform has made means for the attribute.
  func convert(_ value: TransformValue, replaces: Bool) -> Result {
    switch value {
    case .absent: return convert(Cell.absent, replaces: replaces)
    case .null: return convert(Cell.null)
    case .text(let text): return convert(Cell.text(text))
    case .date(let seconds) where attribute.type == .date: return .value(.date(seconds))
    case .boolean(let truth) where attribute.type == .boolean: return .value(.boolean(truth))
    default:
      var plain = field
      plain.conversion = ConversionOptions()
      return ReferenceConversion(field: plain, attribute: attribute).convert(Cell.text(value.text))
    }
  }
}
