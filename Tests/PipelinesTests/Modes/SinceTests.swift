import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// Incremental imports: a column that only grows, and a cursor in the store.
@Suite("Incremental imports") struct SinceTests {
  private let map: ModeFolder
  private static let upsert = "{ entity: Country, find_by: [code], attributes: [name, size] }"

  init() throws { map = try ModeFolder() }

  private func run(
    _ csv: String, _ since: String = "{ column: seen, type: integer }", rejects: String = "rejects.ndjson",
    _ change: (inout ImportDefinition) -> Void = { _ in }
  ) throws -> ImportSummary {
    try map.run(Self.upsert, csv, more: "since: \(since)") {
      if rejects.isEmpty { $0.rejects.path = nil }
      change(&$0)
    }
  }

  private func cursor() throws -> CursorValue? {
    let metadata = try StoreMetadata.read(path: map.store)
    let policy = try map.definition(
      Self.upsert, "code,name,size,seen\n", more: "since: { column: seen, type: integer }"
    ).parts[0].since
    return try StoredCursors(metadata, pipeline: "pipeline").value(part: "", #require(policy))
  }

  @Test("records below the cursor are passed over, those at it are read again, and the cursor moves with the rows")
  func cursorMoves() throws {
    let first = try run("code,name,size,seen\nCH,S,1,3\nDE,D,2,5\n")
    #expect((first.inserted, first.skipped) == (2, 0))
    #expect(try cursor() == .integer(5))
    let second = try run("code,name,size,seen\nCH,x,1,4\nDE,D,2,5\nFR,F,2,5\nIT,I,2,9\n")
    #expect((second.inserted, second.unchanged, second.skipped, second.updated) == (2, 1, 1, 0))
    #expect(try cursor() == .integer(9))
    #expect(try map.countries() == ["CH", "DE", "FR", "IT"])
    let skipping = try run("code,name,size,seen\nAT,x,1,9\n", "{ column: seen, type: integer, ties: skip }")
    #expect((skipping.inserted, skipping.skipped) == (0, 1))
  }

  @Test("what is passed over is not looked at: mistakes in it reject nothing") func oldMistakes() throws {
    _ = try run("code,name,size,seen\nCH,S,1,5\n")
    let summary = try run("code,name,size,seen\n,S,x,1\nDE,D,x,2\nFR,F,1,6\n")
    #expect((summary.skipped, summary.rejected, summary.inserted) == (2, 0, 1))
  }

  @Test("dates, texts, a start and a lag") func kinds() throws {
    let date = "{ column: seen, start: 2024-01-01, lag: 1h }"
    let first = try run("code,name,size,seen\nCH,S,1,2023-12-31T22:00:00Z\nDE,D,2,2024-05-01T12:00:00Z\n", date)
    #expect((first.inserted, first.skipped) == (1, 1))
    let second = try run("code,name,size,seen\nCH,S,1,2024-05-01T11:30:00Z\nFR,D,2,2024-05-01T10:59:00Z\n", date)
    #expect((second.inserted, second.skipped) == (1, 1))
    #expect(throws: ImportError.self) { try run("code,name,size,seen\n", "{ column: seen, type: text }") }
    let text = "{ column: seen, type: text }"
    let reset = try run("code,name,size,seen\nCH,S,1,b\n", text) { $0.parts[0].since?.isReset = true }
    #expect(reset.unchanged == 1)
    #expect(try run("code,name,size,seen\nIT,S,1,a\nAT,S,1,c\n", text).skipped == 1)
  }

  @Test("a rejected record holds the cursor; it passes where the pipeline says so, and the rejects file has the record")
  func rejects() throws {
    _ = try run("code,name,size,seen\nCH,S,1,1\nDE,D,x,3\nFR,F,1,7\n", rejects: "")
    #expect(try cursor() == .integer(3))
    let repaired = try run("code,name,size,seen\nCH,S,1,1\nDE,D,2,3\nFR,F,1,7\n", rejects: "")
    #expect((repaired.inserted, repaired.unchanged, repaired.skipped) == (1, 1, 1))
    #expect(try cursor() == .integer(7))
    _ = try run("code,name,size,seen\nIT,D,x,8\nAT,F,1,9\n", "{ column: seen, type: integer, rejects: pass }")
    #expect(try cursor() == .integer(9))
    // A record whose value cannot be read could be any.
    _ = try run("code,name,size,seen\nLI,D,1,x\nLU,F,1,12\n", rejects: "")
    #expect(try cursor() == .integer(9))
  }

  @Test("records without a value are always read, and never lower the cursor") func withoutValue() throws {
    _ = try run("code,name,size,seen\nCH,S,1,5\n")
    let summary = try run("code,name,size,seen\nDE,D,2,\nCH,T,1,4\n")
    #expect((summary.inserted, summary.skipped) == (1, 1))
    #expect(try cursor() == .integer(5))
  }

  @Test("a run that is taken back keeps the old cursor; a dry run too") func rollBack() throws {
    _ = try run("code,name,size,seen\nCH,S,1,5\n")
    _ = try run("code,name,size,seen\nDE,D,2,9\n") { $0.isDryRun = true }
    #expect(try cursor() == .integer(5))
    let breached = try run("code,name,size,seen\nDE,D,x,9\n") { $0.rejects.limit = 0 }
    #expect(breached.status == .limitBreached)
    #expect(try cursor() == .integer(5))
    let again = try run("code,name,size,seen\nDE,D,2,2\nFR,D,2,3\n") { $0.parts[0].since?.override = .integer(3) }
    #expect((again.inserted, again.skipped) == (1, 1))
    #expect(try cursor() == .integer(5))
  }

  @Test(
    "each import of a pipeline has its own cursor; the order and sizes of batches do not matter",
    arguments: [1, 2, 100])
  func severalImports(batch: Int) throws {
    try map.folder.write("code,n\nCH,1\nDE,4\nFR,2\n", to: "a.csv")
    try map.folder.write("name,n\nBern,7\n", to: "b.csv")
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      batch: { records: \(batch) }
      imports:
        - source: a.csv
          since: { column: n, type: integer }
          import: { entity: Country, find_by: [code] }
        - source: b.csv
          since: { column: n, type: integer }
          import: { entity: City, find_by: [name] }
      """, to: "both.yaml")
    for round in 0..<2 {
      let summary = try ImportSession(Pipeline.read(path).definition).run()
      #expect(summary.parts.map(\.inserted) == (round == 0 ? [3, 1] : [0, 0]))
      #expect(summary.parts.map(\.skipped) == (round == 0 ? [0, 0] : [2, 0]))
    }
  }

  @Test("dates are read as the attribute reads them, unless since says how")
  func attributePattern() throws {
    let text =
      "{ entity: Country, find_by: [code],"
      + " attributes: { goneAt: { from: seen, date: dd.MM.yyyy HH:mm, zone: \"+02:00\" } } }"
    let first = try map.run(text, "code,seen\nCH,01.05.2024 12:00\nDE,02.05.2024 12:00\n", more: "since: seen")
    #expect((first.inserted, first.rejected) == (2, 0))
    let policy = try #require(try map.definition(text, "code,seen\n", more: "since: seen").parts[0].since)
    let metadata = try StoreMetadata.read(path: map.store)
    let cursor = StoredCursors(metadata, pipeline: "pipeline").value(part: "", policy)
    #expect(cursor?.description.hasPrefix("2024-05-02T10:00:00") == true, "\(String(describing: cursor))")
    let second = try map.run(text, "code,seen\nFR,30.04.2024 23:00\nIT,03.05.2024 00:00\n", more: "since: seen")
    #expect((second.inserted, second.skipped, second.rejected) == (1, 1, 0))
    // What since says holds.
    let said = try map.run(text, "code,seen\nAT,04.05.2024 00:00\n", more: "since: { column: seen, date: iso8601 }")
    #expect(said.rejected == 1)
  }

  @Test("contradictions are findings") func lint() throws {
    func finding(_ since: String, _ text: String = Self.upsert) throws -> String {
      try map.folder.write("code,name,size,seen\n", to: "input.csv")
      return Pipeline.lint(try map.pipeline(text, more: "since: \(since)")).map(\.description).joined(separator: "\n")
    }
    #expect(try finding("seen") == "")
    #expect(try finding("sen").contains("[unknownColumn]"))
    #expect(try finding("{ column: seen, lag: 5 }").contains("“lag” cannot be “5”"))
    #expect(try finding("{ column: seen, lag: 99999999999999999999d }").contains("[invalidOption]"))
    #expect(try finding("{ column: seen, type: integer, start: x }").contains("“start” cannot be “x”"))
    #expect(try finding("{ column: seen, type: text, zone: UTC }").contains("[unsuitableOption]"))
    #expect(try finding("seen", "{ entity: Country, find_by: [code], mode: sync }").contains("[invalidOption]"))
    let family = try finding("seen\nstores: { by: code }")
    #expect(family.contains("warning: of “since” only “start” applies to a family of stores"), "\(family)")
    // It is the source's own column that is read, whatever the pipeline makes of it.
    let made = "{ entity: Country, find_by: [code], columns: { made: { from: seen } }, attributes: { name: made } }"
    #expect(try finding("{ column: made, type: integer }", made).contains("“made” is made by the pipeline"))
    #expect(try !finding("{ column: seen, type: integer }", made).contains("error"))
  }

  @Test("a value that is no cursor is a reject of “since”, not of an attribute") func wrongValue() throws {
    _ = try run("code,name,size,seen\nCH,S,1,x\n")
    let text = try String(contentsOfFile: map.folder.file("rejects.ndjson"), encoding: .utf8)
    #expect(text.contains("is not a whole number for Country.since"), "\(text)")
  }
}
