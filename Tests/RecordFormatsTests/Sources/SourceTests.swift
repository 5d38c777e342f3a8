import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct SourceTests {
  private let folder = TemporaryFolder()

  private func code(_ path: String) -> ReadError.Code? {
    do {
      _ = try CSVReader(source: ByteSource(path: path))
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `what cannot be opened is an error with a code`() throws {
    #expect(code(folder.file("none.csv")) == .notFound)
    #expect(code(folder.path) == .isDirectory)
    let path = try folder.write("a\n", to: "closed.csv")
    #expect(code(path + "/inside") == .notFound)
    #expect(code(path) == nil)
    // The superuser may read everything.
    if getuid() != 0 {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      #expect(code(path) == .permissionDenied)
    }
  }

  @Test func `an error reads as one line with its place and code`() throws {
    let path = try folder.write("id,customer\n1,2\n", to: "orders.csv")
    let error = #expect(throws: ReadError.self) {
      try CSVReader(source: ByteSource(path: path), columns: .named(["id", "custommer"]))
    }
    #expect(
      error?.description
        == "\(path):1:1: error: there is no column \"custommer\"; did you mean \"customer\"? [missingColumn]")
  }

  @Test func `a pipe is read to its end`() throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try SourceFormat.detect(ByteSource(path: path)) == nil)
    let writer = Thread {
      let descriptor = open(path, O_WRONLY)
      for i in 0..<300 { _ = "\(i),x\n".withCString { write(descriptor, $0, strlen($0)) } }
      close(descriptor)
    }
    writer.start()
    var options = CSVOptions()
    options.header = .none
    let reading = Reading.of(
      { () throws(ReadError) in try CSVReader(source: ByteSource(path: path), options: options) },
      limit: BatchLimit(records: 7))
    #expect(reading.lines == (0..<300).map { "\($0)|x" })
  }

  @Test func `a file is read to its end and counted`() throws {
    let text = "a,b\n" + String(repeating: "1,ü\n", count: 100_000)
    let path = try folder.write(text, to: "long.csv")
    var reader = try CSVReader(source: ByteSource(path: path), index: 3)
    var batch = RecordBatch()
    var count = 0
    while try reader.read(into: &batch, limit: BatchLimit(records: 1000)) {
      #expect(batch.recordCount == 1000 && batch.source == 3)
      #expect(batch.records[0].byteOffset == 4 + 5 * count && batch.records[0].line == count + 2)
      count += batch.recordCount
    }
    #expect(count == 100_000)
    #expect(reader.bytesRead == text.utf8.count)
  }

  @Test(
    "formats are told by names",
    arguments: [
      ("a.csv", SourceFormat.csv), ("b/A.CSV", .csv), ("a.csv.tsv", .tsv), ("a.tab", .tsv), ("x.ndjson", .ndjson),
      ("x.jsonl", .ndjson), ("x.json", nil), ("csv", nil), ("a.b/c", nil), ("", nil), ("-", nil),
    ])
  func names(_ name: String, _ format: SourceFormat?) {
    #expect(SourceFormat(fileName: name) == format)
  }

  @Test(
    "formats are told by content",
    arguments: [
      ("", nil), ("\n \n", nil), ("id,name\n", SourceFormat.csv), ("id\tname, first\n", .tsv), ("a,b\tc,d", .csv),
      ("\u{FEFF}\n{\"a\":1}\r\n{", .ndjson), ("{\"a\": \"cut he", .ndjson), ("{\n  \"a\": 1\n}", .json),
      ("[1]\n", .json), ("[\n", .json), ("[{\"a\": tr", .json), ("{\"a\":\n1}", .json), ("{\"a\":[{\"b\":", .json),
      ("{\"a\":1,}\n", nil), ("[1,]\n", nil), ("a\0b", nil), ("{} {}", .jsonSequence), ("\u{1E}{}", .jsonSequence),
      ("{\n\"a\":1}\n{\n", .jsonSequence), ("{} x", nil), ("word", .csv),
    ])
  func content(_ text: String, _ format: SourceFormat?) {
    #expect(SourceFormat(sample: Array(text.utf8)) == format)
  }

  @Test func `the content decides where the name does not`() throws {
    let path = try folder.write("{\"a\":1}\n", to: "lines.json")
    #expect(try SourceFormat.detect(ByteSource(path: path)) == .ndjson)
    let utf16 = ByteSource(bytes: [0xFF, 0xFE] + "a\tb\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    #expect(try SourceFormat.detect(utf16) == .tsv)
    // Media libraries are property lists whose name says XML.
    let list =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"p.dtd\">\n<plist><dict/></plist>"
    for (text, format) in [(list, SourceFormat.propertyList), ("<r><plist/></r>", .xml), ("a,b", .xml), ("", .xml)] {
      let named = try folder.write(text, to: "library.xml")
      #expect(try SourceFormat.detect(ByteSource(path: named)) == format, "\(text)")
    }
    #expect(try SourceFormat.detect(ByteSource(path: folder.file("none.xml"))) == .xml)
  }

  @Test("the check for text agrees with the standard library", arguments: Soak.seeds(30))
  func textCheck(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let pieces: [[UInt8]] = [
        Array("ascii text".utf8), Array("é".utf8), Array("€".utf8), Array("😀".utf8),
        Array("\u{D7FF}\u{E000}\u{10FFFF}".utf8),
        [UInt8.random(in: 0x80...0xFF, using: &random)], [UInt8.random(in: 1...0xFF, using: &random), 0x80],
        [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0],
      ]
      let few = Bool.random(using: &random) ? 5 : pieces.count
      let bytes = (0..<Int.random(in: 0..<20, using: &random)).flatMap { _ in
        pieces[Int.random(in: 0..<few, using: &random)]
      }
      let expected = CSVOracle.textFault(bytes[...]) ?? Int.max
      let cut = Int.random(in: 0...bytes.count, using: &random)
      var check = TextCheck()
      bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        check.advance(base, origin: 0, end: cut, isLast: false)
        // The rest comes in another window, which starts where the first was checked to.
        let from = min(check.checkedTo, cut)
        check.advance(base + from, origin: from, end: bytes.count - from, isLast: true)
      }
      #expect(check.fault == expected, "seed \(seed), \(bytes) cut at \(cut)")
    }
  }
}
