import MergewalkEventLogs
import Foundation
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// libyaml on a thread of its own: nothing that is read may tell.
@Suite("YAML: two threads") struct YAMLSplitTests {
  private func reading(
    _ bytes: [UInt8], _ options: YAMLOptions = YAMLOptions(), _ columns: [String]? = nil, splitsAt: Int,
    chunks: [Int] = [.max], limit: BatchLimit = BatchLimit()
  ) -> Everything {
    Everything.of(
      { () throws(ReadError) in
        try YAMLReader(
          stream: ByteSource(bytes: bytes, chunkSizes: chunks).open(), options: options,
          columns: columns.map { .named($0) } ?? .all, index: 0, splitsAt: splitsAt)
      }, limit: limit)
  }

  private func expectSame(
    _ bytes: [UInt8], _ options: YAMLOptions = YAMLOptions(), _ columns: [String]? = nil, _ name: String = "",
    limits: [BatchLimit] = [BatchLimit(), BatchLimit(records: 3, bytes: 1000)]
  ) {
    for limit in limits {
      let whole = reading(bytes, options, columns, splitsAt: .max, limit: limit)
      for splitsAt in [0, 1 << 15] {
        for chunks in [[Int.max], [1000, 1, 70_000]] {
          let split = reading(bytes, options, columns, splitsAt: splitsAt, chunks: chunks, limit: limit)
          #expect(split == whole, "\(name) from \(splitsAt) on in \(chunks), batches of \(limit.records)")
        }
      }
    }
  }

  @Test("streams of many pieces are read alike, with all that may be in them")
  func streams() {
    var random = SeededGenerator(seed: 20_261_121)
    let parts = [
      "- {a: 1, b: [x, {y: z}], c: \"q\\n\\u00e9\"}\n", "- a: plain\n  b: |\n    two\n    lines\n",
      "- &n\n  a: Zürich\n",
      "- *n\n", "- <<: *n\n  b: 2\n", "- *unknown\n", "- no mapping\n", "- a: 1\n  a: 2\n", "- ? [1, 2]\n  : x\n",
      "---\n- &n {a: 東京}\n", "# \(String(repeating: "remark ", count: 400))\n", "- !!int a: !!str 1\n  b: ! x\n",
      "- a: '\(String(repeating: "long ü ", count: 3000))'\n", "- b: \(String(repeating: "- ", count: 3))x\n",
    ]
    for _ in 0..<2 {
      var text = "\u{FEFF}# begin\n- &n {a: 0, b: 0}\n"
      while text.utf8.count < 90_000 { text += parts[Int.random(in: 0..<parts.count, using: &random)] }
      var bytes = Array(text.utf8)
      for _ in 0..<3 {
        expectSame(bytes)
        var options = YAMLOptions()
        options.maxRecordBytes = 10_000
        options.takesScalars = true
        expectSame(bytes, options, ["a", "b", "value"])
        // Bytes that are no text, and an end in the middle.
        for _ in 0..<3 { bytes[Int.random(in: 1000..<bytes.count, using: &random)] = 0xFF }
        bytes.removeLast(Int.random(in: 1..<20_000, using: &random))
      }
    }
  }

  @Test("text without an event, directives and faults are refused in the same place")
  func limits() {
    var options = YAMLOptions()
    options.maxRecordBytes = 50_000
    let start = "- a: 1\n- a: 2\n"
    for (name, text) in [
      ("remarks", String(repeating: "# remark\n", count: 24_000)),
      ("a long text", "- a: '" + String(repeating: "x", count: 200_000)),
      ("directives", "...\n" + String(repeating: "%TAG !a! b\n", count: 4_000)),
      ("a long key", "- \"" + String(repeating: "ü", count: 100_000)),
    ] {
      let bytes = Array((start + text).utf8)
      let whole = reading(bytes, options, ["a"], splitsAt: .max)
      #expect(whole.failure != nil, "\(name)")
      expectSame(bytes, options, ["a"], name, limits: [BatchLimit()])
    }
    let faults = Array(start.utf8) + Array(repeating: 1, count: 30_000)
    expectSame(faults, options, ["a"], "faults", limits: [BatchLimit()])
  }

  @Test("all YAML files of the suites are read alike", .enabled(if: Locations.shared != nil))
  func suite() throws {
    let folder = Locations.shared("suites")
    let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    var count = 0
    for file in files where file.hasSuffix(".yaml") || file.hasSuffix(".yml") {
      guard let data = FileManager.default.contents(atPath: folder + "/" + file), data.count < 1 << 20 else {
        continue
      }
      let bytes = [UInt8](data)
      #expect(reading(bytes, splitsAt: 0) == reading(bytes, splitsAt: .max), "\(file)")
      count += 1
    }
    #expect(count > 100)
  }

  @Test("a failure of the input comes behind the records before it")
  func failures() {
    let bytes = Array(String(repeating: "- {a: x}\n", count: 60_000).utf8)
    for splitsAt in [0, .max] {
      let found = Everything.of { () throws(ReadError) in
        try YAMLReader(
          stream: FailingStream(bytes: bytes), options: YAMLOptions(), columns: .named(["a"]), index: 0,
          splitsAt: splitsAt)
      }
      #expect(found.failure?.code == .inputFailed)
      #expect(found.records.count > 50_000)
    }
  }

  @Test("a reader that is dropped half-way leaves no thread", arguments: [0, 1, 2, 3000, 20_000])
  func dropping(_ records: Int) throws {
    let bytes = Array(String(repeating: "- {a: x}\n", count: 100_000).utf8)
    for _ in 0..<5 {
      // The thread keeps the link as long as it runs.
      weak var link: ParserChannel?
      do {
        let request = JSONRecordsPath()
        let tree = TreeRecordBuilder(records: request, each: nil, paths: [[Array("a".utf8)]], maxRecordBytes: 1 << 20)
        var parser = YAMLParser(
          window: TextWindow(try ByteSource(bytes: bytes).open(), encoding: .utf8), options: YAMLOptions(),
          records: request, tree: tree, splitsAt: 1)
        var batch = RecordBatch()
        batch.start(columnCount: 1, source: 0)
        for _ in 0..<records { #expect(try parser.advance(into: &batch)) }
        link = parser.events.link
        if records > 2000 { #expect(link != nil) }
      }
      #expect(link == nil)
    }
  }
}
