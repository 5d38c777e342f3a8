import MergewalkObjectModel

/// The Unicode scalars of valid UTF-8, by which steps count.
enum TextScalars {
  /// How many there are.
  static func count(_ text: FieldBytes) -> Int {
    var count = 0
    for byte in text { count &+= byte & 0xC0 != 0x80 ? 1 : 0 }
    return count
  }

  /// The byte at which one begins; the text's length when there are fewer.
  static func offset(_ text: FieldBytes, of number: Int) -> Int {
    if number <= 0 { return 0 }
    var seen = 0
    for index in text.indices where text[index] & 0xC0 != 0x80 {
      if seen == number { return index }
      seen += 1
    }
    return text.count
  }

  /// The one that begins at a byte, and its length.
  @inline(__always)
  static func scalar(_ text: FieldBytes, at index: Int) -> (Unicode.Scalar, Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (Unicode.Scalar(UInt8(first)), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard index + length <= text.count else { return ("\u{FFFD}", text.count - index) }
    var value = first & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}

extension TextBuffer {
  /// Writes a text; false when there is no room.
  mutating func append(_ text: String) -> Bool { text.withBytes { append($0) } }
}
