import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Dry runs: everything is executed, nothing is changed, and the counts are those of the run that follows.
@Suite("Dry runs") struct DryRunTests {
  /// Every file of a folder with its bytes and the time of its last change, but for the rejects file.
  private func contents(_ folder: String) throws -> [String: String] {
    var result: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name != "rejects.ndjson" {
      let path = folder + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let data = FileManager.default.contents(atPath: path) ?? Data()
      // A log was appended to and cut again.
      let time = name.hasSuffix("-wal") ? nil : attributes[.modificationDate]
      result[name] = "\(data.count) \(data.hashValue) \(time ?? "")"
    }
    return result
  }

  private static func counts(_ summary: ImportSummary) -> [String: Int] {
    [
      "read": summary.read, "inserted": summary.inserted, "updated": summary.updated, "unchanged": summary.unchanged,
      "skipped": summary.skipped, "rejected": summary.rejected, "deleted": summary.deleted, "marked": summary.marked,
      "denied": summary.denied,
    ]
  }

  @Test(
    "a store in any journal mode, with a log beside it or none, stays as it is byte for byte",
    arguments: ["DELETE", "WAL", "WAL with a log"])
  func leavesNoTrace(mode: String) throws {
    let map = try ModeFolder()
    try map.run("{ entity: Country, find_by: [code], attributes: [name, size] }", "code,name,size\nCH,S,1\nDE,D,2\n")
    let connection = try Connection(path: map.store, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode=\(mode.prefix(6) == "DELETE" ? "DELETE" : "WAL")")
    if mode.hasSuffix("log") {
      try connection.execute("PRAGMA wal_autocheckpoint=0; UPDATE ZCOUNTRY SET ZNAME = 'changed'")
      connection.keepLogOnClose()
    }
    try connection.close()
    try? FileManager.default.removeItem(atPath: map.store + "-shm")
    try map.folder.write("code,name,size\nCH,S,9\nAT,A,1\nXX,y,z\n", to: "input.csv")
    let definition = try map.definition(
      "{ entity: Country, find_by: [code], attributes: [name, size], mode: sync }",
      "code,name,size\nCH,S,9\nAT,A,1\nXX,y,z\n")
    let before = try contents(map.folder.path)
    var dry = definition
    dry.isDryRun = true
    dry.sampledChanges = 10
    let tried = try ImportSession(dry).run()
    #expect(tried.status == .dryRun)
    #expect((tried.inserted, tried.updated, tried.rejected, tried.deleted) == (1, 1, 1, 1))
    #expect(try contents(map.folder.path) == before)
    let real = try ImportSession(definition).run()
    #expect(real.entities == tried.entities)
    #expect(real.deleted == tried.deleted)
  }

  @Test("a store that is not there is not made") func newStore() throws {
    let map = try ModeFolder()
    let definition = try map.definition("{ entity: Country, find_by: [code] }", "code\nCH\nDE\n")
    let before = try contents(map.folder.path)
    var dry = definition
    dry.isDryRun = true
    #expect(try ImportSession(dry).run().inserted == 2)
    #expect(try contents(map.folder.path) == before)
  }

  @Test("counts are those of the run that follows, in all modes", arguments: Soak.seeds(8, from: 1))
  func countsAgree(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<12 {
      let map = try ModeFolder()
      func records() -> String {
        var text = "code,name,size,n\n"
        for _ in 0..<Int.random(in: 0...30, using: &random) {
          let key = Int.random(in: 0..<12, using: &random)
          let size = Int.random(in: 0..<9, using: &random) == 0 ? "x" : "\(Int.random(in: 0..<3, using: &random))"
          text += (key == 0 ? "" : "c\(key)") + ",n\(Int.random(in: 0..<2, using: &random)),\(size),\(key)\n"
        }
        return text
      }
      try map.run("{ entity: Country, find_by: [code], attributes: [name, size] }", records())
      let mode = ImportMode.allCases.randomElement(using: &random) ?? .upsert
      var options = ""
      if mode.removesOthers {
        options = ", sync: { unreadable: delete"
        if Bool.random(using: &random) { options += ", where: 'size < 2'" }
        if Bool.random(using: &random) { options += ", limit: \(Int.random(in: 0..<8, using: &random))" }
        if Bool.random(using: &random) { options += ", delete: mark, soft_delete: isGone" }
        options += " }"
      }
      let duplicates = DuplicatePolicy.allCases.randomElement(using: &random) ?? .last
      var definition = try map.definition(
        "{ entity: Country, find_by: [code], attributes: [name, size], mode: \(mode.rawValue), duplicates: "
          + "\(duplicates.rawValue)\(options) }", records())
      definition.batchLimit.records = [1, 3, 100].randomElement(using: &random) ?? 3
      definition.parts[0].findPlan = FindPlan.allCases.randomElement(using: &random) ?? .automatic
      if Int.random(in: 0..<4, using: &random) == 0 { definition.rejects.limit = 2 }
      var dry = definition
      dry.isDryRun = true
      dry.sampledChanges = Int.random(in: 0..<5, using: &random)
      let before = try contents(map.folder.path)
      let tried = try ImportSession(dry).run()
      #expect(try contents(map.folder.path) == before, "seed \(seed), round \(round)")
      let real = try ImportSession(definition).run()
      let how = "seed \(seed), round \(round), \(mode)"
      #expect(tried.entities == real.entities, "\(how)")
      #expect(Self.counts(tried) == Self.counts(real), "\(how)")
      #expect(tried.rejectCounts == real.rejectCounts && tried.breach == real.breach, "\(how)")
      #expect(tried.status == (real.status == .limitBreached ? .limitBreached : .dryRun), "\(how)")
    }
  }

  @Test("the sample has inserted, updated and deleted objects with their values") func changes() throws {
    let map = try ModeFolder()
    try map.run(
      "{ entity: Country, find_by: [code], attributes: [name, size, goneAt] }",
      "code,name,size,goneAt\nCH,S,1,2024-05-01\nDE,D,2,\nFR,F,2,\n")
    let long = String(repeating: "é", count: 150)
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [name, size], mode: sync,"
        + " relationships: { ally: { find_by: { code: ally }, missing: 'null' } } }",
      "code,name,size,ally\nCH,S,9,DE\nDE,D,2,\nAT,\(long),1,\n"
    ) {
      $0.sampledChanges = 10
      $0.isDryRun = true
    }
    let changes = summary.changes
    let updated = try #require(changes.first { $0.kind == .updated && $0.properties.contains { $0.name == "size" } })
    let size = updated.properties.first { $0.name == "size" }
    #expect(size?.before?.text == "1" && size?.after?.text == "9" && size?.after?.isText == false)
    let ally = changes.flatMap(\.properties).first { $0.name == "ally" }
    #expect(ally?.before == nil && ally?.after?.text.hasPrefix("Country/p") == true)
    let inserted = try #require(changes.first { $0.kind == .inserted })
    let name = inserted.properties.first { $0.name == "name" }?.after
    #expect(name?.wholeLength == 300 && name?.text == String(repeating: "é", count: 100))
    #expect(inserted.properties.first { $0.name == "size" }?.after?.text == "1")
    let deleted = try #require(changes.first { $0.kind == .deleted })
    #expect(deleted.properties.first { $0.name == "code" }?.before?.text == "FR")
    #expect(changes.count == summary.inserted + summary.updated + summary.deleted)
  }

  @Test(
    "the sample shows dates as all outputs do, with the fractions of their seconds",
    arguments: [
      ("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.5Z"), ("0099-01-01T01:02:03.125Z", "0099-01-01T01:02:03.125Z"),
      ("2024-01-01", "2024-01-01T00:00:00Z"),
    ])
  func dates(written: String, shown: String) throws {
    let map = try ModeFolder()
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [goneAt] }", "code,goneAt\nCH,\(written)\n"
    ) {
      $0.sampledChanges = 10
    }
    let values = summary.changes.flatMap(\.properties).filter { $0.name == "goneAt" }.map(\.after?.text)
    #expect(values == [shown])
  }

  @Test("the sample shows values that are in files beside the store, and changes behind what it shows of long values")
  func changesOfLongValues() throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      model: Map
      entities:
        Sheet:
          attributes: { code: string!, note: string, scan: { type: binary, external_storage: true } }
          unique: [code]
      """, to: "model.yaml")
    let pipeline = try folder.write(
      """
      model: model.yaml
      store: map.sqlite
      source: input.ndjson
      import: { entity: Sheet, find_by: [code], attributes: [note, scan] }
      """, to: "pipeline.yaml")
    func changes(_ scans: [[UInt8]], note: String = "", isDryRun: Bool = false) throws -> [ObjectChange] {
      let lines = scans.map { #"{"code":"a","note":"\#(note)","scan":"\#(Data($0).base64EncodedString())"}"# }
      try folder.write(lines.joined(separator: "\n"), to: "input.ndjson")
      var definition = try Pipeline.read(pipeline).definition
      definition.sampledChanges = 10
      definition.batchLimit.records = 1
      definition.isDryRun = isDryRun
      return try ImportSession(definition).run().changes
    }
    let small: [UInt8] = [0x61, 0x62, 0x63]
    let large = [UInt8](repeating: 0x5A, count: 120_000)
    let other = Array(large.dropLast()) + [0x59]
    let shown = String(repeating: "5a", count: 100)
    _ = try changes([small])
    let tried = try changes([large, other, small, other], isDryRun: true)
    let made = try changes([large, other, small, other])
    #expect(tried == made)
    let values = made.flatMap(\.properties)
    #expect(values.map(\.before?.text) == ["616263", shown, shown, "616263"])
    #expect(values.map(\.after?.text) == [shown, shown, "616263", shown])
    #expect(values.compactMap(\.before?.wholeLength) == [120_000, 120_000])
    #expect(try changes([other]).isEmpty)
    let long = String(repeating: "é", count: 150)
    _ = try changes([other], note: long + "1")
    let note = try #require(try changes([other], note: long + "2").first?.properties.first)
    #expect(note.name == "note" && note.before == note.after && note.after?.wholeLength == 301)
  }

  @Test("the sample stops at its size and has nothing of records that were refused") func sampleSize() throws {
    let map = try ModeFolder()
    let records = (0..<50).map { "c\($0),n,1" }.joined(separator: "\n")
    let summary = try map.run(
      "{ entity: Country, find_by: [code], attributes: [name, size] }", "code,name,size\n\(records)\n"
    ) {
      $0.sampledChanges = 7
      $0.batchLimit.records = 5
    }
    #expect(summary.changes.count == 7 && summary.inserted == 50)
    #expect(try map.run("{ entity: Country, find_by: [code] }", "code\nc1\n").changes.isEmpty)
  }
}
