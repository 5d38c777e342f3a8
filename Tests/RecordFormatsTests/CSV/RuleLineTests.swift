import CMergewalkScan
import Testing

@testable import MergewalkRecordFormats

/// Lines that draw a rule below the header.
@Suite struct RuleLineTests {
  private static func read(_ text: String, _ options: CSVOptions) -> [String] {
    var readings: [Reading] = []
    for sizes in arrivals(Array(text.utf8)) {
      for limit in [BatchLimit(), BatchLimit(records: 1)] {
        for level in [cscan_level.current, CSCAN_NONE] {
          readings.append(
            Reading.of(
              { () throws(ReadError) in
                try CSVReader(
                  stream: try ByteSource(bytes: Array(text.utf8), chunkSizes: sizes).open(), options: options,
                  columns: .all, index: 0, level: level)
              }, limit: limit))
          #expect(readings.last == readings[0], "pieces of \(sizes), \(limit), \(level)")
        }
      }
    }
    return readings[0].lines.map { $0.split(separator: "@").first.map(String.init) ?? "" }
      + (readings[0].failure.map { ["failed: " + $0] } ?? [])
  }

  private static func account(_ text: String, _ options: CSVOptions) throws -> TextAccount {
    var reader = try CSVReader(source: ByteSource(bytes: Array(text.utf8)), options: options)
    var batch = RecordBatch()
    var account = TextAccount()
    while try reader.read(into: &batch, limit: BatchLimit()) { account += batch.account }
    return account + batch.account
  }

  @Test(
    "a rule below the header is skipped and counted, and so is the same line again",
    arguments: [
      ("id,name\n--,----\n1,a\n2,b\n", ",", 1), ("id,name\r\n--,----\r\n1,a\r\n2,b\r\n", ",", 1),
      ("id|name\n---+---\n1|a\n2|b\n", "|", 1), ("id\tname\n==\t====\n1\ta\n2\tb\n", "\t", 1),
      ("id,name\n---,---\n1,a\nid,name\n---,---\n2,b\n", ",", 2),
      ("---+---\nid|name\n---+---\n1|a\n2|b\n---+---\n", "|", 3),
      ("id|name\n----------\n1|a\n2|b\n", "|", 1), ("id,name\n==============\n1,a\n2,b\n", ",", 1),
      ("id│name\n──┼────\n1│a\n2│b\n", "│", 1), ("id||name\n--||:---:\n1||a\n2||b\n", "||", 1),
    ])
  func skipped(text: String, delimiter: String, rules: Int) throws {
    var options = CSVOptions()
    options.delimiter = try #require(CSVDelimiter(delimiter))
    #expect(Self.read(text, options) == ["1|a", "2|b"])
    let account = try Self.account(text, options)
    #expect(account.skipped[.rule].lines == rules && account.isBalanced, "\(account)")
    options.repeatedHeaders = .record
    #expect(Self.read(text, options).count > 2)
  }

  @Test(
    "what only looks like a rule is a record",
    arguments: [
      "id,name\n-,-\n1,a\n", "id,name\n1,---\n2,b\n", "id,name\n,---\n2,b\n", "name\n---\nx\n",
      "id,name\n1,a\n--,----\n", "id,name\n-----\n1,a\n", "id,name\n1,a\n----------\n", "name\n----------\nx\n",
      "id,name\n\"---\",\"---\"\n1,a\n", "id,name,n\n---,---\n1,a,b\n",
    ])
  func records(text: String) throws {
    let records = text.split(separator: "\n").count - 1
    #expect(Self.read(text, CSVOptions()).count == records)
    #expect(try Self.account(text, CSVOptions()).skipped[.rule].lines == 0)
  }

  @Test("below the names of an index of filings one stroke is drawn")
  func oneStroke() throws {
    let dashes = String(repeating: "-", count: 80)
    let rows = (0..<20).map { "\(1000 + $0)|A \($0), INC.|2020-01-1\($0 % 10)\n" }.joined()
    let text = "Description: index, by name\nComments: x\n \n \nCIK|Company Name|Date Filed\n\(dashes)\n" + rows
    let dialect = try #require(CSVDialectDetector.detect(sample: Array(text.utf8), isWhole: true))
    #expect(dialect.options.header == .firstRecord && dialect.proposals.isEmpty, "\(dialect)")
    #expect(Self.read(text, dialect.options).count == 20)
    // Among records it is one.
    let sum = try #require(
      CSVDialectDetector.detect(sample: Array("id|n|day\n\(rows)\(dashes)\n7|x|2020-01-01\n".utf8), isWhole: true))
    #expect(!sum.proposals.isEmpty, "\(sum)")
  }

  @Test("a table below a rule begins with its names, also where some are empty")
  func detected() throws {
    let text = "# A report\n\n| id | name | |\n|---|:--:|---|\n| x | y | z |\n| u | v | w |\n"
    let dialect = try #require(CSVDialectDetector.detect(sample: Array(text.utf8), isWhole: true))
    #expect(dialect.options.header == .names(["1", "id", "name", "4", "5"]), "\(dialect)")
    #expect(Self.read(text, dialect.options).map { $0.filter { $0 != " " } } == ["|x|y|z|", "|u|v|w|"])
    #expect(dialect.evidence.contains { $0.contains("draws a rule, such as line 4") }, "\(dialect.evidence)")
  }
}

extension TextAccount {
  fileprivate static func + (left: TextAccount, right: TextAccount) -> TextAccount {
    var sum = left
    sum += right
    return sum
  }
}
