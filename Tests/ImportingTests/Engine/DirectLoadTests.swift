import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// New stores whose rows go past SQLite: they are what SQLite makes of the same records.
@Suite struct DirectLoadTests {
  private let folder = TemporaryFolder()

  private func definition(
    _ name: String, _ direct: RunPolicy.Direct, _ records: [MadeRecord], model: ManagedObjectModel? = nil,
    root: EntityImport = ShopImport.item(), batch: Int = 50, parts: Int = 1
  ) throws -> ImportDefinition {
    let input = try folder.write(RecordGenerator.csv(records), to: "in.csv")
    var definition = ImportDefinition(
      name: "direct", model: try model ?? ShopModel().build(), storePath: folder.file(name), inputs: [input],
      format: RecordGenerator.csvFormat, root: root)
    definition.batchLimit = BatchLimit(records: batch)
    definition.policy.direct = direct
    definition.hashSeed = 1
    for number in 1..<max(parts, 1) {
      definition.parts.append(definition.parts[0])
      definition.parts[number].name = "part \(number)"
    }
    return definition
  }

  /// Items, of which as many as are wanted name earlier ones, with or without another content.
  private func records(_ count: Int, known: Int = 0, changed: Int = 0) -> [MadeRecord] {
    (0..<count).map { i in
      let isKnown = known > 0 && i % known == known - 1
      let isChanged = changed > 0 && i % changed == changed - 1
      let number = isKnown ? i / 2 : i
      return [
        "sku": .text("sku \(number * 7919 % 100_003)"), "number": .text("\(number - 20)"),
        "label": i % 5 == 0 ? .text("") : .text(String(repeating: "x", count: i % 97 == 0 ? 9000 : i % 40)),
        "amount": .text("\(isChanged ? i : number)"), "email": .text("p\(i % 60)@x"),
        "age": .text("\(i % 60)"), "code": .text("\(i % 13)"), "title": .text("title \(i % 13)"),
        "team_name": i % 60 % 11 == 0 ? .null : .text("team \(i % 60 % 5)"), "maker_name": .text("m\(i % 13)"),
        "maker_country": .text("c"),
      ]
    }
  }

  /// A store's bytes without its UUID, which is made up for each store.
  private func bytes(_ name: String) throws -> Data {
    let connection = try Connection(path: folder.file(name), mode: .immutable)
    let uuid = Data((try connection.text("SELECT Z_UUID FROM Z_METADATA") ?? "").utf8)
    try connection.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    while let place = bytes.range(of: uuid) { bytes.replaceSubrange(place, with: Data(count: uuid.count)) }
    return bytes
  }

  /// Every statement and every row with its row ID; without the store's UUID.
  private func dump(_ name: String) throws -> [String] {
    let connection = try Connection(path: folder.file(name), mode: .readWrite)
    defer { try? connection.close() }
    try connection.execute("BEGIN; UPDATE Z_METADATA SET Z_UUID = ''")
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var lines: [String] = []
    var tables: [String] = []
    let schema = try connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
    while try schema.step() {
      lines.append("\(schema.text(0)) \(schema.text(1)) \(schema.text(2))")
      if schema.text(0) == "table" { tables.append(schema.text(1)) }
    }
    for table in tables {
      let rows = try connection.prepare("SELECT rowid, * FROM \(table) ORDER BY rowid")
      let list = (0..<rows.columnCount).map { "quote(\"\(rows.columnName($0))\")" }.joined(separator: " || ',' || ")
      let texts = try connection.prepare("SELECT \(list) FROM \(table) ORDER BY rowid")
      while try texts.step() { lines.append("\(table) \(texts.text(0))") }
    }
    return lines
  }

  /// Loads in both ways and holds the outcomes against each other.
  private func compare(
    _ records: [MadeRecord], model: ManagedObjectModel? = nil, root: EntityImport = ShopImport.item(),
    batch: Int = 50, parts: Int = 1, _ name: String = ""
  ) throws -> ImportSummary {
    for file in ["sqlite.sqlite", "direct.sqlite", "again.sqlite"] {
      try? FileManager.default.removeItem(atPath: folder.file(file))
    }
    func run(_ file: String, _ direct: RunPolicy.Direct) throws -> ImportSummary {
      try ImportSession(definition(file, direct, records, model: model, root: root, batch: batch, parts: parts))
        .run()
    }
    let sqlite = try run("sqlite.sqlite", .never)
    let direct = try run("direct.sqlite", .always)
    _ = try run("again.sqlite", .always)
    #expect(sqlite.load == LoadWay(.forbidden) && sqlite.directRows == 0)
    #expect(direct.counts == sqlite.counts && direct.entities == sqlite.entities, "\(name)")
    #expect(direct.rejectCounts == sqlite.rejectCounts && direct.warnings == sqlite.warnings, "\(name)")
    let (first, second) = (try bytes("direct.sqlite"), try bytes("again.sqlite"))
    let (left, right) = (try dump("direct.sqlite"), try dump("sqlite.sqlite"))
    #expect(left == right, "\(name): \(left.difference(from: right).prefix(6))")
    #expect(first == second, "\(name): bytes differ")
    return direct
  }

  @Test func `a store is the same row for row, and two are the same byte for byte`() throws {
    let summary = try compare(records(3000))
    #expect(summary.load == LoadWay(.asked))
    // Items, people, parts, teams and companies.
    #expect(summary.directRows == 3000 + 60 + 13 + 5 + 13)
  }

  @Test(arguments: [1, 7, 10_000])
  func `keys that come again are applied by SQLite afterwards`(batch: Int) throws {
    let summary = try compare(records(900, known: 10), batch: batch)
    #expect(summary.unchanged + summary.updated > 0)
    #expect(summary.directRows > 500)
  }

  @Test func `objects that change while the rest is written end it, with the same outcome`() throws {
    let changing = records(900, changed: 100).enumerated().map { i, record in
      var record = record
      // A person of a key that is in memory becomes older.
      if i > 400 { record["age"] = .text("\(i)") }
      return record
    }
    let summary = try compare(changing, "changing people")
    #expect(summary.directRows > 0 && summary.directRows < 900)
  }

  @Test func `a constraint that a key does not look after goes through SQLite, rejects included`() throws {
    let model = try ShopModel(itemConstraints: [["serial"]]).build()
    var root = ShopImport.item()
    root.attributes.append(ShopImport.field("serial"))
    let records = records(300).enumerated().map { i, record in
      record.merging(["serial": .text("\(i % 200)")]) { $1 }
    }
    let summary = try compare(records, model: model, root: root)
    #expect(summary.load == LoadWay(.constraints) && summary.rejected == 100)
  }

  @Test func `an index that does not ascend is built by SQLite at the end`() throws {
    var draft = try ShopModel().build().draft
    var element = FetchIndexDescription.Element(propertyName: "amount")
    element.isAscending = false
    for i in draft.entities.indices where draft.entities[i].name == "Item" {
      draft.entities[i].fetchIndexes.append(FetchIndexDescription(name: "byAmount", elements: [element]))
    }
    let summary = try compare(records(500), model: try ManagedObjectModel(draft))
    #expect(summary.directRows > 500)
    #expect(try dump("direct.sqlite").contains { $0.contains("ZAMOUNT COLLATE BINARY DESC") })
  }

  @Test func `several imports into one table come out alike`() throws {
    let summary = try compare(records(600), parts: 3)
    #expect(summary.directRows > 600 && summary.unchanged == 1200)
  }

  @Test func `random imports come out alike`() throws {
    for seed in Soak.seeds(12) {
      var generator = RecordGenerator(
        random: SeededGenerator(seed: seed), allowsAbsent: false, keyCount: [5, 40, 4000][Int(seed % 3)])
      _ = try compare(generator.records(400), batch: [1, 30, 1000][Int(seed / 3 % 3)], "seed \(seed)")
    }
  }

  @Test func `a small input goes through SQLite by itself, and a store that is there too`() throws {
    var definition = try definition("s.sqlite", .auto, records(10))
    #expect(try ImportSession(definition).explain().load == LoadWay(.small))
    let first = try ImportSession(definition).run()
    #expect(first.load == LoadWay(.small) && first.directRows == 0)
    definition.policy.direct = .always
    #expect(try ImportSession(definition).explain().load == LoadWay(.sorted))
    // Nothing changes.
    let second = try ImportSession(definition).run()
    #expect(second.load == LoadWay(.storeExists) && second.directRows == 0)
  }

  @Test func `an interrupted load leaves nothing, and the next one begins anew`() throws {
    var definition = try definition("s.sqlite", .always, records(1000))
    definition.hashSeed = nil
    var read = 0
    let stopped = try ImportSession(definition).run(progress: { read = $0.records }, shouldStop: { read >= 500 })
    #expect(stopped.status == .interrupted)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["in.csv"])
    let whole = try ImportSession(definition).run()
    #expect(whole.resumedAfter == nil && whole.inserted == 1000 && whole.directRows > 1000)
  }

  @Test func `a limit that is exceeded takes everything back`() throws {
    var definition = try definition("s.sqlite", .always, records(300) + [["sku": .text("bad"), "number": .text("x")]])
    definition.rejects.limit = 0
    #expect(try ImportSession(definition).run().status == .limitBreached)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["in.csv"])
  }

  @Test func `the whole check is one of every entry`() throws {
    var definition = try definition("s.sqlite", .always, records(500))
    definition.policy.directCheck = .whole
    #expect(try ImportSession(definition).run().inserted == 500)
  }
}
