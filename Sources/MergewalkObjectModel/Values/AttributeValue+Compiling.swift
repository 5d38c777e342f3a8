import MergewalkBytes

extension AttributeValue {
  /// Reads the text of a default as Core Data's model compiler does, which refuses none.
  ///
  /// What ``init(text:type:)`` reads means the same here. Otherwise numbers are what stands at the beginning of the text
  /// (`3,5` is 3), `YES` and `true` are 1, `NO` and `false` are 0; a Boolean is true when the text begins with Y, T or a
  /// number other than 0.
  ///
  /// - Returns: `nil` when nothing follows from the text, or a whole number does not fit the type.
  /// - Source: Apple, [NSString boolValue](https://developer.apple.com/documentation/foundation/nsstring/boolvalue) and
  ///   `integerValue`.
  init?(compiling text: String, type: AttributeType) {
    if let value = AttributeValue(text: text, type: type) {
      self = value
    } else {
      let bytes = Array(text.utf8.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
      guard !bytes.isEmpty else { return nil }
      switch type {
      case .boolean:
        let start = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
        let first = bytes[start...].first { $0 != UInt8(ascii: "0") }
        self = .boolean(first.map { "YyTt123456789".utf8.contains($0) } ?? false)
      case .integer16, .integer32, .integer64, .decimal, .double, .float:
        guard let number = Self.leadingNumber(bytes) ?? XMLText.boolean(text).map({ $0 ? "1" : "0" }),
          let value = AttributeValue(text: number, type: type) ?? Self.wholePart(number, type)
        else { return nil }
        self = value
      default: return nil
      }
    }
    if case .integer(let number) = self, let range = type.integerRange, !range.contains(number) { return nil }
  }

  /// The digits at the beginning of a text, with sign, point and exponent; `nil` when there are none.
  private static func leadingNumber(_ bytes: [UInt8]) -> String? {
    var end = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
    let start = end
    while end < bytes.count, bytes[end].isDigit { end += 1 }
    guard end > start else { return nil }
    if end + 1 < bytes.count, bytes[end] == UInt8(ascii: "."), bytes[end + 1].isDigit {
      end += 1
      while end < bytes.count, bytes[end].isDigit { end += 1 }
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// A number without its fraction.
  private static func wholePart(_ number: String, _ type: AttributeType) -> AttributeValue? {
    number.split(separator: ".").first.flatMap { AttributeValue(text: String($0), type: type) }
  }
}
