import MergewalkDiagnostics
import Foundation
@testable import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct `Rejects of earlier runs` {
  private let folder = TemporaryFolder()
  private static let first = "orders@2024-01-31T12:00:00.123Z"
  private static let second = "orders@2024-02-01T12:00:00.456Z"

  /// A writer with the lines of some records.
  private func writer(
    _ path: String, _ run: String, _ records: [String], isReplayed: (String) -> Bool = { _ in false }
  ) throws -> RejectWriter {
    let writer = try RejectWriter(path: path, run: run, isReplayed: isReplayed)
    try add(records, to: writer)
    return writer
  }

  private func add(_ records: [String], to writer: RejectWriter) throws {
    for record in records {
      let reject = Reject(
        file: "in.csv", record: 3, reason: Reject.Reason(.valueDate, message: "no", position: .init(line: 4, column: 1))
      )
      try Array(record.utf8).withUnsafeBytes { try writer.write(reject, raw: $0) }
    }
  }

  private func records(_ path: String) throws -> [String] {
    var lines = try RejectLines(ByteSource(path: path))
    var records: [String] = []
    while let line = try lines.next() { records.append(String(decoding: try line.get().raw ?? [], as: UTF8.self)) }
    return records
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test func `have the moment of their run in the name, and a number where there are several`() throws {
    let path = folder.file("orders.rejects.ndjson")
    for (run, record) in [(Self.first, "a"), (Self.first, "b"), (Self.first + "x", "c"), (Self.second, "d")] {
      // Runs with one name are not one run here: each file is somebody else's.
      try writer(path, run, [record]).close()
      _ = try EarlierRejects(of: path).setAside()
    }
    let aside = EarlierRejects(of: path).paths
    #expect(aside.count == 4)
    #expect(aside[0].hasSuffix("/orders.rejects.2024-01-31T120000.123Z-2.ndjson"), "\(aside)")
    #expect(aside[1].hasSuffix("/orders.rejects.2024-01-31T120000.123Z.ndjson"), "\(aside)")
    #expect(aside[2].hasSuffix("/orders.rejects.2024-02-01T120000.456Z.ndjson"), "\(aside)")
    // The run without a moment in its name: the file's own time.
    #expect(try aside.map { try records($0) } == [["b"], ["a"], ["d"], ["c"]])
    for other in [
      "orders.ndjson", "orders.rejects.again.ndjson", "orders.rejects.2024-01-31.ndjson", "orders.rejects..ndjson",
    ] {
      try folder.write("", to: other)
    }
    #expect(EarlierRejects(of: path).paths == aside)
  }

  @Test func `are kept whatever the next run does, as they are`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a", "b"]).close()
    let before = FileManager.default.contents(atPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try writer(path, Self.second, ["b", "c"]).close()
    #expect(try records(path) == ["b", "c"])
    let aside = try #require(EarlierRejects(of: path).paths.first)
    #expect(FileManager.default.contents(atPath: aside) == before)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600, "what may be read by whom stays")
    // A clean run sets aside, too, and makes none.
    try writer(path, "x", []).close()
    #expect(!FileManager.default.fileExists(atPath: path) && EarlierRejects(of: path).paths.count == 2)
  }

  @Test(arguments: [
    (["a", "b"], ["a", "b"], true), (["a", "b"], ["x", "a", "y", "b", "z"], true), (["a", "b"], ["b", "a"], false),
    (["a", "a"], ["a", "b"], false), (["a"], [], false),
  ])
  func `are kept once when the next run rejects all of them again`(
    earlier: [String], later: [String], isContained: Bool
  ) throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, earlier).close()
    try writer(path, Self.second, later).close()
    #expect(EarlierRejects(of: path).paths.isEmpty == isContained)
  }

  @Test func `of several killed runs are kept once, with the beginning of a line that one of them left`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a", "b"]).close(isFinished: false)
    let whole = try #require(FileManager.default.contents(atPath: path))
    try whole.dropLast(9).write(to: URL(fileURLWithPath: path))
    try writer(path, "again@2024-02-20T00:00:00.000Z", ["a"]).close(isFinished: false)
    #expect(EarlierRejects(of: path).paths.count == 1)
    try writer(path, Self.second, ["a", "b"]).close()
    #expect(try names() == ["r.ndjson"] && records(path) == ["a", "b"])
  }

  @Test func `with a damaged line that is not the last one stay`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a"]).close()
    let whole = try #require(FileManager.default.contents(atPath: path))
    try (Data("{\"run\":\n".utf8) + whole).write(to: URL(fileURLWithPath: path))
    try writer(path, Self.second, ["a"]).close()
    #expect(EarlierRejects(of: path).paths.count == 1)
  }

  @Test func `stay when the next run is not finished`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a"]).close()
    try writer(path, Self.second, ["a"]).close(isFinished: false)
    #expect(EarlierRejects(of: path).paths.count == 1)
  }

  @Test func `are emptied once they were replayed`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a"]).close()
    try writer(path, Self.second, ["b"]) { $0 == path }.close()
    #expect(try records(path) == ["b"] && names() == ["r.ndjson"])
  }

  @Test func `of the run itself, which nobody knows of, are written again`() throws {
    let path = folder.file("r.ndjson")
    try writer(path, Self.first, ["a"]).close()
    let next = try RejectWriter(path: path, run: Self.first, keeping: 0, count: 0)
    try add(["b"], to: next)
    try next.close()
    #expect(try records(path) == ["b"] && names() == ["r.ndjson"])
  }

  @Test func `are found by the run that goes on, wherever they are`() throws {
    let path = folder.file("r.ndjson")
    let interrupted = try writer(path, Self.first, ["a", "b"])
    try interrupted.flush()
    let length = interrupted.byteCount
    try add(["uncommitted"], to: interrupted)
    try interrupted.close(isFinished: false)
    try writer(path, "other@2024-03-01T00:00:00.000Z", ["o"]).close()
    let next = try RejectWriter(path: path, run: Self.first, keeping: length, count: 2)
    try add(["c"], to: next)
    try next.close()
    #expect(try records(path) == ["a", "b", "c"])
    #expect(try EarlierRejects(of: path).paths.map { try records($0) } == [["o"]])
    try FileManager.default.removeItem(atPath: path)
    let error = #expect(throws: RejectWriterError.self) {
      _ = try RejectWriter(path: path, run: Self.first, keeping: length, count: 2)
    }
    #expect(error?.code == .tooShort)
  }

  @Test func `of a run that is under way go on where another run has set them aside`() throws {
    let path = folder.file("r.ndjson")
    let slow = try writer(path, Self.first, ["a"])
    try slow.flush()
    try writer(path, Self.second, ["x"]).close()
    try add(["b"], to: slow)
    try slow.close()
    #expect(try records(path) == ["x"])
    #expect(slow.path == EarlierRejects(of: path).paths.first)
    #expect(try records(slow.path) == ["a", "b"])
  }

  @Test func `lie where a link leads`() throws {
    try FileManager.default.createDirectory(atPath: folder.file("deep"), withIntermediateDirectories: false)
    let path = folder.file("r.ndjson")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "deep/real.ndjson")
    try writer(path, Self.first, ["a"]).close()
    try writer(path, Self.second, ["b"]).close()
    #expect(try records(folder.file("deep/real.ndjson")) == ["b"])
    #expect(EarlierRejects(of: path).paths.first?.hasSuffix("/deep/real.2024-01-31T120000.123Z.ndjson") == true)
  }
}
