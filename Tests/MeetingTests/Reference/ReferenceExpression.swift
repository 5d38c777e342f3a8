import Foundation
import MergewalkObjectModel

/// Expressions and conditions over the columns of a record, by walking their trees; numbers are exact.
///
/// Of `ObjectModel` it uses the parser, and nothing that computes.
struct ReferenceExpression {
  let column: (String) throws -> TransformValue

  func value(_ expression: ObjectExpression) throws -> TransformValue {
    switch expression {
    case .constant(.attribute(let constant)): return Self.constant(constant)
    case .path(.evaluatedObject, let path): return try column((path.propertyNames ?? []).joined(separator: "."))
    case .conditional(let predicate, let first, let second):
      return try holds(predicate) ? value(first) : value(second)
    case .function(let function, let arguments):
      return try call(function, try arguments.map { try value($0) })
    default: preconditionFailure("the reference importer has no \(expression)")
    }
  }

  private static func constant(_ value: AttributeValue) -> TransformValue {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let number): .integer(number)
    // A literal such as 0.1 is a tenth.
    case .double(let number): .decimal(ExactDecimal("\(number)") ?? ExactDecimal(0))
    case .decimal(let number): .decimal(ExactDecimal(number.description) ?? ExactDecimal(0))
    case .string(let text): .text(text)
    case .date(let seconds): .date(seconds)
    default: preconditionFailure("the reference importer has no constant \(value)")
    }
  }

  private func call(_ function: ExpressionFunction, _ arguments: [TransformValue]) throws -> TransformValue {
    // What nobody says about an operand, nobody says about the result.
    guard !arguments.contains(where: \.isMissing) else { return arguments.contains(.absent) ? .absent : .null }
    switch function {
    case .add, .subtract, .multiply, .divide, .modulus:
      guard let a = arguments[0].number, let b = arguments[1].number else {
        throw TransformFailure("transform.expression")
      }
      return try compute(
        function, a, b, isWhole: arguments.allSatisfy { if case .integer = $0 { true } else { false } })
    case .ceiling, .floor, .absolute:
      guard let number = arguments[0].number else { throw TransformFailure("transform.expression") }
      let result =
        function == .absolute
        ? ExactDecimal(abs(number.digits), places: number.places)
        : number.whole(up: function == .ceiling)
      if case .integer = arguments[0] { return .integer(Int64(result.digits)) }
      return .decimal(result)
    case .uppercase: return .text(arguments[0].text.uppercased())
    case .lowercase: return .text(arguments[0].text.lowercased())
    case .length: return .integer(Int64(arguments[0].text.unicodeScalars.count))
    default: preconditionFailure("the reference importer has no \(function)")
    }
  }

  private func compute(
    _ function: ExpressionFunction, _ a: ExactDecimal, _ b: ExactDecimal, isWhole: Bool
  ) throws -> TransformValue {
    func result(_ number: ExactDecimal) throws -> TransformValue {
      guard isWhole else { return .decimal(number) }
      guard let whole = Int64(exactly: number.digits), number.places == 0 else {
        throw TransformFailure("transform.overflow")
      }
      return .integer(whole)
    }
    switch function {
    case .add: return try result(a + b)
    case .subtract: return try result(a - b)
    case .multiply: return try result(a * b)
    default:
      guard b.digits != 0 else { throw TransformFailure("transform.division") }
      if isWhole { return .integer(Int64(function == .divide ? a.digits / b.digits : a.digits % b.digits)) }
      guard function == .divide, let quotient = a.divided(by: b, places: 10) else {
        preconditionFailure("the reference importer has no such division")
      }
      return .decimal(quotient)
    }
  }

  // MARK: Conditions

  func holds(_ predicate: ObjectPredicate) throws -> Bool {
    switch predicate {
    case .value(let value): return value
    case .and(let all): return try all.allSatisfy { try holds($0) }
    case .or(let any): return try any.contains { try holds($0) }
    case .not(let other): return try !holds(other)
    case .comparison(let comparison): return try compare(comparison)
    case .closure: preconditionFailure("the reference importer has no closures")
    }
  }

  private func compare(_ comparison: ComparisonPredicate) throws -> Bool {
    precondition(comparison.modifier == .direct && comparison.options.isEmpty)
    let left = try value(comparison.left)
    if comparison.comparison == .isIn || comparison.comparison == .between {
      var values: [TransformValue] = []
      switch comparison.right {
      case .aggregate(let expressions): values = try expressions.map { try value($0) }
      case .constant(.collection(let constants)):
        values = constants.map { if case .attribute(let value) = $0 { Self.constant(value) } else { .null } }
      default: preconditionFailure("the reference importer has no such list")
      }
      if comparison.comparison == .isIn { return values.contains { Self.areEqual(left, $0) } }
      guard let low = values.first, let high = values.last else { return false }
      return Self.isLess(low, left, orEqual: true) && Self.isLess(left, high, orEqual: true)
    }
    let right = try value(comparison.right)
    switch comparison.comparison {
    case .equalTo: return Self.areEqual(left, right)
    case .notEqualTo: return !Self.areEqual(left, right)
    case .lessThan: return Self.isLess(left, right, orEqual: false)
    case .lessThanOrEqualTo: return Self.isLess(left, right, orEqual: true)
    case .greaterThan: return Self.isLess(right, left, orEqual: false)
    case .greaterThanOrEqualTo: return Self.isLess(right, left, orEqual: true)
    default: break
    }
    guard !left.isMissing, !right.isMissing else { return false }
    let (text, part) = (Array(left.text.utf8), Array(right.text.utf8))
    switch comparison.comparison {
    case .beginsWith: return text.starts(with: part)
    case .endsWith: return text.reversed().starts(with: part.reversed())
    case .contains: return part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
    case .matches: return left.text.range(of: "^(?:\(right.text))$", options: .regularExpression) != nil
    default: preconditionFailure("the reference importer has no \(comparison.comparison)")
    }
  }

  private static func areEqual(_ a: TransformValue, _ b: TransformValue) -> Bool {
    if a.isMissing || b.isMissing { return a.isMissing && b.isMissing }
    if let a = a.number, let b = b.number { return a == b }
    if case .text(let a) = a, case .text(let b) = b { return a.utf8.elementsEqual(b.utf8) }
    return a == b
  }

  private static func isLess(_ a: TransformValue, _ b: TransformValue, orEqual: Bool) -> Bool {
    if a.isMissing || b.isMissing { return false }
    if orEqual, areEqual(a, b) { return true }
    if let a = a.number, let b = b.number { return a < b }
    if case .date(let a) = a, case .date(let b) = b { return a < b }
    if case .text(let a) = a, case .text(let b) = b { return a.utf8.lexicographicallyPrecedes(b.utf8) }
    return false
  }
}
