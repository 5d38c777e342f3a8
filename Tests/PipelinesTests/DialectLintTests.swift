import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Dialects of sources")
struct DialectLintTests {
  private let folder: PipelineFolder

  init() throws { folder = try PipelineFolder() }

  private func pipeline(_ source: String) -> String {
    PipelineFolder.sound.replacingAll("files: orders.csv\n  format: csv", with: source)
  }

  private func options(_ source: String) throws -> CSVOptions {
    var settings = PipelineSettings()
    settings.checksHeaders = false
    let format = try Pipeline.read(folder.write(pipeline(source)), settings: settings).definition.format
    guard case .csv(let options) = format else {
      Issue.record("\(format) is not CSV")
      return CSVOptions()
    }
    return options
  }

  private func findings(_ source: String) throws -> [String] {
    try folder.lint(pipeline(source)).filter { $0.contains("[invalidOption]") || $0.contains("[uncertainDialect]") }
  }

  private func writeReport() throws {
    try folder.folder.write(
      "Report of May\n\norder_id;sum;day\n1;2,50;NA\n2;3,75;2024-05-02\n3;1,00;2024-05-03\n4;7,25;2024-05-04\n5;1,5;2024-05-05\n",
      to: "report.csv")
  }

  @Test func `a dialect is detected when the source asks for it`() throws {
    try writeReport()
    let found = try options("files: report.csv\n  dialect: detect")
    #expect(found.delimiter == ";" && found.skippedLines == 2 && found.header == .firstRecord)
    // In a column of text it may be a value, so it is none of the source's own.
    #expect(found.nullTokens == [] && found.nullWords == ["NA"])
    #expect(try options("files: report.csv\n  dialect: standard") == CSVOptions())
    #expect(try options("files: report.csv") == CSVOptions())
  }

  @Test func `options that are given hold`() throws {
    try writeReport()
    let given = try options("files: report.csv\n  dialect: detect\n  header: false\n  null: none\n  skip_lines: 3")
    #expect(given.delimiter == ";" && given.skippedLines == 3 && given.header == .none)
    #expect(given.nullTokens == ["none"] && given.nullWords == [])
  }

  @Test(
    "each file tells its own encoding, whether the person or the dialect asks for it",
    arguments: ["", "\n  encoding: detect"])
  func encodingOfEachFile(_ more: String) throws {
    let rows = (1...9).map { "\($0);Zürich;\($0)\n" }.joined()
    try folder.folder.write("id;city;n\n\(rows)".unicodeScalars.map { UInt8($0.value) }, to: "a.csv")
    try folder.folder.write("id;city;n\n\(rows)", to: "b.csv")
    let found = try options("files: [a.csv, b.csv]\n  dialect: detect" + more)
    #expect(found.delimiter == ";" && found.encoding == .detect)
    for name in ["a.csv", "b.csv"] {
      var reader = try CSVReader(source: ByteSource(path: folder.folder.file(name)), options: found)
      var batch = RecordBatch()
      _ = try reader.read(into: &batch, limit: BatchLimit())
      #expect(batch.text(0, 1) == "Zürich", "\(name)")
    }
  }

  @Test func `what cannot be looked at, or could be otherwise, is a finding`() throws {
    try writeReport()
    #expect(
      try findings("files: \"-\"\n  format: csv\n  dialect: detect") == [
        "pipeline.yaml:7:3: error: “-” can be read only once, so that its dialect cannot be looked at before;"
          + " look at a part of it with “mergewalk preview”, and set “delimiter”, “quote” and so on [invalidOption]"
      ])
    #expect(try findings("files: report.csv\n  dialect: detect") == [])
    try folder.folder.write("a,b\nc,d\ne,f\n", to: "text.csv")
    let uncertain = try findings("files: text.csv\n  dialect: detect")
    #expect(uncertain.count == 1)
    #expect(
      uncertain.first?.contains("warning: the dialect of “text.csv” is not certain: delimiter “,”: 3 of 3") == true)
    try folder.folder.write(String(repeating: "\0\u{1}\u{2}", count: 90), to: "binary.csv")
    #expect(try findings("files: binary.csv\n  dialect: detect").first?.contains("it is not text") == true)
  }

  @Test func `header records and tables are checked`() throws {
    #expect(try options("files: orders.csv\n  header_rows: 2").headerRows == 2)
    #expect(try options("files: orders.csv\n  table: 2").table == 2)
    #expect(
      try findings("files: orders.csv\n  header: false\n  header_rows: 2") == [
        "pipeline.yaml:7:16: error: “header_rows” is for files with a header; leave it out, or use “skip_lines” for"
          + " lines that are to be skipped [invalidOption]"
      ])
    #expect(
      try findings("files: orders.csv\n  header_rows: 17") == [
        "pipeline.yaml:6:16: error: “header_rows” is at most 16 [invalidOption]"
      ])
    #expect(
      try findings("files: orders.csv\n  table: first") == [
        "pipeline.yaml:6:10: error: the tables of delimited text have numbers from 1, not names such as “first”"
          + " [invalidOption]"
      ])
  }

  @Test func `what is doubtful about a dialect is a warning of the run`() throws {
    try folder.folder.write(
      "order_id,ordered_at,quantity,unit_price,note,email,name,country,sku,product,category\n"
        + "a,b,c,d,e,f,g,h,i,j,k\nl,m,n,o,p,q,r,s,t,u,v\n", to: "text.csv")
    let definition = try Pipeline.read(folder.write(pipeline("files: text.csv\n  dialect: detect"))).definition
    #expect(definition.warnings.map(\.code) == [.uncertainDialect])
    #expect(definition.warnings.first?.message.contains("is not certain: delimiter “,”: 3 of 3") == true)
    #expect(definition.warnings.first?.file?.hasSuffix("pipeline.yaml") == true)
  }
}
