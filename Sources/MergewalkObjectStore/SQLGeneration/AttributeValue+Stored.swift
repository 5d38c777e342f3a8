import MergewalkBytes
import MergewalkObjectModel

/// Values from what SQLite stores, by the type of the attribute or expression; ``AttributeType/undefined`` takes the
/// storage class for the type.
extension AttributeValue {
  init(stored value: Int64, _ type: AttributeType) {
    switch type {
    case .boolean: self = .boolean(value != 0)
    case .decimal: self = .decimal(DecimalNumber(significand: Int128(value), exponent: 0))
    case .double, .float: self = .double(Double(value))
    case .date: self = .date(Double(value))
    default: self = .integer(value)
    }
  }

  /// The value of a stored binary64 number.
  init(stored value: Double, _ type: AttributeType) {
    switch type {
    case .date: self = .date(value)
    // Values that no decimal can express stay visible as what they are.
    case .decimal: self = DecimalNumber(stored: value).map { .decimal($0) } ?? .double(value)
    default: self = .double(value)
    }
  }

  init(stored value: String, _ type: AttributeType) {
    switch type {
    case .uri: self = .uri(value)
    case .decimal: self = DecimalNumber(value).map { .decimal($0) } ?? .string(value)
    default: self = .string(value)
    }
  }

  init(stored bytes: UnsafeRawBufferPointer, _ type: AttributeType) {
    guard type == .uuid, bytes.count == 16 else {
      self = .binary(Array(bytes))
      return
    }
    let (high, low) = UUIDText.halves(bytes: bytes)
    self = .uuid(high, low)
  }
}
