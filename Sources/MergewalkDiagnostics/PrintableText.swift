/// Texts without characters that would begin another line or make a terminal do something.
package enum PrintableText {
  /// Which control characters stay as they are.
  package enum Kept: Sendable {
    /// None: for names and messages that are one line.
    case none
    /// Tabs: for records.
    case tabs
    /// Tabs and line ends: for texts of several lines.
    case lines

    @inline(__always)
    fileprivate func keeps(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x09: self != .none
      case 0x0A: self == .lines
      default: false
      }
    }
  }

  /// The text with its control characters (U+0000 to U+001F, U+007F to U+009F) as `\u{1B}`.
  ///
  /// - Complexity: O(bytes); a text without any is returned as it is.
  package static func of(_ text: String, keeping kept: Kept = .none) -> String {
    var text = text
    let isPlain = text.withUTF8 { bytes in
      !bytes.indices.contains { controlLength(bytes, $0, kept) > 0 }
    }
    if isPlain { return text }
    return text.withUTF8 { bytes in
      var shown: [UInt8] = []
      var index = 0
      while index < bytes.count {
        let length = controlLength(bytes, index, kept)
        if length == 0 {
          shown.append(bytes[index])
          index += 1
        } else {
          // Of two bytes the second one is the character's number.
          shown += "\\u{\(String(bytes[index + length - 1], radix: 16, uppercase: true))}".utf8
          index += length
        }
      }
      return String(decoding: shown, as: UTF8.self)
    }
  }

  /// How many bytes the control character at an index has; 0 when there is none.
  @inline(__always)
  private static func controlLength(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ kept: Kept) -> Int {
    let byte = bytes[index]
    if byte < 0x20 { return kept.keeps(byte) ? 0 : 1 }
    if byte == 0x7F { return 1 }
    return byte == 0xC2 && index + 1 < bytes.count && bytes[index + 1] < 0xA0 ? 2 : 0
  }
}

extension PrintableText {
  /// A whole number in groups of three, as people read it: `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }
}
