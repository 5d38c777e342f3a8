extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    let span = bindMemory(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }

  /// Whether the bytes are UTF-8 and have only characters that XML 1.0 has: no controls but tab, LF and CR, no U+FFFE and
  /// U+FFFF.
  package var isXML: Bool { isUTF8 && firstOutsideXML == nil }

  /// Where the first character starts, of bytes that are UTF-8, that XML 1.0 does not have.
  ///
  /// Source: XML 1.0, production 2 (Char).
  fileprivate var firstOutsideXML: Int? {
    for (index, byte) in enumerated() {
      if byte < 0x20 {
        guard byte == 9 || byte == 10 || byte == 13 else { return index }
      } else if byte == 0xEF, self[index + 1] == 0xBF, self[index + 2] >= 0xBE {
        return index
      }
    }
    return nil
  }
}

extension String {
  /// The text of bytes that should be UTF-8, such as the name of a file: a byte that is none is spelt out, as `\xE9`.
  package init(spelling bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
      return
    }
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      if let character = String(validating: rest.prefix(length), as: UTF8.self) {
        self += character
        rest = rest.dropFirst(length)
      } else {
        self += "\\x" + Hexadecimal.text([first], .capital)
        rest = rest.dropFirst()
      }
    }
  }

  /// Whether the text has only characters that XML 1.0 has.
  package var isXML: Bool { firstOutsideXML == nil }

  /// The first character of the text that XML 1.0 does not have.
  package var firstOutsideXML: Unicode.Scalar? {
    var text = self
    let offset = text.withUTF8 { UnsafeRawBufferPointer($0).firstOutsideXML }
    return offset.map { text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: $0)] }
  }
}
