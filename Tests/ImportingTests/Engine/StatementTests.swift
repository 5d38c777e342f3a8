import Foundation
@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite struct StatementTests {
  private let folder = TemporaryFolder()
  private let shop = ShopModel()

  private func records(_ numbers: Range<Int>, label: String = "x") -> [MadeRecord] {
    numbers.map { i in
      [
        "sku": .text("sku \(i)"), "number": .text("\(i)"), "label": .text(label), "amount": .text("1"),
        "email": .text("p\(i % 7)@x"), "age": .text("3"), "team_name": .text("team \(i % 7 % 3)"),
        "team_motto": .text("m"),
        "code": .text("\(i % 5)"), "title": .text("t"), "maker_name": .text("n"), "maker_country": .text("c"),
      ]
    }
  }

  private func definition(_ records: [MadeRecord], batch: Int, store: String = "s.sqlite") throws -> ImportDefinition {
    let input = try folder.write(RecordGenerator.csv(records), to: "input-\(records.count).csv")
    var definition = ImportDefinition(
      name: "statements", model: try shop.build(), storePath: folder.file(store), inputs: [input],
      format: RecordGenerator.csvFormat, root: ShopImport.item())
    definition.batchLimit = BatchLimit(records: batch)
    return definition
  }

  @Test(arguments: [1, 10, 500])
  func aSeekIsOneSelectAnEntityABatchWhateverTheNumberOfRecords(batch: Int) throws {
    _ = try ImportSession(definition(records(0..<600), batch: 100)).run()
    var definition = try definition(records(300..<900, label: "y"), batch: batch)
    definition.findPlan = .seek
    let run = try EngineRun(definition)
    for state in run.importer.nodes { state.finder = SeekFinder() }
    for _ in 0..<2 where try run.read() {
      try run.importBatch()
      let selects = run.statements.filter { $0.hasPrefix("SELECT") }
      #expect(selects.count == 5)
      // The same statements for any number of records: an update, an insert, a sequence for what changed.
      #expect(run.statements.count <= 5 + 5 * 3)
    }
    try run.file.rollBackRun()
  }

  @Test func unchangedRecordsWriteNothing() throws {
    let records = records(0..<200)
    _ = try ImportSession(definition(records, batch: 50)).run()
    for plan in FindPlan.allCases {
      var definition = try definition(records, batch: 50)
      definition.findPlan = plan
      let run = try EngineRun(definition)
      while try run.read() {
        try run.importBatch()
        #expect(run.statements.allSatisfy { $0.hasPrefix("SELECT") }, "\(plan): \(run.statements)")
      }
      #expect(run.importer.ledger.unchanged == 200)
      try run.finish()
    }
  }

  @Test func aScanOrATableOfKeysNeedsNoSelectForUnchangedRecords() throws {
    let records = records(0..<200)
    _ = try ImportSession(definition(records, batch: 50)).run()
    for plan in [FindPlan.automatic, .scan] {
      var definition = try definition(records, batch: 50)
      definition.findPlan = plan
      let run = try EngineRun(definition)
      while try run.read() {
        try run.importBatch()
        #expect(run.statements.isEmpty, "\(plan): \(run.statements)")
      }
      try run.finish()
    }
  }

  @Test func aFirstLoadFetchesNothing() throws {
    for mode in [ImportMode.upsert, .insert, .createMissing] {
      var definition = try definition(records(0..<300), batch: 20, store: "\(mode).sqlite")
      definition.root.mode = mode
      let summary = try ImportSession(definition).run()
      #expect(summary.fetches == 0)
      #expect(summary.inserted == 300)
      #expect(summary.batches == 15)
    }
  }

  @Test func insertsWithoutAKeyNeverSearch() throws {
    let model = try ShopModel(isUnique: false).build()
    for round in 1...2 {
      var definition = try definition(records(0..<50), batch: 10, store: "keyless.sqlite")
      definition.model = model
      definition.root = EntityImport(entityName: "Item", findBy: [], attributes: [ShopImport.field("sku")])
      definition.root.mode = .insert
      definition.policy.again = .run
      let summary = try ImportSession(definition).run()
      #expect(summary.fetches == 0)
      #expect(summary.inserted == 50)
      let dump = try StoreDump(path: definition.storePath, model: model, keys: [:])
      #expect(dump.entities["Item"]?.count == 50 * round)
    }
  }

  @Test func aScanTableThatFillsUpWithinABatchGoesOn() throws {
    // More new keys in one batch than the table has places.
    _ = try ImportSession(definition(records(0..<10), batch: 100)).run()
    var definition = try definition(records(5..<4000), batch: 10_000)
    definition.findPlan = .scan
    let summary = try ImportSession(definition).run()
    #expect(summary.findPlans["Item"] == "scan")
    #expect(summary.inserted == 3990)
    #expect(summary.unchanged == 5)
    let dump = try StoreDump(path: definition.storePath, model: definition.model, keys: [:])
    #expect(dump.entities["Item"]?.count == 4000)
  }

  @Test(arguments: [10, 1000])
  func aScanInPiecesDoesWhatASeekDoes(batch: Int) throws {
    // New, changed and unchanged keys, and keys that come twice, with the same and with another content.
    let second =
      records(200..<500) + records(290..<310, label: "changed") + records(295..<300)
      + records(490..<495, label: "again")
    var dumps: [StoreDump] = []
    for (name, plan) in [("pieces", FindPlan.automatic), ("asked", .scan), ("seeks", .seek)] {
      _ = try ImportSession(definition(records(0..<300), batch: 100, store: "\(name)-\(batch).sqlite")).run()
      var definition = try definition(second, batch: batch, store: "\(name)-\(batch).sqlite")
      definition.findPlan = plan
      definition.keyMemory = 4000
      let summary = try ImportSession(definition).run()
      let expectedPlan = plan == .seek ? "seek" : "partitioned scan"
      #expect(summary.findPlans["Item"] == expectedPlan)
      let counts = [summary.inserted, summary.updated, summary.unchanged]
      // 295 to 299 are changed and changed back.
      #expect(counts == [200, 20, 110])
      dumps.append(try StoreDump(path: definition.storePath, model: definition.model, keys: ["Item": ["sku"]]))
    }
    #expect(dumps[0] == dumps[2])
    #expect(dumps[1] == dumps[2])
  }

  @Test(arguments: [100, 5000])
  func rowsWaitForTheEndOfAScanInPieces(batch: Int) throws {
    let second = records(2000..<2900) + records(2900..<3000, label: "changed") + records(3000..<3500)
    var dumps: [StoreDump] = []
    for (name, plan) in [("wait", FindPlan.automatic), ("sought", .seek)] {
      _ = try ImportSession(definition(records(0..<3000), batch: 1000, store: "\(name)-\(batch).sqlite")).run()
      var definition = try definition(second, batch: batch, store: "\(name)-\(batch).sqlite")
      definition.findPlan = plan
      // The tables of the few targets fit, the hashes of all rows do not.
      definition.keyMemory = 24_000
      #expect(try ImportSession(definition).explain().load.reason == (plan == .seek ? .storeExists : .unlessRepeated))
      let summary = try ImportSession(definition).run()
      #expect(summary.findPlans["Item"] == (plan == .seek ? "seek" : "partitioned scan"))
      #expect(summary.load.reason == (plan == .seek ? .storeExists : .sorted))
      let counts = [summary.inserted, summary.updated, summary.unchanged]
      #expect(counts == [500, 100, 900])
      dumps.append(try StoreDump(path: definition.storePath, model: definition.model, keys: ["Item": ["sku"]]))
    }
    #expect(dumps[0] == dumps[1])
  }

  @Test func rowsDoNotWaitWhereKeysRepeat() throws {
    _ = try ImportSession(definition(records(0..<3000), batch: 1000, store: "repeated.sqlite")).run()
    let second = records(2900..<3000, label: "changed") + records(2900..<3000, label: "again")
    let third = records(0..<1300) + second + records(3000..<3500)
    var definition = try definition(third, batch: 1000, store: "repeated.sqlite")
    definition.keyMemory = 24_000
    let explanation = try ImportSession(definition).explain()
    #expect(explanation.load.reason == .unlessRepeated && explanation.load.name == "sorted")
    let summary = try ImportSession(definition).run()
    #expect(summary.findPlans["Item"] == "partitioned scan")
    #expect(summary.load.reason == .repeatedKeys && summary.load.name == "sqlite" && summary.directRows == 0)
    #expect(summary.inserted == 500 && summary.updated == 200)
  }

  @Test(arguments: [FindPlan.automatic, .scan], [4000, 1 << 20])
  func primaryKeysBeyond32BitsAreNeverScanned(plan: FindPlan, memory: Int) throws {
    let name = "large-\(plan.rawValue)-\(memory).sqlite"
    _ = try ImportSession(definition(records(0..<300), batch: 100, store: name)).run()
    var definition = try definition(records(290..<310, label: "changed"), batch: 100, store: name)
    let connection = try Connection(path: definition.storePath, mode: .readWrite)
    let table = try #require(try connection.text("SELECT name FROM sqlite_master WHERE name LIKE 'ZITEM'"))
    try connection.execute("UPDATE \(table) SET Z_PK = Z_PK + (1 << 40)")
    try connection.close()
    definition.findPlan = plan
    definition.keyMemory = memory
    let summary = try ImportSession(definition).run()
    let counts = [summary.inserted, summary.updated, summary.unchanged]
    #expect(counts == [10, 10, 0])
    let dump = try StoreDump(path: definition.storePath, model: definition.model, keys: ["Item": ["sku"]])
    let items = dump.entities["Item"] ?? []
    #expect(items.count == 310)
    #expect(items.filter { $0.contains("label=“changed”") }.count == 20)
  }

  @Test func keysWithOneHashAreToldApartByTheirBytes() throws {
    _ = try ImportSession(definition(records(0..<10), batch: 100)).run()
    // Records 5..<10 are there, 10..<15 are new; the table takes each of these for one of the first five.
    var definition = try definition(records(5..<15, label: "changed"), batch: 100)
    definition.findPlan = .scan
    let run = try EngineRun(definition)
    #expect(try run.read())
    let table = ScanTable(rows: 100)
    for (record, hash) in run.batch.nodes[run.plan.root].keyHashes.enumerated() {
      table.insert(hash, content: 1, primaryKey: Int64(record % 5 + 1))
    }
    run.importer.nodes[run.plan.root].finder = table
    try run.importBatch()
    #expect(run.importer.ledger.updated == 5)
    #expect(run.importer.ledger.inserted == 5)
    try run.finish()
    let dump = try StoreDump(path: definition.storePath, model: definition.model, keys: ["Item": ["sku"]])
    let items = dump.entities["Item"] ?? []
    #expect(items.count == 15)
    for i in 0..<15 {
      let line = items.first { $0.contains("sku=“sku \(i)”") } ?? ""
      #expect(line.contains(i < 5 ? "label=“x”" : "label=“changed”"), "\(line)")
    }
  }

  @Test func importingTheSameFileTwiceChangesNothing() throws {
    for (seed, isJSON) in [(1, true), (2, false), (3, true), (4, false)] as [(UInt64, Bool)] {
      var generator = RecordGenerator(random: SeededGenerator(seed: seed), allowsAbsent: isJSON, keyCount: 40)
      // Distinct keys: of several records with one key each would change what the one before it left.
      var records = generator.records(40)
      for i in records.indices {
        records[i]["sku"] = .text("\(RecordGenerator.texts[i])")
        records[i]["code"] = .text("\(i % 7)")
        for (key, others) in [
          ("email", ["age", "team_name", "team_motto"]), ("code", ["title", "maker_name", "maker_country"]),
        ] {
          guard let first = records[..<i].first(where: { $0[key] == records[i][key] }) else { continue }
          for other in others { records[i][other] = first[other] }
        }
        guard let first = records[..<i].first(where: { $0["team_name"] == records[i]["team_name"] }) else { continue }
        records[i]["team_motto"] = first["team_motto"]
      }
      let text = isJSON ? RecordGenerator.ndjson(records) : RecordGenerator.csv(records)
      let input = try folder.write(text, to: "same-\(seed)")
      let model = try shop.build()
      var definition = ImportDefinition(
        name: "same", model: model, storePath: folder.file("same-\(seed).sqlite"), inputs: [input],
        format: isJSON ? .ndjson(NDJSONOptions()) : RecordGenerator.csvFormat, root: ShopImport.item())
      let first = try ImportSession(definition).run()
      #expect(first.inserted > 10)
      let before = try StoreDump(path: definition.storePath, model: model, keys: [:])
      for plan in FindPlan.allCases {
        for memory in [64, 32 << 20] {
          definition.findPlan = plan
          definition.keyMemory = memory
          definition.batchLimit = BatchLimit(records: 7)
          let again = try ImportSession(definition).run()
          #expect(again.inserted == 0 && again.updated == 0, "seed \(seed), \(plan)")
          #expect(again.unchanged == first.inserted, "seed \(seed), \(plan)")
          #expect(again.rejected == first.rejected, "seed \(seed), \(plan)")
          #expect(
            again.entities.values.allSatisfy { $0.inserted == 0 && $0.updated == 0 },
            "seed \(seed), \(plan): \(again.entities)")
          let after = try StoreDump(path: definition.storePath, model: model, keys: [:])
          #expect(after.raw == before.raw, "seed \(seed), \(plan)")
        }
      }
    }
  }
}
