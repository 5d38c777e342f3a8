import MergewalkBytes

extension OutputBytes {
  /// Appends text between tags; it has only characters of XML.
  ///
  /// Carriage returns become references, because readers make line feeds of them otherwise.
  mutating func append(xml text: UnsafeRawBufferPointer) {
    bytes.append(xml: text, .element)
  }

  /// Appends text between the double quotes of an attribute; what XML has no character for becomes U+FFFD.
  mutating func append(xmlAttribute text: String) {
    let known = String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        switch scalar {
        case "\t", "\n", "\r": scalar
        case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: scalar
        }
      })
    bytes.append(xml: String(known), .attribute)
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
