import MergewalkDiagnostics
import MergewalkObjectModel

/// Checks and compiles a transform's definition: collects instructions and findings.
struct TransformCompiler {
  /// The path that findings carry.
  let path: String
  let model: ManagedObjectModel?
  var plan = TransformPlan()
  var findings: [Diagnostic] = []
  /// The columns that are read from the source.
  var columnNames: [String]
  /// The types of columns that fill an attribute directly, and how they are read.
  var fieldKinds: [String: (kind: ValueKind, reading: ConversionOptions)] = [:]
  /// The columns that are read for transforms, and what asks for them.
  private(set) var reads: [(name: String, position: SourcePosition)] = []
  /// The meaning of `now` in expressions.
  let now: Double
  /// Whether expressions get instructions where they can; tests hold the evaluator against them.
  var hasInstructions = true

  /// The step that is being compiled.
  var place = StepPlace()

  private let definitions: [String: ColumnTransform]
  /// Columns that other code may have changed, by name: the derived column, and its type when it is declared.
  private var sharedColumns: [String: (derived: Int, kind: ValueKind?)] = [:]
  private var loads: [String: Int] = [:]
  private var columns: [String: Value?] = [:]
  private var typed: [String: Value] = [:]
  /// The derived columns that are being compiled.
  private var open: [String] = []
  /// For each column the derived columns that are made from it; the empty name stands for everything else that takes it.
  private var takers: [String: Set<String>] = [:]
  /// Whether definitions are only checked.
  private var isChecking = false

  /// A register with what is known of its values.
  struct Value {
    var register: Int
    var kind: ValueKind
    /// How its texts are read as values of other types.
    var reading: ConversionOptions
    var origin: Int
  }

  init(
    path: String, model: ManagedObjectModel?, columnNames: [String] = [], definitions: [ColumnTransform], now: Double
  ) {
    self.path = path
    self.model = model
    self.columnNames = columnNames
    self.now = now
    var known: [String: ColumnTransform] = [:]
    for definition in definitions { known[definition.name] = known[definition.name] ?? definition }
    self.definitions = known
  }

  mutating func report(_ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil) {
    let finding = Diagnostic(.error, code: code, path: path, position: position, message: message, hint: hint)
    if !findings.contains(finding) { findings.append(finding) }
  }

  // MARK: Instructions

  mutating func emit(
    _ operation: any ColumnOperation, _ kind: ValueKind, _ name: String, origin: Int,
    reading: ConversionOptions = ConversionOptions()
  ) -> Value {
    plan.instructions.append(Instruction(operation, kind: kind, name: name, origin: origin))
    return Value(register: plan.instructions.count - 1, kind: kind, reading: reading, origin: origin)
  }

  /// Continues with columns as other code leaves them.
  mutating func share(_ columns: [(name: String, derived: Int, kind: ValueKind?)]) {
    for column in columns { sharedColumns[column.name] = (column.derived, column.kind) }
    plan.firstPhase = plan.instructions.count
    loads = [:]
    typed = [:]
    // What was made from columns that may have changed since is made anew.
    self.columns = [:]
  }

  // MARK: Columns

  /// The texts of a column of the source.
  private mutating func load(_ name: String, reading: ConversionOptions, at position: SourcePosition) -> Value {
    if let known = loads[name] {
      return Value(register: known, kind: .text, reading: reading, origin: plan.instructions[known].origin)
    }
    if let shared = sharedColumns[name] {
      let origin = columnNames.firstIndex(of: name) ?? -1
      // Derived columns are numbered behind those that are read, whose number is not known yet.
      let value = emit(LoadColumn(column: -1 - shared.derived), .text, name, origin: origin, reading: reading)
      loads[name] = value.register
      return value
    }
    let column = readColumn(name, at: position)
    let value = emit(LoadColumn(column: column), .text, name, origin: column, reading: reading)
    loads[name] = value.register
    return value
  }

  /// The number of a column that is read.
  mutating func readColumn(_ name: String, at position: SourcePosition) -> Int {
    reads.append((name, position))
    if let column = columnNames.firstIndex(of: name) { return column }
    columnNames.append(name)
    return columnNames.count - 1
  }

  /// The values of a column: derived, or the source's texts; nil when it cannot be made, which is reported.
  mutating func column(
    _ name: String, reading: ConversionOptions = ConversionOptions(), from owner: String? = nil,
    at position: SourcePosition
  ) -> Value? {
    if !isChecking || !open.isEmpty { takers[name, default: []].insert(open.last ?? "") }
    if sharedColumns[name] != nil {
      let value = load(name, reading: reading, at: position)
      guard let kind = sharedColumns[name]?.kind, kind != .text else { return value }
      return typed(name, value, kind)
    }
    // A column's own definition speaks of the source's column of the same name.
    guard let definition = definitions[name], name != owner else {
      return load(name, reading: reading, at: position)
    }
    if let known = columns[name] { return known }
    guard !open.contains(name) else {
      report(
        "cyclicColumn", position,
        "the column “\(name)” is made from itself: "
          + (open.drop { $0 != name } + [name]).joined(separator: " from ")
          + "; make one of them from a column of the source")
      return nil
    }
    open.append(name)
    let value = make(definition)
    open.removeLast()
    columns[name] = value
    return value
  }

  /// Checks definitions, whether something takes them or not.
  mutating func check(_ columns: [ColumnTransform]) {
    isChecking = true
    for definition in columns { _ = column(definition.name, at: definition.position) }
    isChecking = false
  }

  /// Whether something else than derived columns takes a column, or a derived column that something takes.
  func isTaken(_ name: String) -> Bool {
    var (left, seen) = ([name], Set([name]))
    while let column = left.popLast() {
      let takers = takers[column] ?? []
      if takers.contains("") { return true }
      left += takers.filter { seen.insert($0).inserted }
    }
    return false
  }

  private mutating func typed(_ name: String, _ value: Value, _ kind: ValueKind) -> Value? {
    if let known = typed[name], known.kind == kind { return known }
    let made = convert(value, to: kind, step: name, at: .file)
    typed[name] = made
    return made
  }

  /// The values of a column in an expression: of the type that is declared, or of the attribute that it fills.
  mutating func expressionColumn(_ name: String, at position: SourcePosition) -> Value? {
    let isDefined = definitions[name] != nil && !open.contains(name)
    guard !isDefined, sharedColumns[name]?.kind == nil, let field = fieldKinds[name], field.kind != .text else {
      guard let value = column(name, from: open.last, at: position) else { return nil }
      return value
    }
    let text = column(name, reading: field.reading, from: open.last, at: position)
    return text.flatMap { typed(name, $0, field.kind) }
  }

  private mutating func make(_ definition: ColumnTransform) -> Value? {
    var value: Value?
    switch definition.source {
    case .column(let name):
      value = column(name, reading: definition.reading, from: definition.name, at: definition.position)
    case .expression(let text): value = expression(text, isText: true)
    }
    guard var made = value else { return nil }
    made.reading = definition.reading
    guard let result = apply(definition.steps, to: made, owner: definition.name) else { return nil }
    guard let kind = definition.kind else { return result }
    return convert(result, to: kind, step: definition.name, at: definition.position)
  }

  /// Makes what fills an attribute: a text that conversion reads, or a value of the attribute's type.
  ///
  /// - Returns: the register and whether conversion must read the text in the field's own way.
  mutating func field(_ field: FieldImport, type: AttributeType) -> (register: Int, isText: Bool)? {
    let start: Value?
    if let expression = field.value {
      start = self.expression(expression, isText: !field.steps.isEmpty || ValueKind(type) == .text)
    } else {
      start = column(field.column, reading: field.conversion, at: field.position)
    }
    guard var value = start else { return nil }
    if value.kind == .text { value.reading = field.conversion }
    guard let result = apply(field.steps, to: value, owner: nil) else { return nil }
    let kind = ValueKind(type)
    if result.kind == kind || result.kind == .text { return (result.register, result.kind == .text) }
    guard let converted = convert(result, to: kind, step: field.attributeName, at: field.position) else { return nil }
    return (converted.register, false)
  }

  // MARK: Types

  /// A value of another type, or nil with a finding when there is no way.
  mutating func convert(
    _ value: Value, to kind: ValueKind, step: String, at position: SourcePosition
  ) -> Value? {
    if value.kind == kind { return value }
    if kind == .text { return emit(PrintValues(from: value.register), .text, step, origin: value.origin) }
    if value.kind == .text {
      return emit(
        ReadTexts(from: value.register, reading: FieldReading(value.reading)), kind, step, origin: value.origin)
    }
    let isPossible =
      (value.kind.isNumber || value.kind == .boolean) && (kind.isNumber || kind == .boolean)
      && !(kind == .boolean && value.kind != .integer)
    guard isPossible else {
      report(
        "transformType", position,
        "“\(step)” takes \(kind.described), but the value before it is \(value.kind.described)"
      )
      return nil
    }
    return emit(CastNumbers(from: value.register), kind, step, origin: value.origin)
  }

  /// The value as a number; texts are read as decimals.
  mutating func number(_ value: Value, step: String, at position: SourcePosition) -> Value? {
    if value.kind.isNumber { return value }
    if value.kind == .text || value.kind == .boolean {
      return convert(value, to: value.kind == .text ? .decimal : .integer, step: step, at: position)
    }
    report("transformType", position, "“\(step)” takes a number, but the value before it is \(value.kind.described)")
    return nil
  }

  /// Two numbers of one type.
  mutating func common(_ left: Value, _ right: Value, step: String, at position: SourcePosition) -> (Value, Value)? {
    guard let kind = ValueKind.common(left.kind, right.kind),
      let first = convert(left, to: kind, step: step, at: position),
      let second = convert(right, to: kind, step: step, at: position)
    else { return nil }
    return (first, second)
  }

  /// A constant of a type; nil when the text does not spell one.
  mutating func constant(_ text: String, _ kind: ValueKind, name: String) -> Value? {
    if kind == .text { return emit(Constant(value: .text(Array(text.utf8))), .text, name, origin: -1) }
    guard let value = FieldReading.constant(text, as: kind), value.tag == Register.value else { return nil }
    return emit(
      Constant(value: .number(payload: value.payload, digits: value.digits)), kind, name, origin: -1)
  }
}
