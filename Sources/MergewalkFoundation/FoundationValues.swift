public import Foundation
public import MergewalkObjectModel

// Foundation's types as values of attributes, as types of properties, and as arguments and operands of predicates.

extension Date: ManagedValue, PredicateArgument, PredicateOperand {
  /// Reads a date.
  public init?(attributeValue: AttributeValue) {
    guard case .date(let seconds) = attributeValue else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  /// The date.
  public var attributeValue: AttributeValue { .date(timeIntervalSinceReferenceDate) }
  /// 2001-01-01 00:00:00 UTC.
  public static var emptyValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// The date as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
  /// `.date`.
  public static var attributeType: AttributeType { .date }
}

extension UUID: ManagedValue, PredicateArgument, PredicateOperand {
  /// Reads a UUID.
  public init?(attributeValue: AttributeValue) {
    guard case .uuid(let high, let low) = attributeValue else { return nil }
    func bytes(_ half: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    let (a, b) = (bytes(high), bytes(low))
    self.init(
      uuid: (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]))
  }
  /// The UUID.
  public var attributeValue: AttributeValue {
    withUnsafeBytes(of: uuid) { bytes in
      func half(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      return .uuid(half(bytes[0..<8]), half(bytes[8..<16]))
    }
  }
  /// The UUID of zeros.
  public static var emptyValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  /// The UUID as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
  /// `.uuid`.
  public static var attributeType: AttributeType { .uuid }
}

extension Data: ManagedValue, PredicateArgument, PredicateOperand {
  /// Reads bytes.
  public init?(attributeValue: AttributeValue) {
    guard case .binary(let bytes) = attributeValue else { return nil }
    self.init(bytes)
  }
  /// The bytes.
  public var attributeValue: AttributeValue { .binary([UInt8](self)) }
  /// No bytes.
  public static var emptyValue: Data { Data() }
  /// The bytes as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
  /// `.binary`.
  public static var attributeType: AttributeType { .binary }
}

extension Decimal: ManagedValue, PredicateArgument, PredicateOperand {
  /// Reads a decimal number; `nil` if it does not fit a `Decimal`.
  public init?(attributeValue: AttributeValue) {
    guard case .decimal(let number) = attributeValue,
      let decimal = Decimal(string: number.description, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self = decimal
  }
  /// The number; `.null` for no number.
  public var attributeValue: AttributeValue {
    if isNaN { return .null }
    return DecimalNumber(description).map(AttributeValue.decimal) ?? .null
  }
  /// 0.
  public static var emptyValue: Decimal { 0 }
  /// The number as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
  /// `.decimal`.
  public static var attributeType: AttributeType { .decimal }
}

extension URL: ManagedValue, PredicateArgument, PredicateOperand {
  /// Reads a URI; `nil` for an invalid one.
  public init?(attributeValue: AttributeValue) {
    guard case .uri(let text) = attributeValue else { return nil }
    self.init(string: text)
  }
  /// The URL as an absolute text.
  public var attributeValue: AttributeValue { .uri(absoluteString) }
  /// `about:blank`, because there is no empty URL.
  public static var emptyValue: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
  /// The URL as a constant.
  public var constantValue: ConstantValue { .attribute(attributeValue) }
  /// `.uri`.
  public static var attributeType: AttributeType { .uri }
}
