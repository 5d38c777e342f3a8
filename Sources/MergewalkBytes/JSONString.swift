/// The characters to escape in the strings of JSON, besides quotes, backslashes and control characters.
///
/// Source: RFC 8259, section 7.
package enum JSONEscaping: Sendable {
  /// Nothing: for values that go into stores. `\b` and `\f` are short.
  case least
  /// U+007F and all C1 controls, which terminals obey, U+2028 and U+2029, which some readers of lines take for line ends,
  /// U+202A to U+202E and U+2066 to U+2069, which turn the direction of what follows, and U+FEFF, which is invisible: for
  /// rejects, logs, results and schemas. Nothing is left that has to be spelled out for a terminal in a way that JSON does
  /// not have.
  case lines
  /// The same, U+FFFE and U+FFFF too, with digits in capital letters, as YAML between double quotes wants it: for
  /// exports.
  case printable

  /// The code and the length of what has to be escaped at an index; nil when nothing has to be.
  ///
  /// - Parameter text: valid UTF-8.
  @inline(__always)
  fileprivate func escape(_ text: UnsafeRawBufferPointer, _ index: Int) -> (code: UInt16, length: Int)? {
    let byte = text[index]
    if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return (UInt16(byte), 1) }
    if byte < 0x7F || self == .least { return nil }
    func next(_ offset: Int) -> UInt8 { index + offset < text.count ? text[index + offset] : 0 }
    switch byte {
    case 0x7F: return (0x7F, 1)
    case 0xC2:
      return (0x80..<0xA0).contains(next(1)) ? (UInt16(next(1)), 2) : nil
    case 0xE2 where next(1) == 0x80 && (0xA8...0xAE).contains(next(2)): return (0x2000 | UInt16(next(2) & 0x3F), 3)
    case 0xE2 where next(1) == 0x81 && (0xA6...0xA9).contains(next(2)): return (0x2040 | UInt16(next(2) & 0x3F), 3)
    case 0xEF where next(1) == 0xBB && next(2) == 0xBF: return (0xFEFF, 3)
    case 0xEF where self == .printable && next(1) == 0xBF && next(2) >= 0xBE:
      return (next(2) == 0xBE ? 0xFFFE : 0xFFFF, 3)
    default: return nil
    }
  }
}

extension [UInt8] {
  /// Appends a JSON string with its quotes.
  ///
  /// - Parameter text: valid UTF-8; of other bytes all are kept.
  package mutating func append(json text: UnsafeRawBufferPointer, _ escaping: JSONEscaping) {
    append(UInt8(ascii: "\""))
    append(escaped: text, escaping)
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string with its quotes.
  package mutating func append(json text: String, _ escaping: JSONEscaping) {
    var text = text
    text.withUTF8 { append(json: UnsafeRawBufferPointer($0), escaping) }
  }

  /// Appends what stands between the quotes of a JSON string.
  package mutating func append(escaped text: UnsafeRawBufferPointer, _ escaping: JSONEscaping) {
    var start = 0
    var index = 0
    while index < text.count {
      guard let (code, length) = escaping.escape(text, index) else {
        index += 1
        continue
      }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
      appendEscape(code, escaping)
      index += length
      start = index
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  private mutating func appendEscape(_ code: UInt16, _ escaping: JSONEscaping) {
    append(UInt8(ascii: "\\"))
    switch code {
    case 0x22, 0x5C: append(UInt8(code))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x08 where escaping == .least: append(UInt8(ascii: "b"))
    case 0x0C where escaping == .least: append(UInt8(ascii: "f"))
    default:
      let letters: Hexadecimal.Letters = escaping == .printable ? .capital : .small
      append(UInt8(ascii: "u"))
      append(hexadecimal: UInt8(code >> 8), letters)
      append(hexadecimal: UInt8(truncatingIfNeeded: code), letters)
    }
  }
}

extension String {
  /// The text as a JSON string with its quotes.
  package func json(_ escaping: JSONEscaping) -> String {
    var bytes: [UInt8] = []
    bytes.append(json: self, escaping)
    return String(decoding: bytes, as: UTF8.self)
  }
}
