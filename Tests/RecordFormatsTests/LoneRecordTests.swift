import Testing

@testable import MergewalkRecordFormats

/// Records of rejects files, which stand without what was around them.
@Suite struct LoneRecordTests {
  private func read(
    _ raw: String, _ format: RecordFormat, _ columns: [String], namespaces: String = ""
  ) throws -> [String] {
    let lone = LoneRecordFormat(of: format, columns: columns, header: columns)
    let (text, format) = lone.reading(Array(raw.utf8), indent: 0, namespaces: namespaces)
    var reader = try format.reader(source: ByteSource(bytes: text), columns: lone.columns, index: 0)
    var batch = RecordBatch()
    var result: [String] = []
    while try reader.read(into: &batch, limit: BatchLimit()) {
      for record in 0..<batch.recordCount {
        result += columns.indices.map { column in
          batch.withField(record, column) { String(decoding: $0, as: UTF8.self) }
        }
      }
      result += batch.errors.map { "\($0.code)" }
    }
    return result
  }

  @Test("a prefix that may be the document's name for a column's namespace is refused, others are not")
  func prefixes() throws {
    var options = XMLOptions()
    options.records = "/r/i"
    options.namespaces = ["z": "u"]
    func read(_ raw: String) throws -> [String] { try self.read(raw, .xml(options), ["@id", "z:s"]) }
    #expect(try read("<i id=\"1\"><z:s>x</z:s></i>") == ["1", "x"])
    #expect(throws: ReadError.self) { _ = try read("<i id=\"1\"><q:s>x</q:s></i>") }
    #expect(try read("<i id=\"1\" xmlns:q=\"u\"><q:s>x</q:s></i>") == ["1", "x"])
    // What the document declares is known from the line of the reject.
    let raw = "<i id=\"1\"><q:s>x</q:s></i>"
    #expect(try self.read(raw, .xml(options), ["@id", "z:s"], namespaces: "xmlns:q='u' xmlns:o=\"o\"") == ["1", "x"])
    #expect(try self.read(raw, .xml(options), ["@id", "z:s"], namespaces: "xmlns:q='other'") == ["1", ""])
    #expect(try read("<i id=\"1\" q:kind=\"new\"><z:s>x</z:s><q:t/></i>") == ["1", "x"])
    // Names that are compared as they are written need no namespace.
    options.namespaces = [:]
    #expect(try self.read("<i id=\"1\"><q:s>x</q:s></i>", .xml(options), ["@id", "q:s"]) == ["1", "x"])
  }

  @Test("a record has the namespaces that its document declares around it", arguments: [1, 2, 100])
  func surroundings(limit: Int) throws {
    let document =
      "<r xmlns:a=\"u1\"><e xmlns='u2' x=\"1\"><i/><i/></e><e xmlns:a=\"u3&amp;\"><i/></e><i/></r>"
    var options = XMLOptions()
    options.records = "//i"
    var reader = try RecordFormat.xml(options).reader(
      source: ByteSource(bytes: Array(document.utf8)), columns: .named(["@id"]), index: 0)
    var batch = RecordBatch()
    var found: [String?] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: limit)) {
      found += (0..<batch.recordCount).map { batch.namespaces(ofRecord: batch.records[$0].index) }
    }
    let first = "xmlns:a=\"u1\" xmlns='u2'"
    #expect(found == [first, first, "xmlns:a=\"u3&amp;\"", "xmlns:a=\"u1\""])
  }

  @Test("an escape that is doubted in a file is doubted in its rejects, too")
  func escapes() throws {
    var options = CSVOptions()
    options.escape = UInt8(ascii: "\\")
    var caution = CSVCaution()
    caution.doubtsEscapes = true
    caution.doubtsComments = true
    options.caution = caution
    #expect(try read("1,C:\\temp", .csv(options), ["id", "s"]) == ["doubtfulEscape"])
    #expect(try read("1,C:\\\\temp", .csv(options), ["id", "s"]) == ["1", "C:\\temp"])
  }

  @Test("a spelling of null is known as one in a replay, too") func nullSpelling() throws {
    var options = CSVOptions()
    options.nullTokens = ["NULL"]
    let line = #"{"run":"p","file":"a.csv","record":1,"message":"m","header":"id,s","raw":"1,NULL"}"#
    var reader = try ReplayReader(
      source: ByteSource(bytes: Array(line.utf8) + [10]), format: .csv(options), columns: ["id", "s"])
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.state(0, 1) == .null && batch.hasNullTokens)
  }

  @Test("a record of another table is none of this one until somebody says so", arguments: [true, false])
  func otherTable(isSaid: Bool) throws {
    let code = isSaid ? "" : #""code":"read.otherTable","#
    let line = #"{"run":"p","file":"a.csv","record":1,\#(code)"message":"m","header":"id,s","raw":"x,y"}"#
    var reader = try ReplayReader(
      source: ByteSource(bytes: Array(line.utf8) + [10]), format: .csv(CSVOptions()), columns: ["id", "s"])
    var batch = RecordBatch()
    #expect(try reader.read(into: &batch, limit: BatchLimit()))
    #expect(batch.recordCount == (isSaid ? 1 : 0))
    let codes: [RecordError.Code] = isSaid ? [] : [.otherTable]
    #expect(batch.errors.map(\.code) == codes)
  }
}
