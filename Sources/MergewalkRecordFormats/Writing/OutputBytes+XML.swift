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
    return (first.isLetter || first == UInt8(ascii: "_"))
      && bytes.allSatisfy { $0.isLetter || $0.isDigit || "_-.".utf8.contains($0) }
  }
}
