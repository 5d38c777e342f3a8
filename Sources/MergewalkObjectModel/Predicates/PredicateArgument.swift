/// A value for a placeholder of a format string.
///
/// Texts, numbers, Booleans, IDs of objects, and lists and dictionaries of those are arguments; your own types can
/// conform by returning a constant. Arguments always remain values: a text argument stays one text, even if it contains
/// quotation marks and operators.
///
/// ```swift
/// let adults = try ObjectPredicate(format: "age >= %@ AND %K IN %@", 18, "country.code", ["BG", "GB"])
/// ```
public protocol PredicateArgument {
  /// The constant for the predicate.
  var constantValue: ConstantValue { get }
}

extension ObjectPredicate {
  /// Reads a predicate from a format string.
  ///
  /// `%@` stands for a value, `%K` for a key path given as text, and printf's conversions (`%d`, `%f`, `%s` ...) for
  /// values of their kinds; a placeholder inside quotation marks is plain text. `docs/predicates.md` describes the
  /// language. Parse a format once and bind its variables with ``substituting(_:)-(ObjectExpression)`` if the values
  /// change.
  ///
  /// - Throws: ``PredicateError``: `syntax` with the position of the error, `tooLarge` for a format of more than 1 MiB,
  ///   100 levels or 250,000 parts, `missingArgument`, `unusedArgument`, `argumentType`, `unknownFunction`.
  /// - Complexity: O(length of the format).
  /// - Source: Apple, Predicate Programming Guide, "Predicate Format String Syntax".
  public init(format: String, _ arguments: any PredicateArgument...) throws(PredicateError) {
    self = try FormatParser.predicate(format, arguments)
  }

  /// Reads a predicate from a format string, with the arguments for its placeholders in order.
  public init(format: String, arguments: [any PredicateArgument]) throws(PredicateError) {
    self = try FormatParser.predicate(format, arguments)
  }

  /// Reads a predicate in which a number with a point is a decimal: 0.1 is a tenth.
  package init(exactFormat format: String) throws(PredicateError) {
    self = try FormatParser.predicate(format, [], .exact)
  }
}

extension ObjectExpression {
  /// Reads an expression from a format string, as ``ObjectPredicate/init(format:_:)`` reads a predicate.
  public init(format: String, _ arguments: any PredicateArgument...) throws(PredicateError) {
    self = try FormatParser.expression(format, arguments)
  }

  /// Reads an expression from a format string, with the arguments for its placeholders in order.
  public init(format: String, arguments: [any PredicateArgument]) throws(PredicateError) {
    self = try FormatParser.expression(format, arguments)
  }

  /// Reads an expression in which a number with a point is a decimal: 0.1 is a tenth.
  package init(exactFormat format: String) throws(PredicateError) {
    self = try FormatParser.expression(format, [], .exact)
  }
}

extension ConstantValue: PredicateArgument {
  /// The value itself.
  public var constantValue: ConstantValue { self }
}

extension AttributeValue: PredicateArgument {
  /// The value as a constant.
  public var constantValue: ConstantValue { .attribute(self) }
}

extension ManagedObjectID: PredicateArgument {
  /// The ID, which stands for its object.
  public var constantValue: ConstantValue { .objectID(self) }
}

extension EntityDescription: PredicateArgument {
  /// The name, which the key `entity` of its objects is.
  public var constantValue: ConstantValue { .attribute(.string(name)) }
}

extension DecimalNumber: PredicateArgument {
  /// The number as a constant.
  public var constantValue: ConstantValue { .attribute(.decimal(self)) }
}

extension String: PredicateArgument {
  /// The text as a constant.
  public var constantValue: ConstantValue { .attribute(.string(self)) }
}

extension Substring: PredicateArgument {
  /// The text as a constant.
  public var constantValue: ConstantValue { .attribute(.string(String(self))) }
}

extension Bool: PredicateArgument {
  /// The Boolean as a constant; in a format it is the number 1 or 0.
  public var constantValue: ConstantValue { .attribute(.boolean(self)) }
}

extension Double: PredicateArgument {
  /// The number as a constant.
  public var constantValue: ConstantValue { .attribute(.double(self)) }
}

extension Float: PredicateArgument {
  /// The number as a constant.
  public var constantValue: ConstantValue { .attribute(.double(Double(self))) }
}

extension BinaryInteger where Self: PredicateArgument {
  /// The number as a constant; a binary64 number if it is beyond signed 64 bits.
  public var constantValue: ConstantValue {
    .attribute(Int64(exactly: self).map(AttributeValue.integer) ?? .double(Double(self)))
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  /// The value as a constant, or null.
  public var constantValue: ConstantValue { self?.constantValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// The list of the elements' constants; bytes are one binary value.
  public var constantValue: ConstantValue {
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .attribute(.binary(bytes)) }
    return .collection(map(\.constantValue))
  }
}

extension Timestamp: PredicateArgument {
  /// The date as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
}

extension UniqueID: PredicateArgument {
  /// The UUID as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// The list of the elements' constants, in no particular order.
  public var constantValue: ConstantValue { .collection(map(\.constantValue)) }
}

extension Dictionary: PredicateArgument where Key == String, Value: PredicateArgument {
  /// The constants by key.
  public var constantValue: ConstantValue { .dictionary(mapValues(\.constantValue)) }
}
