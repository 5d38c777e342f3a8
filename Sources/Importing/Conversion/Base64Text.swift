/// Bytes written as base64 in the standard or the URL alphabet.
enum Base64Text {
  /// The value of each byte as a digit; 255 for bytes that are none.
  private static let digits: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 255)
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for value in 0..<64 { table[Int(alphabet.utf8Start[value])] = UInt8(value) }
    table[Int(UInt8(ascii: "-"))] = 62
    table[Int(UInt8(ascii: "_"))] = 63
    return table
  }()

  /// Writes the bytes that the text spells to `output`, which holds at least three quarters as many bytes.
  ///
  /// Padding may be left out, but what is there must be complete, and the unused bits of the last digit must be zero:
  /// there is one spelling for each value. White space is not allowed.
  /// Source: RFC 4648, sections 3.2, 3.5, 4 and 5.
  ///
  /// - Returns: the number of bytes written.
  /// - Throws: `base64` when the text has another form.
  static func decode(
    _ bytes: FieldBytes, into output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailureCode) -> Int {
    var count = bytes.count
    if count > 0, bytes[count - 1] == UInt8(ascii: "=") {
      guard count & 3 == 0 else { throw .base64 }
      count -= bytes[count - 2] == UInt8(ascii: "=") ? 2 : 1
    }
    let rest = count & 3
    guard rest != 1 else { throw .base64 }
    return try digits.span.withUnsafeBufferPointer { (table) throws(ConversionFailureCode) in
      var target = output
      var index = 0
      while index + 4 <= count {
        let a = table[Int(bytes[index])]
        let b = table[Int(bytes[index + 1])]
        let c = table[Int(bytes[index + 2])]
        let d = table[Int(bytes[index + 3])]
        guard a | b | c | d < 64 else { throw .base64 }
        target[0] = a << 2 | b >> 4
        target[1] = b << 4 | c >> 2
        target[2] = c << 6 | d
        target += 3
        index += 4
      }
      guard rest > 0 else { return target - output }
      let a = table[Int(bytes[index])]
      let b = table[Int(bytes[index + 1])]
      guard a | b < 64 else { throw .base64 }
      target[0] = a << 2 | b >> 4
      if rest == 2 {
        guard b & 0x0F == 0 else { throw .base64 }
        return target + 1 - output
      }
      let c = table[Int(bytes[index + 2])]
      guard c < 64, c & 0x03 == 0 else { throw .base64 }
      target[1] = b << 4 | c >> 2
      return target + 2 - output
    }
  }
}
