import Foundation
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Several imports in one pipeline: one store, one run, all or nothing.
@Suite("Several imports in one pipeline") struct SeveralImportsTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.write(
      """
      model: Music
      entities:
        Artist:
          attributes: { name: string! }
          relationships: { albums: { to_many: Album, inverse: artist } }
          unique: [name]
        Album:
          attributes: { title: string!, year: integer16 }
          relationships: { artist: { to_one: Artist, inverse: albums, required: true } }
          unique: [title]
      """, to: "model.yaml")
    try folder.write("name\nNina\nOtis\n", to: "artists.csv")
    try folder.write("title,year,artist\nOne,1960,Nina\nTwo,1961,Otis\nThree,1962,Nobody\n", to: "albums.csv")
  }

  private func pipeline(limit: Int = 10) throws -> String {
    try folder.write(
      """
      model: model.yaml
      store: music.sqlite
      rejects: { file: rejects.ndjson, limit: \(limit) }
      imports:
        - source: artists.csv
          import: { entity: Artist, find_by: [name] }
        - name: records
          source: albums.csv
          import:
            entity: Album
            find_by: [title]
            attributes: [year]
            relationships: { artist: { find_by: { name: artist }, missing: reject } }
      """, to: "pipeline.yaml")
  }

  private func titles() throws -> [String] {
    let connection = try Connection(path: folder.file("music.sqlite"), mode: .readOnly)
    let select = try connection.prepare(
      "SELECT ZTITLE || ' ' || ZNAME FROM ZALBUM JOIN ZARTIST ON ZARTIST.Z_PK = ZALBUM.ZARTIST ORDER BY 1")
    var rows: [String] = []
    while try select.step() { rows.append(select.text(0)) }
    return rows
  }

  @Test("all go into one store, later ones find what earlier ones made") func sharesTheStore() throws {
    let path = try pipeline()
    for round in 0..<2 {
      var seen: [String] = []
      let summary = try ImportSession(Pipeline.read(path).definition).run {
        if seen.last != $0.partName { seen.append($0.partName) }
      }
      #expect(try titles() == ["One Nina", "Two Otis"])
      #expect(summary.parts.map(\.name) == ["Artist", "records"])
      #expect(summary.parts.map(\.read) == [2, 3])
      #expect(summary.parts.map(\.inserted) == (round == 0 ? [2, 2] : [0, 0]))
      #expect(summary.parts.map(\.unchanged) == (round == 0 ? [0, 0] : [2, 2]))
      #expect(summary.parts.map(\.rejected) == [0, 1])
      #expect((summary.read, summary.rejected) == (5, 1))
      #expect(summary.rejectCounts == ["relationship.missingTarget": 1])
      #expect(seen == ["Artist", "records"])
      let line = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8)
      #expect(line.contains("albums.csv") && line.contains("Nobody"))
    }
  }

  @Test("a run that goes on with a later one says what was found in the earlier ones") func warnsWhenResumed() throws {
    // The last record may have lost its end.
    try folder.write("name,born\nNina,1933\nOtis,", to: "artists.csv")
    func albums(_ year: Int) throws {
      try folder.write(
        "title,year,artist\n" + (1...40).map { "Album \($0),\(year),Nina\n" }.joined(), to: "albums.csv")
    }
    try albums(1960)
    let path = try pipeline()
    let whole = try ImportSession(Pipeline.read(path).definition).run()
    #expect(whole.warnings.contains { $0.code == .doubtfulEnd }, "\(whole.warnings)")
    try albums(1961)
    var definition = try Pipeline.read(path).definition
    definition.batchLimit.records = 5
    var read = 0
    let first = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= 17 })
    #expect(first.status == .interrupted)
    let second = try ImportSession(definition).run()
    #expect(second.resumedAfter ?? 0 > 2)
    #expect(second.warnings.map(\.description) == whole.warnings.map(\.description))
  }

  @Test("a limit that the last one breaches takes all of them back") func rollsAllBack() throws {
    let summary = try ImportSession(Pipeline.read(try pipeline(limit: 0)).definition).run()
    #expect(summary.status == .limitBreached)
    #expect(!FileManager.default.fileExists(atPath: folder.file("music.sqlite")))
  }

  @Test("what does not fit beside them is said") func lint() throws {
    let path = try folder.write(
      """
      model: model.yaml
      store: music.sqlite
      source: artists.csv
      imports:
        - source: artists.csv
          import: { entity: Artist, find_by: [name] }
        - source: artists.csv
          import: { entity: Artist, find_by: [name] }
        - source: albums.csv
      """, to: "mistakes.yaml")
    let found = Pipeline.lint(path).map { "\($0.position.line): \($0.code)" }
    #expect(found == ["3: invalidOption", "7: invalidOption", "9: missingField"])
  }
}
