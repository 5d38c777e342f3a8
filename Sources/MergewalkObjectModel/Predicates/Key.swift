/// An expression built in Swift: a key path, and values computed from it.
///
/// Operators and methods of keys create predicates, and `&&`, `||` and `!` combine those:
///
/// ```swift
/// let adults = Key("age") >= 18 && Key("name").beginsWith("an", [.caseInsensitive, .diacriticInsensitive])
/// let good = Key("orders").any { $0["amount"] * $0["count"] > 100 } && !Key("country.code").isIn(["BG", "GB"])
/// ```
///
/// They equal the predicates that ``ObjectPredicate/init(format:_:)`` creates from the output of
/// ``ObjectPredicate/description``, without a text in between.
public struct Key: Sendable, PredicateOperand {
  /// The expression built so far.
  public let expression: ObjectExpression

  /// The value at a dotted key path such as `customer.name` or `orders.@count`.
  ///
  /// A step that begins with `@` but is not an operator is the name of a property.
  public init(_ path: String) { expression = Key.path(path, from: .evaluatedObject) }

  /// The value of any expression.
  public init(_ expression: ObjectExpression) { self.expression = expression }

  /// The object itself: `SELF`.
  public static let object = Key(.evaluatedObject)

  /// A variable whose value is set later, without its `$`.
  public static func variable(_ name: String) -> Key { Key(.variable(name)) }

  /// A constant.
  public static func value(_ value: some PredicateArgument) -> Key { Key(.constant(value.constantValue)) }

  /// `now()`: the time of the fetch or evaluation.
  public static let now = Key(.function(.now, []))

  /// The value at a key path from this one.
  public subscript(path: String) -> Key { Key(Key.path(path, from: expression)) }

  private static func path(_ text: String, from base: ObjectExpression) -> ObjectExpression {
    let steps = text.split(separator: ".", omittingEmptySubsequences: false).map { step -> PropertyPath.Component in
      CollectionOperator(rawValue: String(step)).map(PropertyPath.Component.collectionOperator)
        ?? .property(String(step))
    }.filter { !$0.isSelf }
    if steps.isEmpty { return base }
    guard case .path(let origin, let path) = base else { return .path(base, PropertyPath(steps)) }
    return .path(origin, PropertyPath(path.components + steps))
  }
}

/// An operand of a comparison: a key, an expression or a constant.
public protocol PredicateOperand {
  var expression: ObjectExpression { get }
}

extension PredicateArgument {
  /// The constant as an expression.
  public var expression: ObjectExpression { .constant(constantValue) }
}

extension ObjectExpression: PredicateOperand {
  /// The expression itself.
  public var expression: ObjectExpression { self }
}

extension ConstantValue: PredicateOperand {}
extension AttributeValue: PredicateOperand {}
extension ManagedObjectID: PredicateOperand {}
extension DecimalNumber: PredicateOperand {}
extension Timestamp: PredicateOperand {}
extension UniqueID: PredicateOperand {}
extension String: PredicateOperand {}
extension Substring: PredicateOperand {}
extension Bool: PredicateOperand {}
extension Double: PredicateOperand {}
extension Float: PredicateOperand {}
extension Int: PredicateOperand {}
extension Int8: PredicateOperand {}
extension Int16: PredicateOperand {}
extension Int32: PredicateOperand {}
extension Int64: PredicateOperand {}
extension UInt: PredicateOperand {}
extension UInt8: PredicateOperand {}
extension UInt16: PredicateOperand {}
extension UInt32: PredicateOperand {}
extension UInt64: PredicateOperand {}
extension Optional: PredicateOperand where Wrapped: PredicateArgument {}
extension Array: PredicateOperand where Element: PredicateArgument {}
extension Set: PredicateOperand where Element: PredicateArgument {}
