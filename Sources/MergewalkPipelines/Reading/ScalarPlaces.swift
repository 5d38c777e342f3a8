import MergewalkDiagnostics

/// Where the bytes of a scalar's text stand in the file: quotation marks and escapes take room of their own.
enum ScalarPlaces {
  /// For each byte of a text, how far behind the scalar's beginning it stands on the same line; empty when only the
  /// beginning is known: a text of several lines, a variable's value, escapes beyond the usual ones.
  static func offsets(of text: String, at position: SourcePosition, in file: [UInt8]) -> [Int] {
    let start = position.byteOffset
    let wanted = Array(text.utf8)
    guard position.line > 0, start < file.count, !wanted.isEmpty else { return [] }
    var offsets: [Int] = []
    var index = start
    let quote = file[index]
    let isQuoted = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
    if isQuoted { index += 1 }
    for byte in wanted {
      guard index < file.count else { return [] }
      offsets.append(index - start)
      if file[index] == byte, !(isQuoted && byte == quote), !(quote == UInt8(ascii: "\"") && byte == UInt8(ascii: "\\"))
      {
        index += 1
        continue
      }
      // A doubled apostrophe, or a backslash before a mark.
      guard isQuoted, index + 1 < file.count, file[index + 1] == byte,
        file[index] == (quote == UInt8(ascii: "'") ? quote : UInt8(ascii: "\\"))
      else { return [] }
      index += 2
    }
    return offsets
  }
}
