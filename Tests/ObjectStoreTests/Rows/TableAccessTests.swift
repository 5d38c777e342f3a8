import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Table access")
struct TableAccessTests {
  /// A store of the zoo with some birds in it.
  final class Fixture {
    let folder = TemporaryFolder()
    let model: ManagedObjectModel
    let coordinator: PersistentStoreCoordinator
    let store: PersistentStore
    let access: TableAccess
    let buffer: RowBuffer
    let animal: EntityDescription
    let bird: EntityDescription

    init() throws {
      model = try Models.zoo()
      coordinator = PersistentStoreCoordinator(model: model)
      store = try coordinator.addSQLiteStore(at: folder.file("zoo.sqlite"))
      animal = try #require(model.entity(named: "Animal"))
      bird = try #require(model.entity(named: "Bird"))
      access = try store.access(root: animal.root)
      buffer = RowBuffer(model: model, root: animal)
    }

    /// Adds rows with the keys from 1 on and one leg more each; the last is a bird.
    func insert(_ count: Int) throws {
      let first = buffer.appendRows(count, entity: Int32(animal.index), state: RowState.inserted)
      let legs = try #require(animal.attribute(named: "legs")).slot
      for i in 0..<count {
        buffer.primaryKeys[first + i] = Int64(i + 1)
        buffer.tags[legs][first + i] = CellTag.integer
        buffer.payloads[legs][first + i] = UInt64(i + 1)
      }
      buffer.entities[first + count - 1] = Int32(bird.index)
      try write { rows throws(StoreError) in try access.insert(buffer, rows: rows) }
      for row in first..<first + count { buffer.markClean(row: row) }
    }

    func write<Value>(
      rows: [Int32]? = nil, _ body: (UnsafeBufferPointer<Int32>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
      let rows = rows ?? (0..<Int32(buffer.count)).filter { _ in true }
      return try rows.withUnsafeBufferPointer { rows throws(StoreError) in try body(rows) }
    }

    func statements(_ body: () throws -> Void) throws -> [String] {
      var seen: [String] = []
      store.connection.trace { seen.append($0) }
      defer { store.connection.trace(nil) }
      try body()
      return seen
    }

    func rows(_ sql: String) throws -> [String] {
      let statement = try store.connection.prepare(sql)
      var rows: [String] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
      }
      return rows
    }
  }

  @Test("inserting is one statement however many rows there are, with every column")
  func insert() throws {
    let fixture = try Fixture()
    let statements = try fixture.statements { try fixture.insert(300) }
    #expect(statements.count == 1)
    // The columns of relationships without an inverse are no columns of the row; links are written to them.
    #expect(
      statements.first
        == "INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZLEGS, ZKEEPER, Z3_KEEPER, ZSTATE, Z_FOK_KEEPER, ZBORN, ZWEIGHT, "
        + "ZPRICE, ZNAME, ZSTATE1, ZTAG, ZPHOTO) SELECT c0, c1, c2, c3, c4, c5, c8, c9, c10, c11, c12, c13, c14, c15, "
        + "c16 FROM mergewalk_rows_ZANIMAL")
    #expect(try fixture.rows("SELECT count(*), sum(ZLEGS), sum(Z_OPT) FROM ZANIMAL") == ["300|45150|300"])
    #expect(
      try fixture.rows("SELECT Z_PK FROM ZANIMAL WHERE Z_ENT = \(fixture.bird.number)") == ["300"])
    #expect(
      try fixture.statements {
        try fixture.write(rows: []) { rows throws(StoreError) in
          try fixture.access.insert(fixture.buffer, rows: rows)
        }
      } == [])
  }

  @Test("updating writes the slots that are asked for and nothing else, where the version is the one before")
  func update() throws {
    let fixture = try Fixture()
    try fixture.insert(4)
    let legs = try #require(fixture.animal.attribute(named: "legs")).slot
    let keeper = try #require(fixture.animal.relationship(named: "keeper")).slot
    var mask = [UInt64](repeating: 0, count: fixture.buffer.dirtyWords)
    mask[keeper >> 6] |= 1 << UInt64(keeper & 63)
    for row in 0..<4 {
      fixture.buffer.payloads[legs][row] = 99
      fixture.buffer.setReference(row: row, slot: keeper, primaryKey: 5, destinationEntity: 2)
      fixture.buffer.setOrderKey(row: row, slot: keeper, Int64(2048 + row))
      fixture.buffer.versions[row] += 1
    }
    // Somebody else has changed the third row meanwhile.
    try fixture.store.connection.execute("UPDATE ZANIMAL SET Z_OPT = 7 WHERE Z_PK = 3")
    var written = 0
    let statements = try fixture.statements {
      written = try fixture.write { rows throws(StoreError) in
        try fixture.access.update(fixture.buffer, rows: rows, slots: mask)
      }
    }
    #expect(written == 3)
    // As fewer rows were written, one more looks whether a trigger has left any out.
    #expect(statements.count == 2)
    let statement = try #require(statements.first)
    #expect(statement.hasPrefix("UPDATE ZANIMAL SET Z_OPT = r.c2, ZKEEPER = r.c"))
    #expect(statement.contains("Z_FOK_KEEPER = r.c"))
    #expect(!statement.contains("ZLEGS"))
    #expect(statement.hasSuffix("WHERE ZANIMAL.Z_PK = r.c0 AND ifnull(ZANIMAL.Z_OPT, 0) = r.c2 - 1"))
    #expect(
      try fixture.rows("SELECT Z_PK, Z_OPT, ifnull(ZKEEPER, '-'), ifnull(Z_FOK_KEEPER, '-'), ZLEGS FROM ZANIMAL") == [
        "1|2|5|2048|1", "2|2|5|2049|2", "3|7|-|-|3", "4|2|5|2051|4",
      ])
  }

  @Test("deleting passes over rows with another version")
  func delete() throws {
    let fixture = try Fixture()
    try fixture.insert(4)
    try fixture.store.connection.execute("UPDATE ZANIMAL SET Z_OPT = 2 WHERE Z_PK = 2")
    let deleted = try fixture.write { rows throws(StoreError) in try fixture.access.delete(fixture.buffer, rows: rows)
    }
    #expect(deleted == 3)
    #expect(try fixture.rows("SELECT Z_PK FROM ZANIMAL") == ["2"])
  }

  @Test("fetching by primary key is one statement; missing keys yield nothing and the order is that of the keys")
  func fetchByPrimaryKey() throws {
    let fixture = try Fixture()
    try fixture.insert(10)
    let legs = try #require(fixture.animal.attribute(named: "legs")).slot
    let fetched = RowBuffer(model: fixture.model, root: fixture.animal)
    let keys: [Int64] = [2, 5, 77, 9]
    let statements = try fixture.statements {
      try keys.withUnsafeBufferPointer { keys throws(StoreError) in
        try fixture.access.fetch(primaryKeys: keys, slots: [legs], into: fetched)
      }
    }
    #expect(
      statements == [
        "SELECT t.Z_PK, t.Z_ENT, t.Z_OPT, t.ZLEGS FROM mergewalk_pks_ZANIMAL AS k CROSS JOIN ZANIMAL AS t "
          + "ON t.Z_PK = k.c0"
      ])
    #expect((0..<fetched.count).map { fetched.primaryKeys[$0] } == [2, 5, 9])
    #expect((0..<fetched.count).map { fetched.payloads[legs][$0] } == [2, 5, 9])
    #expect((0..<fetched.count).allSatisfy { fetched.states[$0] == RowState.clean && fetched.versions[$0] == 1 })
  }

  @Test("fetching by key columns is one statement and keeps to the entity")
  func fetchByKeys() throws {
    let fixture = try Fixture()
    try fixture.insert(10)
    let legs = try #require(fixture.animal.attribute(named: "legs")).slot
    for (entity, expected) in [(fixture.animal, [3, 10]), (fixture.bird, [10])] as [(EntityDescription, [Int64])] {
      let fetched = RowBuffer(model: fixture.model, root: fixture.animal)
      var column = CellColumn()
      column.reset(count: 3)
      for (i, key) in [10, 99, 3].enumerated() {
        column.tags[i] = CellTag.integer
        column.payloads[i] = UInt64(key)
      }
      let order: [Int32] = [2, 0, 1]
      let statements = try fixture.statements {
        try column.tags.withUnsafeBufferPointer { tags in
          try column.payloads.withUnsafeBufferPointer { payloads in
            try order.withUnsafeBufferPointer { order in
              let view = CellColumnView(
                tags: try #require(tags.baseAddress), payloads: try #require(payloads.baseAddress))
              try fixture.access.fetch(
                keys: [view], order: order, arena: fetched.arena.base, keySlots: [legs], entity: entity, slots: [],
                into: fetched)
            }
          }
        }
      }
      let condition = entity.isRoot ? "" : " AND t.Z_ENT = \(entity.number)"
      #expect(
        statements == [
          "SELECT t.Z_PK, t.Z_ENT, t.Z_OPT FROM mergewalk_keys1_ZANIMAL AS k CROSS JOIN ZANIMAL AS t "
            + "ON t.ZLEGS = k.c0\(condition)"
        ])
      #expect((0..<fetched.count).map { fetched.primaryKeys[$0] } == expected)
    }
  }

  @Test("the object layer's fetches leave rows that are here alone and fill faults in their place")
  func placing() throws {
    let fixture = try Fixture()
    try fixture.insert(6)
    let legs = try #require(fixture.animal.attribute(named: "legs")).slot
    let held = RowBuffer(model: fixture.model, root: fixture.animal)
    let changed = held.takeRow(entity: Int32(fixture.animal.index), state: RowState.clean, primaryKey: 2)
    held.set(row: changed, slot: legs, tag: CellTag.integer, payload: 55, arena: UnsafeRawPointer(held.arena.base))
    let fault = held.takeRow(entity: Int32(fixture.animal.index), state: RowState.fault, primaryKey: 6)
    var found: [Int32] = []
    let statements = try fixture.statements {
      found = try fixture.access.fetchPage(entity: fixture.animal, after: 1, limit: 5, into: held)
    }
    #expect(statements.count == 1)
    #expect(found.map { held.primaryKeys[Int($0)] } == [2, 3, 4, 5, 6])
    #expect(held.count == 5)
    #expect(held.payloads[legs][changed] == 55 && held.states[changed] == RowState.updated)
    #expect(held.payloads[legs][fault] == 6 && held.states[fault] == RowState.clean)
    #expect(Int(held.entities[fault]) == fixture.bird.index)
    #expect(try fixture.access.versions(primaryKeys: [1, 2, 50], held) == [1: 1, 2: 1])
  }

  @Test("the hashes of a scan are those of the same cells in memory")
  func scanHashes() throws {
    let fixture = try Fixture()
    try fixture.insert(3)
    try fixture.store.connection.execute("UPDATE ZANIMAL SET ZNAME = 'n' || Z_PK, ZBORN = Z_PK WHERE Z_PK < 3")
    let slots = try ["name", "born"].map { name in try #require(fixture.animal.attribute(named: name)).slot }
    let legs = try #require(fixture.animal.attribute(named: "legs")).slot
    let fetched = RowBuffer(model: fixture.model, root: fixture.animal)
    try [Int64](1...3).withUnsafeBufferPointer { keys throws(StoreError) in
      try fixture.access.fetch(primaryKeys: keys, slots: slots + [legs], into: fetched)
    }
    func hash(_ row: Int, _ slots: [Int]) -> UInt64 {
      slots.reduce(ContentHash.start(17)) { hash, slot in
        CellHash.cell(fetched.tags[slot][row], fetched.payloads[slot][row], fetched.arena.base, seed: hash)
      }
    }
    var seen: [Int64] = []
    try fixture.access.scanHashes(entity: fixture.animal, keySlots: slots, contentSlots: [legs], seed: 17) {
      key, keyHash, contentHash in
      seen.append(key)
      let row = Int(key) - 1
      #expect(keyHash == hash(row, slots))
      #expect(contentHash == hash(row, slots + [legs]))
    }
    // The third has a null in its key.
    #expect(seen == [1, 2])
  }

  @Test("a row that breaks a constraint refuses all rows of its statement")
  func refusedRows() throws {
    let fixture = try Fixture()
    let buffer = fixture.buffer
    buffer.appendRows(20, entity: Int32(fixture.animal.index), state: RowState.inserted)
    let (name, born) = (
      try #require(fixture.animal.attribute(named: "name")).slot,
      try #require(fixture.animal.attribute(named: "born")).slot
    )
    for row in 0..<20 {
      buffer.primaryKeys[row] = Int64(row + 1)
      // Rows 7 and 13 repeat row 3.
      buffer.tags[name][row] = CellTag.text
      let text = row == 7 || row == 13 ? "3" : "\(row)"
      buffer.payloads[name][row] = Array(text.utf8).withUnsafeBytes { buffer.arena.append($0) }.payload
      buffer.tags[born][row] = CellTag.real
    }
    var error: StoreError?
    do {
      try fixture.write { rows throws(StoreError) in try fixture.access.insert(buffer, rows: rows) }
    } catch let refusal {
      error = refusal
    }
    #expect(error?.cause?.kind == .unique)
    #expect(try fixture.rows("SELECT count(*) FROM ZANIMAL") == ["0"])
  }
}
