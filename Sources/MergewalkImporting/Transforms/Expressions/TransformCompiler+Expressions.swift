import MergewalkDiagnostics
import MergewalkObjectModel

/// Expressions over columns. An expression whose every part has an instruction runs over whole columns; any other goes to
/// the evaluator as a whole, record by record. Numbers are exact in both, and the results are the same.
extension TransformCompiler {
  /// The values of an expression; nil with findings when it cannot be used.
  ///
  /// - Parameter isText: Whether the values may be written as text, so that the digits of decimals are to depend on their
  ///   values alone.
  mutating func expression(_ text: SourceText, isText: Bool) -> Value? {
    let parsed: ObjectExpression
    do throws(PredicateError) {
      parsed = try ObjectExpression(exactFormat: text.text)
    } catch {
      report(error, in: text)
      return nil
    }
    guard let checked = check(.comparison(ComparisonPredicate(parsed, .equalTo, .constant(.null))), in: text)
    else { return nil }
    // A column stays as it is.
    if case .path(.evaluatedObject, let path) = parsed, let name = Self.columnName(path) {
      return expressionColumn(name, at: text.position(ofName: name))
    }
    var types = checked.types
    let (typed, kind) = types.typed(parsed)
    guard let value = result(typed, kind, types, checked.columns, text) else { return nil }
    if checked.columns.isEmpty { return value }
    let end = ExpressionEnd(
      from: value.register, columns: checked.columns.map(\.register), normalises: isText && value.kind == .decimal)
    return emit(
      end, value.kind, plan.instructions[value.register].name, origin: value.origin, reading: value.reading)
  }

  /// The register of a condition; nil with findings when it cannot be used.
  mutating func predicate(_ text: SourceText) -> Int? {
    let parsed: ObjectPredicate
    do throws(PredicateError) {
      parsed = try ObjectPredicate(exactFormat: text.text)
    } catch {
      report(error, in: text)
      return nil
    }
    guard let checked = check(parsed, in: text) else { return nil }
    for pattern in parsed.patternsOfSQL {
      let finding = Diagnostic(
        .sqlPattern, path: path, position: text.position, message: ObjectPredicate.sqlPattern(pattern))
      if !findings.contains(finding) { findings.append(finding) }
    }
    var types = checked.types
    let typed = types.typed(parsed)
    let start = self
    if hasInstructions, let register = condition(typed, types) { return register }
    self = start
    guard !refusesMixture(types, text) else { return nil }
    return emit(
      Evaluation(subject: .predicate(typed), columns: checked.columns), .boolean, "where",
      origin: origin(checked.columns)
    ).register
  }

  private mutating func result(
    _ expression: ObjectExpression, _ kind: ExpressionTyping.Kind, _ types: ExpressionTyping, _ columns: [RowColumn],
    _ text: SourceText
  ) -> Value? {
    let start = self
    if hasInstructions, let value = value(expression, types) { return value }
    self = start
    guard case .value(let kind) = kind else {
      report("expressionType", text.position, "the expression has no single value")
      return nil
    }
    guard !refusesMixture(types, text) else { return nil }
    return emit(
      Evaluation(subject: .expression(expression), columns: columns), kind, "value", origin: origin(columns))
  }

  private mutating func refusesMixture(_ types: ExpressionTyping, _ text: SourceText) -> Bool {
    guard types.isMixed else { return false }
    report(
      "expressionType", text.position, "TERNARY has results of two types here",
      hint: "make texts of both with CAST(value, 'NSString')")
    return true
  }

  /// Reports what is wrong with a predicate or an expression, at its place in the text.
  mutating func report(_ error: PredicateError, in text: SourceText) {
    let isPlaced = error.position.line == 1 && !text.text.contains("\n")
    report(
      "expression", isPlaced ? text.position(at: max(0, error.position.column - 1)) : text.position, error.message,
      hint: error.hint)
  }

  private func origin(_ columns: [RowColumn]) -> Int {
    columns.first.map { plan.instructions[$0.register].origin } ?? -1
  }

  // MARK: Columns

  /// The columns that an evaluator is given.
  mutating func rowColumns(_ names: [String], _ text: SourceText) -> [RowColumn]? {
    var columns: [RowColumn] = []
    for name in names {
      guard let value = expressionColumn(name, at: text.position(ofName: name)) else { return nil }
      columns.append(
        RowColumn(path: name.split(separator: ".").map(String.init), register: value.register, kind: value.kind))
    }
    return columns
  }

  /// The name of the column that a key path stands for.
  static func columnName(_ path: PropertyPath) -> String? { path.propertyNames?.joined(separator: ".") }

  // MARK: Values

  /// Compiles an expression that was checked; nil when a part of it has no instruction.
  mutating func value(_ expression: ObjectExpression, _ types: ExpressionTyping) -> Value? {
    if let constant = folded(expression) { return self.constant(constant) }
    switch expression {
    case .path(.evaluatedObject, let path):
      return Self.columnName(path).flatMap { expressionColumn($0, at: .file) }
    case .function(let function, let arguments):
      guard let values = values(arguments, types) else { return nil }
      return self.function(function, values, arguments, expression, types)
    case .conditional(let predicate, let first, let second):
      guard let condition = condition(predicate, types), let left = value(first, types),
        let right = value(second, types), let (one, other) = unified(left, first, right, second)
      else { return nil }
      return emit(
        Choose(condition: condition, first: one.register, second: other.register), one.kind, "TERNARY",
        origin: left.origin)
    default: return nil
    }
  }

  private mutating func values(_ expressions: [ObjectExpression], _ types: ExpressionTyping) -> [Value]? {
    var values: [Value] = []
    for expression in expressions {
      guard let value = value(expression, types) else { return nil }
      values.append(value)
    }
    return values
  }

  /// An expression that names no column is a constant, unless its value differs each time or from run to run, or it has
  /// none.
  private func folded(_ expression: ObjectExpression) -> AttributeValue? {
    switch expression {
    case .constant(.attribute(let value)): return value
    case .path, .constant: return nil
    default: break
    }
    var finder = ColumnFinder()
    finder.visit(.expression(expression))
    guard finder.names.isEmpty, !finder.differs else { return nil }
    var evaluator = PredicateEvaluator(now: now, .exact)
    guard case .attribute(let value)? = try? evaluator.evaluate(expression, with: .null) else { return nil }
    return value
  }

  /// A constant; nil for UUIDs and bytes, which columns do not have.
  mutating func constant(_ value: AttributeValue) -> Value? {
    func make(_ kind: ValueKind, _ payload: UInt64, _ digits: Int128 = 0) -> Value {
      emit(Constant(value: .number(payload: payload, digits: digits)), kind, "constant", origin: -1)
    }
    switch value {
    case .integer(let number): return make(.integer, UInt64(bitPattern: number))
    case .boolean(let flag): return make(.boolean, flag ? 1 : 0)
    case .double(let number): return number.isNaN ? null(.text) : make(.double, number.bitPattern)
    case .decimal(let decimal): return make(.decimal, UInt64(bitPattern: Int64(decimal.exponent)), decimal.significand)
    case .date(let seconds): return make(.date, seconds.bitPattern)
    case .string(let text), .uri(let text):
      return emit(Constant(value: .text(Array(text.utf8))), .text, "constant", origin: -1)
    case .null: return null(.text)
    case .binary, .uuid: return nil
    }
  }

  private mutating func null(_ kind: ValueKind) -> Value { emit(Constant(value: .null), kind, "constant", origin: -1) }

  static func isNull(_ expression: ObjectExpression) -> Bool {
    if case .constant(.attribute(let value)) = expression { return value.isNull }
    return false
  }

  /// Two results of one type: null is of the other's, numbers of the wider one's, and other types become text.
  private mutating func unified(
    _ left: Value, _ first: ObjectExpression, _ right: Value, _ second: ObjectExpression
  ) -> (Value, Value)? {
    if Self.isNull(first) { return (null(right.kind), right) }
    if Self.isNull(second) { return (left, null(left.kind)) }
    let isNumeric = left.isNumeric && right.isNumeric && left.kind != right.kind
    let kind = isNumeric ? wider(left, right) : left.kind == right.kind ? left.kind : .text
    guard let one = convert(left, to: kind, step: "TERNARY", at: .file),
      let other = convert(right, to: kind, step: "TERNARY", at: .file)
    else { return nil }
    return (one, other)
  }

  /// The type in which two numbers are computed with; truth values are whole numbers.
  private func wider(_ left: Value, _ right: Value) -> ValueKind {
    if left.kind == .double || right.kind == .double { return .double }
    return left.kind == .decimal || right.kind == .decimal ? .decimal : .integer
  }

  // MARK: Functions

  private mutating func function(
    _ function: ExpressionFunction, _ values: [Value], _ arguments: [ObjectExpression], _ call: ObjectExpression,
    _ types: ExpressionTyping
  ) -> Value? {
    let name = function.rawValue
    switch (function, values.count) {
    case (.noIndex, 1): return values[0]
    case (.uppercase, 1): return textFunction(CaseStep(isUpper: true), values[0], name)
    case (.lowercase, 1): return textFunction(CaseStep(isUpper: false), values[0], name)
    case (.canonical, 1):
      return textFunction(FoldStep(options: [.caseInsensitive, .diacriticInsensitive]), values[0], name)
    case (.absolute, 1) where values[0].kind.isNumber:
      let step = AppliedStep(step: SignStep(onlyNegative: true), from: values[0].register)
      return emit(step, values[0].kind, name, origin: values[0].origin)
    case (.add, 2), (.subtract, 2), (.multiply, 2), (.divide, 2), (.modulus, 2):
      guard values[0].isNumeric, values[1].isNumeric else { break }
      let kind = wider(values[0], values[1])
      guard let left = convert(values[0], to: kind, step: name, at: .file),
        let right = convert(values[1], to: kind, step: name, at: .file)
      else { return nil }
      return emit(
        Arithmetic(function: function, left: left.register, right: right.register), kind, Self.sign(function),
        origin: values[0].origin)
    case (.cast, 2):
      var types = types
      guard case .constant(.attribute(let type)) = arguments[1], case .value(let kind) = types.typed(call).kind
      else { return nil }
      // What only makes a number of another type has an instruction.
      if values[0].isNumeric, kind == values[0].kind || kind == .decimal && values[0].kind != .double || kind == .double
      {
        return convert(values[0], to: kind, step: "CAST", at: .file)
      }
      return emit(
        FunctionCall(function: .cast, inputs: [values[0].register], constant: type), kind, "CAST",
        origin: values[0].origin)
    default: break
    }
    guard function.isScalar else { return nil }
    var types = types
    guard case .value(let kind) = types.typed(call).kind else { return nil }
    return emit(
      FunctionCall(function: function, inputs: values.map(\.register)), kind, Self.sign(function),
      origin: values[0].origin)
  }

  private mutating func textFunction(_ step: some NewTextStep, _ value: Value, _ name: String) -> Value? {
    emit(
      AppliedStep(step: step, from: value.register), .text, name, origin: value.origin, reading: value.reading)
  }

  private static func sign(_ function: ExpressionFunction) -> String {
    switch function {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    default: String(function.rawValue.prefix { $0 != ":" })
    }
  }
}

extension TransformCompiler.Value {
  /// Whether it is a number, or a truth value, which is 1 or 0 where numbers are computed with.
  var isNumeric: Bool { kind.isNumber || kind == .boolean }
}

extension ExpressionFunction {
  /// Whether the function takes one or two single values and gives the same for the same ones.
  fileprivate var isScalar: Bool {
    switch self {
    case .random, .randomBelow, .now, .distinct, .objectWithIndex, .distance, .cast: false
    default: !isAggregate
    }
  }
}
