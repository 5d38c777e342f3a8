import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct DialectPropertyTests {
  @Test("a table that is written in any dialect is read back with what is detected", arguments: Soak.seeds(60))
  func readsBack(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var writing = CorpusWriting()
    writing.delimiter = try #require([",", ";", "\t", "|", "^", "~"].randomElement(using: &random))
    writing.quoting = try #require([.needed, .all, .text].randomElement(using: &random))
    writing.lineEnd = try #require(["\n", "\r\n"].randomElement(using: &random))
    writing.endsWithLineEnd = Bool.random(using: &random)
    if writing.quoting != .needed, Bool.random(using: &random) { writing.quote = "'" }
    if writing.quote == "\"", writing.quoting == .all, Bool.random(using: &random) { writing.escape = "\\" }
    let width = Int.random(in: 2...8, using: &random)
    let kinds = (0..<width).map { _ in Int.random(in: 0..<5, using: &random) }
    let rows = (0..<Int.random(in: 15...60, using: &random)).map { row in
      kinds.map { Self.cell($0, row, &random) }
    }
    let names = (0..<width).map { "col_\(Character(UnicodeScalar(UInt8(97 + $0))))" }
    let bytes = Array(writing.text([names] + rows).utf8)
    let dialect = try #require(CSVDialectDetector.detect(sample: bytes, isWhole: true))
    #expect(
      CorpusFile.read(bytes, dialect.options) == [names] + rows,
      "seed \(seed), \(writing), \(dialect.evidence), \(String(decoding: bytes, as: UTF8.self))")
  }

  private static func cell(_ kind: Int, _ row: Int, _ random: inout SeededGenerator) -> String {
    let words = ["lamp", "quilt", "sail", "old harbour", "red, green", "it's", "a \"new\" one", "Øre", "x;y", "p|q"]
    switch kind {
    case 0: return "\(row)"
    case 1: return "\(Int.random(in: -500...500, using: &random)).\(Int.random(in: 0...99, using: &random))"
    case 2: return "2024-0\(1 + row % 9)-1\(row % 10)"
    case 3: return ["true", "false"].randomElement(using: &random) ?? ""
    default:
      if Int.random(in: 0..<8, using: &random) == 0 { return "" }
      return (words.randomElement(using: &random) ?? "") + " \(row)"
    }
  }

  @Test("what the row writer writes is detected", arguments: Soak.seeds(20))
  func rowWriter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var options = CSVRowOptions()
    options.delimiter = CSVDelimiter(try #require([44, 59, 9, 124].randomElement(using: &random)))
    options.lineEnd = Bool.random(using: &random) ? "\n" : "\r\n"
    options.null = Bool.random(using: &random) ? "" : "NULL"
    var expected = [["id", "name", "sum"]]
    let bytes = try writtenBytes(.csv(options), ["id", "name", "sum"]) { writer in
      for row in 0..<30 {
        let name = Self.cell(4, row, &random)
        writer.integer(Int64(row))
        writer.text(name)
        if row % 5 == 0 { writer.null() } else { writer.double(Double(row) / 4) }
        try writer.endRow()
        expected.append(["\(row)", name, row % 5 == 0 ? options.null : "\(Double(row) / 4)"])
      }
    }
    let dialect = try #require(CSVDialectDetector.detect(sample: bytes, isWhole: true))
    #expect(CorpusFile.read(bytes, dialect.options) == expected, "seed \(seed), \(dialect.evidence)")
    #expect(dialect.nullWords == (options.null.isEmpty ? [] : ["NULL"]))
  }

  @Test("no bytes make detection or what it says fail", arguments: Soak.readerSeeds(30))
  func neverFails(_ block: UInt64) {
    let pieces: [[UInt8]] = [
      [44], [59], [9], [124], [32], [34], [34, 34], [39], [92], [10], [13], [13, 10], [35], Array("a".utf8),
      Array("12.5".utf8), Array("2024-01-01".utf8), Array("12:30".utf8), [0], [0xFF], [0xC3, 0xA9], [0xE2, 0x82],
      Array("http://a.b/c".utf8), Array("sep=".utf8), [1], Array("x@y.z".utf8), Array("$,.'%-".utf8),
      [0xEF, 0xBB, 0xBF],
    ]
    for seed in block * 20..<(block + 1) * 20 {
      var random = SeededGenerator(seed: seed)
      let few = Int.random(in: 1...pieces.count, using: &random)
      let chosen = pieces.shuffled(using: &random).prefix(few)
      let bytes = (0..<Int.random(in: 0..<150, using: &random)).flatMap { _ in
        chosen.randomElement(using: &random) ?? []
      }
      for isWhole in [true, false] {
        guard let dialect = CSVDialectDetector.detect(sample: bytes, isWhole: isWhole) else { continue }
        #expect(!dialect.evidence.isEmpty)
        // The options can be used: whatever ends the reading, they are not at fault.
        let failure = Reading.of { () throws(ReadError) in
          try CSVReader(source: ByteSource(bytes: bytes), options: dialect.options)
        }.failure
        #expect(failure?.hasPrefix("invalidOption") != true, "seed \(seed), \(dialect.options), \(bytes)")
        #expect(
          failure == nil || !isWhole,
          "seed \(seed), \(failure ?? ""), \(dialect.evidence), \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        )
      }
    }
  }

  @Test func `large samples take little time`() {
    // A quarter of a MiB of what each candidate could cut.
    var random = SeededGenerator(seed: 5)
    let some: [UInt8] = [44, 59, 9, 124, 32, 58, 97, 98, 49, 50, 10, 34, 39]
    let bytes = (0..<1 << 18).map { _ in some.randomElement(using: &random) ?? 97 }
    let duration = ProcessorTime.measure { _ = CSVDialectDetector.detect(sample: bytes, isWhole: false) }
    // Some ten milliseconds when optimized.
    #expect(duration < .seconds(30))
  }
}
