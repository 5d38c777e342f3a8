import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// Pieces of files whose lengths come from other files, which may be damaged.
@Suite struct FileBytesTests {
  private let folder = TemporaryFolder()

  private func file(_ count: Int) throws -> String {
    let path = folder.file("bytes")
    try Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(arguments: [101, 1 << 40, Int.max])
  func aPieceThatIsShorterThanItShouldBeIsAnError(count: Int) throws {
    let bytes = try FileBytes(path: try file(300), range: 100..<200)
    var first: [UInt8] = []
    try bytes.take(3) { first = Array($0) }
    #expect(first == [100, 101, 102])
    let error = #expect(throws: ReadError.self) { try bytes.take(count - 3) { _ in } }
    #expect(error?.code == .fileChanged)
  }

  @Test func piecesLargerThanTheBufferAreWhole() throws {
    let bytes = try FileBytes(path: try file(300_000), range: 1..<300_000)
    var (place, sizes) = (1, [1, 70_000, 0, 65_536, 2])
    while !sizes.isEmpty {
      let size = sizes.removeFirst()
      let start = place
      try bytes.take(size) { piece in
        #expect(piece.count == size)
        #expect(piece.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: start + $0) })
      }
      place += size
    }
  }

  @Test func placesThatAreCutOrTooLongAreErrors() throws {
    let path = folder.file("places")
    for bytes in [[UInt8]([1, 5, 2]), Array(repeating: 0xFF, count: 70), [0x80, 0x80]] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var places = try RecordPlaceReader(path: path, range: 0..<bytes.count)
      let error = #expect(throws: ReadError.self) { _ = try places.next() }
      #expect(error?.code == .fileChanged)
    }
  }
}
