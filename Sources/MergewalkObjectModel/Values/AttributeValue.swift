/// A value of an attribute, outside the hot paths: defaults, bounds, keyed access.
///
/// Rows keep their values in columns; this type represents one cell for user code. Two texts are equal if their UTF-8
/// bytes are, as in the store; `==` of Swift strings would treat composed and decomposed accents as equal.
public enum AttributeValue: Hashable, Sendable {
  /// Null.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number of any of the integer types.
  case integer(Int64)
  /// A number of type Double or Float.
  case double(Double)
  /// A decimal number.
  case decimal(DecimalNumber)
  /// Text.
  case string(String)
  /// A point in time: seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// Bytes, including those of a transformable attribute.
  case binary([UInt8])
  /// A UUID: its first and last eight bytes as big-endian numbers.
  case uuid(UInt64, UInt64)
  /// A URI as its absolute string.
  case uri(String)
}

extension AttributeValue {
  /// Whether case and value are the same; texts are compared byte by byte.
  public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.double(let first), .double(let second)), (.date(let first), .date(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first == second
    case (.string(let first), .string(let second)), (.uri(let first), .uri(let second)): first.hasSameBytes(as: second)
    case (.binary(let first), .binary(let second)): first == second
    case (.uuid(let high, let low), .uuid(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
    default: false
    }
  }

  /// Hashes the values that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .string(let text), .uri(let text):
      text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(UInt8(0xFF))
    case .date(let seconds): hasher.combine(seconds)
    case .binary(let bytes): hasher.combine(bytes)
    case .uuid(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    }
  }
}
