import MergewalkObjectModel

/// The types of expressions over columns.
///
/// The evaluator determines the type of each value at run time; columns have one type for all records. If an
/// expression's values could have several types of numbers, such as those of `TERNARY(n > 0, n, 0.5)`, it is wrapped in
/// a cast, so that both ways to compute it give the same numbers.
struct ExpressionTyping {
  /// The kind of an expression's result.
  enum Kind: Equatable {
    case value(ValueKind)
    /// Null, which is of any type.
    case null
    case list([Kind])
    /// UUIDs, bytes, dictionaries, and unknown types.
    case other

    /// Whether a number can be made of it: of truth values 1 and 0.
    var isNumeric: Bool {
      switch self {
      case .value(let kind): kind.isNumber || kind == .boolean
      case .null: true
      default: false
      }
    }
  }

  let columns: [String: ValueKind]
  /// The problem with an argument of a function.
  private(set) var problem: String?
  /// Whether there is a `TERNARY` of types that have nothing in common: it is text, which only instructions make of
  /// both.
  private(set) var isMixed = false

  init(_ columns: [RowColumn]) {
    var kinds: [String: ValueKind] = [:]
    for column in columns { kinds[column.path.joined(separator: ".")] = column.kind }
    self.columns = kinds
  }

  // MARK: Predicates

  mutating func typed(_ predicate: ObjectPredicate) -> ObjectPredicate {
    switch predicate {
    case .value, .closure: return predicate
    case .comparison(var comparison):
      comparison.left = typed(comparison.left).expression
      comparison.right = typed(comparison.right).expression
      return comparison.membership ?? .comparison(comparison)
    case .and(let terms): return .and(ObjectPredicate.gathered(terms, ofOr: false).map { typed($0) })
    case .or(let terms): return .or(ObjectPredicate.gathered(terms, ofOr: true).map { typed($0) })
    case .not(let inner): return .not(typed(inner))
    }
  }

  // MARK: Expressions

  /// The expression with the casts that it needs, and what it gives.
  mutating func typed(_ expression: ObjectExpression) -> (expression: ObjectExpression, kind: Kind) {
    switch expression {
    case .constant(let constant): return (expression, Self.kind(constant))
    case .path(.evaluatedObject, let path):
      let kind = TransformCompiler.columnName(path).flatMap { columns[$0] }
      return (expression, kind.map { .value($0) } ?? .other)
    case .function(let function, let arguments): return call(function, arguments)
    case .aggregate(let elements):
      let (elements, kinds) = all(elements)
      return (.aggregate(elements), .list(kinds))
    case .set(let operation, let left, let right):
      let (first, second) = (typed(left), typed(right))
      return (.set(operation, first.expression, second.expression), .list(Self.elements([first.kind, second.kind])))
    case .conditional(let predicate, let first, let second):
      let (one, other) = (typed(first), typed(second))
      let made = ObjectExpression.conditional(typed(predicate), one.expression, other.expression)
      if let kind = Self.common([one.kind, other.kind]) { return Self.cast(made, kind, of: [one.kind, other.kind]) }
      if case .list = one.kind, case .list = other.kind { return (made, .list(Self.elements([one.kind, other.kind]))) }
      isMixed = true
      return (made, .value(.text))
    case .element(let base, let place):
      let list = typed(base)
      if case .size = place { return (.element(list.expression, place), .value(.integer)) }
      var place = place
      if case .at(let index) = place { place = .at(typed(index).expression) }
      return element(of: list.kind, .element(list.expression, place))
    case .assignment(let variable, let inner):
      let value = typed(inner)
      return (.assignment(variable: variable, value.expression), value.kind)
    case .evaluatedObject, .variable, .path, .subquery: return (expression, .other)
    }
  }

  private mutating func all(_ expressions: [ObjectExpression]) -> ([ObjectExpression], [Kind]) {
    var made: [ObjectExpression] = []
    var kinds: [Kind] = []
    for expression in expressions {
      let (one, kind) = typed(expression)
      made.append(one)
      kinds.append(kind)
    }
    return (made, kinds)
  }

  private static func kind(_ constant: ConstantValue) -> Kind {
    switch constant {
    case .attribute(let value):
      switch value {
      case _ where value.isNull: .null
      case .integer: .value(.integer)
      case .boolean: .value(.boolean)
      case .decimal: .value(.decimal)
      case .double: .value(.double)
      case .date: .value(.date)
      case .string, .uri: .value(.text)
      case .null, .binary, .uuid: .other
      }
    case .collection(let elements): .list(elements.map(kind))
    case .objectID, .dictionary: .other
    }
  }

  private func element(of list: Kind, _ made: ObjectExpression) -> (ObjectExpression, Kind) {
    guard case .list(let kinds) = list, let kind = Self.common(kinds) else { return (made, .other) }
    return Self.cast(made, kind, of: kinds)
  }

  // MARK: Functions

  private mutating func call(_ function: ExpressionFunction, _ arguments: [ObjectExpression]) -> (
    ObjectExpression, Kind
  ) {
    let (arguments, kinds) = all(arguments)
    let made = ObjectExpression.function(function, arguments)
    if function == .add || function == .subtract, kinds.contains(.value(.date)) {
      return (made, .value(kinds[0] == kinds.last ? .double : .date))
    }
    switch function {
    case .uppercase, .lowercase, .canonical, .length:
      if kinds.first != .value(.text), kinds.first != .null {
        problem = problem ?? "\(function.rawValue) takes a text, not \(Self.described(kinds.first))"
      }
      return (made, .value(function == .length ? .integer : .text))
    case .now: return (made, .value(.date))
    case .noIndex: return (made, kinds.first ?? .other)
    case .cast:
      guard arguments.count == 2, case .constant(.attribute(.string(let name))) = arguments[1] else {
        return (made, .other)
      }
      return (made, Self.kind(ofCast: name, kinds[0]))
    case .distinct: return (made, .list(Self.elements(kinds)))
    case .objectWithIndex: return element(of: kinds.first ?? .other, made)
    case .count: return (made, .value(.integer))
    case .sum, .average, .median, .min, .max, .mode: return aggregate(function, kinds, made)
    case .distance, .standardDeviation, .random: return (made, .value(.double))
    default: break
    }
    if let wrong = kinds.first(where: { !$0.isNumeric }) {
      problem = problem ?? "\(function.rawValue) takes numbers, not \(Self.described(wrong))"
      return (made, .other)
    }
    switch function {
    case .add, .subtract, .multiply, .divide, .modulus, .ceiling, .floor, .truncate, .absolute:
      return (made, .value(Self.number(kinds)))
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement, .randomBelow:
      return (made, .value(.integer))
    default: return (made, .value(.double))
    }
  }

  private func aggregate(
    _ function: ExpressionFunction, _ kinds: [Kind], _ made: ObjectExpression
  ) -> (ObjectExpression, Kind) {
    let elements = kinds.count == 1 ? Self.elements(kinds) : kinds
    switch function {
    case .sum, .average, .median:
      guard elements.allSatisfy(\.isNumeric) else { return (made, .other) }
      let kind = Self.number(elements)
      if function == .sum, kind == .integer { return (made, .value(.integer)) }
      // Nulls are left out, so what is left may be of a lesser type, and the sum of nothing is the integer 0.
      return Self.cast(made, .value(kind == .double ? .double : .decimal), of: [.other])
    default:
      guard let kind = Self.common(elements) else { return (made, .other) }
      return Self.cast(made, kind, of: elements)
    }
  }

  /// The types of the elements of lists, or of a single value.
  private static func elements(_ kinds: [Kind]) -> [Kind] {
    kinds.flatMap { kind -> [Kind] in
      if case .list(let elements) = kind { return elements }
      return [kind]
    }
  }

  private static func kind(ofCast name: String, _ kind: Kind) -> Kind {
    guard let type = try? ValueCast.resultType(name) else { return .other }
    switch type {
    case .uuid, .binary: return .other
    case .undefined:
      // A number stays what it is, a text spells a decimal, a date is so many seconds.
      guard kind != .value(.text) else { return .value(.decimal) }
      return kind.isNumeric ? .value(number([kind])) : .value(.double)
    default: return .value(ValueKind(type))
    }
  }

  // MARK: Types

  /// The type of values of several types; `nil` when there is none.
  private static func common(_ kinds: [Kind]) -> Kind? {
    let known = kinds.filter { $0 != .null }
    guard let first = known.first else { return .null }
    if known.allSatisfy({ $0 == first }) { return first }
    return known.allSatisfy(\.isNumeric) ? .value(number(known)) : nil
  }

  /// The type in which numbers are computed with.
  private static func number(_ kinds: [Kind]) -> ValueKind {
    if kinds.contains(.value(.double)) { return .double }
    return kinds.contains(.value(.decimal)) ? .decimal : .integer
  }

  /// A cast around an expression whose values may be of another type than it has.
  private static func cast(_ expression: ObjectExpression, _ kind: Kind, of parts: [Kind]) -> (ObjectExpression, Kind) {
    guard parts.contains(where: { $0 != kind && $0 != .null }) else { return (expression, kind) }
    switch kind {
    case .value(.decimal): return (.function(.cast, [expression, .constant("NSDecimalNumber")]), kind)
    case .value(.double): return (.function(.cast, [expression, .constant("double")]), kind)
    default: return (expression, kind)
    }
  }

  private static func described(_ kind: Kind?) -> String {
    switch kind {
    case .value(let kind): kind.described
    case .list: "a collection"
    default: "this"
    }
  }
}
