import Foundation
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Mode `sync`: what no record names goes.
@Suite("Mode sync") struct SyncTests {
  private let map: ModeFolder
  private static let upsert = "{ entity: Country, find_by: [code], attributes: [name, size] }"

  private static func sync(_ options: String = "", mode: String = "sync") -> String {
    "{ entity: Country, find_by: [code], attributes: [name, size], mode: \(mode), sync: { \(options) } }"
  }

  init() throws {
    map = try ModeFolder()
    try map.run(Self.upsert, "code,name,size\nCH,Schweiz,1\nDE,Deutschland,2\nFR,France,2\nIT,Italia,2\n")
  }

  @Test("objects that no record names are deleted, those that one names are inserted, updated or left alone")
  func deletes() throws {
    let summary = try map.run(Self.sync(), "code,name,size\nCH,Suisse,1\nDE,Deutschland,2\nAT,Austria,2\n")
    #expect(try map.countries() == ["AT", "CH", "DE"])
    #expect((summary.inserted, summary.updated, summary.unchanged) == (1, 1, 1))
    #expect((summary.deleted, summary.marked, summary.denied) == (2, 0, 0))
    #expect(summary.entities["Country"]?.deleted == 2)
    #expect(summary.status == .completed)
  }

  @Test("only objects in scope go") func scope() throws {
    let summary = try map.run(Self.sync("where: \"size == 2 AND code != 'FR'\""), "code,name,size\nDE,D,2\n")
    #expect(try map.countries() == ["CH", "DE", "FR"])
    #expect(summary.deleted == 1)
  }

  @Test(
    "dates in quotes are dates in the scope, as in a fetch",
    arguments: [
      ("goneAt == '2024-01-01'", ["DE", "FR", "IT"]), ("goneAt > '2024-01-01'", ["CH", "FR", "IT"]),
      ("goneAt != NULL AND goneAt != '2024-01-01'", ["CH", "FR", "IT"]),
    ])
  func datesInScope(scope: String, left: [String]) throws {
    let dates = "code,goneAt\nCH,2024-01-01\nDE,2024-06-06\n"
    try map.run("{ entity: Country, find_by: [code], attributes: [goneAt] }", dates)
    let sync = "{ entity: Country, find_by: [code], attributes: [name], mode: sync, sync: { where: \"\(scope)\" } }"
    #expect(try map.run(sync, "code,name\nFR,France\n").deleted == 1)
    #expect(try map.countries() == left)
  }

  @Test("an object of another store in the scope is a finding") func strangers() throws {
    func sync(_ uuid: String) throws -> ImportSummary {
      let scope = "where: \"ally != 'x-coredata://\(uuid)/Country/p1'\""
      return try map.run(Self.sync(scope), "code,name,size\nCH,S,1\n")
    }
    let error = #expect(throws: DiagnosticList.self) { _ = try sync("01234567-89AB-CDEF-0123-456789ABCDEF") }
    #expect(error?.diagnostics.contains { $0.code == "invalidScope" } == true)
    #expect(try map.countries() == ["CH", "DE", "FR", "IT"])
    let own = try StoreMetadata.read(path: map.store).uuid
    #expect(try sync(own).deleted == 3)
  }

  @Test("a record that is rejected keeps its object; one without a readable key keeps all") func badRecords() throws {
    let rejected = try map.run(Self.sync(), "code,name,size\nCH,S,1\nDE,D,x\n")
    #expect(try map.countries() == ["CH", "DE"])
    #expect((rejected.rejected, rejected.deleted) == (1, 2))
    let unreadable = try map.run(Self.sync(), "code,name,size\nCH,S,1\n,D,2\n")
    #expect(unreadable.deleted == 0)
    #expect(
      unreadable.warnings.contains {
        $0.code == .nothingDeleted && $0.message.contains("the key of 1 record cannot be read")
      })
    let short = try map.run(Self.sync(), "code,name,size\nCH,S,1\nXX\n")
    #expect(short.deleted == 0 && short.rejected == 1)
    let all = try map.run(Self.sync("unreadable: delete"), "code,name,size\nCH,S,1\n,D,2\n")
    #expect(all.deleted == 1)
    #expect(try map.countries() == ["CH"])
  }

  @Test("an empty input deletes nothing unless that is allowed", arguments: ["", "XX,name,x\n"])
  func emptyInput(records: String) throws {
    let kept = try map.run(Self.sync(), "code,name,size\n" + records)
    #expect(kept.deleted == 0)
    #expect(kept.warnings.contains { $0.code == .nothingDeleted && $0.message.contains("no good record") })
    #expect(try map.run(Self.sync("allow_empty: true"), "code,name,size\n" + records).deleted == 4)
  }

  @Test(
    "too many deletions take the whole run back",
    arguments: ["limit: 1", "ratio: 40%", "delete: mark, soft_delete: isGone, limit: 1"])
  func limits(options: String) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: map.store))
    let summary = try map.run(Self.sync(options), "code,name,size\nCH,neu,1\nDE,neu,2\n")
    #expect(summary.status == .limitBreached)
    #expect(summary.breach?.message.contains("2 of 4 objects of Country would be") == true)
    #expect(summary.deleted == 0 && summary.marked == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: map.store)) == before)
    #expect(try map.run(Self.sync("limit: 2, ratio: 50%"), "code,name,size\nCH,neu,1\nDE,neu,2\n").deleted == 2)
  }

  @Test("marked objects stay, say that they are gone, and come back as an update", arguments: ["isGone", "goneAt"])
  func marks(attribute: String) throws {
    let column = "Z" + attribute.uppercased()
    let options = "delete: mark, soft_delete: \(attribute)"
    for plan in FindPlan.allCases {
      let first = try map.run(Self.sync(options), "code,name,size\nCH,Schweiz,1\nDE,Deutschland,2\n") {
        $0.parts[0].findPlan = plan
      }
      #expect((first.marked, first.deleted) == (2, 0))
      #expect(try map.rows("SELECT ZCODE FROM ZCOUNTRY WHERE \(column) ORDER BY 1") == ["FR", "IT"])
      let again = try map.run(Self.sync(options), "code,name,size\nCH,Schweiz,1\nDE,Deutschland,2\n")
      #expect((again.marked, again.unchanged) == (0, 2))
      let back = try map.run(
        Self.sync(options), "code,name,size\nCH,Schweiz,1\nFR,France,2\nIT,Italia,2\nDE,Deutschland,2\n"
      ) {
        $0.parts[0].findPlan = plan
        $0.batchLimit.records = 2
      }
      #expect((back.updated, back.unchanged, back.marked) == (2, 2, 0), "\(plan) \(back.findPlans)")
      #expect(try map.rows("SELECT ZCODE FROM ZCOUNTRY WHERE ifnull(\(column), 0)") == [])
    }
  }

  @Test("a replay deletes nothing, and what its records name is not gone any more", arguments: ["sync", "replace"])
  func replay(mode: String) throws {
    for plan in FindPlan.allCases {
      let map = try ModeFolder()
      try map.run(Self.upsert, "code,name,size\nCH,Schweiz,1\nDE,Deutschland,2\nFR,France,2\nIT,Italia,2\n")
      let options = "delete: mark, soft_delete: isGone, limit: 9, unreadable: delete"
      let text = Self.sync(options, mode: mode)
      // France is marked, as its record is there and its code is not.
      let night = try map.run(text, "code,name,size\nCH,Schweiz,1\nDE,Deutschland,2\n,France,2\n")
      #expect((night.marked, night.rejected) == (2, 1))
      let rejects = try map.folder.write(
        map.rejects().joined(separator: "\n").replacing(",France,2", with: "FR,France,2"), to: "right.ndjson")
      let definition = try map.definition(text, "code,name,size\n")
      var replay = definition.replaying(ByteSource(path: rejects), rejectsPath: map.folder.file("again.ndjson"))
      replay.parts[0].findPlan = plan
      let summary = try ImportSession(replay).run()
      #expect((summary.updated, summary.deleted, summary.marked, summary.rejected) == (1, 0, 0, 0), "\(plan)")
      #expect(try map.rows("SELECT ZCODE FROM ZCOUNTRY WHERE ifnull(ZISGONE, 0)") == ["IT"], "\(plan)")
    }
  }

  @Test("delete rules hold: cascade takes along, nullify lets go, deny is a reject that names the object")
  func deleteRules() throws {
    try map.run(
      "{ entity: Building, find_by: [name], relationships: { city: { find_by: { name: city },"
        + " relationships: { country: { find_by: { code: code } } } } } }",
      "name,city,code\nMole,Torino,IT\nLouvre,Paris,FR\n")
    try map.run(
      "{ entity: City, find_by: [name], relationships: { country: { find_by: { code: code } } } }",
      "name,code\nLyon,FR\nBern,CH\nKiel,DE\n")
    let cities = try map.run("{ entity: City, find_by: [name], mode: sync }", "name\nBern\nParis\n")
    // Torino has a building.
    #expect((cities.deleted, cities.denied) == (2, 1))
    #expect(try map.rows("SELECT ZNAME FROM ZCITY ORDER BY 1") == ["Bern", "Paris", "Torino"])
    #expect(cities.status == .completedWithRejects && cities.rejected == 0 && cities.read == 2)
    #expect(cities.rejectCounts == ["delete.denied": 1])
    #expect(map.rejects().count == 1)
    #expect(map.rejects()[0].contains("\"object\":\"x-coredata://") && map.rejects()[0].contains("/City/p"))

    // The cascade from France and Italy meets cities that their buildings keep.
    let countries = try map.run(Self.sync(), "code,name,size\nDE,D,2\n")
    #expect(try map.countries() == ["DE", "FR", "IT"])
    #expect((countries.deleted, countries.denied) == (2, 2))
    #expect(countries.entities["City"]?.deleted == 1 && countries.entities["Country"]?.deleted == 1)
    #expect(try map.rows("SELECT ZNAME FROM ZCITY ORDER BY 1") == ["Paris", "Torino"])
  }

  @Test("what is denied at first goes when its reason goes too") func denialsThatPass() throws {
    try map.run(
      "{ entity: Building, find_by: [name], relationships: { city: { find_by: { name: city } } } }",
      "name,city\nMole,Torino\nLouvre,Paris\n")
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      imports:
        - source: cities.csv
          import: { entity: City, find_by: [name], mode: sync }
        - source: buildings.csv
          import: { entity: Building, find_by: [name], mode: sync }
      """, to: "both.yaml")
    try map.folder.write("name\nParis\n", to: "cities.csv")
    try map.folder.write("name\nLouvre\n", to: "buildings.csv")
    let summary = try ImportSession(Pipeline.read(path).definition).run()
    #expect((summary.deleted, summary.denied) == (2, 0))
    #expect(try map.rows("SELECT ZNAME FROM ZCITY") == ["Paris"])
  }

  @Test("objects that other imports of the run name stay; several sources are one input") func severalSources() throws {
    let path = try map.folder.write(
      """
      model: model.yaml
      store: map.sqlite
      imports:
        - source: [a.csv, b.csv]
          import: { entity: Country, find_by: [code], mode: sync }
        - source: cities.csv
          import: { entity: City, find_by: [name], relationships: { country: { find_by: { code: code } } } }
      """, to: "both.yaml")
    try map.folder.write("code\nCH\n", to: "a.csv")
    try map.folder.write("code\nDE\n", to: "b.csv")
    try map.folder.write("name,code\nRoma,IT\n", to: "cities.csv")
    let summary = try ImportSession(Pipeline.read(path).definition).run()
    #expect(try map.countries() == ["CH", "DE", "IT"])
    #expect(summary.deleted == 1)
  }

  @Test("mode replace leaves exactly what the file says, and objects keep their identity") func replaces() throws {
    try map.run(
      "{ entity: Country, find_by: [code], attributes: [name, size], relationships: { ally: { find_by: { code: ally } } } }",
      "code,name,size,ally\nCH,S,9,FR\n")
    let identity = try map.rows("SELECT Z_PK FROM ZCOUNTRY WHERE ZCODE = 'CH'")
    let text = "{ entity: Country, find_by: [code], attributes: [name], mode: replace }"
    let summary = try map.run(text, "code,name\nCH,S\nDE,Deutschland\n")
    #expect((summary.updated, summary.unchanged, summary.deleted) == (2, 0, 2))
    #expect(try map.rows("SELECT Z_PK FROM ZCOUNTRY WHERE ZCODE = 'CH'") == identity)
    #expect(
      try map.rows("SELECT ZCODE || ZNAME || ZSIZE || ifnull(ZALLY, '-') FROM ZCOUNTRY ORDER BY 1")
        == ["CHS3-", "DEDeutschland3-"])
    for plan in FindPlan.allCases {
      let again = try map.run(text, "code,name\nCH,S\nDE,Deutschland\n") { $0.parts[0].findPlan = plan }
      #expect((again.unchanged, again.updated, again.deleted) == (2, 0, 0), "\(plan)")
    }
  }

  @Test("contradictions are findings at their places") func lint() throws {
    #expect(
      try map.lint("{ entity: Country, find_by: [code], mode: upsert, sync: { limit: 3 } }").filter {
        $0.contains("error")
      }.map { String($0.prefix(22)) } == ["pipeline.yaml:5:59: er"])
    func finding(_ options: String) throws -> String { try map.lint(Self.sync(options)).joined(separator: "\n") }
    #expect(try finding("where: siez == 2").contains("[invalidScope]"))
    #expect(try finding("where: \"size == \"").contains("[invalidScope]"))
    #expect(try finding("where: \"goneAt == 'soon'\"").contains("[invalidScope]"))
    #expect(try finding("where: \"size != '2'\"").contains("write 2 without quotes [invalidScope]"))
    #expect(try finding("delete: mark").contains("[missingField]"))
    #expect(try finding("soft_delete: name").contains("[mappedTwice]"))
    #expect(try finding("soft_delete: isgone").contains("did you mean isGone?"))
    #expect(try finding("soft_delete: isGone").contains("“soft_delete” marks nothing"))
    #expect(try !finding("soft_delete: isGone, delete: remove").contains("error"))
    #expect(try !finding("soft_delete: isGone, delete: mark").contains("error"))
    #expect(
      try map.lint("{ entity: Country, find_by: [code], mode: sync, sync: { soft_delete: name } }").joined().contains(
        "[unsuitableAttribute]"))
    #expect(try map.lint("{ entity: Country, mode: sync }").joined().contains("[missingField]"))
  }
}
