import CMergewalkScan
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

/// The parser for plain files against the one for all files, over texts that are longer than a piece of marks.
@Suite struct CSVPlainTests {
  /// What the processor that runs the tests can do; the slow parser is the other side of every comparison.
  static var levels: [cscan_level] {
    [CSCAN_AVX2, CSCAN_AVX512].filter { $0.rawValue <= cscan_level.current.rawValue }
  }

  private static let words = ["", "a", "bc", "words and words", "é€", "😀 smile", "1234.50", "NULL", "#a", "x;y", " b "]

  /// A file of mostly good records, written in one style.
  private static func text(_ random: inout SeededGenerator, faults: Int) -> [UInt8] {
    let width = Int.random(in: 1..<7, using: &random)
    let lineEnd: [[UInt8]] =
      [[[10], [13, 10], [13]], [[10]], [[13, 10]], [[13]]].randomElement(using: &random) ?? [[10]]
    let records = Int.random(in: 0..<900, using: &random)
    let quoted = Int.random(in: 1..<8, using: &random)
    var text = Array((0..<width).map { "c\($0)" }.joined(separator: ",").utf8) + lineEnd[0]
    for record in 0..<records {
      if faults > 0, Int.random(in: 0..<faults, using: &random) == 0 {
        let odd = ["a\"b,c", "\"a\"b", "#a,\"", "", ",,,,,,,,", "x", "\"\"\"", "\"a\" ,b", "\u{0},"]
        text += Array((odd.randomElement(using: &random) ?? "").utf8)
        if Int.random(in: 0..<9, using: &random) == 0 { text += [0xC3, 0x28] }
      } else {
        for field in 0..<width {
          if field > 0 { text.append(44) }
          var word = words.randomElement(using: &random) ?? ""
          if Int.random(in: 0..<200, using: &random) == 0 { word = String(repeating: word, count: 3000) }
          if Int.random(in: 0..<quoted, using: &random) == 0 {
            let inner = [word, word + "\"" + word, "\"\"", "\n" + word, word + "\r\n\",", ",\r", "\r\""]
            let value = inner.randomElement(using: &random) ?? ""
            word = "\"" + value.replacing("\"", with: "\"\"") + "\""
          }
          text += Array(word.utf8)
        }
      }
      let isEnd = record == records - 1
      if !isEnd || Bool.random(using: &random) { text += lineEnd.randomElement(using: &random) ?? [10] }
    }
    return text
  }

  private static func options(_ random: inout SeededGenerator) -> CSVOptions {
    var options = CSVOptions()
    if Int.random(in: 0..<4, using: &random) == 0 { options.nullTokens = ["NULL", ""] }
    options.quotedNulls = Bool.random(using: &random)
    if Int.random(in: 0..<3, using: &random) == 0 { options.comment = "#a" }
    if Int.random(in: 0..<6, using: &random) == 0 { options.quote = nil }
    options.lenientQuotes = Bool.random(using: &random)
    options.padShortRecords = Bool.random(using: &random)
    options.longRecords = [.refuse, .dropEmpty, .truncate].randomElement(using: &random) ?? .refuse
    options.blankLines = Bool.random(using: &random) ? .skip : .record
    options.maxRecordBytes = Int.random(in: 0..<8, using: &random) == 0 ? 20_000 : 16 << 20
    return options
  }

  /// All that a reader says of the records: values, positions, raw text, and where each field stands.
  private static func dump(
    _ bytes: [UInt8], _ sizes: [Int], _ options: CSVOptions, _ request: ColumnRequest, _ limit: BatchLimit,
    level: cscan_level
  ) -> [String] {
    var lines: [String] = []
    do {
      let stream = MemoryStream(path: "memory", bytes: bytes, chunks: sizes)
      var reader = try CSVReader(stream: stream, options: options, columns: request, index: 0, level: level)
      var batch = RecordBatch()
      while try reader.read(into: &batch, limit: limit) {
        for record in 0..<batch.recordCount { lines.append(Reading.line(batch, record)) }
        lines += batch.errors.map { "\($0) \($0.recordIndex) \($0.raw.count)" }
        lines.append("batch")
      }
    } catch {
      lines.append("\(error)")
    }
    return lines
  }

  @Test("plain files are read as others are", arguments: Soak.readerSeeds(60))
  func levelsAgree(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = Self.text(&random, faults: [0, 0, 3, 60].randomElement(using: &random) ?? 0)
    let options = Self.options(&random)
    let request: ColumnRequest = Bool.random(using: &random) ? .all : .named(["c0", "c0"])
    let limit = BatchLimit(
      records: Int.random(in: 1..<500, using: &random), bytes: Int.random(in: 1..<50_000, using: &random))
    let sizes = [[Int.max], [Int.random(in: 1..<100_000, using: &random)], [1, 7, 64, 4096]]
    let expected = Self.dump(bytes, [Int.max], options, request, limit, level: CSCAN_NONE)
    for level in Self.levels {
      for size in sizes {
        let found = Self.dump(bytes, size, options, request, limit, level: level)
        let first = zip(found, expected).first { $0 != $1 }
        #expect(
          found.count == expected.count && first == nil,
          "seed \(seed), level \(level.rawValue), pieces of \(size), \(options): \(first ?? ("", "")) of \(found.count)"
        )
      }
    }
  }

  @Test("text is checked to the same byte, whatever the processor", arguments: Soak.readerSeeds(60))
  func checksAgree(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    let scripts = [["a", "b ", "long ascii words, of more than sixteen bytes"], ["é", "€", "😀", "a"], ["\u{10FFFF}"]]
    let script = scripts.randomElement(using: &random) ?? []
    let length = Int.random(in: 0..<2000, using: &random)
    while bytes.count < length { bytes += Array((script.randomElement(using: &random) ?? "").utf8) }
    if !bytes.isEmpty, Int.random(in: 0..<5, using: &random) > 0 {
      let faults: [[UInt8]] = [
        [0], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xC3], [0xF0, 0x9F, 0x98],
      ]
      let at = Int.random(in: 0...bytes.count, using: &random)
      bytes.insert(contentsOf: faults.randomElement(using: &random) ?? [0], at: at)
    }
    let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted() + [bytes.count]
    for isLast in [false, true] {
      let results = ([CSCAN_NONE] + Self.levels).map { level -> [Int] in
        var check = TextCheck(level: level)
        return bytes.withUnsafeBufferPointer { all in
          guard let base = all.baseAddress else { return [] }
          for cut in cuts {
            check.advance(base, origin: 0, end: cut, isLast: isLast && cut == bytes.count)
          }
          return [check.fault, check.checkedTo]
        }
      }
      #expect(results.allSatisfy { $0 == results[0] }, "seed \(seed), last: \(isLast), \(results)")
    }
  }
}
