/// The type of an attribute; raw values are Core Data's `NSAttributeType` numbers, which enter version hashes.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable {
  /// No type; allowed for transient attributes only.
  case undefined = 0
  /// A 16-bit signed integer.
  case integer16 = 100
  /// A 32-bit signed integer.
  case integer32 = 200
  /// A 64-bit signed integer.
  case integer64 = 300
  /// A decimal number.
  case decimal = 400
  /// An IEEE 754 binary64 number.
  case double = 500
  /// An IEEE 754 binary32 number, stored as binary64.
  case float = 600
  /// Text.
  case string = 700
  /// True or false, stored as 1 or 0.
  case boolean = 800
  /// A point in time, stored as seconds since 2001-01-01 00:00:00 UTC.
  case date = 900
  /// Bytes.
  case binary = 1000
  /// A UUID, stored as its 16 bytes.
  case uuid = 1100
  /// A URI, stored as its absolute string.
  case uri = 1200
  /// A value that a transformer converts to bytes.
  case transformable = 1800
  /// The ID of a managed object.
  case objectID = 2000
  /// A group of attributes (Xcode 15 and later).
  case composite = 2100

  /// The text of `attributeType` in an `.xcdatamodel`'s `contents`, such as `Integer 64`.
  public var xmlName: String {
    switch self {
    case .undefined: "Undefined"
    case .integer16: "Integer 16"
    case .integer32: "Integer 32"
    case .integer64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Boolean"
    case .date: "Date"
    case .binary: "Binary"
    case .uuid: "UUID"
    case .uri: "URI"
    case .transformable: "Transformable"
    case .objectID: "Object ID"
    case .composite: "Composite"
    }
  }

  /// Whether values are whole numbers held in 64 bits: the integers and Boolean.
  public var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    default: false
    }
  }

  /// The inclusive range of an integer type, or `nil` for other types.
  public var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    case .boolean: 0...1
    default: nil
    }
  }
}

/// The effect of a deletion on the objects at the other end of a relationship.
///
/// Source: Apple, Core Data Programming Guide, "Relationship Delete Rules".
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
  /// Leave the other objects as they are; the caller maintains integrity.
  case noAction = "No Action"
  /// Clear the inverse at the other objects.
  case nullify = "Nullify"
  /// Delete the other objects, too.
  case cascade = "Cascade"
  /// Refuse the deletion while there are other objects.
  case deny = "Deny"
}
