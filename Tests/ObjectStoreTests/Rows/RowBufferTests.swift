import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("Row buffer")
struct RowBufferTests {
  /// The buffer of `Animal` in the zoo, and the slots of some of its properties.
  struct Zoo {
    let model: ManagedObjectModel
    let buffer: RowBuffer
    let animal: EntityDescription

    init() throws {
      model = try Models.zoo()
      animal = try #require(model.entity(named: "Animal"))
      buffer = RowBuffer(model: model, root: animal)
    }

    func slot(_ name: String) throws -> Int {
      if let attribute = animal.attribute(named: name) { return attribute.slot }
      return try #require(animal.relationship(named: name)).slot
    }

    func add(_ key: Int64, state: UInt8 = RowState.clean) -> Int {
      buffer.takeRow(entity: Int32(animal.index), state: state, primaryKey: key)
    }

    func setText(_ row: Int, _ name: String, _ text: String) throws {
      let bytes = Array(text.utf8)
      let slot = try slot(name)
      bytes.withUnsafeBytes { bytes in
        _ = buffer.set(
          row: row, slot: slot, tag: CellTag.text, payload: ByteRange(offset: 0, length: bytes.count).payload,
          arena: bytes.baseAddress ?? UnsafeRawPointer(buffer.arena.base))
      }
    }

    func text(_ row: Int, _ name: String) throws -> String? {
      let slot = try slot(name)
      guard buffer.tags[slot][row] == CellTag.text else { return nil }
      return String(decoding: buffer.arena.bytes(ByteRange(payload: buffer.payloads[slot][row])), as: UTF8.self)
    }
  }

  @Test("rows start with null cells, also in places that were used before")
  func nullCells() throws {
    let zoo = try Zoo()
    let row = zoo.add(1)
    try zoo.setText(row, "name", "Leo")
    zoo.buffer.setReference(row: row, slot: try zoo.slot("keeper"), primaryKey: 9, destinationEntity: 3)
    zoo.buffer.setOrderKey(row: row, slot: try zoo.slot("keeper"), 2048)
    zoo.buffer.rollBack()
    zoo.buffer.release(row: row)
    #expect(zoo.buffer.row(primaryKey: 1) == nil)
    #expect(zoo.buffer.holdsNothing)
    let again = zoo.add(2)
    #expect(again == row)
    #expect(zoo.buffer.row(primaryKey: 2) == again)
    for slot in 0..<zoo.buffer.columnCount { #expect(zoo.buffer.tags[slot][again] == CellTag.null) }
    let keeper = try zoo.slot("keeper")
    #expect(zoo.buffer.orderKeys[keeper]?[again] == 0)
    #expect(zoo.buffer.destinationEntities[keeper]?[again] == -1)
    #expect(!zoo.buffer.isDirty(row: again, slot: keeper))
  }

  @Test("rows that were appended are found by key, and growth keeps all cells")
  func growth() throws {
    let zoo = try Zoo()
    let slot = try zoo.slot("legs")
    for i in 0..<1000 {
      let row = zoo.buffer.appendRows(1, entity: Int32(zoo.animal.index), state: RowState.inserted)
      zoo.buffer.primaryKeys[row] = Int64(i * 7)
      zoo.buffer.tags[slot][row] = CellTag.integer
      zoo.buffer.payloads[slot][row] = UInt64(i)
    }
    for i in 0..<1000 {
      let row = try #require(zoo.buffer.row(primaryKey: Int64(i * 7)))
      #expect(zoo.buffer.payloads[slot][row] == UInt64(i))
    }
    zoo.buffer.removeAll()
    #expect(zoo.buffer.row(primaryKey: 7) == nil)
    #expect(zoo.buffer.count == 0)
  }

  @Test("setting equal values is no change: bytes, nulls, zeros of either sign")
  func equalValues() throws {
    let zoo = try Zoo()
    let row = zoo.add(1)
    let weight = try zoo.slot("weight")
    let base = UnsafeRawPointer(zoo.buffer.arena.base)
    #expect(!zoo.buffer.set(row: row, slot: weight, tag: CellTag.null, payload: 0, arena: base))
    #expect(zoo.buffer.states[row] == RowState.clean)
    #expect(zoo.buffer.set(row: row, slot: weight, tag: CellTag.real, payload: (0.0).bitPattern, arena: base))
    #expect(!zoo.buffer.set(row: row, slot: weight, tag: CellTag.real, payload: (-0.0).bitPattern, arena: base))
    #expect(zoo.buffer.set(row: row, slot: weight, tag: CellTag.real, payload: (1.0).bitPattern, arena: base))
    try zoo.setText(row, "name", "Leo")
    let count = zoo.buffer.arena.count
    try zoo.setText(row, "name", "Leo")
    #expect(zoo.buffer.arena.count == count)
    #expect(zoo.buffer.touchedRows == [Int32(row)])
  }

  @Test("what was set back is dropped; an order key of its own counts")
  func reverted() throws {
    let zoo = try Zoo()
    let row = zoo.add(1)
    try zoo.setText(row, "name", "Leo")
    zoo.buffer.setReference(row: row, slot: try zoo.slot("keeper"), primaryKey: 9, destinationEntity: 3)
    zoo.buffer.setOrderKey(row: row, slot: try zoo.slot("keeper"), 2048)
    zoo.buffer.markClean(row: row)
    zoo.buffer.snapshots.removeAll()
    zoo.buffer.touchedRows.removeAll()

    try zoo.setText(row, "name", "Lea")
    try zoo.setText(row, "name", "Leo")
    let (name, keeper) = (try zoo.slot("name"), try zoo.slot("keeper"))
    zoo.buffer.setReference(row: row, slot: keeper, primaryKey: 0, destinationEntity: -1)
    #expect(zoo.buffer.orderKeys[keeper]?[row] == 0)
    zoo.buffer.setReference(row: row, slot: keeper, primaryKey: 9, destinationEntity: 3)
    zoo.buffer.setOrderKey(row: row, slot: keeper, 4096)
    zoo.buffer.dropRevertedChanges()
    #expect(!zoo.buffer.isDirty(row: row, slot: name))
    #expect(zoo.buffer.isDirty(row: row, slot: keeper))
    zoo.buffer.setOrderKey(row: row, slot: keeper, 2048)
    zoo.buffer.dropRevertedChanges()
    #expect(!zoo.buffer.isDirty(row: row, slot: keeper))
    zoo.buffer.setOrderKey(row: row, slot: keeper, 1)
    zoo.buffer.rollBack()
    #expect(zoo.buffer.orderKeys[keeper]?[row] == 2048)
    #expect(try zoo.text(row, "name") == "Leo")
    #expect(zoo.buffer.states[row] == RowState.clean)
  }

  @Test("taking back one row leaves the others changed")
  func rollBackOne() throws {
    let zoo = try Zoo()
    let rows = [zoo.add(1), zoo.add(2)]
    for row in rows { try zoo.setText(row, "name", "Leo") }
    zoo.buffer.rollBack(row: rows[0])
    #expect(try zoo.text(rows[0], "name") == nil)
    #expect(try zoo.text(rows[1], "name") == "Leo")
    #expect(zoo.buffer.states[rows[0]] == RowState.clean && zoo.buffer.states[rows[1]] == RowState.updated)
    zoo.buffer.rollBack()
    #expect(try zoo.text(rows[1], "name") == nil)
  }

  @Test("values from the store replace those that were not set here, and the snapshots of those that were")
  func takeStored() throws {
    let (zoo, fresh) = (try Zoo(), try Zoo())
    let row = zoo.add(1)
    try zoo.setText(row, "name", "mine")
    let other = fresh.add(1)
    try fresh.setText(other, "name", "theirs")
    let born = try zoo.slot("born")
    fresh.buffer.tags[born][other] = CellTag.real
    fresh.buffer.payloads[born][other] = (5.0).bitPattern
    fresh.buffer.versions[other] = 8
    zoo.buffer.takeStored(row: row, from: fresh.buffer, row: other, slots: [try zoo.slot("name"), born])
    #expect(zoo.buffer.versions[row] == 8)
    #expect(zoo.buffer.payloads[born][row] == (5.0).bitPattern)
    #expect(try zoo.text(row, "name") == "mine")
    zoo.buffer.rollBack()
    #expect(try zoo.text(row, "name") == "theirs")
  }

  @Test("a row that was touched twice is left once")
  func deduplicate() throws {
    let zoo = try Zoo()
    for key in 1...200 { _ = zoo.add(Int64(key)) }
    zoo.buffer.touchedRows = [5, 190, 5, 64, 63, 190, 64, 0]
    zoo.buffer.deduplicateTouchedRows()
    #expect(zoo.buffer.touchedRows == [5, 190, 64, 63, 0])
  }

  @Test("compaction keeps every value and snapshot, through random changes", arguments: Soak.seeds(6, from: 1))
  func compaction(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let zoo = try Zoo()
    var plain: [Int64: String] = [:]
    var key: Int64 = 0
    for step in 0..<3000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        key += 1
        let row = zoo.add(key, state: RowState.inserted)
        let text = String(repeating: "ä", count: Int.random(in: 0..<60, using: &random)) + "\(key)"
        try zoo.setText(row, "name", text)
        zoo.buffer.markClean(row: row)
        plain[key] = text
      case 3..<5:
        guard let victim = plain.keys.sorted().randomElement(using: &random) else { continue }
        zoo.buffer.release(row: try #require(zoo.buffer.row(primaryKey: victim)))
        plain[victim] = nil
      case 5..<8:
        guard let changed = plain.keys.sorted().randomElement(using: &random) else { continue }
        let row = try #require(zoo.buffer.row(primaryKey: changed))
        try zoo.setText(row, "name", "changed \(step)")
        if Bool.random(using: &random) {
          zoo.buffer.rollBack(row: row)
        } else {
          zoo.buffer.markClean(row: row)
          zoo.buffer.snapshots.removeAll()
          zoo.buffer.touchedRows.removeAll()
          plain[changed] = "changed \(step)"
        }
      case 8: zoo.buffer.compactIfWorthwhile()
      default:
        zoo.buffer.compact()
        #expect(zoo.buffer.garbageBytes == 0)
        #expect(zoo.buffer.arena.count == plain.values.reduce(0) { $0 + $1.utf8.count }, "seed \(seed)")
      }
    }
    for (key, text) in plain {
      let row = try #require(zoo.buffer.row(primaryKey: key))
      #expect(try zoo.text(row, "name") == text, "seed \(seed)")
    }
    #expect(zoo.buffer.count - zoo.buffer.freeRows.count == plain.count)
  }

  @Test("a snapshot's bytes survive a compaction")
  func snapshotBytes() throws {
    let zoo = try Zoo()
    let row = zoo.add(1, state: RowState.inserted)
    try zoo.setText(row, "name", "before")
    zoo.buffer.markClean(row: row)
    try zoo.setText(row, "name", "after")
    zoo.buffer.compact()
    #expect(try zoo.text(row, "name") == "after")
    zoo.buffer.rollBack()
    #expect(try zoo.text(row, "name") == "before")
  }
}
