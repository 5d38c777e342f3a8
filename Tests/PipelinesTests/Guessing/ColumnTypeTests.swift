import MergewalkPipelines
import MergewalkRecordFormats
import Testing

/// What single columns are taken for.
@Suite("Types of columns")
struct ColumnTypeTests {
  /// The type of a column of a CSV file with these cells, each in quotes.
  private func type(_ cells: [String]) throws -> ColumnType {
    let lines =
      ["column"]
      + cells.map { "\"\($0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\"" }
    return try types(RecordFormat.csv(CSVOptions()), lines.joined(separator: "\n"))[0]
  }

  private func types(_ format: RecordFormat, _ text: String) throws -> [ColumnType] {
    var reader = try format.reader(source: ByteSource(bytes: text.utf8), columns: .all, index: 0)
    var sampler = TypeSampler(columnCount: reader.columns.count, format: format)
    var batch = RecordBatch()
    while try reader.read(into: &batch, limit: BatchLimit()) { sampler.add(batch) }
    return sampler.types
  }

  @Test(
    "whole numbers of 64 bits are integers",
    arguments: [
      ["1"], ["-1", "0", "42"], ["9223372036854775807"], ["-9223372036854775808"], ["0", "1"], ["1.234.567"],
    ])
  func integers(_ cells: [String]) throws { #expect(try type(cells) == .integer) }

  @Test(
    "numbers with a fraction and few digits are decimals",
    arguments: [
      ["1.5"], ["1", "2.25"], ["0.1", "-0.2"], ["1,5"], ["1.234,5"], ["1,234.5"], ["12345678901234.5"],
      ["0.125", "1.234"],
    ])
  func decimals(_ cells: [String]) throws { #expect(try type(cells) == .decimal) }

  @Test(
    "numbers with exponents, or with more digits than a decimal keeps, are doubles if these lose nothing",
    arguments: [
      ["1e5"], ["1.5E-3", "2"], ["0.1234567890123456"], ["0.12345678901234566"], ["9007199254740992", "0.5"],
      ["1234567890123456", "-0.25"], ["123456,7890123456", "1,5"], ["1.234567890123456e9"],
    ])
  func doubles(_ cells: [String]) throws { #expect(try type(cells) == .double) }

  @Test(
    "what may mean two things stays text",
    arguments: [
      ["007"], ["1", "02"], ["-07"], ["00.5"], ["+49"], ["1,234"], ["1,234", "5,678"], ["1.234"],
      ["1.100", "950"], ["01/02/2024"],
      ["01/02/2024", "12/12/2024"], ["9223372036854775808"], ["0.123456789012345678"], ["1", "x"], ["1", "true"],
      ["9007199254740993", "0.5"], ["0.5", "12345678901234567"], ["0.12345678901234567"], ["1,5", "9007199254740993"],
      ["1.5", "-9.007199254740993e15"],
      ["2024-01-01", "1"], ["13/01/2024", "01/13/2024"], ["1.5", "1,5"], [""], ["", ""], ["NULL"], ["-"], ["1e400000"],
      ["NaN"], ["inf"], ["0x1F"], ["1 2"], ["12,34" + ",56"], ["1.2.3"], ["--1"], ["1-"], ["."], [","], ["1,", "1,5x"],
      ["yes", "no"], ["2024-02-30"], ["2024-13-01"], ["31.02.2024"], ["24:00"], ["2024-01-01", "01.01.2024"],
      ["31.12.2024 13:00 PM"], ["31.12.2024 1:00 XM"], ["31.12.24"], ["5%"], ["5 EUR"],
      ["2024-07-15T24:00:01Z"], ["2024-07-15T24:01"], ["2024-07-15T25:00"], ["2024-07-15T24:00:00.5"],
    ])
  func texts(_ cells: [String]) throws { #expect(try type(cells) == .text) }

  @Test(
    "numbers that can be read in two ways are read as those of another column that can be read in one",
    arguments: [
      ("2,5", ColumnType.integer, "1.100"), ("1.234,56", .integer, "1.100"), ("2.5", .decimal, "1.100"),
      ("2,5", .decimal, "1,100"), ("1,234.5", .integer, "1,100"), ("x", .text, "1.100"), ("12", .text, "1.100"),
      ("1'234", .text, "1.100"), ("1.25e3", .text, "1.100"), ("1 234", .text, "1.100"),
      ("1.234.567", .integer, "1.100"),
    ])
  func together(_ proof: String, _ expected: ColumnType, _ number: String) throws {
    #expect(try types(.csv(CSVOptions()), "n,proof\n\"\(number)\",\"\(proof)\"\n")[0] == expected)
  }

  @Test("columns that contradict each other prove nothing, and JSON's numbers need no proof") func noProof() throws {
    #expect(try types(.csv(CSVOptions()), "n,a,b\n\"1.100\",\"2,5\",\"2.5\"\n")[0] == .text)
    #expect(try types(.ndjson(NDJSONOptions()), "{\"n\":1.100,\"m\":\"2,5\"}\n")[0] == .decimal)
  }

  @Test(
    "true and false are Booleans in any case of letters; 0 and 1 are not",
    arguments: [(["true", "false"], ColumnType.boolean), (["TRUE", "False"], .boolean), (["0", "1"], .integer)])
  func booleans(_ cells: [String], _ expected: ColumnType) throws { #expect(try type(cells) == expected) }

  @Test(
    "dates are dates once one of them tells their form",
    arguments: [
      (["2024-02-29", "1999-12-31"], nil), (["2024-01-01T10:00:00Z", "2024-01-01 10:00", "2024-01-01"], nil),
      (["2024-01-01T10:00:00.123+05:30"], nil), (["31.12.2024", "01.02.2024"], "dd.MM.yyyy"),
      (["01/02/2024", "12/31/2024"], "MM/dd/yyyy"), (["1/2/2024", "31/12/2024"], "d/M/yyyy"),
      (["2024/01/02"], "yyyy/MM/dd"), (["31-12-2024 23:59"], "dd-MM-yyyy HH:mm"),
      (["12/31/2024 1:02:03", "01/01/2024 11:00:00"], "MM/dd/yyyy H:mm:ss"),
      (["2024.12.31 10:11:12.50"], "yyyy.MM.dd HH:mm:ss.SS"), (["12/31/2024 1:02 PM"], "MM/dd/yyyy h:mm a"),
      (["31.12.2024 01:02:03am", "01.02.2024 12:00:00PM"], "dd.MM.yyyy hh:mm:ssa"),
      (["2024-07-15T24:00:00Z", "2024-07-15T24:00"], nil), (["31.07.2024 24:00"], "dd.MM.yyyy HH:mm"),
    ] as [([String], String?)])
  func dates(_ cells: [String], _ pattern: String?) throws { #expect(try type(cells) == .date(pattern: pattern)) }

  @Test("UUIDs are UUIDs")
  func uuids() throws {
    #expect(try type(["01234567-89ab-CDEF-0123-456789abcdef"]) == .uuid)
    #expect(try type(["01234567-89ab-CDEF-0123-456789abcdeg"]) == .text)
  }

  @Test(
    "spellings of null and blanks do not make a column text",
    arguments: ["NULL", "N/A", "-", "--", ".", "\\N", "", "  "])
  func nulls(_ null: String) throws {
    #expect(try type(["1", null, "2"]) == .integer)
    #expect(try type(["2024-01-01", null]) == .date(pattern: nil))
    #expect(try type(["a", null]) == .text)
    #expect(try type([" 1", "2 ", null]) == .integer)
  }

  @Test("strings of JSON are texts, but for dates and UUIDs; numbers are what they are spelt as")
  func json() throws {
    let text = """
      {"a": "1", "b": 1, "c": 1.5, "d": "2024-01-01", "e": true, "f": "true", "g": {"x": 1}, "h": null, "i": 1e3}
      {"a": "2", "b": null, "c": 2, "d": null, "e": false, "f": "false", "g": [1], "h": null, "i": 1}
      """
    #expect(
      try types(.ndjson(NDJSONOptions()), text) == [
        .text, .integer, .decimal, .date(pattern: nil), .boolean, .text, .json, .text, .double,
      ])
  }

  @Test("long and odd values are looked at in bounded time, and are text")
  func long() throws {
    let digits = String(repeating: "1", count: 100_000)
    #expect(try type([digits, digits + ",5"]) == .text)
    #expect(try type([String(repeating: "9-", count: 20)]) == .text)
  }
}
