import MergewalkDiagnostics

extension PredicateError {
  /// The error about a part of a text as one about the whole.
  ///
  /// - Parameter offset: where the part begins, in bytes.
  package func shifted(by offset: Int, in text: String) -> PredicateError {
    let before = Array(text.utf8.prefix(offset))
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var error = self
    let inner = position.line == 0 ? SourcePosition(line: 1, column: 1) : position
    error.position = SourcePosition(
      line: inner.line + before.count { $0 == UInt8(ascii: "\n") },
      column: inner.line == 1 ? inner.column + offset - lineStart : inner.column, byteOffset: inner.byteOffset + offset)
    return error
  }

  /// The error with the place of a text in quotes, if it stands there without escapes.
  package func located(literal: String, in text: String) -> PredicateError {
    for quote in ["'", "\""] {
      let wanted = Array((quote + literal + quote).utf8)
      let bytes = Array(text.utf8)
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) else { continue }
      var error = self
      let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") }
      let lineStart = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      error.position = SourcePosition(line: line + 1, column: start - lineStart + 1, byteOffset: start)
      return error
    }
    return self
  }

  /// The error with the place of a name in the text that it comes from, if it is there.
  ///
  /// Expressions know no places, so the first word outside quotes that is the name is taken.
  package func located(name: String, in text: String) -> PredicateError {
    guard position.line == 0, !name.isEmpty else { return self }
    let bytes = Array(text.utf8)
    let wanted = Array(name.utf8)
    var quote: UInt8?
    var line = 1
    var lineStart = 0
    var index = 0
    func isName(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A && byte >= 0x41)
        || (byte >= 0x30 && byte <= 0x39)
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, index + 1) }
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if bytes[index...].starts(with: wanted), index == 0 || !isName(bytes[index - 1]),
        index + wanted.count == bytes.count || !isName(bytes[index + wanted.count])
      {
        var error = self
        error.position = SourcePosition(line: line, column: index - lineStart + 1, byteOffset: index)
        return error
      }
      index += 1
    }
    return self
  }
}
