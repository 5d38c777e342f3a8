import Foundation
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Stores read as sources")
struct DatabaseSourceRoundTripTests {
  private let folder = TemporaryFolder()

  /// Each field of all records as its text; NULL, numbers and texts apart.
  private func records(_ format: RecordFormat, _ path: String, _ columns: [String]) throws(ReadError) -> [[String]] {
    var reader = try format.reader(source: ByteSource(path: path), columns: .named(columns), index: 0)
    var batch = RecordBatch()
    var result: [[String]] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 100)) {
      for record in 0..<batch.recordCount {
        result.append(
          columns.indices.map { column in
            let text = batch.text(record, column) ?? ""
            return switch batch.state(record, column) {
            case .absent, .null: "∅"
            case .quoted, .text: "«\(text)»"
            default: text
            }
          })
      }
      for error in batch.errors { result.append(["\(error)"]) }
    }
    return result
  }

  @Test("objects of random stores are what exports write of them", arguments: Soak.seeds(30, from: 7000))
  func sameAsExports(_ seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    var random = RandomStore(
      model, seed: seed, texts: RoundTripTests.texts.filter { !$0.unicodeScalars.contains("\u{0}") })
    random.hasNUL = false
    let path = folder.file("store.sqlite")
    try random.make(at: path)
    let export = StoreExport(storePath: path, folder: folder.file("export"), model: try StoreModel.find(path: path))
    let schema = StoreSchema(model: model)
    for file in try export.run().files {
      let entity = try #require(model.entity(named: file.entity))
      let columns = schema.objectFields(of: entity).filter { field in
        switch field.kind {
        case .identity, .attribute, .toOne: true
        default: false
        }
      }.map(\.name)
      var options = StoreSourceOptions(entity: file.entity)
      options.includesSubentities = false
      let ours = try records(.coreData(options), path, columns)
      let theirs = try records(.ndjson(NDJSONOptions()), file.path, columns)
      #expect(ours == theirs, "seed \(seed), \(file.entity)")
      #expect(ours.count == file.objects, "seed \(seed), \(file.entity)")
    }
  }

  @Test("all types come back bit for bit through a pipeline")
  func values() throws {
    let model = """
      entities:
        Thing:
          attributes:
            number: integer64
            small: integer16
            amount: decimal
            real: double
            single: float
            day: date
            isOn: boolean
            name: string
            key: uuid
            link: uri
            data: binary
          unique: [[number]]
      """
    try folder.write(model, to: "model.yaml")
    let read = try ManagedObjectModel(ModelReader.read(folder.file("model.yaml")))
    let file = try StoreFile.create(path: folder.file("one.sqlite"), model: read)
    let insert = try file.connection.prepare(
      """
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZSMALL, ZAMOUNT, ZREAL, ZSINGLE, ZDAY, ZISON, ZNAME, ZKEY, ZLINK, ZDATA)
      VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    var generator = SeededGenerator(seed: 11)
    for number in 1...500 {
      insert.bind(1, Int64(number))
      insert.bind(2, Int64(number))
      insert.bind(3, Int64(Int16.random(in: .min ... .max, using: &generator)))
      let pattern = UInt64.random(in: 0...UInt64.max, using: &generator)
      let real = Double(bitPattern: pattern)
      let edges = [
        0.1 + 0.2, 1e300, -Double.leastNonzeroMagnitude, 12, .infinity, -.infinity, real.isFinite ? real : 1.5,
      ]
      if number % 3 == 0 { insert.bind(4, Int64(number) * 1000) } else { insert.bind(4, edges[number % 2] * 3) }
      insert.bind(5, edges[number % 7])
      insert.bind(6, Double(Float(number) / 3))
      insert.bind(7, [0, -63_145_526_400, 1e12, 0.5, 700_000_000.123456, 1e-7][number % 6])
      insert.bind(8, Int64(number % 2))
      if number % 5 == 0 { insert.bindNull(9) } else { insert.bind(9, text: "name \"\(number)\"\n\\ é") }
      insert.bind(10, copying: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
      insert.bind(11, text: "https://example.com/\(number)")
      insert.bind(12, copying: (0..<number % 40).map { _ in UInt8.random(in: 0...255, using: &generator) })
      try insert.run()
    }
    try file.finish()
    let pipeline = try folder.write(
      """
      model: model.yaml
      store: two.sqlite
      source: { files: one.sqlite, entity: Thing }
      import:
        entity: Thing
        find_by: [number]
        attributes: [small, amount, real, single, day, isOn, name, key, link, data]
      """, to: "pipeline.yaml")
    #expect(Pipeline.lint(pipeline) == [])
    let summary = try ImportSession(Pipeline.read(pipeline).definition).run()
    #expect(summary.rejectCounts == [:])
    #expect(summary.inserted == 500)
    #expect(try StoreComparison.differences(folder.file("one.sqlite"), folder.file("two.sqlite")) == [])
    let again = try ImportSession(Pipeline.read(pipeline).definition).run()
    #expect(again.unchanged == 500)
  }

  @Test("Chinook's tables are what its CSV files are", .enabled(if: Locations.shared != nil))
  func chinook() throws {
    let pipelines = Locations.repository + "/pipelines/chinook"
    let data = Locations.shared("suites/datasets/chinook")
    for name in try FileManager.default.contentsOfDirectory(atPath: pipelines).sorted() {
      let text = try String(contentsOfFile: pipelines + "/" + name, encoding: .utf8)
        .replacingAll("../../fixtures", with: Locations.fixtures).replacingAll("../../build", with: folder.path)
      let table = try #require(text.split(separator: "\n").first { $0.hasPrefix("  records: ") }).split(separator: " ")[
        1]
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.hasPrefix("  files: ")
          ? "  files: \(data)/Chinook_Sqlite.sqlite"
          : line.hasPrefix("  records: ") ? "  table: \(table)" : String(line)
      }
      try folder.write(lines.joined(separator: "\n"), to: "sqlite-" + name)
      try folder.write(text, to: "csv-" + name)
      func run(_ pipeline: String, _ store: String) throws -> ImportSummary {
        var settings = PipelineSettings()
        settings.storePath = folder.file(store)
        settings.variables.assignments["CHINOOK"] = data
        return try ImportSession(Pipeline.read(folder.file(pipeline), settings: settings).definition).run()
      }
      let csv = try run("csv-" + name, "csv.sqlite")
      let sqlite = try run("sqlite-" + name, "sqlite.sqlite")
      #expect(csv.inserted > 0)
      #expect(csv.inserted == sqlite.inserted, "\(name)")
      let again = try run("sqlite-" + name, "csv.sqlite")
      #expect(again.unchanged == again.read, "\(name)")
    }
    #expect(try StoreComparison.differences(folder.file("csv.sqlite"), folder.file("sqlite.sqlite")) == [])
  }

  // MARK: Memory

  /// The resident set of the process, in bytes.
  private func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }

  @Test("memory does not grow with the number of rows")
  func memory() throws {
    let rows = Soak.isOn ? 1_000_000 : 30_000
    let path = folder.file("big.db")
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, amount REAL, data BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO t SELECT i, printf('a name of some length with a number %d', i), i / 7.0, randomblob(100) FROM n
      """)
    try connection.close()
    var reader = try RecordFormat.sqlite().reader(source: ByteSource(path: path), columns: .all, index: 0)
    var batch = RecordBatch()
    var count = 0
    var early = 0
    var most = 0
    while try reader.read(into: &batch, limit: BatchLimit()) {
      count += batch.recordCount
      if early == 0, count > 20_000 { early = residentBytes() }
      most = max(most, residentBytes())
    }
    #expect(count == rows)
    // Other tests run meanwhile, so only all of the many rows of a long run, 200 MiB, would be seen.
    if Soak.isOn { #expect(most - early < 100 << 20) }
    #expect(reader.bytesRead > rows * 100)
  }
}
