extension OutputBytes {
  /// Appends text between tags; it has only characters of XML.
  ///
  /// Carriage returns become references, because readers make line feeds of them otherwise.
  mutating func append(xml text: UnsafeRawBufferPointer) {
    var start = 0
    for (index, byte) in text.enumerated() {
      let replacement: StaticString
      switch byte {
      case UInt8(ascii: "&"): replacement = "&amp;"
      case UInt8(ascii: "<"): replacement = "&lt;"
      case UInt8(ascii: ">"): replacement = "&gt;"
      case UInt8(ascii: "\r"): replacement = "&#13;"
      default: continue
      }
      append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      append(replacement)
      start = index + 1
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// Appends text between the double quotes of an attribute; what XML has no character for becomes U+FFFD.
  mutating func append(xmlAttribute text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;" as StaticString)
      case "<": append("&lt;" as StaticString)
      case "\"": append("&quot;" as StaticString)
      case "\t": append("&#9;" as StaticString)
      case "\n": append("&#10;" as StaticString)
      case "\r": append("&#13;" as StaticString)
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": write("\u{FFFD}")
      default: bytes.append(contentsOf: UTF8.encode(scalar)!)
      }
    }
  }

  /// Whether the text is UTF-8 and has only characters that XML 1.0 has: no controls but tab, LF and CR, no U+FFFE and U+FFFF.
  ///
  /// Source: XML 1.0, production 2 (Char).
  static func isXML(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.isUTF8 else { return false }
    for (index, byte) in text.enumerated() {
      if byte < 0x20 {
        guard byte == 9 || byte == 10 || byte == 13 else { return false }
      } else if byte == 0xEF, text[index + 1] == 0xBF, text[index + 2] >= 0xBE {
        return false
      }
    }
    return true
  }

  /// Whether a column's name can be an element's: ASCII letters, digits, `_`, `-` and `.`, first a letter or `_`, and not
  /// beginning with `xml`, which is reserved.
  static func isXMLName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, !name.lowercased().hasPrefix("xml") else { return false }
    func isLetter(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte >= 0x41
    }
    return isLetter(first)
      && bytes.allSatisfy { byte in
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".")
      }
  }
}
