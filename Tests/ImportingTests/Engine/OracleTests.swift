import Foundation
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// One random import: a model, a definition and records, which a seed decides.
private struct RandomImport {
  var shop = ShopModel()
  var root: EntityImport
  var findPlan: FindPlan
  var keyMemory = 32 << 20
  var isJSON: Bool
  var random: SeededGenerator
  var keyCount: Int

  var keys: [String: [String]] {
    ["Item": shop.itemKey, "Person": ["email"], "Part": ["code"], "Team": ["name"], "Company": ["name", "country"]]
  }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isJSON = Bool.random(using: &random)
    shop.itemKey = [["sku"], ["sku", "number"], ["number"]].randomElement(using: &random) ?? ["sku"]
    shop.isUnique = Int.random(in: 0..<4, using: &random) != 0
    shop.needsOwner = Int.random(in: 0..<4, using: &random) == 0
    findPlan = FindPlan.allCases.randomElement(using: &random) ?? .automatic
    // Small enough for tables to be given up, or for the items' table but not its targets' to be scanned in pieces.
    keyMemory = [32 << 20, 32 << 20, 64, 2000, 4000].randomElement(using: &random) ?? 64
    keyCount = [3, 8, 40].randomElement(using: &random) ?? 8
    root = ShopImport.item(key: shop.itemKey)
    root.mode = ImportMode.allCases.randomElement(using: &random) ?? .upsert
    root.duplicates = DuplicatePolicy.allCases.randomElement(using: &random) ?? .last
    Self.vary(&root, &random)
    Self.varyRemoval(&root, &random)
  }

  /// Draws which objects go, and for mode `replace` what no record fills.
  private static func varyRemoval(_ root: inout EntityImport, _ random: inout SeededGenerator) {
    guard root.mode.removesOthers else { return }
    root.sync.unreadable = Int.random(in: 0..<3, using: &random) == 0 ? .keep : .delete
    root.sync.allowsEmpty = Bool.random(using: &random)
    if Bool.random(using: &random) { root.sync.scope = try? ObjectPredicate(format: NaiveImporter.scope) }
    guard root.mode == .replace else { return }
    root.attributes.removeAll { $0.attributeName != "number" && Bool.random(using: &random) }
    root.relationships.removeAll { $0.name != "owner" && Bool.random(using: &random) }
  }

  /// Draws policies for every field and relationship.
  private static func vary(_ part: inout EntityImport, _ random: inout SeededGenerator) {
    for i in part.attributes.indices {
      func draw() -> FieldImport.Substitute {
        // Rejecting is drawn rarely, or nothing would be left to import.
        let policies: [FieldImport.Substitute] = [.keep, .keep, .null, .null, .useDefault, .useDefault, .empty, .empty]
        return Int.random(in: 0..<60, using: &random) == 0 ? .reject : policies.randomElement(using: &random) ?? .keep
      }
      if Bool.random(using: &random) { part.attributes[i].whenAbsent = draw() }
      if Bool.random(using: &random) { part.attributes[i].whenNull = draw() }
      if Bool.random(using: &random) { part.attributes[i].whenEmpty = draw() }
    }
    for i in part.relationships.indices {
      let mode: ImportMode? = [.upsert, .upsert, .update, .createMissing].randomElement(using: &random)
      part.relationships[i].target.mode = mode ?? .upsert
      let missing: MissingTargetPolicy? = [.create, .create, .reject, .null].randomElement(using: &random)
      part.relationships[i].missing = missing ?? .create
      vary(&part.relationships[i].target, &random)
    }
  }

  mutating func records(_ count: Int) -> [MadeRecord] {
    var generator = RecordGenerator(random: random, allowsAbsent: isJSON, keyCount: keyCount)
    let records = generator.records(count)
    random = generator.random
    return records
  }

  func write(_ records: [MadeRecord], _ folder: TemporaryFolder, _ name: String) throws -> String {
    try folder.write(isJSON ? RecordGenerator.ndjson(records) : RecordGenerator.csv(records), to: name)
  }

  func definition(_ model: ManagedObjectModel, store: String, input: String, records: Int) -> ImportDefinition {
    var definition = ImportDefinition(
      name: "random", model: model, storePath: store, inputs: [input],
      format: isJSON ? .ndjson(NDJSONOptions()) : RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: records)
    definition.findPlan = findPlan
    definition.keyMemory = keyMemory
    return definition
  }
}

@Suite(.tags(.oracle)) struct OracleTests {
  private static let batchSizes = [1, 2, 3, 7, 10_000]

  /// The seeds of a block; `MERGEWALK_ORACLE_SEEDS=5000-5200` runs others instead, all in the first block.
  private static func seeds(_ block: UInt64) -> Range<UInt64> {
    let wanted = ProcessInfo.processInfo.environment["MERGEWALK_ORACLE_SEEDS"]?.split(separator: "-").map {
      UInt64($0) ?? 0
    }
    guard let wanted, wanted.count == 2 else { return block * 1000..<block * 1000 + 6 }
    return block == 1 ? wanted[0]..<max(wanted[0], wanted[1]) : 0..<0
  }

  @Test(arguments: Soak.seeds(6, from: 1, long: 600))
  func newStoresHoldWhatTheNaiveImporterMakes(block: UInt64) throws {
    for seed in Self.seeds(block) {
      var made = RandomImport(seed: seed)
      let model = try made.shop.build()
      let folder = TemporaryFolder()
      let records = made.records(Int.random(in: 1...60, using: &made.random))
      let input = try made.write(records, folder, "input")
      var naive = NaiveImporter(model: model)
      naive.run(records, made.root)
      for size in Self.batchSizes {
        let store = folder.file("new-\(size).sqlite")
        var definition = made.definition(model, store: store, input: input, records: size)
        // Nothing is as small as this; what does not go past SQLite says so.
        if seed % 2 == 0 { definition.policy.direct = .always }
        try check(definition, naive, made.keys, "seed \(seed), batches of \(size)")
      }
    }
  }

  @Test(arguments: Soak.seeds(6, from: 1, long: 600))
  func existingStoresHoldWhatTheNaiveImporterMakes(block: UInt64) throws {
    for seed in Self.seeds(block) {
      var made = RandomImport(seed: seed)
      let model = try made.shop.build()
      let folder = TemporaryFolder()
      let first = made.records(Int.random(in: 1...60, using: &made.random))
      let second = made.records(Int.random(in: 1...60, using: &made.random))
      var loading = made
      loading.root = ShopImport.item(key: made.shop.itemKey)
      let base = folder.file("base.sqlite")
      let firstInput = try made.write(first, folder, "first")
      var naive = NaiveImporter(model: model)
      naive.run(first, loading.root)
      try check(
        loading.definition(model, store: base, input: firstInput, records: 7), naive, made.keys, "seed \(seed), load")

      naive.run(second, made.root)
      let input = try made.write(second, folder, "second")
      for size in Self.batchSizes {
        let store = folder.file("existing-\(size).sqlite")
        try FileManager.default.copyItem(atPath: base, toPath: store)
        try check(
          made.definition(model, store: store, input: input, records: size), naive, made.keys,
          "seed \(seed), batches of \(size), existing store")
      }
    }
  }

  @Test(arguments: Soak.seeds(6, from: 1, long: 600))
  func newStoresAreTheSameHoweverOftenTheirRunsAreStopped(block: UInt64) throws {
    var resumed = 0
    for seed in Self.seeds(block) {
      var made = RandomImport(seed: seed)
      let model = try made.shop.build()
      let folder = TemporaryFolder()
      let records = made.records(Int.random(in: 1...60, using: &made.random))
      let input = try made.write(records, folder, "input")
      var naive = NaiveImporter(model: model)
      naive.run(records, made.root)
      for size in [1, 4, 11] {
        let store = folder.file("new-\(size).sqlite")
        let definition = made.definition(model, store: store, input: input, records: size)
        let stops = try stop(definition, &made.random)
        try check(definition, naive, made.keys, "seed \(seed), batches of \(size), stopped \(stops) times")
        if stops > 0 { resumed += 1 }
      }
      // Neither hidden files nor journals.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4, "seed \(seed)")
    }
    #expect(resumed > 0)
  }

  /// Runs an import and stops it behind a few batches, again and again; returns how often.
  private func stop(_ definition: ImportDefinition, _ random: inout SeededGenerator) throws -> Int {
    var stops = 0
    while Int.random(in: 0..<8, using: &random) > 0 {
      let last = Int.random(in: 1...3, using: &random)
      var batches = 0
      let summary = try ImportSession(definition).run(
        progress: { if $0.stage == .records { batches += 1 } }, shouldStop: { batches >= last })
      guard summary.status == .interrupted else {
        try FileManager.default.removeItem(atPath: definition.storePath)
        return 0
      }
      stops += 1
    }
    return stops
  }

  private func check(
    _ definition: ImportDefinition, _ naive: NaiveImporter, _ keys: [String: [String]], _ name: String
  ) throws {
    let how = "\(name), \(definition.findPlan), \(definition.root.mode), duplicates \(definition.root.duplicates)"
    let summary = try ImportSession(definition).run()
    let counts = NaiveImporter.Counts(
      read: summary.read, inserted: summary.inserted, updated: summary.updated, unchanged: summary.unchanged,
      skipped: summary.skipped, rejected: summary.rejected)
    #expect(counts == naive.counts, "\(how), plans \(summary.findPlans)")
    let entities = summary.entities.mapValues { counts in
      var counts = counts
      // How references fared is part of the fields' tallies.
      (counts.found, counts.missing) = (0, 0)
      return counts
    }
    #expect(entities == naive.entityCounts, "\(how), plans \(summary.findPlans)")
    let dump = try StoreDump(path: definition.storePath, model: definition.model, keys: keys)
    let expected = naive.dump(keys: keys)
    for (entity, lines) in expected {
      let found = dump.entities[entity] ?? []
      #expect(
        found == lines,
        "\(how), plans \(summary.findPlans): \(entity) lacks \(Set(lines).subtracting(found).sorted()) and has \(Set(found).subtracting(lines).sorted())"
      )
    }
    for line in naive.untouched(keys: keys) where dump.versions[line] != nil {
      #expect(dump.versions[line] == 1, "\(how): \(line)")
    }
  }
}
