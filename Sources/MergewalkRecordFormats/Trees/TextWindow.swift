import MergewalkDiagnostics
import MergewalkSystem

/// Decoded text pulled from an input piece by piece; the text after a mark is kept.
///
/// Offsets are those of the decoded text, from 0, unless they are named as the file's. It is the text source of parsers
/// that pull (libyaml) or are pushed in pieces (libxml2).
final class TextWindow {
  private var stream: TextStream
  // What is asked for at every event; nothing is called while one of them changes.
  @exclusivity(unchecked) private var memory: UnsafeMutableRawBufferPointer
  /// The offset of the first byte in memory.
  @exclusivity(unchecked) private var start = 0
  /// The offset behind the last byte that was handed out.
  @exclusivity(unchecked) private(set) var end = 0
  /// The offset behind the last byte in memory.
  private var filled = 0
  private var isStreamAtEnd = false
  /// The offset before which text may be dropped.
  private(set) var mark = 0
  @exclusivity(unchecked) private var lines = LineCounter(at: 0)
  @exclusivity(unchecked) private var linesTo = 0
  private var check = TextCheck()
  /// Whether all text was handed out.
  var isAtEnd: Bool { isStreamAtEnd && end == filled }
  /// Whether the text begins with a byte order mark; known once a piece was read.
  private(set) var hasMark = false

  /// The number of bytes of one piece.
  static let pieceSize = 1 << 14

  init(_ stream: any ByteStream, encoding: TextEncoding) {
    self.stream = TextStream(stream, encoding: encoding)
    memory = .allocate(byteCount: 4 * Self.pieceSize, alignment: 16)
  }

  deinit { memory.deallocate() }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }
  /// The encoding in force, known once something was read; nil where offsets are the file's.
  var mappedEncoding: TextEncoding? { stream.map == nil ? nil : stream.encoding }
  /// The offset of the first byte that is not UTF-8, or is NUL; `Int.max` when all so far is text.
  var fault: Int { check.fault }

  /// Moves on to look for the next byte behind ``fault`` that is no text.
  func passFault() {
    guard check.fault != .max else { return }
    check.resume(at: check.fault + 1)
    if let base = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) {
      check.advance(base, origin: start, end: filled - start, isLast: isStreamAtEnd)
    }
  }

  /// Reads one more piece: ``pieceSize`` bytes unless the input ends, however they arrive.
  ///
  /// - Returns: the piece; empty at the end.
  func readPiece() throws(ReadError) -> Range<Int> {
    let first = end
    if filled - end < Self.pieceSize, !isStreamAtEnd { makeRoom() }
    while filled - end < Self.pieceSize, !isStreamAtEnd {
      let room = UnsafeMutableRawBufferPointer(rebasing: memory[(filled - start)..<(end - start + Self.pieceSize + 64)])
      let count = try stream.read(into: room)
      if count == 0 { isStreamAtEnd = true }
      filled += count
    }
    end = min(filled, first + Self.pieceSize)
    if first == 0 { hasMark = memory[..<end].starts(with: [0xEF, 0xBB, 0xBF]) }
    if let base = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) {
      check.advance(base, origin: start, end: filled - start, isLast: isStreamAtEnd)
    }
    return first..<end
  }

  /// The text of a range that is still kept; valid until the next piece is read.
  func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= start && range.upperBound <= end, "the text is no longer kept")
    return UnsafeRawBufferPointer(rebasing: memory[(range.lowerBound - start)..<(range.upperBound - start)])
  }

  /// Whether the text at an offset, which is kept, begins with the bytes.
  @inline(__always)
  func areEqual(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard offset >= start, offset + bytes.count <= end, let text = memory.baseAddress, let first = bytes.baseAddress
    else { return false }
    return memcmp(text + (offset - start), first, bytes.count) == 0
  }

  /// Whether what stands at an offset is still kept.
  func holds(_ offset: Int) -> Bool { offset >= start && offset <= end }

  /// Releases what stands before an offset, which does not go back.
  func forget(before offset: Int) { mark = max(mark, min(offset, end)) }

  /// The position of an offset that is kept: line and column in bytes, and the offset in the file.
  ///
  /// - Complexity: O(distance from the last position asked for); positions before it cost the distance from the mark.
  func position(of offset: Int) -> SourcePosition {
    if offset >= linesTo { advanceLines(to: offset) }
    if offset >= lines.lineStart || !holds(lines.lineStart) {
      return SourcePosition(
        line: lines.line, column: max(1, lines.column(at: offset)), byteOffset: fileOffset(of: offset))
    }
    // Before the line reached: count back.
    let behind = text(offset..<lines.lineStart)
    let line = lines.line - behind.count { $0 == 10 }
    let before = text(start..<offset)
    let column = before.lastIndex(of: 10).map { before.count - $0 } ?? before.count + 1
    return SourcePosition(line: line, column: column, byteOffset: fileOffset(of: offset))
  }

  /// The offset in the file of an offset that is kept.
  func fileOffset(of offset: Int) -> Int {
    guard let map = stream.map else { return offset }
    var cursor = map.cursor()
    return map.raw(of: offset, &cursor, text(start..<end), origin: start)
  }

  // MARK: Steps

  private func advanceLines(to offset: Int) {
    guard let base = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    lines.advance(base, linesTo - start, offset - start, origin: start)
    linesTo = offset
  }

  /// Makes room for a piece behind the text; forgets what is before the mark when it is worth it.
  private func makeRoom() {
    let needed = Self.pieceSize + 128
    if memory.count - (filled - start) >= needed { return }
    if linesTo < mark { advanceLines(to: mark) }
    if stream.map != nil {
      let all = UnsafeRawBufferPointer(rebasing: memory[..<(filled - start)])
      stream.map?.forget(before: mark, all, origin: start)
    }
    let kept = UnsafeRawBufferPointer(rebasing: memory[(mark - start)..<(filled - start)])
    if memory.count - kept.count >= needed, 2 * kept.count <= memory.count {
      memory.copyMemory(from: kept)
    } else {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * kept.count + 4 * needed, alignment: 16)
      larger.copyMemory(from: kept)
      memory.deallocate()
      memory = larger
    }
    start = mark
  }
}
