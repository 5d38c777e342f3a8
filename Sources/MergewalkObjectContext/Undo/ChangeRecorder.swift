import MergewalkObjectModel
import MergewalkObjectStore

/// Writes down what changes in a context, for its undo manager: one ``UndoChanges`` an event.
final class ChangeRecorder: RowRecorder {
  private struct PairName: Hashable {
    var place: LinkPlace
    var pair: LinkChanges.Pair
  }

  let manager: UndoManager
  // The context has the recorder, and lets go of it before it goes away.
  private unowned let context: ManagedObjectContext

  /// The changes since the event began.
  private var changes: UndoChanges
  /// By table and row: the record of the row; entries may be stale, so whoever uses one asks the record's object.
  private var recordOfRow: [ContiguousArray<Int32>] = []
  /// One bit for each slot of each record that is kept already.
  private var kept = ContiguousArray<UInt64>()
  private var firstKept = ContiguousArray<Int>()
  private var pairNames = Set<PairName>()
  /// By table: the keys that took the place of temporary ones.
  private var permanentKeys: [TableID: [Int64: Int64]] = [:]
  private var permanentCount = 0
  private var nextSweep = 4096
  /// By table and slot: the table that a to-one relationship leads to, `nil` for attributes.
  private var destinations: [TableID: [TableID?]] = [:]

  private var exclusive: [Int: [RelationshipDescription]] = [:]

  init(_ manager: UndoManager, _ context: ManagedObjectContext) {
    self.manager = manager
    self.context = context
    changes = UndoChanges(storedVersion: context.storedVersion)
  }

  /// Whether the event has no changes so far.
  var isEmpty: Bool { changes.isEmpty }

  // MARK: Recording

  /// Sees to it that the old value of a cell can be kept.
  ///
  /// - Throws: ``ObjectError`` with `notStorable`; nothing has changed then.
  func requireRoom(for buffer: RowBuffer, row: Int, slot: Int) throws(ObjectError) {
    guard changes.byteCount + buffer.byteCount(row: row, slots: [slot]) > 3 << 30 else { return }
    throw ObjectError(
      .notStorable, "the old values of one undo step take more than 3 GiB; process pending changes in between")
  }

  func willChange(_ buffer: RowBuffer, row: Int, slot: Int) {
    let record = record(buffer, row: row)
    guard changes.records[record].kind == .changed else { return }
    keep(buffer, row: row, slot: slot, record: record)
  }

  /// A record was inserted, or will be there again.
  func isThere(_ object: ManagedObject) {
    if let known = find(table: object.table, row: object.row) {
      // It was removed within the event, so all its cells are known.
      if changes.records[known].kind == .removed { changes.setKind(known, .changed) }
      return
    }
    append(object, .inserted)
  }

  /// A record whose deletion is not saved is about to be there again.
  ///
  /// What it referred to when it was deleted is kept: deleted once more, it is denied, or not, for the same objects.
  func willRevive(_ object: ManagedObject) {
    let count = changes.records.count
    isThere(object)
    guard changes.records.count > count else { return }
    let buffer = context.buffer(table: object.table)
    for slot in 0..<buffer.columnCount where destination(table: object.table, slot: slot) != nil {
      changes.keep(buffer, row: object.row, slot: slot, record: count)
    }
  }

  /// A record is about to be deleted, with all its relationships cleared already.
  func willRemove(_ object: ManagedObject) {
    let buffer = context.buffer(table: object.table)
    let record = record(buffer, row: object.row)
    guard changes.records[record].kind == .changed else { return }
    for slot in 0..<buffer.columnCount { keep(buffer, row: object.row, slot: slot, record: record) }
    changes.setKind(record, .removed)
  }

  /// A transient attribute is about to be changed, maybe only in what the object keeps for it outside of its row.
  func willChangeTransient(_ object: ManagedObject, slot: Int) {
    let buffer = context.buffer(table: object.table)
    let record = record(buffer, row: object.row)
    guard changes.records[record].kind == .changed else { return }
    if slot < buffer.columnCount { keep(buffer, row: object.row, slot: slot, record: record) }
    if !changes.transients.contains(where: { $0.record == record && $0.slot == slot }) {
      changes.keep(object.extras?.transientValues[slot], record: record, slot: slot)
    }
  }

  /// A pair is about to be changed.
  func willSet(_ old: LinkChanges.Change, _ relation: LinkRelation) {
    if changes.isEmpty { changes.storedVersion = context.storedVersion }
    let pair = LinkChanges.Pair(owner: old.row.owner, target: old.row.target)
    if pairNames.insert(PairName(place: relation.place, pair: pair)).inserted { changes.keep(old, relation) }
  }

  /// Ends the event; returns what changed in it, or `nil` when all is as it was.
  func endEvent() -> UndoChanges? {
    guard !changes.isEmpty else { return nil }
    let ended = changes
    discard()
    return hasEffect(ended) ? ended : nil
  }

  /// Forgets what changed in the event.
  func discard() {
    changes = UndoChanges(storedVersion: context.storedVersion)
    kept.removeAll(keepingCapacity: kept.count < 4096)
    firstKept.removeAll(keepingCapacity: firstKept.count < 4096)
    pairNames.removeAll(keepingCapacity: pairNames.count < 4096)
  }

  /// Forgets the event and everything about the past.
  func forgetAll() {
    discard()
    permanentKeys.removeAll()
    permanentCount = 0
    recordOfRow.removeAll()
  }

  private func find(table: TableID, row: Int) -> Int? {
    guard table.index < recordOfRow.count, row < recordOfRow[table.index].count else { return nil }
    let record = Int(recordOfRow[table.index][row])
    guard record < changes.records.count else { return nil }
    let object = changes.records[record].object
    return object.row == row && object.table == table ? record : nil
  }

  private func record(_ buffer: RowBuffer, row: Int) -> Int {
    find(table: buffer.table, row: row) ?? append(context.object(buffer, row: row), .changed)
  }

  @discardableResult
  private func append(_ object: ManagedObject, _ kind: UndoChanges.Kind) -> Int {
    if changes.isEmpty { changes.storedVersion = context.storedVersion }
    let record = changes.append(object, kind)
    learnPlace(object, record)
    firstKept.append(kept.count)
    if kind == .changed {
      kept.append(contentsOf: repeatElement(0, count: context.buffer(table: object.table).dirtyWords))
    }
    return record
  }

  private func learnPlace(_ object: ManagedObject, _ record: Int) {
    let missingTables = object.table.index + 1 - recordOfRow.count
    if missingTables > 0 { recordOfRow.append(contentsOf: repeatElement([], count: missingTables)) }
    let missing = object.row + 1 - recordOfRow[object.table.index].count
    if missing > 0 { recordOfRow[object.table.index].append(contentsOf: repeatElement(0, count: missing)) }
    recordOfRow[object.table.index][object.row] = Int32(record)
  }

  private func keep(_ buffer: RowBuffer, row: Int, slot: Int, record: Int) {
    let (word, bit) = (firstKept[record] + slot >> 6, UInt64(1) << (UInt64(slot) & 63))
    if kept[word] & bit != 0 { return }
    kept[word] |= bit
    changes.keep(
      buffer, row: row, slot: slot, record: record, inline: context.inlineCell(buffer, row: row, slot: slot))
  }

  /// Whether anything differs from what it was.
  private func hasEffect(_ changes: UndoChanges) -> Bool {
    for record in changes.records {
      // What was inserted and deleted in one event was never there.
      if record.kind == .removed || record.kind == .inserted && record.object.isValid { return true }
    }
    for cell in changes.cells {
      let object = changes.records[Int(cell.row)].object
      guard object.isValid else { continue }
      let buffer = context.buffer(table: object.table)
      let slot = Int(cell.slot)
      let isSame = buffer.equals(
        row: object.row, slot: slot, tag: cell.tag, payload: currentPayload(cell, table: object.table),
        arena: UnsafeRawPointer(changes.arena?.base ?? buffer.arena.base))
      if !isSame || (buffer.orderKeys[slot]?[object.row] ?? 0) != cell.orderKey { return true }
    }
    // Values of any type cannot be compared.
    let hasTransient = changes.transients.contains { old in
      old.value != nil || changes.records[old.record].object.extras?.transientValues[old.slot] != nil
    }
    if hasTransient { return true }
    return changes.pairs.contains { pair in
      let old = current(pair).change
      let name = LinkChanges.Pair(owner: old.row.owner, target: old.row.target)
      guard let new = context.pendingLinks.changes(pair.relation.place)?[name] else { return true }
      return new.isLinked != old.isLinked || new.isLinked && pair.relation.differ(new.row, old.row)
    }
  }

  /// The to-many relationships without an inverse that objects of an entity can be in.
  func exclusiveRelationships(to entity: EntityDescription) -> [RelationshipDescription] {
    if let known = exclusive[entity.index] { return known }
    let found = context.model.unpairedRelationships(to: entity, isToMany: true)
    exclusive[entity.index] = found
    return found
  }

  // MARK: Stores

  /// Moves a new object's row to the table of another store; steps that would relate it there to objects of this store
  /// are forgotten, with all others.
  func follow(_ object: ManagedObject, _ move: () -> Void) {
    let record = find(table: object.table, row: object.row)
    // What was inserted in this event is in no earlier step, and was related to nothing before.
    let isNew = record.map { changes.records[$0].kind == .inserted } ?? false
    if !isNew, relates(object) {
      context.forgetUndo()
      return move()
    }
    move()
    if let record { learnPlace(object, record) }
  }

  /// Whether a step relates an object to others.
  private func relates(_ object: ManagedObject) -> Bool {
    let (table, key) = (object.table, object.primaryKey)
    func relates(_ changes: UndoChanges) -> Bool {
      changes.cells.contains { cell in
        changes.records[Int(cell.row)].object === object && cell.tag == CellTag.integer
          && destination(table: table, slot: Int(cell.slot)) != nil
      }
        || changes.pairs.contains { pair in
          let (relation, row) = (pair.relation, pair.change.row)
          return pair.change.isLinked
            && (relation.ownerTable == table && row.owner == key || relation.targetTable == table && row.target == key)
        }
    }
    var isFound = relates(changes)
    manager.forEachChanges(of: context) { isFound = isFound || relates($0) }
    return isFound
  }

  // MARK: Keys

  /// Takes note of keys in place of others; what was recorded learns them when it is used.
  func keysWereReplaced(_ keys: AssignedKeys) {
    for (table, replaced) in keys.tables {
      for (old, new) in replaced {
        if old < 0 {
          permanentKeys[table, default: [:]][old] = new
          permanentCount += 1
        } else if new < 0 {
          // The save that assigned the key failed.
          permanentKeys[table]?[new] = nil
        }
      }
    }
    guard permanentCount > nextSweep else { return }
    // Otherwise a context that is used for long would keep all keys that there ever were.
    var cellCount = changes.cells.count
    changes.replaceKeys(self)
    manager.forEachChanges(of: context) { changes in
      changes.replaceKeys(self)
      cellCount += changes.cells.count
    }
    permanentKeys.removeAll()
    permanentCount = 0
    nextSweep = max(4096, cellCount)
  }

  func currentKey(_ key: Int64, table: TableID) -> Int64 { key < 0 ? permanentKeys[table]?[key] ?? key : key }

  /// The payload of an old cell, with the key that the record has now to which a relationship refers.
  func currentPayload(_ cell: CellSnapshot, table: TableID) -> UInt64 {
    guard cell.tag == CellTag.integer, Int64(bitPattern: cell.payload) < 0 else { return cell.payload }
    guard let destination = destination(table: table, slot: Int(cell.slot)) else { return cell.payload }
    return UInt64(bitPattern: currentKey(Int64(bitPattern: cell.payload), table: destination))
  }

  /// An old pair with the keys that its objects have now.
  func current(_ pair: UndoChanges.Pair) -> UndoChanges.Pair {
    var pair = pair
    pair.change.row.owner = currentKey(pair.change.row.owner, table: pair.relation.ownerTable)
    pair.change.row.target = currentKey(pair.change.row.target, table: pair.relation.targetTable)
    return pair
  }

  /// The table that a to-one relationship at a slot leads to, `nil` for attributes.
  func destination(table: TableID, slot: Int) -> TableID? {
    if let known = destinations[table] { return known[slot] }
    var found = [TableID?](repeating: nil, count: context.buffer(table: table).columnCount)
    for entity in context.model.family(of: table.root) {
      for relationship in entity.relationships where !relationship.isToMany && found.indices.contains(relationship.slot)
      {
        found[relationship.slot] = context.destinationTable(relationship, from: table)
      }
    }
    destinations[table] = found
    return found[slot]
  }
}
