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
    let bytes = Array(text.utf8)
    let wanted = Array(name.utf8)
    var quote: UInt8?
    var index = 0
    func isPart(_ index: Int) -> Bool {
      guard bytes.indices.contains(index) else { return false }
      let byte = bytes[index]
      return byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte &- 0x30 < 10
        || (byte | 0x20) &- 0x61 < 26
    }
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if bytes[index...].starts(with: wanted), !isPart(index - 1), !isPart(index + wanted.count) {
        return position(at: index)
      }
      index += 1
    }
    return position
  }
}
