import MergewalkSystem
import MergewalkDiagnostics
import Testing

@Suite struct WholeBytesTests {
  @Test func `bytes go through a pipe whole, and its end is no failure`() {
    var ends: [Int32] = [-1, -1]
    let isOpen = pipe(&ends) == 0
    #expect(isOpen)
    let sent: [UInt8] = [1, 2, 3]
    let written = sent.withUnsafeBytes { WholeBytes.write($0, to: ends[1]) }
    close(ends[1])
    var got = [UInt8](repeating: 0, count: 5)
    let read = got.withUnsafeMutableBytes { WholeBytes.read(ends[0], into: $0) }
    close(ends[0])
    #expect(written.count == 3 && written.failure == 0)
    #expect(read.count == 3 && read.failure == 0)
    #expect(got == [1, 2, 3, 0, 0])
  }

  @Test func `what stops reading and writing is told by its number`() {
    var bytes: [UInt8] = [1]
    let written = bytes.withUnsafeBytes { WholeBytes.write($0, to: -1) }
    let read = bytes.withUnsafeMutableBytes { WholeBytes.read(-1, at: 0, into: $0) }
    #expect(written.count == 0 && written.failure == EBADF)
    #expect(read.count == 0 && read.failure == EBADF)
  }

  @Test func `the folder of a path ends at its last slash, whatever character follows`() {
    #expect(ResolvedPath.folder(of: "a/\u{301}b") == "a")
    #expect(ResolvedPath.name(of: "a/\u{301}b") == "\u{301}b")
    #expect(ResolvedPath.folder(of: "/b") == "/")
    #expect(ResolvedPath.folder(of: "b") == ".")
  }
}
