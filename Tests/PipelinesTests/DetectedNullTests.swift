import MergewalkImporting
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@testable import MergewalkPipelines

@Suite("Words that were detected as null")
struct DetectedNullTests {
  private let map: ModeFolder

  init() throws { map = try ModeFolder() }

  /// Runs an import of countries from a CSV file whose dialect is detected.
  private func run(
    _ csv: String, source: String = "", attributes: String = "{ name: name, size: size }", more: String = ""
  ) throws -> ImportSummary {
    try map.folder.write(csv, to: "input.csv")
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      rejects: { file: rejects.ndjson }
      source: { files: input.csv, dialect: detect\(source) }
      import: { entity: Country, find_by: [code], attributes: \(attributes)\(more) }
      """, to: "pipeline.yaml")
    return try ImportSession(try Pipeline.read(path).definition).run()
  }

  private func replaced(_ summary: ImportSummary, _ attribute: String) -> Int {
    summary.fields.first { $0.attribute == attribute }?.replaced[.nullSpelling] ?? 0
  }

  /// Rows with `NA` for a number now and then.
  private static func rows(_ count: Int) -> String {
    (0..<count).map { "c\($0),DE,\($0 % 3 == 0 ? "NA" : "\($0)")\n" }.joined()
  }

  @Test("they hold for numbers, and text stays what it is, in the sample and behind it", arguments: [30, 40_000])
  func text(count: Int) throws {
    let summary = try run("code,name,size\n\(Self.rows(count))NA,NA,NA\n")
    #expect(summary.rejected == 0 && summary.inserted == count + 1)
    #expect(replaced(summary, "name") == 0)
    #expect(replaced(summary, "size") == (count + 2) / 3 + 1)
    #expect(try map.rows("SELECT ZCODE || ZNAME FROM ZCOUNTRY WHERE ZSIZE IS NULL AND ZNAME = 'NA'") == ["NANA"])
  }

  @Test("what a person wrote as null holds for all columns")
  func said() throws {
    let summary = try run("code,name,size\n\(Self.rows(30))x,NA,NA\n", source: ", \"null\": NA")
    #expect(replaced(summary, "name") == 1 && replaced(summary, "size") == 11)
  }

  @Test("NULL stays text in columns of text, with a warning, and \\N is null in all columns")
  func plainWords() throws {
    let summary = try run("code,name,size\na,NULL,1\nb,\\N,NULL\nc,Chad,3\nd,Peru,4\ne,Fiji,5\n")
    #expect(summary.rejected == 0)
    #expect(try map.rows("SELECT ZNAME FROM ZCOUNTRY WHERE ZCODE = 'a'") == ["NULL"])
    #expect(try map.rows("SELECT ZCODE FROM ZCOUNTRY WHERE ZNAME IS NULL AND ZSIZE IS NULL") == ["b"])
    let warnings = summary.warnings.filter { $0.code == .uncertainDialect }.map(\.message)
    #expect(
      warnings.contains { $0.contains("in columns of text one field is “NULL”, on line 2: it stays text") },
      "\(warnings)")
  }

  @Test("a person's own spellings of true and false come first")
  func booleans() throws {
    let rows = (0..<30).map { "c\($0),\($0 % 2 == 0 ? "-" : "1"),\($0 % 4 == 0 ? "-" : "\($0)")\n" }.joined()
    let summary = try run(
      "code,gone,size\n\(rows)",
      attributes: "{ isGone: { from: gone, \"true\": [1], \"false\": [\"-\"] }, size: size }")
    #expect(summary.rejected == 0)
    #expect(replaced(summary, "isGone") == 0 && replaced(summary, "size") == 8)
  }

  @Test("they hold where a condition reads a column as numbers")
  func conditions() throws {
    let summary = try run("code,name,size\n\(Self.rows(30))", more: ", where: \"size > 20\"")
    #expect(summary.rejected == 0 && summary.inserted == 6)
  }

  @Test("they hold for the stores of a family, whose records are read from other files")
  func families() throws {
    try map.folder.write("code,name,size\n\(Self.rows(9))x,NA,NA\n", to: "input.csv")
    let path = try map.folder.write(
      """
      pipeline: map
      model: model.yaml
      source: { files: input.csv, dialect: detect }
      import: { entity: Country, find_by: [code], attributes: { name: name, size: size } }
      stores: { by: name, missing: reject }
      """, to: "family.yaml")
    let family = StoreFamily(folder: map.folder.file("out"))
    _ = try family.plan(path)
    #expect(try family.task().built == 2)
    let connection = try Connection(path: map.folder.file("out/NA.sqlite"), mode: .readOnly)
    defer { try? connection.close() }
    let select = try connection.prepare("SELECT ZCODE || ZNAME || (ZSIZE IS NULL) FROM ZCOUNTRY")
    let isThere = try select.step()
    let row = select.text(0)
    #expect(isThere && row == "xNA1")
  }
}
