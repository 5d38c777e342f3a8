import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct FileFinderTests {
  private let folder = TemporaryFolder()

  private func find(_ texts: String..., pattern: String = "*", recursive: Bool = false) throws -> [String] {
    var finder = FileFinder()
    finder.pattern = pattern
    finder.isRecursive = recursive
    var found: [String] = []
    for text in texts {
      found += try finder.find(folder.file(text)).map { file in
        let path = String(file.path.dropFirst(folder.path.count + 1))
        return path + (file.foundBefore.map { "=" + $0.dropFirst(folder.path.count + 1) } ?? "")
      }
    }
    return found
  }

  private func code(_ text: String, pattern: String = "*") -> ReadError.Code? {
    do {
      _ = try find(text, pattern: pattern)
      return nil
    } catch {
      return (error as? ReadError)?.code
    }
  }

  @Test("a file whose name is no text is not passed over in silence")
  func badNames() throws {
    try folder.write("x", to: "a.csv")
    try folder.write("x", to: "in/b.csv")
    let name = Array((folder.path + "/bad").utf8) + [0xFF] + Array(".csv\0".utf8)
    let descriptor = name.withUnsafeBytes {
      $0.assumingMemoryBound(to: CChar.self).baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
    }
    #expect(descriptor >= 0 && close(descriptor) == 0)
    #expect(code("") == .inputFailed)
    #expect(code("*.csv") == .inputFailed)
    let error = #expect(throws: ReadError.self) { try find("*.csv") }
    #expect(error?.message.contains("/bad\\xFF.csv” is not UTF-8") == true, "\(error?.message ?? "")")
    #expect(try find("", pattern: "a*") == ["a.csv"])
    #expect(try find("a*.csv") == ["a.csv"])
    #expect(try find("in") == ["in/b.csv"])
  }

  @Test func `globs and folders are sorted by bytes, and hold regular files only`() throws {
    for name in ["b.csv", "a.csv", "B.csv", "é.csv", "a10.csv", "a2.csv", ".hidden.csv", "notes.txt"] {
      try folder.write("x", to: name)
    }
    try folder.write("x", to: "a.folder.csv/z.csv")
    #expect(mkfifo(folder.file("pipe.csv"), 0o600) == 0)
    let sorted = ["B.csv", "a.csv", "a10.csv", "a2.csv", "b.csv", "é.csv"]
    #expect(try find("*.csv") == sorted)
    #expect(try find("", pattern: "*.csv") == sorted.map { "/" + $0 }.map { String($0.dropFirst()) })
    #expect(try find("[ab].csv") == ["a.csv", "b.csv"])
    #expect(try find("", pattern: "*.csv", recursive: true).contains("a.folder.csv/z.csv"))
    // Named outright, a pipe is what is meant.
    #expect(try find("pipe.csv") == ["pipe.csv"])
  }

  @Test func `a path that exists is no glob`() throws {
    try folder.write("x", to: "odd[1]*.csv")
    try folder.write("x", to: "odd1.csv")
    #expect(try find("odd[1]*.csv") == ["odd[1]*.csv"])
    #expect(try find("odd[1].csv") == ["odd1.csv"])
  }

  @Test func `a file is found once, whatever its names are`() throws {
    try folder.write("x", to: "a.csv")
    try folder.write("x", to: "b.csv")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.csv"), withDestinationPath: folder.file("a.csv"))
    try FileManager.default.linkItem(atPath: folder.file("b.csv"), toPath: folder.file("hard.csv"))
    #expect(try find("b.csv", "*.csv") == ["b.csv", "a.csv", "b.csv=b.csv", "hard.csv=b.csv", "link.csv=a.csv"])
    #expect(try find("a.csv", "a.csv", "./a.csv") == ["a.csv", "a.csv=a.csv", "./a.csv=a.csv"])
  }

  @Test func `folders that are links are not searched, and cycles end`() throws {
    try folder.write("x", to: "data/a.csv")
    try folder.write("x", to: "data/sub/b.csv")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("data/sub/up"), withDestinationPath: folder.file("data"))
    #expect(try find("data", recursive: true) == ["data/a.csv", "data/sub/b.csv"])
    #expect(try find("data") == ["data/a.csv"])
    #expect(try find("data/") == ["data/a.csv"])
  }

  @Test func `what matches nothing is an error that names it`() throws {
    try folder.write("x", to: "data/a.csv")
    #expect(code("none.csv") == .notFound)
    #expect(code("none-*.csv") == .noMatchingFile)
    #expect(code("data", pattern: "*.json") == .noMatchingFile)
    #expect(code("data/a.csv/b") == .notFound)
    let error = #expect(throws: ReadError.self) { try find("none-*.csv") }
    #expect(error?.message.contains(folder.file("none-*.csv")) == true)
    let empty = #expect(throws: ReadError.self) { try find("data", pattern: "*.json") }
    #expect(empty?.message == "no file in this folder matches “*.json”")
  }
}

@Suite struct SourceExpectationTests {
  private let folder = TemporaryFolder()
  private static let orders = Array("id,name\n1,Ann\n2,Ben\n".utf8)

  private func fault(_ bytes: [UInt8], _ expected: SourceExpectation, chunk: Int = .max) -> ReadError.Code? {
    var source = ByteSource(packed: bytes, chunkSize: chunk)
    source.expected = expected
    return RecordFormatsTests.fault(source)
  }

  private func sha256(_ bytes: [UInt8]) throws -> [UInt8]? {
    guard let line = try tool(["sha256sum"], bytes) else { return nil }
    return SourceExpectation.sha256(hex: String(decoding: line.prefix(64), as: UTF8.self))
  }

  @Test func `the digest of the empty text is what everybody knows`() {
    let empty = SourceExpectation.sha256(hex: "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852b855")
    #expect(fault([], SourceExpectation(size: 0, sha256: empty)) == nil)
    #expect(fault([0], SourceExpectation(sha256: empty)) == .checksumMismatch)
    for wrong in ["", "E3B0", String(repeating: "g", count: 64), String(repeating: "0", count: 65)] {
      #expect(SourceExpectation.sha256(hex: wrong) == nil)
    }
  }

  @Test func `a file is held against its digest and its size, as it is and packed`() throws {
    for packed in [
      Self.orders, Packing.pack(Self.orders, .gzip), Packing.pack(Self.orders, .xz),
      Packing.pack(Self.orders, .zip), Packing.pack(Self.orders, .tar),
    ] {
      guard let digest = try sha256(packed) else { return }
      for chunk in [1, 7, .max] {
        #expect(fault(packed, SourceExpectation(size: packed.count, sha256: digest), chunk: chunk) == nil)
        #expect(fault(packed, SourceExpectation(size: packed.count + 1), chunk: chunk) == .checksumMismatch)
        #expect(fault(packed, SourceExpectation(size: packed.count - 1), chunk: chunk) == .checksumMismatch)
        var other = digest
        other[31] ^= 1
        #expect(fault(packed, SourceExpectation(sha256: other), chunk: chunk) == .checksumMismatch)
      }
    }
  }

  @Test func `a file that is written to while it is read is an error`() throws {
    let path = try folder.write(String(repeating: "1,x\n", count: 100_000), to: "growing.csv")
    for change in ["append", "touch", "cut"] {
      let stream = try ByteSource(path: path).open()
      var buffer = [UInt8](repeating: 0, count: 1000)
      _ = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      switch change {
      case "append":
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("2,y\n".utf8))
      case "touch":
        try handle.write(contentsOf: Data("9".utf8))
      default: try handle.truncate(atOffset: 1000)
      }
      try handle.close()
      let error = #expect(throws: ReadError.self) {
        while try buffer.withUnsafeMutableBytes({ (all) throws(ReadError) in try stream.read(into: all) }) > 0 {}
      }
      #expect(error?.code == .fileChanged, "\(change)")
    }
  }

  @Test func `a pipe may be packed`() throws {
    let packed = Packing.pack(Self.orders, .gzip)
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let writer = Thread {
      let descriptor = open(path, O_WRONLY)
      for byte in packed { _ = withUnsafeBytes(of: byte) { write(descriptor, $0.baseAddress, 1) } }
      close(descriptor)
    }
    writer.start()
    #expect(try unpack(ByteSource(path: path)) == Self.orders)
  }
}
