extension OutputBytes {
  /// Appends a JSON string.
  ///
  /// U+007F, U+0085, U+2028 and U+2029 are escaped too, although JSON does not ask for it: some readers of lines take
  /// them for line ends.
  ///
  /// - Parameter isUTF8: whether the text is UTF-8; of other texts, what is not becomes U+FFFD.
  mutating func append(json text: UnsafeRawBufferPointer, isUTF8: Bool = true) {
    guard isUTF8 else {
      var repaired = String(decoding: text, as: UTF8.self)
      return repaired.withUTF8 { append(json: UnsafeRawBufferPointer($0)) }
    }
    append(UInt8(ascii: "\""))
    appendEscaped(text)
    append(UInt8(ascii: "\""))
  }

  mutating func append(json text: String) {
    var text = text
    text.withUTF8 { append(json: UnsafeRawBufferPointer($0)) }
  }

  /// Appends text between quotes, escaped as JSON, and as YAML between double quotes, wants it.
  mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
    var start = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      var length = 1
      var code: UInt16 = UInt16(byte)
      switch byte {
      case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: break
      case 0xC2 where text[index + 1] < 0xA0:
        // C1 controls, U+0085 among them.
        code = UInt16(text[index + 1])
        length = 2
      case 0xE2 where text[index + 1] == 0x80 && text[index + 2] | 1 == 0xA9:
        code = text[index + 2] == 0xA8 ? 0x2028 : 0x2029
        length = 3
      case 0xEF where text[index + 1] == 0xBB && text[index + 2] == 0xBF:
        code = 0xFEFF
        length = 3
      case 0xEF where text[index + 1] == 0xBF && text[index + 2] >= 0xBE:
        code = text[index + 2] == 0xBE ? 0xFFFE : 0xFFFF
        length = 3
      default:
        index += 1
        continue
      }
      append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      appendEscape(code)
      index += length
      start = index
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  private mutating func appendEscape(_ code: UInt16) {
    append(UInt8(ascii: "\\"))
    switch code {
    case 0x22, 0x5C: append(UInt8(code))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    default:
      append(UInt8(ascii: "u"))
      append(hexadecimal: UInt8(code >> 8))
      append(hexadecimal: UInt8(truncatingIfNeeded: code))
    }
  }
}
