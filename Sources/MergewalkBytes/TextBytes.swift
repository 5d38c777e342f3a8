extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8.
  package var isUTF8: Bool {
    let span = bindMemory(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }

  /// Whether the bytes are UTF-8 and have only characters that XML 1.0 has: no controls but tab, LF and CR, no U+FFFE and
  /// U+FFFF.
  ///
  /// Source: XML 1.0, production 2 (Char).
  package var isXML: Bool {
    guard isUTF8 else { return false }
    for (index, byte) in enumerated() {
      if byte < 0x20 {
        guard byte == 9 || byte == 10 || byte == 13 else { return false }
      } else if byte == 0xEF, self[index + 1] == 0xBF, self[index + 2] >= 0xBE {
        return false
      }
    }
    return true
  }
}

extension String {
  /// Whether the text has only characters that XML 1.0 has.
  package var isXML: Bool {
    var text = self
    return text.withUTF8 { UnsafeRawBufferPointer($0).isXML }
  }
}
