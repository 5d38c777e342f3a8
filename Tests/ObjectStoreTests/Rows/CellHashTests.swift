import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Cell hashes")
struct CellHashTests {
  private func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { buffer in
      // An empty array has no address; any will do, as nothing is read.
      withUnsafeBytes(of: UInt8(0)) { CellHash.bytes(buffer.baseAddress ?? $0.baseAddress!, buffer.count, seed: seed) }
    }
  }

  @Test("depend on the bytes alone, not on where they are")
  func position() {
    var random = SeededGenerator(seed: 7)
    for length in 0...70 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let first = hash(bytes, seed: 42)
      for shift in 1...9 {
        let moved = [UInt8](repeating: 9, count: shift) + bytes + [3, 3]
        moved.withUnsafeBytes { buffer in
          #expect(CellHash.bytes(buffer.baseAddress! + shift, length, seed: 42) == first)
        }
      }
    }
  }

  @Test("differ when one bit or the length differs", arguments: [0, 1, 0x1234_5678_9ABC_DEF0, .max] as [UInt64])
  func differences(seed: UInt64) {
    var seen = Set<UInt64>()
    var count = 0
    for length in 0...40 {
      let bytes = [UInt8](repeating: 0, count: length)
      seen.insert(hash(bytes, seed: seed))
      count += 1
      for bit in 0..<length * 8 {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        seen.insert(hash(flipped, seed: seed))
        count += 1
      }
    }
    #expect(seen.count == count)
  }

  @Test("differ when the seed differs")
  func seeds() {
    let text = Array("the same text".utf8)
    #expect(Set((0..<1000).map { hash(text, seed: $0) }).count == 1000)
  }

  @Test("cells of different types with the same payload differ; absent and failed count as null")
  func tags() {
    let arena = ByteArena()
    let range = Array("1234567890".utf8).withUnsafeBytes { arena.append($0) }
    func cell(_ tag: UInt8, _ payload: UInt64) -> UInt64 { CellHash.cell(tag, payload, arena.base, seed: 5) }
    let hashes = [
      cell(CellTag.null, 0), cell(CellTag.integer, 0), cell(CellTag.real, 0), cell(CellTag.integer, 1),
      cell(CellTag.text, range.payload),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(cell(CellTag.absent, 0) == cell(CellTag.null, 0))
    #expect(cell(CellTag.failed, 0) == cell(CellTag.null, 0))
    let again = Array("1234567890".utf8).withUnsafeBytes { arena.append($0) }
    #expect(cell(CellTag.text, again.payload) == cell(CellTag.text, range.payload))
  }
}
