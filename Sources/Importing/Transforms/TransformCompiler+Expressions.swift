import Diagnostics
import ObjectModel

/// Expressions over columns: what has instructions of its own runs over whole columns, the rest goes to the evaluator,
/// record by record, with one meaning.
extension TransformCompiler {
  /// The values of an expression; nil with findings when it cannot be used.
  mutating func expression(_ text: SourceText) -> Value? {
    let parsed: Expression
    do throws(PredicateError) {
      parsed = try Expression(format: text.text)
    } catch {
      report(error, in: text)
      return nil
    }
    guard check(parsed, in: text) else { return nil }
    return value(parsed, text)
  }

  /// Reports what is wrong with a predicate or an expression, at its place in the text.
  mutating func report(_ error: PredicateError, in text: SourceText) {
    let isPlaced = error.position.line == 1 && !text.text.contains("\n")
    report(
      "expression", isPlaced ? text.position(at: max(0, error.position.column - 1)) : text.position, error.message,
      hint: error.hint)
  }

  /// Compiles an expression that was checked.
  mutating func value(_ expression: Expression, _ text: SourceText) -> Value? {
    switch expression {
    case .constant(.attribute(let value)): return constant(value)
    case .function(.now, _): return constant(.date(now))
    case .path(.evaluatedObject, let path):
      guard let name = Self.columnName(path) else { return nil }
      return expressionColumn(name, at: text.position(ofName: name))
    case .function(let function, let arguments):
      if let value = self.function(function, arguments, text) { return value }
    case .conditional(let predicate, let first, let second):
      guard let condition = condition(predicate, text), let left = value(first, text), let right = value(second, text)
      else { return nil }
      let kind = ValueKind.common(left.kind, right.kind) ?? .text
      guard let one = convert(left, to: kind, step: "TERNARY", at: text.position),
        let other = convert(right, to: kind, step: "TERNARY", at: text.position)
      else { return nil }
      return emit(
        .select(condition: condition, one.register, other.register), kind, "TERNARY", origin: left.origin)
    default: break
    }
    // Whatever names no column is a constant, unless it differs each time it is asked.
    var finder = ColumnFinder()
    finder.visit(expression)
    if finder.names.isEmpty, !finder.isRandom,
      let constant = try? expression.evaluate(with: .null, now: now), case .attribute(let value) = constant
    {
      return self.constant(value)
    }
    guard let columns = rowColumns(finder.names, text) else { return nil }
    guard let kind = kind(of: expression, text) else {
      report("expressionType", text.position, "the expression has no single value")
      return nil
    }
    return emit(.expression(expression, columns), kind, "value", origin: columns.first.map { origin($0) } ?? -1)
  }

  private func origin(_ column: RowColumn) -> Int { plan.instructions[column.register].origin }

  /// The columns that an evaluator is given.
  func rowColumn(_ name: String, _ value: Value) -> RowColumn {
    RowColumn(path: name.split(separator: ".").map(String.init), register: value.register, kind: value.kind)
  }

  mutating func rowColumns(_ names: [String], _ text: SourceText) -> [RowColumn]? {
    var columns: [RowColumn] = []
    for name in names {
      guard let value = expressionColumn(name, at: text.position(ofName: name)) else { return nil }
      columns.append(rowColumn(name, value))
    }
    return columns
  }

  mutating func constant(_ value: AttributeValue) -> Value {
    func make(_ kind: ValueKind, _ payload: UInt64, _ digits: Int128 = 0) -> Value {
      emit(.constant(.number(payload: payload, digits: digits)), kind, "constant", origin: -1)
    }
    switch value {
    case .integer(let number): return make(.integer, UInt64(bitPattern: number))
    case .boolean(let flag): return make(.boolean, flag ? 1 : 0)
    // What is written with a point is exact: 0.1 is a tenth.
    case .double(let number):
      if let decimal = DecimalNumber(number.description) {
        return make(.decimal, UInt64(bitPattern: Int64(decimal.exponent)), decimal.significand)
      }
      return make(.double, number.bitPattern)
    case .decimal(let decimal): return make(.decimal, UInt64(bitPattern: Int64(decimal.exponent)), decimal.significand)
    case .date(let seconds): return make(.date, seconds.bitPattern)
    case .string(let text), .uri(let text):
      return emit(.constant(.text(Array(text.utf8))), .text, "constant", origin: -1)
    case .null, .binary, .uuid: return emit(.constant(.null), .text, "constant", origin: -1)
    }
  }

  /// A function that has an instruction; nil for others.
  private mutating func function(
    _ function: ExpressionFunction, _ arguments: [Expression], _ text: SourceText
  ) -> Value? {
    let operation: TransformStep.Arithmetic?
    switch function {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    case .divide: operation = .divide
    case .modulus: operation = .modulo
    default: operation = nil
    }
    if let operation, arguments.count == 2 {
      guard let first = value(arguments[0], text), let second = value(arguments[1], text), first.kind.isNumber,
        second.kind.isNumber, let (left, right) = common(first, second, step: function.rawValue, at: text.position)
      else { return nil }
      // Whole numbers are divided as the language has it: cut toward zero.
      let used = operation == .divide && left.kind == .integer ? .quotient : operation
      return emit(
        .arithmetic(used, left.register, right.register, places: nil), left.kind, Self.sign(used),
        origin: first.origin)
    }
    guard arguments.count == 1 else { return nil }
    let textOperation: Instruction.TextOperation?
    switch function {
    case .uppercase: textOperation = .upper
    case .lowercase: textOperation = .lower
    case .canonical: textOperation = .canonical
    default: textOperation = nil
    }
    guard textOperation != nil || function == .length || function == .absolute,
      let argument = value(arguments[0], text)
    else { return nil }
    if function == .absolute {
      guard argument.kind.isNumber else { return nil }
      return emit(.absolute(argument.register), argument.kind, function.rawValue, origin: argument.origin)
    }
    // `length:` counts UTF-16 units, which the step does not.
    guard argument.kind == .text, let textOperation else { return nil }
    return emit(
      .text(argument.register, textOperation), .text, function.rawValue, origin: argument.origin,
      reading: argument.reading)
  }

  private static func sign(_ operation: TransformStep.Arithmetic) -> String {
    switch operation {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide, .quotient: "/"
    case .modulo: "modulus"
    }
  }

  // MARK: Checking

  /// Whether an expression uses nothing that records do not have, and takes values of the right types.
  mutating func check(_ expression: Expression, in text: SourceText) -> Bool {
    check(Predicate.comparison(ComparisonPredicate(expression, .equalTo, .constant(.null))), in: text)
  }

  /// Whether a predicate uses nothing that records do not have, and compares values of fitting types.
  mutating func check(_ predicate: Predicate, in text: SourceText) -> Bool {
    var finder = ColumnFinder()
    finder.visit(predicate)
    if let obstacle = finder.obstacle {
      report("expressionType", text.position, obstacle)
      return false
    }
    guard let columns = rowColumns(finder.names, text) else { return false }
    // A record that has a value of each column's type shows what cannot be computed or compared.
    let sample = RowValues()
    for column in columns { sample.set(column.path, Self.sample(column.kind)) }
    for comparison in finder.comparisons {
      if let mismatch = mismatch(comparison, text) {
        report(
          "expressionType", text.position, mismatch,
          hint: "give the column a type under “columns”, or convert with CAST(value, 'type')")
        return false
      }
      do throws(PredicateError) {
        var evaluator = PredicateEvaluator(now: now)
        _ = try evaluator.evaluate(.comparison(comparison), with: .object(sample))
      } catch {
        switch error.code {
        // Other values may do.
        case .patternTimeLimit, .overflow, .indexOutOfRange: continue
        default: break
        }
        var hint = error.hint
        if error.code == .typeMismatch, let text = columns.first(where: { $0.kind == .text }) {
          hint = "“\(text.path.joined(separator: "."))” is text unless “columns” gives it a type"
        }
        report("expressionType", text.position, error.message, hint: hint)
        return false
      }
    }
    return true
  }

  /// What is odd about an equality whose sides can never be equal.
  private mutating func mismatch(_ comparison: ComparisonPredicate, _ text: SourceText) -> String? {
    guard comparison.comparison == .equalTo || comparison.comparison == .notEqualTo,
      let left = kind(of: comparison.left, text), let right = kind(of: comparison.right, text)
    else { return nil }
    if case .constant(.attribute(.null)) = comparison.left { return nil }
    if case .constant(.attribute(.null)) = comparison.right { return nil }
    func family(_ kind: ValueKind) -> ValueKind { kind.isNumber || kind == .boolean ? .integer : kind }
    guard family(left) != family(right) else { return nil }
    return "\(left.described) is never equal to \(right.described)"
  }

  private static func sample(_ kind: ValueKind) -> AttributeValue {
    switch kind {
    case .text: .string("a")
    case .integer: .integer(1)
    case .decimal: .decimal(DecimalNumber(significand: 15, exponent: -1))
    case .double: .double(1.5)
    case .date: .date(0)
    case .boolean: .boolean(true)
    }
  }

  /// The type of an expression's values; nil when there is no single one.
  mutating func kind(of expression: Expression, _ text: SourceText) -> ValueKind? {
    switch expression {
    case .constant(.attribute(let value)):
      switch value {
      case .integer: return .integer
      case .double, .decimal: return .decimal
      case .boolean: return .boolean
      case .date: return .date
      default: return .text
      }
    case .path(.evaluatedObject, let path):
      return Self.columnName(path).flatMap { expressionColumn($0, at: text.position(ofName: $0))?.kind }
    case .conditional(_, let first, let second):
      guard let left = kind(of: first, text), let right = kind(of: second, text) else { return nil }
      return ValueKind.common(left, right)
    case .assignment(_, let inner): return kind(of: inner, text)
    case .function(let function, let arguments):
      switch function {
      case .uppercase, .lowercase, .canonical: return .text
      case .now: return .date
      case .length, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement, .count:
        return .integer
      case .cast:
        guard arguments.count == 2, case .constant(.attribute(.string(let name))) = arguments[1],
          let type = try? ValueCast.resultType(name)
        else { return nil }
        return type == .undefined ? .double : ValueKind(type)
      case .noIndex: return arguments.first.flatMap { kind(of: $0, text) }
      case .add, .subtract, .multiply, .divide, .modulus:
        guard arguments.count == 2, let left = kind(of: arguments[0], text), let right = kind(of: arguments[1], text)
        else { return nil }
        if left == .date || right == .date { return left == right ? .double : .date }
        return left == .text || right == .text ? nil : ValueKind.common(left, right) ?? .integer
      case .min, .max:
        guard let first = arguments.first else { return nil }
        return kind(of: first, text)
      case .distinct, .mode, .objectWithIndex: return nil
      default: return .double
      }
    default: return nil
    }
  }

  /// The name of the column that a key path stands for.
  static func columnName(_ path: PropertyPath) -> String? { path.propertyNames?.joined(separator: ".") }
}

/// Finds the columns that a predicate names, and what records cannot answer.
struct ColumnFinder {
  private(set) var names: [String] = []
  private(set) var comparisons: [ComparisonPredicate] = []
  /// What keeps the predicate from being asked of records.
  private(set) var obstacle: String?
  /// Whether it differs each time it is asked.
  private(set) var isRandom = false

  mutating func visit(_ predicate: Predicate) {
    switch predicate {
    case .value: break
    case .closure: obstacle = "code cannot judge records; use a hook"
    case .comparison(let comparison):
      comparisons.append(comparison)
      visit(comparison.left)
      visit(comparison.right)
    case .and(let terms), .or(let terms): for term in terms { visit(term) }
    case .not(let inner): visit(inner)
    }
  }

  mutating func visit(_ expression: Expression) {
    switch expression {
    case .constant: break
    case .evaluatedObject: obstacle = obstacle ?? "SELF is no column: name one"
    case .variable(let name): obstacle = obstacle ?? "there is no value for the variable “$\(name)”"
    case .path(let base, let path):
      guard case .evaluatedObject = base, let name = TransformCompiler.columnName(path) else {
        obstacle = obstacle ?? "a record has single values, to which no collection operator applies"
        return
      }
      if !names.contains(name) { names.append(name) }
    case .function(let function, let arguments):
      if function == .random || function == .randomBelow { isRandom = true }
      for argument in arguments { visit(argument) }
    case .aggregate(let elements): for element in elements { visit(element) }
    case .set(_, let left, let right):
      visit(left)
      visit(right)
    case .subquery: obstacle = obstacle ?? "a record has single values, so there is nothing for SUBQUERY to look into"
    case .conditional(let predicate, let first, let second):
      visit(predicate)
      visit(first)
      visit(second)
    case .element(let base, let place):
      visit(base)
      if case .at(let index) = place { visit(index) }
    case .assignment(_, let value):
      obstacle = obstacle ?? "an expression over columns assigns no variables"
      visit(value)
    }
  }
}
