import MergewalkDiagnostics

/// Turns libyaml's marks, which count code points, into positions that count UTF-8 bytes.
///
/// Marks mostly grow, so the walk goes on from the last one; an earlier mark starts it again.
struct PositionTracker {
  private let bytes: [UInt8]
  private let start: Int
  private var offset: Int
  private var codePoints = 0
  private var line = 1
  private var lineStart: Int

  /// - Parameter start: the offset of the first code point that libyaml counts (3 behind a byte order mark).
  init(_ bytes: [UInt8], start: Int) {
    self.bytes = bytes
    self.start = start
    offset = start
    lineStart = start
  }

  mutating func position(ofCodePoint index: Int) -> SourcePosition {
    if index < codePoints { rewind() }
    while codePoints < index, offset < bytes.count { step() }
    return SourcePosition(line: line, column: offset - lineStart + 1, byteOffset: offset)
  }

  mutating func position(ofByte index: Int) -> SourcePosition {
    if index < offset { rewind() }
    while offset < index, offset < bytes.count { step() }
    return SourcePosition(line: line, column: offset - lineStart + 1, byteOffset: offset)
  }

  private mutating func rewind() {
    offset = start
    codePoints = 0
    line = 1
    lineStart = start
  }

  private mutating func step() {
    let byte = bytes[offset]
    offset += 1
    codePoints += 1
    while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    let isBreak =
      byte == UInt8(ascii: "\n")
      || (byte == UInt8(ascii: "\r") && !(offset < bytes.count && bytes[offset] == UInt8(ascii: "\n")))
    if isBreak {
      line += 1
      lineStart = offset
    }
  }
}
