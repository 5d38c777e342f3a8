import MergewalkDiagnostics
import MergewalkRecordFormats
import Testing

@Suite struct CSVTableTests {
  /// Three tables: a title above the first, blank lines, a title and a header of another width between them.
  private static let three = """
    Stock

    id,name
    1,lamp
    2,"qu
    ilt"

    Sales
    day,id,sum
    2024-01-01,1,2.5
    2024-01-02,2,3.5
    shop,town,open,size
    A,Lund,true,5
    B,Cork,no,x,9

    """

  private static func table(
    _ name: String, _ number: Int, _ text: String, _ expected: [String], failure: String? = nil,
    _ change: (inout CSVOptions) -> Void = { _ in }
  ) -> CSVCase {
    CSVCase(name, text, expected, failure: failure) {
      $0.table = number
      change(&$0)
    }
  }

  private static let cases: [CSVCase] = [
    table("the first table", 1, three, ["1|lamp", "2|«qu⏎ilt»"]),
    table("the second table", 2, three, ["2024-01-01|1|2.5", "2024-01-02|2|3.5"]),
    table("the third table", 3, three, ["A|Lund|true|5", "fieldCount@14:1"]),
    table("a table that is not there", 4, three, [], failure: "missingTable"),
    table("no table at all", 2, "", [], failure: "missingTable"),
    table("no first table either", 1, "", [], failure: "missingHeader"),
    table("one table", 1, "a,b\n1,2\n3,4\n", ["1|2", "3|4"]),
    table("the same header again", 1, "a,b\n1,2\na,b\n3,4\n", ["1|2"]),
    table("the same header again, second", 2, "a,b\n1,2\na,b\n3,4\n", ["3|4"]),
    table("the same header again in other quotes", 1, "a,b\n1,2\n\"a\",b\n3,4\n", ["1|2"]),
    table("the same header again in other quotes, second", 2, "\"a\",b\n1,2\na,\"b\"\n3,4\n", ["3|4"]),
    table("blank lines at both ends", 1, "\n\na,b\n1,2\n\n\n", ["1|2"]),
    table("a record without values before names", 1, "a,b\n1,2\n,\nc,d\n3,4\n", ["1|2"]),
    table("a record without values before values", 1, "a,b\n1,2\n,\n3,4\n", ["1|2", "|", "3|4"]),
    table("a short record is no table", 1, "a,b,c\n1,2,3\n4,5\n6,7,8\n", ["1|2|3", "fieldCount@3:4", "6|7|8"]),
    table(
      "two short records of values are no table", 1, "a,b,c\n1,2,3\n4,5\n6,7\n",
      [
        "1|2|3", "fieldCount@3:4", "fieldCount@4:4",
      ]),
    table(
      "padded records are no table", 1, "a,b,c\n1,2,3\nx,5\ny,7\n8,9,10\nc,d\n1,2\n",
      [
        "1|2|3", "x|5|·", "y|7|·", "8|9|10",
      ]
    ) { $0.padShortRecords = true },
    table("without headers", 2, "1,2\n3,4\n\n5,6,7\n8,9,10\n\n", ["5|6|7", "8|9|10"]) { $0.header = .none },
    table("of one column", 2, "a\n1\n2\n\nb\n3\n", ["3"]),
    table("behind skipped lines", 2, "x,y,z\na,b\n1,2\n\nc,d\n3,4\n", ["3|4"]) { $0.skippedLines = 1 },
    table("remarks stand where they want", 2, "a,b\n#\n1,2\n\n#x\nc,d\n#y\n3,4\n", ["3|4"]) { $0.comment = "#" },
    table("tables are counted from one", 0, "a\n", [], failure: "invalidOption"),
    CSVCase(
      "without the option all records count", "a,b\n1,2\n\nc,d,e\n3,4,5\n", ["1|2", "fieldCount@4:1", "fieldCount@5:1"]
    ) {
      _ in
    },
    CSVCase("two header records", "x,,z\na,b,c\n1,2,3\n", ["3|2"], columns: .named(["z c", "b"])) { $0.headerRows = 2 },
    CSVCase("header records of several widths", "x\na,b\n1,2\n", ["1|2"], columns: .named(["x a", "b"])) {
      $0.headerRows = 2
    },
    CSVCase("a column without any name", "x,\na,\n1,2\n", [], failure: "emptyHeader@2:1") { $0.headerRows = 2 },
    CSVCase("joined names that are the same", "x,X\na,A\n1,2\n", [], failure: "duplicateHeader@2:1") {
      $0.headerRows = 2
    },
    CSVCase("a header that is cut", "x,y\n", [], failure: "missingHeader") { $0.headerRows = 2 },
    CSVCase("too many header records", "x,y\n", [], failure: "invalidOption") { $0.headerRows = 17 },
    CSVCase("a number of columns", "1,2\n3,4,5\n6\n", ["1|2|·", "3|4|5", "6|·|·"]) {
      $0.header = .none
      $0.columnCount = 3
      $0.padShortRecords = true
    },
  ]

  @Test("tables and headers are read as expected however they arrive", arguments: cases)
  func reads(_ test: CSVCase) { test.check() }

  @Test func `records of a later table know their place`() throws {
    var options = CSVOptions()
    options.table = 3
    var reader = try CSVReader(source: ByteSource(bytes: Self.three.utf8, chunkSize: 5), options: options)
    #expect(reader.columns == ["shop", "town", "open", "size"])
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.records[0].line == 13 && batch.records[0].index == 0 && batch.raw(0) == Array("A,Lund,true,5".utf8))
    #expect(batch.errors.map(\.recordIndex) == [1])
    #expect(try !reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == 0 && batch.errors.isEmpty)
  }

  @Test("a name with a semicolon in a message takes no cure away") func curesStay() {
    let error = #expect(throws: ReadError.self) {
      try CSVReader(source: ByteSource(bytes: Array("a; b,\"a; b\"\n1,2\n".utf8)))
    }
    #expect(error?.code == .duplicateHeader && error?.diagnostic.hint?.contains("skip_lines: 1") == true)
    // A message that says what to do has no second cure.
    let own = ReadError(.truncated, path: "a", message: "it is cut; do this", hasCure: true)
    #expect(own.diagnostic.hint == nil && own.description == "a: error: it is cut; do this [truncated]")
  }

  @Test func `headers that cannot be used are refused before a record is read`() {
    for (text, code) in [
      ("a,,c\n1,2,3\n", ReadError.Code.emptyHeader), ("a,b,a\n1,2,3\n", .duplicateHeader),
      ("a,b,A\n1,2,3\n", .duplicateHeader), ("Ä,b,ä\n1,2,3\n", .duplicateHeader), ("\"\",b\n1,2\n", .emptyHeader),
    ] {
      let error = #expect(throws: ReadError.self) { try CSVReader(source: ByteSource(bytes: text.utf8)) }
      #expect(error?.code == code)
    }
  }
}
