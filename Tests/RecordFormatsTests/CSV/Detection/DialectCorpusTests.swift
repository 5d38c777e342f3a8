import Foundation
@testable import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite struct DialectCorpusTests {
  @Test func `at least 97 of 100 cells of polluted files are right`() {
    var kinds: [String: CorpusFile.Score] = [:]
    var order: [String] = []
    var total = CorpusFile.Score()
    // Unoptimized, this takes a minute for all of them.
    let step = Soak.readersAreWhole ? 1 : 3
    for (index, file) in CorpusPollutions.all.enumerated() where index.isMultiple(of: step) {
      let score = file.score().score
      if kinds[file.kind] == nil { order.append(file.kind) }
      kinds[file.kind, default: .init()] += score
      total += score
    }
    for kind in order {
      guard let score = kinds[kind] else { continue }
      print("\(kind): \(score.right) of \(score.cells) cells, \(Self.percent(score))")
      #expect(score.share >= 0.97, "\(kind): \(Self.percent(score))")
    }
    print("all: \(total.right) of \(total.cells) cells, \(Self.percent(total))")
    #expect(total.share >= 0.99)
    #expect(CorpusPollutions.all.count > 800)
  }

  private static func percent(_ score: CorpusFile.Score) -> String { String(format: "%.2f %%", 100 * score.share) }

  @Test("small files are read as their writers meant them", arguments: CorpusSmall.all.map(\.name))
  func small(_ name: String) throws {
    let file = try #require(CorpusSmall.all.first { $0.name == name })
    let (_, dialect, found) = file.score()
    // A record of another width is refused, and so is what stands below the table.
    let width = found.compactMap { $0?.count }.max() ?? 0
    var expected = file.expected.map { $0.count == width ? $0 : nil }
    expected += Array(repeating: nil, count: max(0, found.count - expected.count))
    // Names that are empty or the same are told apart.
    if case .names? = dialect?.options.header { expected[0] = expected[0].map(HeaderJudge.unique) }
    #expect(found == expected, "\(dialect?.evidence ?? [])")
    #expect(found.count { $0 != nil } * 2 >= file.expected.count)
  }

  @Test func `the same bytes always give the same dialect`() {
    for file in CorpusSmall.all {
      let first = CSVDialectDetector.detect(sample: file.bytes, isWhole: true)
      #expect(first == CSVDialectDetector.detect(sample: file.bytes, isWhole: true))
    }
  }
}

/// What the conformance suites hold, read with what is detected.
@Suite(.enabled(if: Locations.shared != nil)) struct DialectSuiteTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/" + path))))
  }

  private func read(_ path: String) throws -> (rows: [[String]?], dialect: CSVDialect) {
    let all = try bytes(path)
    let dialect = try #require(try CSVDialectDetector.detect(ByteSource(path: Locations.shared("suites/" + path))))
    return (CorpusFile.read(all, dialect.options), dialect)
  }

  @Test func `csv-spectrum needs no options`() throws {
    let folder = "csv/csv-spectrum-csvs/"
    let names = try FileManager.default.contentsOfDirectory(atPath: Locations.shared("suites/" + folder))
    for name in names where name.hasSuffix(".csv") {
      let (rows, dialect) = try read(folder + name)
      var options = CSVOptions()
      options.lenientQuotes = true
      #expect(rows == CorpusFile.read(try bytes(folder + name), options), "\(name): \(dialect.evidence)")
      #expect(dialect.options.header == .firstRecord && rows.count > 1)
    }
  }

  @Test func `commons-csv's files have their cells`() throws {
    let folder = "csv/commons-csv-resources/"
    #expect(
      try read(folder + "CSVFileParser/testCSV85.csv").rows == [
        ["a", "b", "c", "e", "f"], ["g", "h", "i", "j", "k"], ["l", "m", "n", "o", "p"],
      ])
    #expect(
      try read(folder + "CSVFileParser/testCSV246.csv").rows == [
        ["a", "b", "c", "e", "f"], ["g", "h", "i", "j", "k"], ["l", "m", "n", "o", "p"],
      ])
    #expect(try read(folder + "CSV-213/999751170.patch.csv").rows == [["CHANELID", "ADDRESS"], ["27", ""]])
    #expect(try read(folder + "CSV-254/csv-254.csv").rows == [["AA", "33", ""], ["AA", "", ""], ["", "33", "CC"]])
    let sample = try read(folder + "csv-167/sample1.csv").rows
    #expect(sample.count == 4 && sample[2] == ["Douglas Adams", "The Hitchhiker's \"Guide\" to the Galaxy", "1979"])
    let psql = try read(folder + "CSV-290/psql.csv").rows
    #expect(psql.count == 3 && psql[0] == ["1", "abc", "test line 1\ntest line 2", "", ""])
    #expect(psql[2] == ["3", "a", "b,c,d", "\"quoted\"", "e"])
    let japanese = try read(folder + "CSV-196/japanese.csv").rows
    #expect(japanese.count == 4 && japanese.allSatisfy { $0?.count == 17 })
    let prices = try read(folder + "CSVFileParser/bom.csv").rows
    #expect(prices.count == 252 && prices[1] == ["14-Mar-14", "223.80", "225.20", "220.85", "221.51", "79448141"])
  }

  @Test func `openflights' and chinook's tables are read whole`() throws {
    for (name, count, width) in [("airlines.dat", 6162, 8), ("countries.dat", 261, 3), ("planes.dat", 246, 3)] {
      let (rows, dialect) = try read("datasets/openflights/" + name)
      #expect(rows.count == count && rows.allSatisfy { $0?.count == width }, "\(name): \(dialect.evidence)")
      #expect(dialect.options.nullTokens == ["\\N"] && dialect.options.escape == nil)
      #expect(dialect.options.header == .none, "\(name): \(dialect.evidence)")
    }
    for (name, count, width) in [
      ("Album", 348, 3), ("Artist", 276, 2), ("Customer", 60, 13), ("Employee", 9, 15), ("Genre", 26, 2),
      ("Invoice", 413, 9), ("InvoiceLine", 2241, 5), ("MediaType", 6, 2), ("Playlist", 19, 2),
      ("PlaylistTrack", 8716, 2), ("Track", 3504, 9),
    ] {
      let (rows, dialect) = try read("datasets/chinook/\(name).csv")
      #expect(rows.count == count && rows.allSatisfy { $0?.count == width }, "\(name): \(dialect.evidence)")
      #expect(rows == CorpusFile.read(try bytes("datasets/chinook/\(name).csv"), CSVOptions()))
    }
  }

  @Test("encodings are told with the dialect", arguments: ["latin1", "utf16", "shift_jis"])
  func encodings(_ name: String) throws {
    let (rows, dialect) = try read("csv/duckdb-encodings/\(name).csv")
    #expect(rows.count > 10 && rows.allSatisfy { $0?.count == 2 })
    #expect(dialect.options.header == .firstRecord)
    switch name {
    case "latin1": #expect(rows[1] == ["José Álvarez", "30"])
    case "utf16": #expect(rows[1] == ["José Álvarez", "30"])
    default: #expect(rows[2] == ["山田", "30"])
    }
  }
}
