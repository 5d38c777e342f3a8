/// A Swift type for attribute values.
///
/// A missing value is `nil` for optional types, and the type's empty value (0, false, an empty text) for all others, as
/// with scalar accessors in Core Data. An enumeration with a raw value of such a type needs only the conformance and
/// its ``emptyValue``; with a ``fallbackValue``, unknown raw values read as that.
public protocol ManagedValue {
  /// Reads a value; `nil` if it is of another type. Never called with `.null`.
  init?(attributeValue: AttributeValue)
  var attributeValue: AttributeValue { get }
  static var emptyValue: Self { get }
  /// The substitute for stored values that do not fit the type, such as the raw value of a case that exists only in a
  /// newer version of the program; `nil`, the default, for none: reading such a value is then an error.
  static var fallbackValue: Self? { get }
  /// The result of reading such a value where reading cannot fail: the ``fallbackValue``, or else the ``emptyValue``;
  /// for optional types never `nil`, which would look like a missing value.
  static var unreadableValue: Self { get }
  /// The type of attributes in models created from classes with properties of this type; with `.undefined`, the default
  /// except for raw values, the property must name it.
  static var attributeType: AttributeType { get }
}

extension ManagedValue {
  /// `nil`: no fallback value.
  @inlinable public static var fallbackValue: Self? { nil }
  /// The ``fallbackValue``, or else the ``emptyValue``.
  @inlinable public static var unreadableValue: Self { fallbackValue ?? emptyValue }
  /// `.undefined`: no attribute type.
  public static var attributeType: AttributeType { .undefined }
}

extension Optional: ManagedValue where Wrapped: ManagedValue {
  /// Reads a value.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard let value = Wrapped(attributeValue: attributeValue) else { return nil }
    self = .some(value)
  }
  /// The value, or `.null`.
  @inlinable public var attributeValue: AttributeValue { self?.attributeValue ?? .null }
  /// `nil`.
  @inlinable public static var emptyValue: Wrapped? { nil }
  /// That of the type.
  @inlinable public static var fallbackValue: Wrapped?? { Wrapped.fallbackValue.map { .some($0) } }
  /// That of the type.
  @inlinable public static var unreadableValue: Wrapped? { .some(Wrapped.unreadableValue) }
  /// That of the type.
  public static var attributeType: AttributeType { Wrapped.attributeType }
}

extension ManagedValue where Self: RawRepresentable, RawValue: ManagedValue {
  /// Reads the raw value; `nil` if no case has it.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: raw)
  }
  /// The raw value.
  @inlinable public var attributeValue: AttributeValue { rawValue.attributeValue }
  /// That of the raw value.
  public static var attributeType: AttributeType { RawValue.attributeType }
}

extension Bool: ManagedValue {
  /// Reads a Boolean.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .boolean(let flag) = attributeValue else { return nil }
    self = flag
  }
  /// The Boolean.
  @inlinable public var attributeValue: AttributeValue { .boolean(self) }
  /// `false`.
  @inlinable public static var emptyValue: Bool { false }
  /// `.boolean`.
  public static var attributeType: AttributeType { .boolean }
}

extension ManagedValue where Self: FixedWidthInteger {
  /// Reads a whole number; `nil` if it does not fit the type.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .integer(let number) = attributeValue else { return nil }
    self.init(exactly: number)
  }
  /// The number; a decimal beyond 64 bits, which no attribute of whole numbers accepts.
  @inlinable public var attributeValue: AttributeValue {
    Int64(exactly: self).map { .integer($0) }
      ?? .decimal(DecimalNumber(significand: Int128(clamping: self), exponent: 0))
  }
  /// 0.
  @inlinable public static var emptyValue: Self { 0 }
}
extension Int16: ManagedValue {
  /// `.integer16`.
  public static var attributeType: AttributeType { .integer16 }
}
extension Int32: ManagedValue {
  /// `.integer32`.
  public static var attributeType: AttributeType { .integer32 }
}
extension Int64: ManagedValue {
  /// `.integer64`.
  public static var attributeType: AttributeType { .integer64 }
}
extension Int: ManagedValue {
  /// `.integer64`.
  public static var attributeType: AttributeType { .integer64 }
}

extension Double: ManagedValue {
  /// Reads a number, or a date as seconds since 2001-01-01 00:00:00 UTC.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    switch attributeValue {
    case .double(let number), .date(let number): self = number
    default: return nil
    }
  }
  /// The number.
  @inlinable public var attributeValue: AttributeValue { .double(self) }
  /// 0.
  @inlinable public static var emptyValue: Double { 0 }
  /// `.double`.
  public static var attributeType: AttributeType { .double }
}

extension Float: ManagedValue {
  /// Reads a number, rounded to binary32 as in Float attributes.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .double(let number) = attributeValue else { return nil }
    self = Float(number)
  }
  /// The number.
  @inlinable public var attributeValue: AttributeValue { .double(Double(self)) }
  /// 0.
  @inlinable public static var emptyValue: Float { 0 }
  /// `.float`.
  public static var attributeType: AttributeType { .float }
}

extension String: ManagedValue {
  /// Reads text, or a URI as its absolute string.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    switch attributeValue {
    case .string(let text), .uri(let text): self = text
    default: return nil
    }
  }
  /// The text.
  @inlinable public var attributeValue: AttributeValue { .string(self) }
  /// The empty text.
  @inlinable public static var emptyValue: String { "" }
  /// `.string`.
  public static var attributeType: AttributeType { .string }
}

extension [UInt8]: ManagedValue {
  /// Reads bytes.
  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .binary(let bytes) = attributeValue else { return nil }
    self = bytes
  }
  /// The bytes.
  @inlinable public var attributeValue: AttributeValue { .binary(self) }
  /// No bytes.
  @inlinable public static var emptyValue: [UInt8] { [] }
  /// `.binary`.
  public static var attributeType: AttributeType { .binary }
}

extension DecimalNumber: ManagedValue {
  /// Reads a decimal number.
  public init?(attributeValue: AttributeValue) {
    guard case .decimal(let number) = attributeValue else { return nil }
    self = number
  }
  /// The number.
  public var attributeValue: AttributeValue { .decimal(self) }
  /// 0.
  public static var emptyValue: DecimalNumber { DecimalNumber(significand: 0, exponent: 0) }
  /// `.decimal`.
  public static var attributeType: AttributeType { .decimal }
}

extension UniqueID: ManagedValue {
  /// Reads a UUID.
  public init?(attributeValue: AttributeValue) {
    guard case .uuid(let high, let low) = attributeValue else { return nil }
    self.init(high: high, low: low)
  }
  /// The UUID.
  public var attributeValue: AttributeValue { .uuid(high, low) }
  /// The UUID of zeros.
  public static var emptyValue: UniqueID { UniqueID(high: 0, low: 0) }
  /// `.uuid`.
  public static var attributeType: AttributeType { .uuid }
}

extension Timestamp: ManagedValue {
  /// Reads a date.
  public init?(attributeValue: AttributeValue) {
    guard case .date(let seconds) = attributeValue else { return nil }
    self.init(secondsSinceReferenceDate: seconds)
  }
  /// The date.
  public var attributeValue: AttributeValue { .date(secondsSinceReferenceDate) }
  /// 2001-01-01 00:00:00 UTC.
  public static var emptyValue: Timestamp { Timestamp(secondsSinceReferenceDate: 0) }
  /// `.date`.
  public static var attributeType: AttributeType { .date }
}
