import MergewalkObjectModel

/// The types of values between the steps of a transform.
public enum ValueKind: String, Sendable, Hashable, CaseIterable {
  /// Text: the type of every column without a declared type.
  case text
  /// A whole number of 64 bits.
  case integer
  /// A decimal number of up to 38 digits, exact.
  case decimal
  /// A binary64 number.
  case double
  /// A point in time.
  case date
  /// True or false.
  case boolean

  /// The type of values that fill an attribute.
  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64: self = .integer
    case .decimal: self = .decimal
    case .double, .float: self = .double
    case .date: self = .date
    case .boolean: self = .boolean
    case .string, .uri, .uuid, .binary, .transformable, .undefined, .objectID, .composite: self = .text
    }
  }

  var isNumber: Bool { self == .integer || self == .decimal || self == .double }

  /// The type in which numbers of two types are computed with; nil when one is no number.
  static func common(_ left: ValueKind, _ right: ValueKind) -> ValueKind? {
    guard left.isNumber, right.isNumber else { return left == right ? left : nil }
    if left == right { return left }
    return left == .double || right == .double ? .double : .decimal
  }

  /// The type for messages, with its article.
  var described: String {
    switch self {
    case .text: "a text"
    case .integer: "a whole number"
    case .decimal: "a decimal number"
    case .double: "a number"
    case .date: "a date"
    case .boolean: "true or false"
    }
  }
}
