import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct SkippedTextTests {
  private static func account(_ text: String, _ format: RecordFormat, limit: BatchLimit = BatchLimit()) throws
    -> TextAccount
  {
    try account(Array(text.utf8), format, limit: limit)
  }

  private static func account(_ bytes: [UInt8], _ format: RecordFormat, limit: BatchLimit) throws -> TextAccount {
    var results: [TextAccount] = []
    for sizes in arrivals(bytes) {
      var reader = try format.reader(source: ByteSource(bytes: bytes, chunkSizes: sizes), columns: .all, index: 0)
      var batch = RecordBatch()
      var account = TextAccount()
      while try reader.read(into: &batch, limit: limit) { account += batch.account }
      account += batch.account
      results.append(account)
    }
    #expect(results.allSatisfy { $0 == results[0] })
    return results[0]
  }

  private static func show(_ account: TextAccount) -> [String] {
    ["records \(account.recordBytes)"]
      + account.skipped.kinds.map { "\($0) \(account.skipped[$0].lines) \(account.skipped[$0].bytes)" }
  }

  @Test("a CSV file's text is accounted for by kind", arguments: [1, 2, 4096], [1, 3, 1 << 20])
  func csvTextIsAccountedFor(_ records: Int, _ bytes: Int) throws {
    var options = CSVOptions()
    options.skippedLines = 2
    options.comment = "#"
    let text = "\u{FEFF}Report\r\n\r\n\n# made by X\nid,\"na\nme\"\n1,a\r\n\r\n#3,c\n2,\"b\r\n\"\n3\n\r# end"
    let account = try Self.account(text, .csv(options), limit: BatchLimit(records: records, bytes: bytes))
    #expect(account.bytes == text.utf8.count)
    #expect(
      Self.show(account) == [
        "records 15", "byteOrderMark 0 3", "preamble 2 10", "header 2 11", "blankLine 3 4", "comment 3 22",
      ])
    #expect(account.isBalanced)
  }

  @Test("escapes that are left out of fields are counted, those that something needs are not", arguments: [1, 4096])
  func needlessEscapesAreCounted(_ records: Int) throws {
    var options = CSVOptions()
    options.escape = UInt8(ascii: "\\")
    options.nullTokens = ["\\N"]
    let text = "id,s\n1,C:\\temp\n2,\"a\\\"b\\\\c\\d\"\n3,\\N\n4,\\Nx\n5,a\\,b\\\nc\n6,x\\y,z\n"
    let account = try Self.account(text, .csv(options), limit: BatchLimit(records: records, bytes: 1 << 20))
    // The last record has a field too many: it is refused as it is.
    #expect(
      Self.show(account) == ["records \(text.utf8.count - 5 - 3)", "header 1 5", "escape 0 3"])
    #expect(account.isBalanced)
  }

  @Test("a fixed-width file's text is accounted for by kind, lines beyond the limit too", arguments: [1, 4096])
  func fixedWidthTextIsAccountedFor(_ records: Int) throws {
    var options = FixedWidthOptions(columns: [.init(name: "a", start: 1, width: 2)])
    options.skippedLines = 1
    options.comment = "#"
    options.maxRecordBytes = 20
    let long = String(repeating: "-", count: 90)
    let text = "\(long)\r\nab\n\n#\(long)\rcd\(long)\r\nef\n"
    let account = try Self.account(text, .fixedWidth(options), limit: BatchLimit(records: records, bytes: 1 << 20))
    #expect(account.bytes == text.utf8.count)
    #expect(Self.show(account) == ["records 100", "preamble 1 92", "blankLine 1 1", "comment 1 92"])
    #expect(account.isBalanced)
  }

  @Test("fixed-width text that is dropped behind the last column is counted, but for blanks")
  func fixedWidthSurplusIsCounted() throws {
    var options = FixedWidthOptions(columns: [.init(name: "a", start: 1, width: 2)])
    options.truncateLongLines = true
    let text = "ab\ncd \t\nef gh\néé€\n"
    let account = try Self.account(text, .fixedWidth(options), limit: BatchLimit())
    #expect(Self.show(account) == ["records \(text.utf8.count - 6)", "surplusFields 0 6"])
    #expect(account.isBalanced)
  }

  @Test("an NDJSON file's text is accounted for by kind", arguments: [1, 4096])
  func ndjsonTextIsAccountedFor(_ records: Int) throws {
    var options = NDJSONOptions()
    options.maxRecordBytes = 40
    options.each = "l"
    let long = String(repeating: "-", count: 90)
    let text = "\u{FEFF}{\"l\":[1,2]}\n \t\r\n\n{\"l\":[]}\n\(long)\n{\"l\":[3]}"
    let account = try Self.account(text, .ndjson(options), limit: BatchLimit(records: records, bytes: 1 << 20))
    #expect(account.bytes == text.utf8.count)
    #expect(Self.show(account) == ["records 112", "byteOrderMark 0 3", "blankLine 2 5", "withoutElements 1 9"])
    #expect(account.isBalanced)
  }

  @Test("text of another encoding is counted as decoded") func decodedTextIsCounted() throws {
    var options = CSVOptions()
    options.encoding = .utf16LittleEndian
    let text = "näme\n\nä\n"
    let bytes = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let account = try Self.account(bytes, .csv(options), limit: BatchLimit())
    #expect(Self.show(account) == ["records 3", "header 1 6", "blankLine 1 1"])
    #expect(account.bytes == 10)
  }

  @Test("amounts are added, and two are equal that count the same") func amountsAreAdded() {
    var text = SkippedText()
    #expect(text.kinds == [] && text.total == SkippedText.Amount())
    text.add(.comment, lines: 2, bytes: 20)
    var other = text
    other += text
    #expect(other[.comment] == SkippedText.Amount(lines: 4, bytes: 40) && other.total == other[.comment])
    text.removeAll()
    #expect(text == SkippedText() && text.kinds == [] && text != other)
    for (index, kind) in SkippedText.Kind.allCases.enumerated() { text.add(kind, lines: index, bytes: index + 1) }
    #expect(text.kinds == SkippedText.Kind.allCases)
    #expect(SkippedText.Kind.allCases.enumerated().allSatisfy { text[$1].bytes == $0 + 1 })
  }
}
