import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Runs into stores that are there, whose changed rows wait for the end: the outcome is that of rows that are written with
/// their batches.
@Suite struct SortedNightTests {
  private let folder = TemporaryFolder()

  private func definition(
    _ name: String, _ direct: RunPolicy.Direct, _ records: [MadeRecord], batch: Int, plan: FindPlan = .scan,
    mode: ImportMode = .upsert, parts: Int = 1
  ) throws -> ImportDefinition {
    let input = try folder.write(RecordGenerator.csv(records), to: "in.csv")
    var definition = ImportDefinition(
      name: "night", model: try ShopModel().build(), storePath: folder.file(name), inputs: [input],
      format: RecordGenerator.csvFormat, root: ShopImport.item())
    definition.batchLimit = BatchLimit(records: batch)
    definition.policy.direct = direct
    definition.findPlan = plan
    definition.root.mode = mode
    for number in 1..<max(parts, 1) {
      definition.parts.append(definition.parts[0])
      definition.parts[number].name = "part \(number)"
    }
    return definition
  }

  private func dump(_ name: String) throws -> [String] {
    let connection = try Connection(path: folder.file(name), mode: .readWrite)
    defer { try? connection.close() }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var lines: [String] = []
    let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    while try tables.step() {
      if tables.text(0) == "Z_METADATA" { continue }
      let columns = try TableColumns(tables.text(0), connection).names.map { "quote(\(SQLQuoting.name($0)))" }
      let rows = try connection.prepare(
        "SELECT \(columns.joined(separator: " || ',' || ")) FROM \(tables.text(0)) ORDER BY rowid")
      while try rows.step() { lines.append("\(tables.text(0)) \(rows.text(0))") }
    }
    return lines
  }

  /// Makes stores with the same rows.
  private func make(_ records: [MadeRecord], _ names: [String]) throws {
    for name in names { try? FileManager.default.removeItem(atPath: folder.file(name)) }
    _ = try ImportSession(definition(names[0], .never, records, batch: 1000)).run()
    for name in names.dropFirst() {
      try FileManager.default.copyItem(atPath: folder.file(names[0]), toPath: folder.file(name))
    }
  }

  private func compare(
    _ first: [MadeRecord], _ night: [MadeRecord], batch: Int, mode: ImportMode = .upsert, parts: Int = 1,
    _ name: String = ""
  ) throws -> ImportSummary {
    try make(first, ["batches.sqlite", "sorted.sqlite", "seek.sqlite"])
    func run(_ file: String, _ direct: RunPolicy.Direct, _ plan: FindPlan = .scan) throws -> ImportSummary {
      try ImportSession(definition(file, direct, night, batch: batch, plan: plan, mode: mode, parts: parts)).run()
    }
    let batches = try run("batches.sqlite", .never)
    let sorted = try run("sorted.sqlite", .auto)
    let seek = try run("seek.sqlite", .auto, .seek)
    #expect(batches.load == LoadWay(.storeExists) && batches.directRows == 0, "\(name)")
    #expect(seek.counts == sorted.counts, "\(name)")
    #expect(sorted.counts == batches.counts && sorted.entities == batches.entities, "\(name)")
    #expect(sorted.rejectCounts == batches.rejectCounts && sorted.warnings == batches.warnings, "\(name)")
    let (left, right) = (try dump("sorted.sqlite"), try dump("batches.sqlite"))
    #expect(left == right, "\(name): \(left.difference(from: right).prefix(6))")
    #expect(try dump("seek.sqlite") == right, "\(name): seeks")
    return sorted
  }

  private func records(_ random: inout SeededGenerator, _ count: Int, keys: Int) -> [MadeRecord] {
    var generator = RecordGenerator(random: random, allowsAbsent: false, keyCount: keys)
    defer { random = generator.random }
    return generator.records(count)
  }

  @Test func `random nights come out alike`() throws {
    for seed in Soak.seeds(15, long: 1000) {
      var random = SeededGenerator(seed: seed)
      let keys = [30, 400, 5000][Int(seed % 3)]
      let first = records(&random, 300, keys: keys)
      let night = records(&random, 300, keys: keys)
      let summary = try compare(
        first, night, batch: [1, 20, 1000][Int(seed / 3 % 3)],
        mode: [ImportMode.upsert, .upsert, .update, .createMissing, .sync][Int(seed % 5)], parts: seed % 7 == 0 ? 2 : 1,
        "seed \(seed)")
      if summary.inserted + summary.updated > 0 {
        #expect(summary.load == LoadWay(.sorted), "seed \(seed)")
      }
    }
  }

  @Test func `rows that come once are written once, and one that comes again is written before`() throws {
    let first: [MadeRecord] = (0..<400).map { i in
      [
        "sku": .text("sku \(i)"), "number": .text("\(i)"), "label": .text("old"), "amount": .text("1"),
        "email": .text("p\(i % 60)@x"), "age": .text("\(i % 60)"), "code": .text("\(i % 13)"),
        "title": .text("title \(i % 13)"), "team_name": .text("team \(i % 60 % 5)"),
        "maker_name": .text("m\(i % 13)"), "maker_country": .text("c"),
      ]
    }
    var night = first.map { $0.merging(["label": .text("new")]) { $1 } }
    let once = try compare(first, night, batch: 50)
    #expect(once.updated == 400 && once.directRows == 400)
    night.append(night[0].merging(["label": .text("newer")]) { $1 })
    let again = try compare(first, night, batch: 50)
    #expect(again.load == LoadWay(.sorted) && again.updated == 401)
    #expect(again.directRows <= 1)
  }

  @Test func `a night that is interrupted goes on, and a dry one changes nothing`() throws {
    var random = SeededGenerator(seed: 8)
    let first = records(&random, 300, keys: 100_000)
    let night = records(&random, 600, keys: 100_000) + first.map { $0.merging(["label": .text("new")]) { $1 } }
    try make(first, ["whole.sqlite", "stopped.sqlite"])
    let before = try dump("whole.sqlite")
    var dry = try definition("whole.sqlite", .auto, night, batch: 20)
    dry.isDryRun = true
    let told = try ImportSession(dry).run()
    #expect(try dump("whole.sqlite") == before)
    let whole = try ImportSession(definition("whole.sqlite", .auto, night, batch: 20)).run()
    #expect(whole.counts == told.counts && whole.load == LoadWay(.sorted))
    var runs = 0
    while true {
      var read = 0
      let summary = try ImportSession(definition("stopped.sqlite", .auto, night, batch: 20)).run(
        progress: { read = $0.records }, shouldStop: { read >= runs * 150 + 100 })
      runs += 1
      guard summary.status == .interrupted else {
        #expect(summary.counts == whole.counts && summary.entities == whole.entities)
        break
      }
      #expect(runs < 10)
    }
    #expect(runs > 3)
    #expect(try dump("stopped.sqlite") == dump("whole.sqlite"))
  }
}
