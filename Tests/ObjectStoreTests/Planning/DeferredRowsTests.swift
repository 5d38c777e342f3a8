import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Rows of a planned run that wait for its end: in the store they are what they would be if they had been written at once.
///
/// 30 trials, 2,000 with `MERGEWALK_SOAK`; `MERGEWALK_SEED` runs one.
@Suite("Rows that wait")
struct DeferredRowsTests {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let given = environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return [given] }
    return Array(1...(environment["MERGEWALK_SOAK"] == nil ? 30 : 2000))
  }()

  private let folder = TemporaryFolder()

  /// A run into a store, whose rows wait or do not.
  private final class Run {
    let path: String
    let waits: Bool
    let model: ManagedObjectModel
    var file: StoreFile
    var store: PersistentStore
    var access: TableAccess
    let animal: EntityDescription
    let legs: Int
    let name: Int

    init(_ path: String, waits: Bool) throws {
      self.path = path
      self.waits = waits
      model = try Models.zoo()
      animal = try #require(model.entity(named: "Animal"))
      legs = try #require(animal.attribute(named: "legs")).slot
      name = try #require(animal.attribute(named: "name")).slot
      (file, store, access) = try Self.open(path, model, animal)
      try begin()
    }

    private static func open(
      _ path: String, _ model: ManagedObjectModel, _ animal: EntityDescription
    ) throws -> (StoreFile, PersistentStore, TableAccess) {
      let file = try StoreFile.plan(
        path: path, model: model, run: "r", isThrownAway: false, cacheKiB: 64, lockWait: 0)
      let store = try PersistentStore(file: file)
      return (file, store, try store.access(root: animal.root))
    }

    private func begin() throws { if waits { try file.deferRows(of: ["ZANIMAL"]) } }

    /// Leaves the run to another process, which goes on.
    func suspend() throws {
      try file.suspend()
      (file, store, access) = try Self.open(path, model, animal)
      try begin()
    }

    func insert(_ keys: [Int64], _ text: String) throws {
      let buffer = RowBuffer(model: model, root: animal)
      let first = buffer.appendRows(keys.count, entity: Int32(animal.index), state: RowState.inserted)
      for (i, key) in keys.enumerated() {
        buffer.primaryKeys[first + i] = key
        set(buffer, first + i, Int(key), text)
      }
      let rows = (0..<Int32(keys.count)).map { $0 }
      try rows.withUnsafeBufferPointer { rows throws(StoreError) in try access.insert(buffer, rows: rows) }
    }

    private func set(_ buffer: RowBuffer, _ row: Int, _ number: Int, _ text: String) {
      buffer.tags[legs][row] = CellTag.integer
      buffer.payloads[legs][row] = UInt64(number)
      buffer.tags[name][row] = CellTag.text
      buffer.payloads[name][row] = Array(text.utf8).withUnsafeBytes { buffer.arena.append($0).payload }
    }

    /// Reads rows and changes one of their columns, or both.
    func update(_ keys: [Int64], _ number: Int, _ text: String) throws -> Int {
      let buffer = RowBuffer(model: model, root: animal)
      try keys.sorted().withUnsafeBufferPointer { keys throws(StoreError) in
        try access.fetch(primaryKeys: keys, slots: [legs, name], into: buffer)
      }
      var mask = [UInt64](repeating: 0, count: buffer.dirtyWords)
      if number % 3 != 0 { mask[legs >> 6] |= 1 << UInt64(legs & 63) }
      if number % 3 != 1 { mask[name >> 6] |= 1 << UInt64(name & 63) }
      for row in 0..<buffer.count {
        set(buffer, row, Int(buffer.payloads[legs][row]) + number, text)
        buffer.versions[row] += 1
      }
      let rows = (0..<Int32(buffer.count)).map { $0 }
      return try rows.withUnsafeBufferPointer { rows throws(StoreError) in
        try access.update(buffer, rows: rows, slots: mask)
      }
    }

    func sum() throws -> Int64 {
      try file.connection.integer("SELECT total(ZLEGS) + 7 * count(*) FROM ZANIMAL") ?? 0
    }
  }

  private func make(_ name: String) throws -> String {
    let file = try StoreFile.create(path: folder.file(name), model: try Models.zoo())
    file.isReproducible = true
    try file.begin()
    for key in 1...300 {
      try file.connection.execute(
        "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZLEGS, ZNAME) VALUES (\(key), 1, \(key % 2 == 0 ? "1" : "NULL"), 4, 'n\(key)')"
      )
    }
    try file.commit()
    try file.finish()
    return folder.file(name)
  }

  private func dump(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { try? connection.close() }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var lines: [String] = []
    for (table, order) in [("ZANIMAL", "Z_PK"), ("Z_PRIMARYKEY", "Z_ENT"), ("sqlite_schema", "name")] {
      let columns = try TableColumns(table, connection).names.map { "quote(\(SQLQuoting.name($0)))" }
      let list = table == "sqlite_schema" ? "name, sql" : columns.joined(separator: " || '|' || ")
      let rows = try connection.prepare("SELECT \(list) FROM \(table) ORDER BY \(order)")
      while try rows.step() { lines.append("\(table) \(rows.text(0))") }
    }
    return lines
  }

  @Test("what waits comes out as what is written at once", arguments: seeds)
  func oracle(_ seed: UInt64) throws {
    let first = try make("at-once.sqlite")
    try FileManager.default.copyItem(atPath: first, toPath: folder.file("waits.sqlite"))
    let runs = [try Run(first, waits: false), try Run(folder.file("waits.sqlite"), waits: true)]
    var random = SeededGenerator(seed: seed)
    var next: Int64 = 301
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      for run in runs { try run.file.begin() }
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let keys = Set(
          (0..<Int.random(in: 1...40, using: &random)).map { _ in Int64.random(in: 1...next, using: &random) })
        let number = Int.random(in: 1...9, using: &random)
        let text = String(repeating: "é", count: [0, 3, 40, 6000][Int.random(in: 0..<4, using: &random)])
        let choice = Int.random(in: 0..<8, using: &random)
        var results: Set<Int64> = []
        for run in runs {
          switch choice {
          case 0...1: try run.insert((next..<next + 20).map { $0 }, text)
          case 2...5: results.insert(Int64(try run.update(Array(keys), number, text)))
          case 6: results.insert(try run.sum())
          default: try run.file.connection.execute("DELETE FROM ZANIMAL WHERE Z_PK % 50 = \(number)")
          }
        }
        #expect(results.count < 2, "seed \(seed)")
        if choice <= 1 { next += 20 }
      }
      let end = Int.random(in: 0..<6, using: &random)
      for run in runs {
        try run.file.commit()
        if end == 1 {
          // What was not committed is gone.
          try run.file.begin()
          try run.insert([9_000_000], "never")
          try run.suspend()
        }
      }
    }
    for run in runs { try run.file.finish() }
    let (wanted, found) = (try dump(first), try dump(folder.file("waits.sqlite")))
    #expect(wanted == found, "seed \(seed): \(wanted.difference(from: found).prefix(4))")
  }

  @Test("rows that nobody reads are written once, at the end")
  func waiting() throws {
    let run = try Run(try make("zoo.sqlite"), waits: true)
    for batch in 0..<5 {
      try run.file.begin()
      try run.insert((0..<10).map { Int64(1000 + batch * 10 + $0) }, "new")
      #expect(try run.update([Int64(batch * 3 + 1), Int64(batch * 3 + 2)], 1, "changed") == 2)
      try run.file.commit()
    }
    #expect(run.file.deferredCounts == (taken: 60, waiting: 60))
    #expect(run.file.totalChanges == 60)
    try run.file.finish()
    let connection = try Connection(path: run.path, mode: .readWrite)
    #expect(try connection.integer("SELECT count(*) FROM ZANIMAL WHERE ZNAME IN ('new', 'changed')") == 50)
    #expect(try connection.integer("SELECT sum(ZLEGS) FROM ZANIMAL WHERE Z_PK <= 300") == 1210)
    #expect(try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Animal'") == 1049)
    try connection.close()
  }

  @Test("a row that waits and is read is written first")
  func reading() throws {
    let run = try Run(try make("zoo.sqlite"), waits: true)
    try run.file.begin()
    #expect(try run.update([1, 2], 1, "") == 2)
    try run.file.commit()
    // Other rows may be read without it.
    try run.file.begin()
    #expect(try run.update([3], 1, "") == 1)
    #expect(run.file.deferredCounts.waiting == 3)
    #expect(try run.update([2], 1, "") == 1)
    #expect(run.file.deferredCounts == (taken: 3, waiting: 0))
    try run.file.commit()
    try run.file.begin()
    #expect(try run.update([4], 1, "") == 1)
    #expect(try run.sum() == 300 * 4 + 5 + 7 * 300)
    #expect(run.file.deferredCounts.waiting == 0)
    try run.file.rollBackRun()
  }

  @Test("a row that cannot be written refuses the whole plan, and another process begins anew")
  func refused() throws {
    let path = try make("zoo.sqlite")
    let before = try dump(path)
    for isLeft in [false, true] {
      let run = try Run(path, waits: true)
      try run.file.begin()
      // A key that is taken: nobody has looked for it.
      try run.insert([500, 7], "twice")
      try run.file.commit()
      if isLeft {
        try run.file.suspend()
        let next = try StoreFile.plan(
          path: path, model: run.model, run: "r", isThrownAway: false, cacheKiB: 64, lockWait: 0)
        #expect(!next.isAdopted && next.hasOutdatedPlan)
        try next.rollBackRun()
      } else {
        let error = #expect(throws: StoreError.self) { try run.file.finish() }
        #expect(error?.code == .refusedRows)
      }
      #expect(try dump(path) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["zoo.sqlite"])
    }
  }

  @Test("tables of a store with triggers are left out")
  func triggers() throws {
    let path = try make("zoo.sqlite")
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(
      "CREATE TRIGGER t AFTER INSERT ON ZANIMAL BEGIN UPDATE ZANIMAL SET ZLEGS = 9 WHERE Z_PK = 1; END")
    try connection.close()
    let run = try Run(path, waits: true)
    try run.file.begin()
    try run.insert([600], "new")
    try run.file.commit()
    #expect(run.file.deferredCounts.taken == 0)
    try run.file.finish()
  }
}
