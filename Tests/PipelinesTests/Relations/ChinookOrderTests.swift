import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Chinook in one pipeline", .enabled(if: Locations.shared != nil)) struct ChinookOrderTests {
  let folder = TemporaryFolder()

  private func run(_ path: String, _ store: String) throws -> ImportSummary {
    var settings = PipelineSettings()
    settings.storePath = folder.file(store)
    settings.variables.assignments["CHINOOK"] = Locations.shared("suites/datasets/chinook")
    var definition = try Pipeline.read(Locations.repository + "/pipelines/" + path, settings: settings).definition
    definition.rejects.path = nil
    return try ImportSession(definition).run()
  }

  private func rows(_ store: String) throws -> [String] {
    let connection = try Connection(path: folder.file(store), mode: .readOnly)
    defer { try? connection.close() }
    func all(_ sql: String) throws -> [String] {
      let select = try connection.prepare(sql)
      var rows: [String] = []
      while try select.step() {
        rows.append((0..<select.columnCount).map { select.isNull($0) ? "-" : select.text($0) }.joined(separator: "|"))
      }
      return rows
    }
    return try all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE')")
      .sorted().flatMap { table in try all("SELECT '\(table)', * FROM \(table) ORDER BY 2, 3") }
  }

  @Test("imports in no order make the store that eleven pipelines in their order make, row for row") func equal() throws
  {
    let summary = try run("chinook-all/chinook.yaml", "one.sqlite")
    #expect((summary.inserted, summary.rejected, summary.parts.count) == (15_607, 0, 11))
    let folder = Locations.repository + "/pipelines/chinook"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      _ = try run("chinook/" + name, "many.sqlite")
    }
    #expect(try rows("one.sqlite") == rows("many.sqlite"))
    let again = try run("chinook-all/chinook.yaml", "one.sqlite")
    #expect(again.unchanged == 15_607)
  }
}
