import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct CSVPropertyTests {
  private static let pieces: [[UInt8]] = [
    Array("a".utf8), Array("bc".utf8), Array("NULL".utf8), Array(",".utf8), Array(",".utf8), Array(",".utf8),
    Array("\"".utf8),
    Array("\"".utf8), Array("\"\"".utf8), [10], [10], [13, 10], [13], [32], [9], Array("\\".utf8), Array("#".utf8),
    Array(";".utf8), Array("é".utf8), Array("€".utf8), Array("😀".utf8), Array("\",\"".utf8), Array("\"a\",".utf8),
    Array("longer text than a word, more than sixteen bytes,".utf8), [0xFF], [0xC3], [0xE2, 0x82], [0],
  ]

  /// Delimiters of several bytes: with repeated ones, blanks, parts of other pieces, and as many as there can be.
  private static let long: [CSVDelimiter] = [
    "||", "||", "|;|", "§", "¦", ", ", " | ", "\t\t", "\\t", "aab", "bc", "€", "→§", "||||||||", "x,y;z,x;", "€😀",
  ]

  private static func options(_ random: inout SeededGenerator, isLong: Bool = false) -> CSVOptions {
    var options = CSVOptions()
    options.header = .none
    if Int.random(in: 0..<4, using: &random) == 0 {
      options.delimiter = ["\t", ";", " "].randomElement(using: &random) ?? "\t"
    }
    if isLong { options.delimiter = long.randomElement(using: &random) ?? "||" }
    if Int.random(in: 0..<6, using: &random) == 0 { options.quote = nil }
    let escape = UInt8(ascii: "\\")
    if Int.random(in: 0..<3, using: &random) == 0, !options.delimiter.contains(escape) { options.escape = escape }
    if Int.random(in: 0..<3, using: &random) == 0 { options.nullTokens = ["NULL", ""] }
    if Int.random(in: 0..<3, using: &random) == 0 { options.comment = ["#", "#a"].randomElement(using: &random) }
    options.trim = Bool.random(using: &random)
    options.trimQuoted = Int.random(in: 0..<4, using: &random) == 0
    options.lenientQuotes = Bool.random(using: &random)
    options.padShortRecords = Bool.random(using: &random)
    options.longRecords = [.refuse, .dropEmpty, .truncate].randomElement(using: &random) ?? .refuse
    options.blankLines = Bool.random(using: &random) ? .skip : .record
    return options
  }

  /// Text with pieces of a delimiter, in which blanks and line ends do not stand alone only.
  private static func text(_ random: inout SeededGenerator, _ delimiter: CSVDelimiter) -> [UInt8] {
    let whole = delimiter.bytes
    return (0..<Int.random(in: 0..<60, using: &random)).flatMap { _ -> [UInt8] in
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: whole
      case 3: Array(whole.prefix(Int.random(in: 1...whole.count, using: &random)))
      case 4: Array(whole.suffix(Int.random(in: 1...whole.count, using: &random)))
      case 5: Array("\"a".utf8) + whole + Array("b\"".utf8) + whole
      default: pieces[Int.random(in: 0..<pieces.count - 4, using: &random)]
      }
    }
  }

  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    // Faults of the text are rarer than those of the form, or hardly a record would be good.
    let few = Int.random(in: 0..<3, using: &random) == 0 ? pieces.count : pieces.count - 4
    return (0..<Int.random(in: 0..<60, using: &random)).flatMap { _ in pieces[Int.random(in: 0..<few, using: &random)] }
  }

  @Test("random CSV is read as the obvious parser reads it", arguments: Soak.readerSeeds(40))
  func matchesTheOracle(_ block: UInt64) {
    for seed in block * 50..<(block + 1) * 50 {
      var random = SeededGenerator(seed: seed)
      let isLong = seed % 2 == 1
      let options = Self.options(&random, isLong: isLong)
      let bytes = isLong ? Self.text(&random, options.delimiter) : Self.text(&random)
      var oracle = CSVOracle(bytes, options)
      let expected = oracle.lines()
      let sizes = [Int.random(in: 1..<9, using: &random), Int.random(in: 1..<9, using: &random)]
      let limit = BatchLimit(
        records: Int.random(in: 1..<9, using: &random), bytes: Int.random(in: 1..<300, using: &random))
      for (sizes, limit) in [([Int.max], BatchLimit()), ([1], BatchLimit()), (sizes, limit)] {
        let reading = Reading.of(
          { () throws(ReadError) in
            try CSVReader(source: ByteSource(bytes: bytes, chunkSizes: sizes), options: options)
          }, limit: limit)
        #expect(
          reading.lines == expected && reading.failure == nil,
          "seed \(seed), pieces of \(sizes), \(limit), \(options), text \(bytes)"
        )
        if reading.lines != expected { return }
      }
    }
  }

  @Test("what a simple writer writes is read back", arguments: Soak.seeds(20))
  func readsBack(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let width = Int.random(in: 1..<6, using: &random)
    let rows = (0..<200).map { _ in
      (0..<width).map { _ in
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in
          ["x", ",", "\"", "\n", "\r\n", "é", " words and words "].randomElement(using: &random) ?? ""
        }.joined()
      }
    }
    let text = rows.map { row in
      row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
    }.joined(separator: "\r\n")
    var options = CSVOptions()
    options.header = .none
    var reader = try CSVReader(source: ByteSource(bytes: text.utf8, chunkSize: 11), options: options)
    var batch = RecordBatch()
    var found: [[String?]] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 7)) {
      #expect(batch.errors == [], "seed \(seed)")
      for record in 0..<batch.recordCount {
        found.append((0..<batch.columnCount).map { batch.text(record, $0) })
        #expect(batch.records[record].index == found.count - 1)
      }
    }
    #expect(found == rows, "seed \(seed)")
  }
}
