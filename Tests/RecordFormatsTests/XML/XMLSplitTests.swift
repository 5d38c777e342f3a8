import MergewalkEventLogs
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// libxml2 on a thread of its own: nothing that is read may tell.
@Suite("XML: two threads") struct XMLSplitTests {
  private func reading(
    _ bytes: [UInt8], _ options: XMLOptions = XMLOptions(), _ columns: [String]? = nil, splitsAt: Int,
    chunks: [Int] = [.max],
    limit: BatchLimit = BatchLimit()
  ) -> Everything {
    Everything.of(
      { () throws(ReadError) in
        try XMLReader(
          stream: ByteSource(bytes: bytes, chunkSizes: chunks).open(), options: options,
          columns: columns.map { .named($0) } ?? .all, index: 0, splitsAt: splitsAt)
      }, limit: limit)
  }

  private func expectSame(
    _ bytes: [UInt8], _ options: XMLOptions = XMLOptions(), _ columns: [String]? = nil, _ name: String = ""
  ) {
    for limit in [BatchLimit(), BatchLimit(records: 3, bytes: 1000)] {
      let whole = reading(bytes, options, columns, splitsAt: .max, limit: limit)
      for splitsAt in [0, 1 << 14] {
        for chunks in [[Int.max], [1000, 1, 70_000]] {
          let split = reading(bytes, options, columns, splitsAt: splitsAt, chunks: chunks, limit: limit)
          #expect(split == whole, "\(name) from \(splitsAt) on in \(chunks), batches of \(limit.records)")
        }
      }
    }
  }

  @Test("documents of many pieces are read alike, with all that may be in them")
  func documents() {
    var random = SeededGenerator(seed: 20_261_121)
    for _ in 0..<2 {
      var text = "<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY n 'Ann'><!ENTITY i '<i k=\"1\"><a>&n;</a></i>'>\n"
      text += "<!ATTLIST i d CDATA 'x'>]>\n<r xmlns:p='u'>\n"
      let parts = [
        "<i><a>plain</a><b>text</b></i>\n", "<i k='1' q='a&amp;b'><a>Zürich &lt; 東京</a></i>\r\n", "&i;",
        "<i><a><![CDATA[a\r\nb]]></a><p:a>x</p:a></i>", "<i><a>mixed<b>x</b>text</a></i>", "<i><b>1</b><b>2</b></i>",
        "<i><a>&q;</a></i>", "<i xmlns='d'><a>&n;&n;</a></i>", "<!-- \(String(repeating: "x", count: 3000)) -->",
        "<i><a>\(String(repeating: "long ü ", count: 4000))</a></i>", "<i k='\(String(repeating: "y", count: 9000))'/>",
      ]
      while text.utf8.count < 90_000 { text += parts[Int.random(in: 0..<parts.count, using: &random)] }
      var bytes = Array((text + "</r>").utf8)
      for _ in 0..<3 {
        expectSame(bytes)
        for mixed in [XMLOptions.MixedContent.text, .markup] {
          var options = XMLOptions()
          options.mixed = mixed
          options.maxRecordBytes = 20_000
          options.each = mixed == .text ? "b" : nil
          expectSame(bytes, options, ["a", "b", "@k", "@d", "p:a", "#text"])
        }
        // Bytes that are no text, and an end in the middle.
        for _ in 0..<3 { bytes[Int.random(in: 1000..<bytes.count, using: &random)] = 0xFF }
        bytes.removeLast(Int.random(in: 1..<20_000, using: &random))
      }
    }
  }

  @Test("all XML files of the suites are read alike", .enabled(if: Locations.shared != nil))
  func suite() throws {
    let folder = Locations.shared("suites")
    let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    for file in files where file.hasSuffix(".xml") {
      guard let data = FileManager.default.contents(atPath: folder + "/" + file), data.count < 1 << 20 else {
        continue
      }
      let bytes = [UInt8](data)
      let whole = reading(bytes, splitsAt: .max)
      #expect(reading(bytes, splitsAt: 0) == whole, "\(file)")
    }
  }

  @Test("records of very many different elements take no long time")
  func manyNames() throws {
    let names = (0..<20_000).map { "n\($0)" }
    let record = "<i>" + names.map { "<\($0)>x</\($0)>" }.joined() + "</i>"
    var batch = RecordBatch()
    for request in [ColumnRequest.all, .named(["n19999", "n5"] + (30_000..<30_100).map { "n\($0)" })] {
      let time = try ProcessorTime.measure {
        var reader = try XMLReader(source: ByteSource(bytes: Array("<r>\(record)</r>".utf8)), columns: request)
        #expect(try reader.read(into: &batch, limit: BatchLimit()))
      }
      // 20,000 times 10,000 comparisons take a minute without optimisation.
      #expect(batch.recordCount == 1 && time < .seconds(20), "\(time)")
    }
    #expect(batch.text(0, 0) == "x" && batch.text(0, 1) == "x" && batch.state(0, 2) == .absent)
  }

  @Test("a failure of the input comes behind the records before it")
  func failures() {
    let item = "<i><a>x</a></i>"
    let bytes = Array(("<r>" + String(repeating: item, count: 40_000)).utf8)
    for splitsAt in [0, .max] {
      let found = Everything.of { () throws(ReadError) in
        try XMLReader(
          stream: FailingStream(bytes: bytes), options: XMLOptions(), columns: .named(["a"]), index: 0,
          splitsAt: splitsAt)
      }
      #expect(found.failure?.code == .inputFailed)
      #expect(found.records.count > 39_000 - TextWindow.pieceSize / item.utf8.count)
    }
  }

  @Test("a reader that is dropped half-way leaves no thread", arguments: [0, 1, 2, 7, 60])
  func dropping(_ pieces: Int) throws {
    let bytes = Array(("<r>" + String(repeating: "<i><a>x</a></i>", count: 100_000) + "</r>").utf8)
    for _ in 0..<10 {
      // The thread keeps the link as long as it runs.
      weak var link: ParserChannel?
      do {
        let parser = try XMLRecordParser(
          TextWindow(try ByteSource(bytes: bytes).open(), encoding: .utf8), path: "", options: XMLOptions(),
          columns: [[Array("a".utf8)]], requested: ["a"], splitsAt: 0)
        var batch = RecordBatch()
        batch.start(columnCount: 1, source: 0)
        for _ in 0..<pieces { #expect(try parser.advance(into: &batch)) }
        link = parser.pieces.link
        #expect((link == nil) == (pieces == 0))
      }
      #expect(link == nil)
    }
  }

  @Test("what fails early does not wait for the rest, and a small document has no thread")
  func small() throws {
    let broken = Array(("<r><i><a>1</a></i><i></r>" + String(repeating: " ", count: 1 << 20)).utf8)
    let found = reading(broken, XMLOptions(), ["a"], splitsAt: 0)
    #expect(found.records.count == 1 && found.failure?.code == .invalidDocument)
    let item = "<i><a>x</a></i>"
    for (count, isSplit) in [(10_000, false), (40_000, true)] {
      let bytes = Array(("<r>" + String(repeating: item, count: count) + "</r>").utf8)
      let parser = try XMLRecordParser(
        TextWindow(try ByteSource(bytes: bytes).open(), encoding: .utf8), path: "", options: XMLOptions(),
        columns: [[Array("a".utf8)]], requested: ["a"])
      var batch = RecordBatch()
      batch.start(columnCount: 1, source: 0)
      while try parser.advance(into: &batch) {}
      #expect(batch.recordCount == count && (parser.pieces.link != nil) == isSplit)
    }
  }
}
