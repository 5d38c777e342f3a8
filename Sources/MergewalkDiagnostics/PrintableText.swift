/// Texts without characters that would begin another line, turn the direction of text or make a terminal do something.
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

  /// The text with its control characters (U+0000 to U+001F, U+007F to U+009F) as `\u{1B}`, and so the separators of lines
  /// and what turns the direction of the text that follows (U+2028 to U+202E, U+2066 to U+2069): a name with one of these
  /// would show the rest of its line in another order.
  ///
  /// A byte order mark (U+FEFF), which has no look, is spelt out, too.
  ///
  /// - Complexity: O(bytes); a text without any is returned as it is.
  package static func of(_ text: String, keeping kept: Kept = .none) -> String {
    var text = text
    let isPlain = text.withUTF8 { bytes in
      !bytes.indices.contains { spelt(bytes, $0, kept) != nil }
    }
    if isPlain { return text }
    return text.withUTF8 { bytes in
      var shown: [UInt8] = []
      var index = 0
      while index < bytes.count {
        if let (code, length) = spelt(bytes, index, kept) {
          shown += "\\u{\(String(code, radix: 16, uppercase: true))}".utf8
          index += length
        } else {
          shown.append(bytes[index])
          index += 1
        }
      }
      return String(decoding: shown, as: UTF8.self)
    }
  }

  /// The number, and the length in UTF-8, of the character at an index that has to be spelt out; `nil` where there is none.
  @inline(__always)
  private static func spelt(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ kept: Kept
  ) -> (code: UInt16, length: Int)? {
    let byte = bytes[index]
    if byte < 0x20 { return kept.keeps(byte) ? nil : (UInt16(byte), 1) }
    if byte < 0x7F { return nil }
    func next(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    switch byte {
    case 0x7F: return (0x7F, 1)
    // Of two bytes the second one is the character's number.
    case 0xC2: return next(1) < 0xA0 ? (UInt16(next(1)), 2) : nil
    case 0xE2 where next(1) == 0x80 && (0xA8...0xAE).contains(next(2)): return (0x2000 | UInt16(next(2) & 0x3F), 3)
    case 0xE2 where next(1) == 0x81 && (0xA6...0xA9).contains(next(2)): return (0x2040 | UInt16(next(2) & 0x3F), 3)
    case 0xEF where next(1) == 0xBB && next(2) == 0xBF: return (0xFEFF, 3)
    default: return nil
    }
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

  /// A number with its noun: `1 record`, `2,000 records`.
  ///
  /// - Parameter many: The noun of several; `one` with an s by default.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
  }
}
