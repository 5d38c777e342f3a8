import Foundation
@testable import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Ways of importing flat data: without searching, and by creating all and deleting duplicates.
@Suite struct DeduplicateTests {
  private let folder = TemporaryFolder()

  private func definition(_ numbers: some Sequence<Int>, label: String = "x", mode: ImportMode = .upsert) throws
    -> ImportDefinition
  {
    let records: [MadeRecord] = numbers.map { i in
      ["sku": .text("sku \(i)"), "number": .text("\(i)"), "label": .text(label), "amount": .text("1")]
    }
    let input = try folder.write(RecordGenerator.csv(records), to: "in.csv")
    var root = EntityImport(entityName: "Item", findBy: mode == .insert ? [] : [ShopImport.field("sku")])
    root.attributes = ["number", "label", "amount"].map { ShopImport.field($0) }
    if mode == .insert { root.attributes.append(ShopImport.field("sku")) }
    root.mode = mode
    var definition = ImportDefinition(
      name: "flat", model: try ShopModel().build(), storePath: folder.file("s.sqlite"), inputs: [input],
      format: RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: 50)
    definition.findPlan = .deduplicate
    return definition
  }

  private func dump(_ definition: ImportDefinition) throws -> StoreDump {
    try StoreDump(path: definition.storePath, model: definition.model, keys: ["Item": ["sku"]])
  }

  @Test("IM8: duplicates are found by one fetch a batch, whatever the number of records, and keys leave no gaps")
  func oneFetchABatch() throws {
    _ = try ImportSession(definition(0..<100)).run()
    // Half are there, one in ten comes twice.
    let numbers = (50..<250).flatMap { $0 % 10 == 0 ? [$0, $0] : [$0] }
    let run = try EngineRun(definition(numbers, label: "y"))
    #expect(run.importer.nodes[0].finder.name == "deduplicate")
    while try run.read() {
      try run.importBatch()
      #expect(run.statements.filter { $0.hasPrefix("SELECT") }.count == 1, "\(run.statements)")
      #expect(run.statements.count <= 4, "\(run.statements)")
    }
    try run.finish()
    #expect(run.importer.ledger.inserted == 150 && run.importer.ledger.updated == 50)
    #expect(run.importer.ledger.unchanged == 20)
    let found = try dump(definition(numbers))
    #expect(found.entities["Item"]?.count == 250)
    let keys = found.raw.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(keys.sorted() == Array(1...250))
  }

  @Test(
    "IM8: the result is that of finding first", arguments: ImportMode.allCases.filter { $0 != .insert },
    DuplicatePolicy.allCases)
  func equalsFindOrCreate(mode: ImportMode, duplicates: DuplicatePolicy) throws {
    var dumps: [[String: [String]]] = []
    var counts: [[Int]] = []
    for plan in [FindPlan.deduplicate, .seek, .scan] {
      try? FileManager.default.removeItem(atPath: folder.file("s.sqlite"))
      _ = try ImportSession(definition(0..<100)).run()
      var definition = try definition((50..<170).flatMap { [$0, $0 - $0 % 3] }, label: "z", mode: mode)
      definition.root.duplicates = duplicates
      definition.findPlan = plan
      let summary = try ImportSession(definition).run()
      #expect(summary.findPlans["Item"] == plan.rawValue)
      counts.append(
        [summary.inserted, summary.updated, summary.unchanged, summary.skipped, summary.rejected, summary.deleted])
      dumps.append(try dump(definition).entities)
    }
    #expect(counts[0] == counts[1] && counts[1] == counts[2])
    #expect(dumps[0] == dumps[1] && dumps[1] == dumps[2])
  }

  @Test("IM7: inserting without a key searches nothing, and the unique index rejects what is there")
  func insertWithoutSearching() throws {
    _ = try ImportSession(definition(0..<10)).run()
    let run = try EngineRun(definition(10..<110, mode: .insert))
    while try run.read() {
      try run.importBatch()
      #expect(!run.statements.contains { $0.hasPrefix("SELECT") }, "\(run.statements)")
    }
    try run.finish()
    let twice = try ImportSession(definition(100..<120, mode: .insert)).run()
    #expect((twice.inserted, twice.rejected) == (10, 10))
    #expect(twice.rejectCounts == ["constraint.unique": 10])
  }
}
