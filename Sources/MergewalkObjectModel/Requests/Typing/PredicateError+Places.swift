import MergewalkBytes
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
      if let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) { return placed(start, bytes) }
    }
    return self
  }

  /// The error with the place of a name in the text that it comes from, if it is there.
  ///
  /// Expressions know no places, so the first word outside quotes that is the name is taken.
  package func located(name: String, in text: String) -> PredicateError {
    guard position.line == 0, !name.isEmpty else { return self }
    let bytes = Array(text.utf8)
    let start = bytes.firstPlace(ofName: name) { byte in
      byte >= 0x80 || byte == UInt8(ascii: "_") || byte.isLetter || byte.isDigit
    }
    return start.map { placed($0, bytes) } ?? self
  }

  private func placed(_ start: Int, _ bytes: [UInt8]) -> PredicateError {
    let before = bytes[..<start]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var error = self
    error.position = SourcePosition(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: start - lineStart + 1, byteOffset: start)
    return error
  }
}

extension [UInt8] {
  /// Where a name first stands outside quotation marks, with no part of a longer one beside it.
  package func firstPlace(ofName name: String, _ isPart: (UInt8) -> Bool) -> Int? {
    let wanted = Array(name.utf8)
    return placesOutsideQuotes.first { index in
      self[index...].starts(with: wanted) && (index == 0 || !isPart(self[index - 1]))
        && (index + wanted.count == count || !isPart(self[index + wanted.count]))
    }
  }

  /// Where the bytes of a format are that stand outside quotation marks.
  package var placesOutsideQuotes: [Int] {
    var places: [Int] = []
    var quote: UInt8?
    var index = 0
    while index < count {
      let byte = self[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else {
        places.append(index)
      }
      index += 1
    }
    return places
  }
}
