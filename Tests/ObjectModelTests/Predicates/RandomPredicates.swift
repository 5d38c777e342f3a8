import MergewalkObjectModel
import MergewalkTestSupport

/// Makes predicates and expressions of all kinds, for property tests.
struct RandomPredicates {
  var generator: SeededGenerator
  /// The variables that a subquery around the current place binds, and those that are free.
  private var names = [
    "a", "b", "first", "IN", "self", "two words", "naïve", "order", "SIZE", "x1", "_", "É\"'\\", "1st",
  ]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[pick(values.count)] }

  private mutating func list<Value>(
    _ range: ClosedRange<Int>, _ make: (inout RandomPredicates) -> Value
  ) -> [Value] {
    (0..<Int.random(in: range, using: &generator)).map { _ in make(&self) }
  }

  mutating func predicate(_ depth: Int = 4) -> ObjectPredicate {
    switch pick(depth > 0 ? 9 : 2) {
    case 0 where depth < 3: return .value(pick(2) == 0)
    case 5: return .and(list(0...4) { $0.predicate(depth - 1) })
    case 6: return .or(list(0...4) { $0.predicate(depth - 1) })
    case 7: return .not(predicate(depth - 1))
    default:
      return .comparison(
        ComparisonPredicate(
          expression(depth - 1), pick(ComparisonPredicate.Operator.allCases), expression(depth - 1),
          modifier: pick([.direct, .direct, .direct, .any, .all]),
          options: ComparisonPredicate.Options(rawValue: pick(3) == 0 ? UInt8(pick(16)) : 0)))
    }
  }

  mutating func expression(_ depth: Int) -> ObjectExpression {
    switch pick(depth > 0 ? 14 : 5) {
    case 0: return .evaluatedObject
    case 1: return .variable(pick(["x", "y", "NAME", "in", "é"]))
    case 2, 3: return .path(.evaluatedObject, path())
    case 4: return .constant(constant(2))
    case 5: return .path(expression(depth - 1), path())
    case 6:
      let function = pick(ExpressionFunction.allCases)
      if function == .cast { return .function(.cast, [expression(depth - 1), .constant("NSString")]) }
      let count = function.rawValue.utf8.count { $0 == UInt8(ascii: ":") }
      return .function(function, (0..<count).map { _ in expression(depth - 1) })
    case 7:
      return .function(
        pick([.add, .subtract, .multiply, .divide, .raise, .bitwiseAnd, .leftShift]),
        [expression(depth - 1), expression(depth - 1)])
    case 8: return .aggregate(list(0...3) { $0.expression(depth - 1) })
    case 9: return .subquery(expression(depth - 1), variable: pick(["x", "z"]), predicate(depth - 1))
    case 10: return .set(pick(SetOperation.allCases), expression(depth - 1), expression(depth - 1))
    case 11: return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
    case 12: return .element(expression(depth - 1), pick([.first, .last, .size, .at(expression(depth - 1))]))
    default: return .assignment(variable: pick(["q", "x"]), expression(depth - 1))
    }
  }

  private mutating func path() -> PropertyPath {
    PropertyPath(
      list(1...3) { random in
        random.pick(5) == 0
          ? .collectionOperator(random.pick(CollectionOperator.allCases)) : .property(random.pick(random.names))
      })
  }

  mutating func constant(_ depth: Int) -> ConstantValue {
    switch pick(depth > 0 ? 4 : 2) {
    case 2: return .collection(list(0...3) { $0.constant(depth - 1) })
    case 3:
      return .dictionary(
        Dictionary(list(0...3) { ($0.text(), $0.constant(depth - 1)) }, uniquingKeysWith: { first, _ in first }))
    default: return .attribute(value())
    }
  }

  private mutating func value() -> AttributeValue {
    switch pick(11) {
    case 0: return .null
    case 1: return .boolean(pick(2) == 0)
    case 2: return .integer(pick([0, 1, -1, .max, .min, Int64(pick(1000))]))
    case 3, 4: return .double(double())
    case 5:
      return .decimal(DecimalNumber(significand: Int128(Int64(bitPattern: generator.next())), exponent: pick(60) - 30))
    case 6: return .date(double())
    case 7: return .binary(list(0...5) { UInt8($0.pick(256)) })
    case 8: return .uuid(generator.next(), generator.next())
    case 9: return .uri("https://example.org/" + text())
    default: return .string(text())
    }
  }

  private mutating func double() -> Double {
    switch pick(6) {
    case 0:
      return pick([0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p63, 1e21])
    case 1: return Double(pick(1000)) / 8
    case 2: return -Double(pick(1000))
    default:
      let number = Double(bitPattern: generator.next())
      return number.isNaN ? 0.1 : number
    }
  }

  private mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "B", "\"", "'", "\\", "\n", "\t", "\0", "\u{7F}", "é", "\u{301}", "😀", "%", "@", "$", " ", "{", "\u{1B}",
      "u", "x", "0",
    ]
    return String(String.UnicodeScalarView(list(0...6) { $0.pick(scalars) }))
  }
}

extension ObjectPredicate {
  /// The predicate as reading its text gives it: no compounds of one or no term, and what
  /// ``ObjectExpression/asRead`` says about expressions.
  var asRead: ObjectPredicate {
    switch self {
    case .value, .closure: return self
    case .comparison(var comparison):
      comparison.left = comparison.left.asRead
      comparison.right = comparison.right.asRead
      return .comparison(comparison)
    case .and(let terms):
      if terms.isEmpty { return .value(true) }
      return terms.count == 1 ? terms[0].asRead : .and(terms.map(\.asRead))
    case .or(let terms):
      if terms.isEmpty { return .value(false) }
      return terms.count == 1 ? terms[0].asRead : .or(terms.map(\.asRead))
    case .not(let inner): return .not(inner.asRead)
    }
  }
}

extension ObjectExpression {
  /// The expression as reading its text gives it: truth values are numbers, lists of constants are constants, and a path
  /// from the end of another lengthens it.
  var asRead: ObjectExpression {
    switch self {
    case .constant(let value): return .constant(value.asRead)
    case .evaluatedObject, .variable: return self
    case .path(let base, let path):
      let base = base.asRead
      if case .path(let origin, let inner) = base {
        return .path(origin, PropertyPath(inner.components + path.components))
      }
      return .path(base, path)
    case .function(let function, let arguments): return .function(function, arguments.map(\.asRead))
    case .aggregate(let elements):
      let elements = elements.map(\.asRead)
      var constants: [ConstantValue] = []
      for case .constant(let value) in elements { constants.append(value) }
      return constants.count == elements.count ? .constant(.collection(constants)) : .aggregate(elements)
    case .subquery(let collection, let variable, let predicate):
      return .subquery(collection.asRead, variable: variable, predicate.asRead)
    case .set(let operation, let left, let right): return .set(operation, left.asRead, right.asRead)
    case .conditional(let predicate, let first, let second):
      return .conditional(predicate.asRead, first.asRead, second.asRead)
    case .element(let base, .at(let index)): return .element(base.asRead, .at(index.asRead))
    case .element(let base, let place): return .element(base.asRead, place)
    case .assignment(let variable, let value): return .assignment(variable: variable, value.asRead)
    }
  }
}

extension ConstantValue {
  /// The value with numbers for truth values.
  var asRead: ConstantValue {
    switch self {
    case .attribute(.boolean(let value)): .attribute(.integer(value ? 1 : 0))
    case .attribute, .objectID: self
    case .collection(let elements): .collection(elements.map(\.asRead))
    case .dictionary(let values): .dictionary(values.mapValues(\.asRead))
    }
  }
}
