/// A constant in a predicate or an expression: from `%@`, a literal, or a variable's value.
public enum ConstantValue: Hashable, Sendable {
  /// A single value, including ``AttributeValue/null``.
  case attribute(AttributeValue)
  /// The ID of a managed object, which stands for the object.
  case objectID(ManagedObjectID)
  /// A list of values.
  case collection([ConstantValue])
  /// Values by key.
  case dictionary([String: ConstantValue])

  /// Null.
  public static let null = ConstantValue.attribute(.null)
}

extension ConstantValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .attribute(.string(value)) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
  /// Creates a binary64 number.
  public init(floatLiteral value: Double) { self = .attribute(.double(value)) }
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .attribute(.boolean(value)) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a list.
  public init(arrayLiteral elements: ConstantValue...) { self = .collection(elements) }
  /// Creates values by key; the last of equal keys stays.
  public init(dictionaryLiteral elements: (String, ConstantValue)...) {
    self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
