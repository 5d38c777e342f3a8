import Foundation
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Pipes that are looked into")
struct LookableSourceTests {
  let folder = TemporaryFolder()

  /// A named pipe into which a text is written, once.
  private func pipe(_ bytes: Data) throws -> String {
    let path = folder.file("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    Thread.detachNewThread {
      // A reader that goes away is an error of this thread's write, not the end of the process.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let handle = FileHandle(forWritingAtPath: path)
      try? handle?.write(contentsOf: bytes)
      try? handle?.close()
    }
    return path
  }

  private func values(_ source: ByteSource) throws -> [String] {
    var reader = try NDJSONReader(source: source)
    var batch = RecordBatch()
    var values: [String] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 1_000)) {
      values += (0..<batch.recordCount).map { batch.text($0, 0) ?? "" }
    }
    return values
  }

  @Test("looking again and again does not lose a byte", arguments: [1, 5_000, 200_000])
  func again(_ count: Int) throws {
    let expected = (0..<count).map { "\($0)" }
    let text = expected.map { "{\"n\": \($0)}\n" }.joined()
    let source = ByteSource(path: try pipe(Data(text.utf8)))
    #expect(source.isReadOnce)
    let lookable = source.lookable()
    #expect(!lookable.isReadOnce)
    for _ in 0..<3 {
      #expect(try SourceFormat.detect(lookable) == .ndjson)
      _ = try NDJSONReader(source: lookable)
    }
    lookable.endLooking()
    #expect(lookable.isReadOnce)
    #expect(try values(lookable) == expected)
  }

  @Test("whole readings repeat while looking")
  func whole() throws {
    let source = ByteSource(path: try pipe(Data("{\"n\": 1}\n{\"n\": 2}\n".utf8))).lookable()
    for _ in 0..<3 { #expect(try values(source) == ["1", "2"]) }
    source.endLooking()
    #expect(try values(source) == ["1", "2"])
  }

  @Test("what takes too long to look at is an error")
  func tooMuch() throws {
    let line = Data((String(repeating: " ", count: 1 << 16) + "\n").utf8)
    var bytes = Data()
    for _ in 0..<300 { bytes += line }
    let source = ByteSource(path: try pipe(bytes)).lookable()
    #expect(throws: ReadError.self) { _ = try values(source) }
  }

  @Test("a file is looked into as it is")
  func file() throws {
    let path = try folder.write("{\"n\": 1}\n", to: "file")
    let source = ByteSource(path: path)
    #expect(source.lookable() == source)
  }
}
