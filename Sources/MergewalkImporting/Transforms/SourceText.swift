import MergewalkBytes
public import MergewalkDiagnostics
public import MergewalkObjectModel

/// A text from a file, a predicate or an expression, with the positions of its bytes.
public struct SourceText: Sendable, Hashable {
  /// The text.
  public var text: String
  /// The position of its first byte.
  public var position: SourcePosition
  /// For each byte of the text, its distance from ``position`` on the same line; nil if the bytes are contiguous, empty
  /// if only the beginning is known.
  public var offsets: [Int]?

  /// Wraps a text.
  public init(_ text: String, position: SourcePosition = .file, offsets: [Int]? = nil) {
    self.text = text
    self.position = position
    self.offsets = offsets
  }

  /// The position of a byte of the text.
  public func position(at index: Int) -> SourcePosition {
    guard position.line > 0 else { return position }
    var offset = index
    if let offsets {
      offset = offsets.indices.contains(index) ? offsets[index] : offsets.isEmpty ? 0 : offsets.last ?? 0
    }
    var place = position
    place.column += offset
    place.byteOffset += offset
    return place
  }

  /// The position of an error in the text: its own, or that of the first name that it quotes; the text's own if line
  /// breaks prevent counting.
  public func position(of error: PredicateError) -> SourcePosition {
    guard !text.contains("\n") else { return position }
    if error.position.line == 1 { return position(at: max(0, error.position.column - 1)) }
    let parts = error.message.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count > 2 ? position(ofName: String(parts[1])) : position
  }

  /// The place of the first occurrence of a name outside quotation marks, or of the text.
  func position(ofName name: String) -> SourcePosition {
    let place = Array(text.utf8).firstPlace(ofName: name) { byte in
      byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte.isLetter || byte.isDigit
    }
    return place.map { position(at: $0) } ?? position
  }
}
