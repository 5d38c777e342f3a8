import MergewalkObjectModel
import MergewalkObjectStore

/// The changes posted to observers since the last save.
struct ChangeLedger {
  struct Record: Hashable {
    var table: TableID
    var primaryKey: Int64
  }
  /// A hash of state, values and pairs of each record that was named.
  var posted: [Record: UInt64] = [:]
  let seed = CellHash.randomSeed()

  /// Takes note of keys that records have now.
  mutating func replace(_ keys: AssignedKeys) {
    if posted.isEmpty { return }
    for (table, replaced) in keys.tables {
      for (old, new) in replaced {
        guard let hash = posted.removeValue(forKey: Record(table: table, primaryKey: old)) else { continue }
        posted[Record(table: table, primaryKey: new)] = hash
      }
    }
  }
}

extension ManagedObjectContext {
  /// Tells observers of `objectsDidChange` what was inserted, changed and deleted since the last time, in one event.
  ///
  /// Each save begins with this; call it wherever observers should hear of changes before that. An object that is set
  /// back to what the store has is posted as refreshed.
  ///
  /// - Complexity: O(changed rows × columns) when there are observers, else O(1).
  func postPendingChanges() {
    guard let events, events.wants(.objectsDidChange) else { return }
    var event = ContextEvent(.objectsDidChange, self)
    var rest = events.ledger.posted
    var pairs: [ChangeLedger.Record: UInt64] = [:]
    for place in pendingLinks.order {
      guard let changes = pendingLinks.changes(place) else { continue }
      for (pair, change) in changes.changes where change.isEffective {
        // The order of a dictionary must not matter.
        let hash = CellHash.mix(
          UInt64(bitPattern: change.row.order &* 31 &+ change.row.inverseOrder) ^ (change.isLinked ? 1 : 2),
          UInt64(bitPattern: pair.owner &* 1_000_003 &+ pair.target) ^ events.ledger.seed)
        pairs[ChangeLedger.Record(table: changes.ownerTable, primaryKey: pair.owner), default: 0] &+= hash
        pairs[ChangeLedger.Record(table: changes.targetTable, primaryKey: pair.target), default: 0] &+= hash
      }
    }
    for buffer in allBuffers {
      buffer.dropRevertedChanges()
      for touched in buffer.touchedRows {
        let row = Int(touched)
        guard isRealChange(buffer, row) else { continue }
        let record = ChangeLedger.Record(table: buffer.table, primaryKey: buffer.primaryKeys[row])
        note(record, buffer, row, pairs.removeValue(forKey: record) ?? 0, &rest, &event)
      }
    }
    for (record, hash) in pairs.sorted(by: { ($0.key.table, $0.key.primaryKey) < ($1.key.table, $1.key.primaryKey) }) {
      let buffer = buffer(table: record.table)
      guard let row = buffer.row(primaryKey: record.primaryKey) else { continue }
      note(record, buffer, row, hash, &rest, &event)
    }
    for record in rest.keys.sorted(by: { ($0.table, $0.primaryKey) < ($1.table, $1.primaryKey) }) {
      events.ledger.posted[record] = nil
      let buffer = buffer(table: record.table)
      if let row = buffer.row(primaryKey: record.primaryKey) {
        event.refreshedObjectIDs.append(
          objectID(table: record.table, entity: Int(buffer.entities[row]), primaryKey: record.primaryKey))
      } else {
        // It was never saved, and so its own entity is not known any more.
        event.deletedObjectIDs.append(
          objectID(table: record.table, entity: record.table.root.index, primaryKey: record.primaryKey))
      }
    }
    if !event.isEmpty { events.post(event) }
  }

  private func isRealChange(_ buffer: RowBuffer, _ row: Int) -> Bool {
    switch buffer.states[row] {
    case RowState.inserted, RowState.deleted: true
    case RowState.updated: (0..<buffer.dirtyWords).contains { buffer.dirtyBits[row * buffer.dirtyWords + $0] != 0 }
    default: false
    }
  }

  /// Takes a changed record into an event unless it was posted as it is now.
  private func note(
    _ record: ChangeLedger.Record, _ buffer: RowBuffer, _ row: Int, _ pairs: UInt64,
    _ rest: inout [ChangeLedger.Record: UInt64], _ event: inout ContextEvent
  ) {
    guard let events else { return }
    var hash = CellHash.mix(UInt64(buffer.states[row]) ^ pairs, events.ledger.seed)
    for slot in 0..<buffer.columnCount {
      hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
      if let keys = buffer.orderKeys[slot] { hash = CellHash.mix(UInt64(bitPattern: keys[row]), hash) }
    }
    rest[record] = nil
    let known = events.ledger.posted.updateValue(hash, forKey: record)
    if known == hash { return }
    let id = objectID(table: record.table, entity: Int(buffer.entities[row]), primaryKey: record.primaryKey)
    switch buffer.states[row] {
    case RowState.inserted where known == nil: event.insertedObjectIDs.append(id)
    case RowState.deleted: event.deletedObjectIDs.append(id)
    default: event.updatedObjectIDs.append(id)
    }
  }

  /// The context has no changes any more.
  func forgetPostedChanges() { events?.ledger.posted.removeAll() }

  /// Tells, in one event, that objects will take their values from the store.
  func postRefreshed(_ objects: [ManagedObject]) {
    guard let events, events.wants(.objectsDidChange), !objects.isEmpty else { return }
    var event = ContextEvent(.objectsDidChange, self)
    event.refreshedObjectIDs = objects.map(\.objectID)
    for object in objects {
      events.ledger.posted[ChangeLedger.Record(table: object.table, primaryKey: object.primaryKey)] = nil
    }
    events.post(event)
  }

  /// The IDs of the objects that a reset is about to invalidate, if anyone observes that.
  var idsForReset: [ManagedObjectID] {
    events?.wants(.objectsDidChange) ?? false ? registeredObjects.map(\.objectID) : []
  }

  /// Tells that a reset has invalidated all objects.
  func postReset(_ ids: [ManagedObjectID]) {
    guard let events else { return }
    forgetPostedChanges()
    guard events.wants(.objectsDidChange) else { return }
    var event = ContextEvent(.objectsDidChange, self)
    event.isEverythingInvalidated = true
    event.invalidatedObjectIDs = ids
    events.post(event)
  }
}
