/// Bytes written as hexadecimal digits, and UUIDs, which are the same with hyphens.
enum HexText {
  /// The value of a hexadecimal digit; above 15 for other bytes.
  @inline(__always)
  static func digit(_ byte: UInt8) -> UInt8 {
    let decimal = byte &- UInt8(ascii: "0")
    if decimal <= 9 { return decimal }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 255
  }

  /// Writes the bytes that pairs of digits spell to `output`, which holds at least half as many bytes as `bytes`.
  ///
  /// - Returns: the number of bytes written.
  /// - Throws: `hex` for an odd number of digits or other bytes.
  @inline(__always)
  static func decode(_ bytes: FieldBytes, into output: UnsafeMutablePointer<UInt8>) throws(ConversionFailureCode) -> Int
  {
    guard bytes.count & 1 == 0 else { throw .hex }
    let count = bytes.count / 2
    for index in 0..<count {
      let high = digit(bytes[2 * index])
      let low = digit(bytes[2 * index + 1])
      guard high | low <= 15 else { throw .hex }
      output[index] = high << 4 | low
    }
    return count
  }

  /// Writes the 16 bytes of a UUID: 8-4-4-4-12 digits with hyphens, the same in braces, or 32 digits.
  ///
  /// - Throws: `uuid` when the text has another form.
  @inline(__always)
  static func decodeUUID(
    _ bytes: FieldBytes, into output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailureCode) -> Int {
    guard var cursor = bytes.baseAddress else { throw .uuid }
    var count = bytes.count
    if count == 38, cursor[0] == UInt8(ascii: "{"), cursor[37] == UInt8(ascii: "}") {
      cursor += 1
      count = 36
    }
    guard count == 36 || count == 32 else { throw .uuid }
    let hasHyphens = count == 36
    for index in 0..<16 {
      if hasHyphens, index == 4 || index == 6 || index == 8 || index == 10 {
        guard cursor[0] == UInt8(ascii: "-") else { throw .uuid }
        cursor += 1
      }
      let high = digit(cursor[0])
      let low = digit(cursor[1])
      guard high | low <= 15 else { throw .uuid }
      output[index] = high << 4 | low
      cursor += 2
    }
    return 16
  }
}
