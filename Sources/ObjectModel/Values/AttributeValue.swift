/// A value of an attribute, outside the hot paths: defaults, bounds, keyed access.
///
/// Rows hold their values in columns; this type is what a person's code sees of one cell.
public enum AttributeValue: Hashable, Sendable {
  /// No value.
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
  /// Bytes, also those of a transformable attribute.
  case binary([UInt8])
  /// A UUID: its first and last eight bytes as big-endian numbers.
  case uuid(UInt64, UInt64)
  /// A URI as its absolute string.
  case uri(String)
}
