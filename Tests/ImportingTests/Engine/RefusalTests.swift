import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Records that are rejected one at a time, and runs with too many of them.
@Suite struct RefusalTests {
  private let folder = TemporaryFolder()
  private let keys = ["Item": ["sku"], "Person": ["email"], "Part": ["code"], "Team": ["name"]]

  private func record(_ sku: String, _ serial: String?, email: String = "", badge: String? = nil) -> MadeRecord {
    [
      "sku": .text(sku), "serial": serial.map { .text($0) } ?? .null, "email": .text(email),
      "badge": badge.map { .text($0) } ?? .null,
    ]
  }

  /// A model whose items have a serial number and whose people have a badge that nobody else has.
  private func model() throws -> ManagedObjectModel {
    var draft = try ShopModel(itemConstraints: [["serial"]]).build().draft
    for i in draft.entities.indices where draft.entities[i].name == "Person" {
      draft.entities[i].uniquenessConstraints.append(["badge"])
    }
    return try ManagedObjectModel(draft)
  }

  private func definition(_ records: [MadeRecord], batch: Int, store: String = "s.sqlite") throws -> ImportDefinition {
    let input = try folder.write(RecordGenerator.csv(records), to: "in-\(UUID().uuidString).csv")
    var root = EntityImport(entityName: "Item", findBy: [ShopImport.field("sku")])
    root.attributes = [ShopImport.field("serial"), ShopImport.field("amount")]
    var person = EntityImport(entityName: "Person", findBy: [ShopImport.field("email")])
    person.attributes = [ShopImport.field("badge")]
    root.relationships = [RelationshipImport(name: "owner", target: person)]
    var definition = ImportDefinition(
      name: "refusals", model: try model(), storePath: folder.file(store), inputs: [input],
      format: RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: batch)
    return definition
  }

  private func dump(_ definition: ImportDefinition) throws -> StoreDump {
    try StoreDump(path: definition.storePath, model: definition.model, keys: keys)
  }

  private func items(_ dump: StoreDump) -> [String] {
    (dump.entities["Item"] ?? []).map { line in
      line.replacingOccurrences(of: "amount=null label=“unnamed” number=null ", with: "")
        .replacingOccurrences(of: " part→null", with: "")
    }
  }

  private static let plans: [(FindPlan, Int)] = FindPlan.allCases.flatMap { plan in [1, 2, 3, 100].map { (plan, $0) } }

  @Test(arguments: [1, 2, 3, 100])
  func aValueThatMustBeUniqueRejectsItsRecordOnly(batch: Int) throws {
    let records = [
      record("a", "1"), record("b", "2"), record("c", "1"), record("d", nil), record("e", nil), record("f", "2"),
      record("g", "3"),
    ]
    let definition = try definition(records, batch: batch)
    let summary = try ImportSession(definition).run()
    #expect(summary.inserted == 5 && summary.rejected == 2)
    #expect(summary.status == .completedWithRejects)
    #expect(summary.rejectCounts == ["constraint.unique": 2])
    #expect(
      items(try dump(definition)) == [
        "serial=null sku=“d” owner→null", "serial=null sku=“e” owner→null", "serial=“1” sku=“a” owner→null",
        "serial=“2” sku=“b” owner→null", "serial=“3” sku=“g” owner→null",
      ])
  }

  @Test(arguments: plans)
  func aRefusedUpdateLeavesTheObjectAndTheRecordsAfterItAlone(plan: FindPlan, batch: Int) throws {
    let base = try definition([record("a", "1"), record("b", "2"), record("c", "3")], batch: 100)
    _ = try ImportSession(base).run()
    // “b” takes another serial number, then that of “a”, which is refused, twice; “c” is as it was.
    let records = [record("b", "4"), record("n", "9"), record("b", "1"), record("b", "1"), record("c", "3")]
    var definition = try definition(records, batch: batch)
    definition.findPlan = plan
    let summary = try ImportSession(definition).run()
    #expect(summary.rejected == 2, "\(plan), \(batch)")
    #expect(summary.inserted == 1 && summary.updated == 1 && summary.unchanged == 1, "\(plan), \(batch)")
    #expect(
      items(try dump(definition)) == [
        "serial=“1” sku=“a” owner→null", "serial=“3” sku=“c” owner→null", "serial=“4” sku=“b” owner→null",
        "serial=“9” sku=“n” owner→null",
      ], "\(plan), \(batch)")
  }

  @Test(arguments: plans)
  func aRefusedInsertCanBeMadeGoodByALaterRecord(plan: FindPlan, batch: Int) throws {
    let base = try definition([record("a", "1")], batch: 100)
    _ = try ImportSession(base).run()
    // In one batch the last record of “n” would hide the first, so there are others between them.
    let filler = (0..<100).map { record("filler \($0)", nil) }
    let records =
      [record("n", "1"), record("m", "5")] + filler + [record("n", "6"), record("n", "1"), record("o", "7")]
    var definition = try definition(records, batch: batch)
    definition.findPlan = plan
    let summary = try ImportSession(definition).run()
    #expect(summary.inserted == 103 && summary.rejected == 2, "\(plan), \(batch)")
    #expect(
      items(try dump(definition)).filter { !$0.contains("filler") } == [
        "serial=“1” sku=“a” owner→null", "serial=“5” sku=“m” owner→null", "serial=“6” sku=“n” owner→null",
        "serial=“7” sku=“o” owner→null",
      ], "\(plan), \(batch)")
  }

  @Test(arguments: plans)
  func aRefusedTargetRejectsTheRecordThatNamesIt(plan: FindPlan, batch: Int) throws {
    let base = try definition(
      [record("a", "1", email: "p", badge: "x"), record("b", "2", email: "q", badge: "y")], batch: 100)
    _ = try ImportSession(base).run()
    // “a” would go to somebody who cannot be there; the first record of “n” is good, the second is not.
    let records = [
      record("a", "1", email: "new", badge: "x"), record("n", "3", email: "p", badge: "x"),
      record("n", "4", email: "other", badge: "y"), record("b", "2", email: "p", badge: "x"),
      record("c", "5", email: "q", badge: "x"),
    ]
    var definition = try definition(records, batch: batch)
    definition.findPlan = plan
    let summary = try ImportSession(definition).run()
    #expect(summary.inserted == 1 && summary.updated == 1 && summary.rejected == 3, "\(plan), \(batch)")
    let dump = try dump(definition)
    #expect(
      items(dump) == [
        "serial=“1” sku=“a” owner→(“p”)", "serial=“2” sku=“b” owner→(“p”)", "serial=“3” sku=“n” owner→(“p”)",
      ], "\(plan), \(batch)")
    #expect(
      dump.entities["Person"] == ["age=null badge=“x” email=“p” team→null", "age=null badge=“y” email=“q” team→null"],
      "\(plan), \(batch)")
    #expect(summary.entities["Person"]?.inserted == 0, "\(plan), \(batch)")
  }

  @Test(arguments: [1, 7, 10_000], [false, true])
  func manyRefusalsAmongManyRecordsRejectJustThese(batch: Int, isExisting: Bool) throws {
    // Every seventh record takes the serial number of the one before it.
    let records = (0..<700).map { i in
      record("n\(i)", i % 7 == 6 ? "\(i - 1)" : "\(i)", email: "p\(i % 10)@x", badge: "b\(i % 10)")
    }
    if isExisting { _ = try ImportSession(definition([record("a", "a")], batch: 1)).run() }
    let definition = try definition(records, batch: batch)
    let summary = try ImportSession(definition).run()
    #expect(summary.inserted == 600 && summary.rejected == 100)
    #expect(summary.entities["Person"]?.inserted == 10)
    let dump = try dump(definition)
    #expect(dump.entities["Item"]?.count == (isExisting ? 601 : 600))
    #expect(dump.entities["Person"]?.count == 10)
  }

  @Test(arguments: [1, 3, 100])
  func aValueThatOnlyANewObjectLacksRejectsItsRecordOnly(batch: Int) throws {
    var draft = try ShopModel().build().draft
    for i in draft.entities.indices where draft.entities[i].name == "Item" {
      for j in draft.entities[i].attributes.indices where draft.entities[i].attributes[j].name == "serial" {
        draft.entities[i].attributes[j].isOptional = false
      }
    }
    func records(_ texts: [(String, String?)]) throws -> ImportDefinition {
      let made = texts.map { (sku, serial) -> MadeRecord in
        // Those that are rejected leave nobody behind.
        let email = ["b", "d", "e"].contains(sku) ? "lost@x" : "p@x"
        var record: MadeRecord = ["sku": .text(sku), "email": .text(email), "amount": .text("3")]
        if let serial { record["serial"] = .text(serial) }
        return record
      }
      var definition = try self.definition([], batch: batch)
      definition.model = try ManagedObjectModel(draft)
      definition.inputs = [try folder.write(RecordGenerator.ndjson(made), to: "in-\(UUID().uuidString).ndjson")]
      definition.format = .ndjson(NDJSONOptions())
      return definition
    }
    let first = try ImportSession(records([("a", "1"), ("b", nil), ("c", "3"), ("d", nil), ("b", nil)])).run()
    #expect(first.inserted == 2 && first.rejectCounts == ["validate.missing": 3])
    #expect(first.entities["Person"]?.inserted == 1)
    // An object that is there keeps what it has.
    let definition = try records([("e", nil), ("a", nil), ("f", "6"), ("c", "4")])
    let second = try ImportSession(definition).run()
    #expect(second.inserted == 1 && second.unchanged == 1 && second.updated == 1 && second.rejected == 1)
    #expect(try dump(definition).entities["Person"]?.count == 1)
    #expect(try dump(definition).entities["Item"]?.count == 3)
  }

  // MARK: Limits

  private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func mixed(good: Int, bad: Int) -> [MadeRecord] {
    (0..<good + bad).map { i in
      var made = record("n\(i)", nil)
      if i % ((good + bad) / bad) == 0, i / ((good + bad) / bad) < bad { made["amount"] = .text("x") }
      return made
    }
  }

  @Test(arguments: [false, true], [3, 100])
  func aBreachedLimitLeavesTheStoreAsItWas(isExisting: Bool, batch: Int) throws {
    if isExisting { _ = try ImportSession(definition([record("a", "1")], batch: 1)).run() }
    let path = folder.file("s.sqlite")
    let before = bytes(path)
    for (limit, ratio, isBreached) in [(4, nil, true), (5, nil, false), (nil, 0.09, true), (nil, 0.1, false)]
      as [(Int?, Double?, Bool)]
    {
      var definition = try definition(mixed(good: 45, bad: 5), batch: batch)
      definition.rejects.limit = limit
      definition.rejects.ratio = ratio
      definition.isDryRun = !isBreached
      let summary = try ImportSession(definition).run()
      #expect(summary.status == (isBreached ? .limitBreached : .dryRun))
      #expect(bytes(path) == before)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix("in-") }
      #expect(left == (isExisting ? ["s.sqlite"] : []))
    }
  }

  @Test(arguments: [false, true])
  func aDryRunSaysWhatTheRunWillDo(isExisting: Bool) throws {
    if isExisting { _ = try ImportSession(definition([record("n1", "1"), record("n2", "8")], batch: 1)).run() }
    let path = folder.file("s.sqlite")
    let before = bytes(path)
    var records = mixed(good: 20, bad: 2)
    records += [record("n1", "7"), record("z", "7"), record("z", "8"), record("z", "8")]
    var definition = try definition(records, batch: 4)
    definition.isDryRun = true
    let dry = try ImportSession(definition).run()
    #expect(dry.status == .dryRun)
    #expect(bytes(path) == before)
    definition.isDryRun = false
    let real = try ImportSession(definition).run()
    #expect(real.status == .completedWithRejects)
    let counts = [dry, real].map { [$0.read, $0.inserted, $0.updated, $0.unchanged, $0.skipped, $0.rejected] }
    #expect(counts[0] == counts[1])
    #expect(dry.entities == real.entities)
    #expect(dry.rejectCounts == real.rejectCounts)
    let after = bytes(path)
    #expect(after != before)
  }

  @Test func everyRejectIsWrittenWithItsReason() throws {
    var records = mixed(good: 8, bad: 1)
    records += [record("", "1"), record("u", "1"), record("v", "1")]
    var definition = try definition(records, batch: 5)
    definition.rejects.path = folder.file("rejects.ndjson")
    let summary = try ImportSession(definition).run()
    let lines = try String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == summary.rejected)
    let found = try lines.map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return "\(object["record"] ?? "") \(object["code"] ?? "")"
    }
    #expect(found == ["1 value.integer", "10 key.empty", "12 constraint.unique"])
  }
}
