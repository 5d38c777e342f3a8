import Foundation
import Testing
import MergewalkTestSupport

@testable import MergewalkRecordFormats

private func files(_ folder: String, _ suffix: String) -> [String] {
  guard Locations.shared != nil else { return [] }
  let path = Locations.shared("suites/" + folder)
  return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(suffix) }.sorted()
}

private func bytes(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: Locations.shared("suites/" + path))))
}

/// All records as arrays of values; nil for absent.
private func records(_ source: ByteSource, _ options: CSVOptions) throws -> (header: [String], rows: [[String?]]) {
  var reader = try CSVReader(source: source, options: options)
  var batch = RecordBatch()
  var rows: [[String?]] = []
  while try reader.read(into: &batch, limit: BatchLimit(records: 3)) {
    #expect(batch.errors == [])
    for record in 0..<batch.recordCount { rows.append((0..<batch.columnCount).map { batch.text(record, $0) }) }
  }
  return (reader.header, rows)
}

@Suite(.enabled(if: Locations.shared != nil)) struct SuiteTests {
  @Test("csv-spectrum files equal their JSON", arguments: files("csv/csv-spectrum-csvs", ".csv"))
  func csvSpectrum(_ name: String) throws {
    var source = try bytes("csv/csv-spectrum-csvs/" + name)
    // The copy has lost the CRs that the name and the JSON tell of.
    if name.contains("_crlf"), !source.contains(13) { source = source.flatMap { $0 == 10 ? [13, 10] : [$0] } }
    if name == "location_coordinates.csv" {
      // Quotes inside unquoted fields, and a JSON file that is neither valid nor of the same record.
      var options = CSVOptions()
      #expect(
        Reading.of { () throws(ReadError) in try CSVReader(source: ByteSource(bytes: source)) }.lines == [
          "strayQuote@2:24"
        ])
      options.lenientQuotes = true
      let rows = try records(ByteSource(bytes: source), options).rows
      #expect(rows == [["2095257564", "37\u{FFFD}36'37.8\"N 121\u{FFFD}2'17.9\"W", "Modesto", "Stanislaus"]])
      return
    }
    let json = try bytes("csv/csv-spectrum-json/" + name.replacingOccurrences(of: ".csv", with: ".json"))
    let expected = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [[String: String]])
    for size in [1, 3, Int.max] {
      let found = try records(ByteSource(bytes: source, chunkSize: size), CSVOptions())
      let rows = found.rows.map { row in Dictionary(uniqueKeysWithValues: zip(found.header, row.map { $0 ?? "absent" }))
      }
      #expect(rows == expected)
    }
  }

  @Test("commons-csv's control files are met", arguments: files("csv/commons-csv-resources/CSVFileParser", ".txt"))
  func commonsCSV(_ name: String) throws {
    if name == "README.txt" { return }
    let folder = "csv/commons-csv-resources/CSVFileParser/"
    let lines = String(decoding: try bytes(folder + name), as: UTF8.self).split(separator: "\n").map(String.init)
    let words = lines[0].split(separator: " ").map(String.init)
    var options = CSVOptions()
    options.header = .none
    options.padShortRecords = true
    options.longRecords = .truncate
    options.lenientQuotes = true
    options.blankLines = .record
    for word in words.dropFirst() {
      switch word {
      case "IgnoreEmpty=true": options.blankLines = .skip
      case "IgnoreSpaces=true": options.trim = true
      case "CommentStart=#": options.comment = "#"
      default: #expect(word == "CheckComments")
      }
    }
    // Line 2 describes the format; each other one is `count:[values]` and, with comments on, `#comment`.
    var expected: [String] = []
    for line in lines.dropFirst(2) where !line.hasPrefix("#") {
      let close = try #require(options.comment == nil ? line.lastIndex(of: "]") : line.firstIndex(of: "]"))
      expected.append(String(line[...close]))
    }
    let found = try records(ByteSource(bytes: try bytes(folder + words[0])), options).rows
    let shown = found.map { row in
      let values = row.compactMap { $0 }
      return "\(values.count):[\(values.joined(separator: ", "))]"
    }
    #expect(shown == expected)
  }

  @Test(
    "declared encodings decode to what iconv says",
    arguments: [
      ("all_latin1", TextEncoding.latin1, "ISO-8859-1"), ("latin1", .latin1, "ISO-8859-1"),
      ("only_latin1", .latin1, "ISO-8859-1"), ("all_utf16", .utf16LittleEndian, "UTF-16"),
      ("only_utf16", .automatic, "UTF-16"), ("utf16", .automatic, "UTF-16"),
    ])
  func encodings(_ name: String, _ encoding: TextEncoding, _ iconvName: String) throws {
    let path = Locations.shared("suites/csv/duckdb-encodings/\(name).csv")
    let decoded = try #require(iconv(try bytes("csv/duckdb-encodings/\(name).csv"), from: iconvName))
    for size in decoded.count > 10_000 ? [997, Int.max] : [1, 2, 3, 5, 1000, Int.max] {
      let stream = try ByteSource(bytes: try bytes("csv/duckdb-encodings/\(name).csv"), chunkSize: size).open()
      var text = TextStream(stream, encoding: encoding)
      var result: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try text.read(into: $0) }
        if count == 0 { break }
        result += buffer[..<count]
      }
      #expect(result == decoded, "\(path) in pieces of \(size)")
    }
  }

  @Test("JSONTestSuite is judged as its names say", arguments: files("json/JSONTestSuite/test_parsing", ".json"))
  func jsonTestSuite(_ name: String) throws {
    let text = try bytes("json/JSONTestSuite/test_parsing/" + name)
    var accepted = text.withUnsafeBufferPointer { bytes -> Bool in
      guard let base = bytes.baseAddress else { return false }
      var scanner = JSONScanner(base, from: 0, end: bytes.count)
      return scanner.document()
    }
    if String(validating: text, as: UTF8.self) == nil { accepted = false }
    // Our policy where the suite leaves it open: numbers are kept as spelt, however large; lone surrogates, invalid
    // UTF-8 is refused, and UTF-16 unless a reader finds its mark; 500 arrays are within the limit.
    let open = name.hasPrefix("i_number") || name == "i_structure_500_nested_arrays.json"
    #expect(accepted == (name.hasPrefix("y_") || open))
    if text.contains(10) || text.contains(13) { return }
    for size in [1, 7, Int.max] {
      let reading = Reading.of { () throws(ReadError) in
        try NDJSONReader(source: ByteSource(bytes: text, chunkSize: size), columns: .named(["a", "b.c"]))
      }
      // A byte order mark is skipped where a file starts.
      if name == "i_structure_UTF-8_BOM_empty_object.json" {
        #expect(reading.lines == ["·|·"])
      } else if name == "n_structure_UTF8_BOM_no_data.json" {
        #expect(reading.lines == [])
      } else if accepted || name == "i_string_UTF-16LE_with_BOM.json" {
        let duplicate = name.contains("duplicated_key")
        let expected = duplicate ? "duplicateMember" : text.drop(while: { $0 == 32 }).first == 0x7B ? "" : "notAnObject"
        #expect(
          reading.lines.count == 1 && reading.lines[0].prefix(while: { $0 != "@" && $0 != "|" }).hasPrefix(expected))
      } else if text.contains(where: { $0 != 32 && $0 != 9 && $0 != 12 }) {
        let line = try #require(reading.lines.first)
        #expect(reading.lines.count == 1 && line.contains("@") && !line.hasPrefix("notAnObject"))
      }
    }
  }

  @Test(
    "the NDJSON files are read as expected",
    arguments: [
      ("duplicate_key.ndjson", 4, ["duplicateMember@3:9"]), ("empty.ndjson", 0, []), ("example_n.ndjson", 5, []),
      ("example_r.ndjson", 0, ["invalidJSON@1:46"]), ("example_rn.ndjson", 5, []),
      ("inconsistent_schemas.ndjson", 5, []),
      ("multiple_objects_per_line.ndjson", 0, ["invalidJSON@1:45"]),
      ("trailing_content.ndjson", 2, ["invalidJSON@2:8"]),
      ("unterminated_quotes.ndjson", 4, ["invalidJSON@3:16"]),
    ])
  func ndjson(_ name: String, _ good: Int, _ refused: [String]) throws {
    let source = try bytes("ndjson/" + name)
    for size in [1, 2, 3, 7, Int.max] {
      let reading = Reading.of { () throws(ReadError) in
        try NDJSONReader(source: ByteSource(bytes: source, chunkSize: size), columns: .named(["id", "name"]))
      }
      #expect(reading.failure == nil)
      #expect(reading.lines.filter { !$0.contains("@") }.count == good)
      #expect(reading.lines.filter { $0.contains("@") } == refused)
    }
  }

  @Test("JSONTestSuite's files are judged as documents", arguments: files("json/JSONTestSuite/test_parsing", ".json"))
  func jsonDocuments(_ name: String) throws {
    let text = try bytes("json/JSONTestSuite/test_parsing/" + name)
    func read(_ text: [UInt8], _ records: String?, _ size: Int) -> Reading {
      var options = JSONOptions()
      options.records = records
      return Reading.of { () throws(ReadError) in
        try JSONReader(source: ByteSource(bytes: text, chunkSize: size), options: options, columns: .named(["a"]))
      }
    }
    func isGood(_ reading: Reading) -> Bool {
      reading.failure == nil && reading.lines.allSatisfy { !$0.contains("@") || $0.hasPrefix("notAnObject") }
    }
    let isObject = text.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
    for size in [1, 2, 7, Int.max] {
      // As the document, as a member beside the records, and as a record.
      let alone = read(text, nil, size)
      let beside = read(Array("{\"x\":".utf8) + text + Array(",\"r\":[{\"a\":1}]}".utf8), "r", size)
      let inside = read(Array("[{\"a\":1},".utf8) + text + Array("]".utf8), nil, size)
      if name.hasPrefix("y_") {
        #expect(isGood(alone) || alone.failure?.hasPrefix("missingRecords") == true)
        #expect(beside == Reading(lines: ["#1"]))
        #expect(isGood(inside) || name.contains("duplicated_key"))
        #expect(inside.lines.count == 2 && (inside.lines[1].hasPrefix("notAnObject") != isObject))
      } else if name.hasPrefix("n_") {
        #expect(!isGood(alone))
        #expect(!isGood(beside))
      }
    }
  }

  @Test("JSONTestSuite is judged from outside as its names and docs/json.md say")
  func jsonVerdicts() throws {
    let page = try String(contentsOfFile: Locations.repository + "/docs/json.md", encoding: .utf8)
    var documented: [String: Bool] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("| `i_") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      documented[cells[0].filter { $0 != "`" } + ".json"] = cells[1] == "accepted"
    }
    var counts: [Character: Int] = [:]
    let names = files("json/JSONTestSuite/test_parsing", ".json")
    for name in names {
      let text = try bytes("json/JSONTestSuite/test_parsing/" + name)
      let expected = documented[name] ?? name.hasPrefix("y_")
      for size in [1, Int.max] {
        let source = ByteSource(bytes: text, chunkSize: size, path: name)
        // As mergewalk preview reads a file whose name ends in .json.
        let format: RecordFormat
        switch try SourceFormat.detect(source) {
        case .ndjson:
          var options = NDJSONOptions()
          (options.scalars, options.duplicates) = (.value, .last)
          format = .ndjson(options)
        case .jsonSequence:
          var options = JSONSequenceOptions()
          (options.scalars, options.duplicates) = (.value, .last)
          format = .jsonSequence(options)
        default:
          var options = JSONOptions()
          (options.scalars, options.duplicates) = (.value, .last)
          format = .json(options)
        }
        var faults: [String] = []
        do throws(ReadError) {
          var reader = try format.reader(source: source, columns: .all, index: 0)
          var batch = RecordBatch()
          while try reader.read(into: &batch, limit: BatchLimit()) { faults += batch.errors.map(\.description) }
        } catch {
          faults.append(error.description)
        }
        #expect(faults.isEmpty == expected, "\(name): \(faults)")
      }
      counts[name.first ?? " ", default: 0] += 1
    }
    #expect(counts == ["y": 95, "n": 188, "i": 35] && Set(documented.keys) == Set(names.filter { $0.hasPrefix("i_") }))
  }

  @Test func `openflights' tables are read whole`() throws {
    for (name, count, width) in [("airlines.dat", 6162, 8), ("countries.dat", 261, 3), ("planes.dat", 246, 3)] {
      var options = CSVOptions()
      options.header = .none
      options.nullTokens = ["\\N"]
      options.escape = UInt8(ascii: "\\")
      let path = Locations.shared("suites/datasets/openflights/" + name)
      let found = try records(ByteSource(path: path), options)
      #expect(found.rows.count == count && found.header.count == width)
    }
  }
}

/// What the C library's iconv makes of the bytes, as UTF-8; nil if it refuses them.
private func iconv(_ bytes: [UInt8], from encoding: String) -> [UInt8]? {
  guard let converter = iconv_open("UTF-8", encoding), converter != iconv_t(bitPattern: -1) else { return nil }
  defer { iconv_close(converter) }
  var input = bytes.map { CChar(bitPattern: $0) }
  var output = [CChar](repeating: 0, count: 4 * bytes.count + 16)
  var inputLeft = input.count
  var outputLeft = output.count
  let capacity = output.count
  let result = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      var from = input.baseAddress
      var to = output.baseAddress
      return Glibc.iconv(converter, &from, &inputLeft, &to, &outputLeft)
    }
  }
  if result == -1 { return nil }
  return output[..<(capacity - outputLeft)].map { UInt8(bitPattern: $0) }
}
