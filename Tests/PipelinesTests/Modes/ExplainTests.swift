import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// What a run would do, told without doing it.
@Suite("Explaining pipelines") struct ExplainTests {
  private let map: ModeFolder
  private static let text = "{ entity: City, find_by: [name], relationships: { country: { find_by: { code: code } } } }"

  init() throws { map = try ModeFolder() }

  @Test("the strategy, its reason and its counts are those of the run that follows", arguments: FindPlan.allCases)
  func strategies(plan: FindPlan) throws {
    for round in 0..<2 {
      var definition = try map.definition(Self.text, "name,code\nBern,CH\nKiel,DE\n")
      definition.parts[0].findPlan = plan
      let explanation = try ImportSession(definition).explain()
      let summary = try ImportSession(definition).run()
      let part = explanation.parts[0]
      #expect(part.nodes.map(\.entity) == ["Country", "City"])
      #expect(part.nodes.map(\.path) == ["country", ""])
      for node in part.nodes {
        #expect(summary.findPlans[node.entity] == node.strategy, "\(round)")
        #expect(node.rows == (round == 0 ? 0 : 2))
        #expect(!node.statements.isEmpty && !node.reason.isEmpty)
      }
      #expect(explanation.store.exists == (round == 1))
    }
  }

  @Test("statements are those that SQLite runs") func statements() throws {
    try map.run(Self.text, "name,code\nBern,CH\nKiel,DE\n")
    var definition = try map.definition(Self.text, "name,code\nBern,CH\nLyon,FR\n")
    definition.parts[0].findPlan = .seek
    let nodes = try ImportSession(definition).explain().parts[0].nodes
    let seek = try #require(nodes.last?.statements.first { $0.when == "each batch" })
    #expect(seek.sql.hasPrefix("SELECT t.Z_PK") && seek.sql.contains("ON t.ZNAME = k.c0"))
    #expect(seek.plan.contains { $0.contains("USING INDEX") })
    #expect(nodes.last?.statements.contains { $0.sql.hasPrefix("INSERT INTO ZCITY") } == true)
  }

  @Test("nothing is changed, and cursor, scope and limits are told") func removal() throws {
    try map.run("{ entity: Country, find_by: [code], attributes: [size] }", "code,size\nCH,1\nDE,2\nFR,2\n")
    let definition = try map.definition(
      "{ entity: Country, find_by: [code], mode: sync, sync: { where: size == 2, limit: 5, ratio: 10% } }", "code\n")
    let files = try FileManager.default.subpathsOfDirectory(atPath: map.folder.path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: map.store))
    let explanation = try ImportSession(definition).explain()
    #expect(try Data(contentsOf: URL(fileURLWithPath: map.store)) == bytes)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: map.folder.path) == files)
    let removal = try #require(explanation.parts[0].removal)
    #expect(removal.inScope == 2 && removal.limit == 5 && removal.ratio == 0.1)
    #expect(removal.query.sql.contains("ZSIZE"))
    #expect(explanation.memory.map(\.name) == ["batches", "keys", "page_cache", "marks"])

    let more = "since: { column: seen, type: integer, lag: 2 }"
    let upsert = "{ entity: Country, find_by: [code] }"
    try map.run(upsert, "code,seen\nCH,7\n", more: more)
    let cursor = try ImportSession(map.definition(upsert, "code,seen\n", more: more)).explain().parts[0].cursor
    #expect(cursor?.stored?.description == "7")
    #expect(cursor?.start?.description == "5")
  }
}
