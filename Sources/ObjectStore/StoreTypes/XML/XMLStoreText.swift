/// Text as an XML store spells it.
enum XMLStoreText {
  /// Whether XML 1.0 can hold the text: no control characters besides tab and the ends of lines, no U+FFFE and U+FFFF.
  ///
  /// Source: [XML 1.0, section 2.2](https://www.w3.org/TR/xml/#charsets).
  static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x9, 0xA, 0xD: true
      case 0..<0x20, 0xFFFE, 0xFFFF: false
      default: true
      }
    }
  }

  /// The bytes of a text inside an element or an attribute.
  static func escaped(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): result += "&amp;".utf8
      case UInt8(ascii: "<"): result += "&lt;".utf8
      case UInt8(ascii: ">"): result += "&gt;".utf8
      case UInt8(ascii: "\""): result += "&quot;".utf8
      // Readers turn it into a line feed unless it is spelt so.
      case 0xD: result += "&#13;".utf8
      default: result.append(byte)
      }
    }
    return result
  }

  /// The base64 of bytes, with padding, in one line.
  ///
  /// Source: RFC 4648, section 4.
  static func base64(_ data: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    result.reserveCapacity((data.count + 2) / 3 * 4)
    for start in stride(from: 0, to: data.count, by: 3) {
      let count = min(3, data.count - start)
      var word = 0
      for offset in 0..<3 { word = word << 8 | (offset < count ? Int(data[start + offset]) : 0) }
      for digit in 0..<4 {
        result.append(digit <= count ? alphabet[word >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
      }
    }
    return result
  }

  /// The bytes of a base64 text, whose white space does not count; `nil` when it is none.
  static func bytes(base64 text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var word: UInt32 = 0
    var digits = 0
    var padding = 0
    for byte in text {
      let value: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - UInt8(ascii: "a")) + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte - UInt8(ascii: "0")) + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        padding += 1
        continue
      case 0x20, 0x9, 0xA, 0xD: continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      word = word << 6 | value
      digits += 1
      if digits % 4 == 0 {
        for shift: UInt32 in [16, 8, 0] { result.append(UInt8(truncatingIfNeeded: word >> shift)) }
      }
    }
    switch (digits % 4, padding) {
    case (0, 0): break
    case (2, 2): result.append(UInt8(truncatingIfNeeded: word >> 4))
    case (3, 1):
      result.append(UInt8(truncatingIfNeeded: word >> 10))
      result.append(UInt8(truncatingIfNeeded: word >> 2))
    default: return nil
    }
    return result
  }
}
