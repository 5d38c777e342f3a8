import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct TextWindowTests {
  /// The position of an offset, by counting from the start.
  private func position(_ bytes: [UInt8], _ offset: Int) -> SourcePosition {
    let before = bytes[..<offset]
    let lineStart = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    return SourcePosition(line: before.count { $0 == 10 } + 1, column: offset - lineStart + 1, byteOffset: offset)
  }

  @Test func `pieces are the same however the bytes arrive`() throws {
    let bytes: [UInt8] = (0..<100_000).map { (i: Int) -> UInt8 in i % 31 == 0 ? 10 : UInt8(97 + i % 26) }
    for size in [1, 7, 1000, 1 << 14, Int.max] {
      let window = TextWindow(try ByteSource(bytes: bytes, chunkSize: size).open(), encoding: .utf8)
      var found: [UInt8] = []
      var pieces: [Int] = []
      while true {
        let piece = try window.readPiece()
        if piece.isEmpty { break }
        #expect(piece.lowerBound == found.count)
        pieces.append(piece.count)
        found += window.text(piece)
        window.forget(before: piece.upperBound)
      }
      #expect(found == bytes && window.isAtEnd)
      #expect(pieces == Array(repeating: 16_384, count: 6) + [1_696])
    }
  }

  @Test func `what stands behind the mark is kept, with its positions`() throws {
    var random = SeededGenerator(seed: 11)
    let bytes: [UInt8] = (0..<150_000).map { _ in Int.random(in: 0..<40, using: &random) == 0 ? 10 : 97 }
    for _ in 0..<(Soak.readersAreWhole ? 40 : 10) {
      let window = TextWindow(try ByteSource(bytes: bytes, chunkSize: 5_000).open(), encoding: .utf8)
      var mark = 0
      while !(try window.readPiece().isEmpty) {
        #expect(window.text(mark..<window.end).elementsEqual(bytes[mark..<window.end]))
        // Positions are asked for in the order of the text, now and then.
        var asked = mark
        while asked < window.end, Bool.random(using: &random) {
          asked = Int.random(in: asked...window.end, using: &random)
          #expect(window.position(of: asked) == position(bytes, asked))
        }
        let next = Int.random(in: mark...window.end, using: &random)
        if next <= asked || asked == mark {
          mark = Bool.random(using: &random) ? next : mark
          window.forget(before: mark)
        }
      }
      #expect(window.end == bytes.count)
    }
  }

  @Test func `positions before the last one are counted back within what is kept`() throws {
    let text = Array("one\ntwo two\nthree\n\nfive".utf8)
    let window = TextWindow(try ByteSource(bytes: text).open(), encoding: .utf8)
    _ = try window.readPiece()
    for last in text.indices {
      _ = window.position(of: last)
      for offset in 0...last { #expect(window.position(of: offset) == position(text, offset)) }
    }
  }

  @Test func `offsets are the file's where the text was decoded`() throws {
    let text = "é\n😀x\ny"
    let bytes: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let window = TextWindow(try ByteSource(bytes: bytes, chunkSize: 1).open(), encoding: .automatic)
    let piece = try window.readPiece()
    #expect(window.text(piece).elementsEqual(text.utf8))
    #expect(window.position(of: 3) == SourcePosition(line: 2, column: 1, byteOffset: 6))
    #expect(window.position(of: 7) == SourcePosition(line: 2, column: 5, byteOffset: 10))
    #expect(window.position(of: 9) == SourcePosition(line: 3, column: 1, byteOffset: 14))
  }

  @Test func `a prefix is read again`() throws {
    let bytes = (0..<5_000).map { UInt8($0 & 255) }
    for size in [1, 999, Int.max] {
      let stream = PrefixedStream([], try ByteSource(bytes: bytes, chunkSize: size).open())
      #expect(try stream.prefix(100) == Array(bytes[..<100]) && !stream.isWhole)
      #expect(try stream.prefix(300) == Array(bytes[..<300]))
      var found: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 77)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
        if count == 0 { break }
        found += buffer[..<count]
      }
      #expect(found == bytes)
    }
    let short = PrefixedStream([], try ByteSource(bytes: [1, 2]).open())
    #expect(try short.prefix(10) == [1, 2] && short.isWhole)
  }
}
