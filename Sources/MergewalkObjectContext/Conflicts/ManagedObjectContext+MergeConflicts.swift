import MergewalkObjectModel
import MergewalkObjectStore

/// Records that another context or process changed or deleted.
extension ManagedObjectContext {
  /// The records of a plan whose versions in the store are not those that were fetched.
  ///
  /// - Complexity: Two statements a table.
  func mergeConflicts(_ plan: SavePlan) throws(SaveError) -> [MergeConflict] {
    var conflicts: [MergeConflict] = []
    for changes in plan.roots {
      let buffer = changes.buffer
      // A record whose deletion was undone here may be there again.
      let back = changes.inserted.filter { buffer.primaryKeys[Int($0)] > 0 }
      let changed = changes.deleted + changes.updated.values.joined()
      let rows = (changed + back).map(Int.init)
      guard !rows.isEmpty else { continue }
      let store = store(table: buffer.table)
      let versions = try saveErrors { () throws(StoreError) in
        try store.access(root: buffer.rootEntity)
          .versions(primaryKeys: rows.map { buffer.primaryKeys[$0] }.sorted(), buffer)
      }
      let stale = rows.filter { row in
        let version = versions[buffer.primaryKeys[row]]
        return buffer.states[row] == RowState.inserted ? version != nil : version != buffer.versions[row]
      }
      guard !stale.isEmpty else { continue }
      let stored = try storedRows(table: buffer.table, primaryKeys: stale.map { buffer.primaryKeys[$0] })
      for row in stale {
        let found = stored.row(primaryKey: buffer.primaryKeys[row])
        conflicts.append(
          MergeConflict(
            objectID: objectID(
              table: buffer.table, entity: Int(buffer.entities[row]), primaryKey: buffer.primaryKeys[row]),
            oldVersion: buffer.states[row] == RowState.inserted ? 0 : buffer.versions[row],
            newVersion: found.map { stored.versions[$0] } ?? 0,
            objectSnapshot: buffer.states[row] == RowState.deleted
              ? nil : snapshot(buffer, table: buffer.table, row: row),
            cachedSnapshot: snapshot(buffer, table: buffer.table, row: row, isCommitted: true),
            persistedSnapshot: found.map { snapshot(stored, table: buffer.table, row: $0) }))
      }
    }
    conflicts += try missingTargets(plan)
    let known = Set(conflicts.map(\.objectID))
    conflicts += try unseenReferences(plan).filter { !known.contains($0.objectID) }
    return conflicts.sorted {
      ($0.objectID.entity.root, $0.objectID.primaryKey) < ($1.objectID.entity.root, $1.objectID.primaryKey)
    }
  }

  /// Resolves conflicts as one of the standard policies does.
  func resolve(_ conflicts: [MergeConflict], _ kind: MergePolicy.Kind) throws(SaveError) {
    var keys: [TableID: [Int64]] = [:]
    for conflict in conflicts {
      keys[try saving { () throws(ObjectError) in try table(conflict.objectID) }, default: []]
        .append(conflict.objectID.primaryKey)
    }
    var gone: [TableID: Set<Int64>] = [:]
    var resolved: [(table: TableID, keys: [Int64], stored: RowBuffer)] = []
    for (table, keys) in keys.sorted(by: { $0.key < $1.key }) {
      let buffer = buffer(table: table)
      let stored = try storedRows(table: table, primaryKeys: keys)
      let slots = try saving { () throws(ObjectError) in try access(table: table) }.storedSlots
      for key in keys {
        guard let row = buffer.row(primaryKey: key) else {
          if stored.row(primaryKey: key) == nil { gone[table, default: []].insert(key) }
          continue
        }
        if let found = stored.row(primaryKey: key) {
          try saving { () throws(ObjectError) in try buffer.requireRoom(for: found, of: stored, slots: slots) }
          resolve(buffer, row, stored, found, slots, kind)
        } else if buffer.states[row] == RowState.updated, kind == .mergeByPropertyObjectTrump || kind == .overwrite {
          buffer.insertAgain(row: row)
          try clearMissingReferences(buffer, row)
        } else {
          gone[table, default: []].insert(key)
        }
        registry.object(table: table, row: row)?.takeUnretainedValue().forgetRelated()
      }
      resolved.append((table, keys, stored))
    }
    if !gone.isEmpty { forget(gone) }
    for (table, keys, stored) in resolved { try agreeOneToOne(table: table, primaryKeys: keys, stored: stored) }
    storedVersion &+= 1
    pendingReferences = nil
    guard kind == .mergeByPropertyObjectTrump || kind == .overwrite else { return }
    try saving { () throws(ObjectError) in try carryOutRulesAgain(conflicts) }
  }

  /// Resolves a conflict with a record that is still in the store.
  private func resolve(
    _ buffer: RowBuffer, _ row: Int, _ stored: RowBuffer, _ found: Int, _ slots: [Int], _ kind: MergePolicy.Kind
  ) {
    if buffer.states[row] == RowState.deleted {
      if kind == .mergeByPropertyObjectTrump || kind == .overwrite {
        buffer.versions[row] = stored.versions[found]
        return
      }
      buffer.rollBack(row: row)
    }
    if buffer.states[row] == RowState.inserted {
      buffer.makeUpdated(
        row: row, differingFrom: stored, found,
        slots: kind == .mergeByPropertyObjectTrump || kind == .overwrite ? slots : [])
    }
    switch kind {
    case .mergeByPropertyStoreTrump:
      for slot in slots where buffer.isDirty(row: row, slot: slot) {
        let old = buffer.committed(row: row, slot: slot)
        let isChangedThere = !stored.equals(
          row: found, slot: slot, tag: old.tag, payload: old.payload, arena: UnsafeRawPointer(buffer.arena.base))
        if isChangedThere { buffer.revert(row: row, slot: slot) }
      }
    case .overwrite:
      for slot in slots where !buffer.isDirty(row: row, slot: slot) {
        if !buffer.equals(row: row, slot: slot, stored, row: found) { buffer.willChange(row: row, slot: slot) }
      }
    case .rollback: buffer.rollBack(row: row)
    case .mergeByPropertyObjectTrump, .error: break
    }
    buffer.takeStored(row: row, from: stored, row: found, slots: slots)
  }

  /// Clears to-one relationships of a record that is stored again whose destinations went with it.
  private func clearMissingReferences(_ buffer: RowBuffer, _ row: Int) throws(SaveError) {
    for relationship in model.entities[Int(buffer.entities[row])].relationships
    where !relationship.isToMany && buffer.tags[relationship.slot][row] == CellTag.integer {
      let key = Int64(bitPattern: buffer.payloads[relationship.slot][row])
      let table = destinationTable(relationship, from: buffer.table)
      if let other = self.buffer(table: table).row(primaryKey: key), self.buffer(table: table).isWritten(row: other) {
        continue
      }
      if try storedRows(table: table, primaryKeys: [key]).count == 0 {
        buffer.setReference(row: row, slot: relationship.slot, primaryKey: 0, destinationEntity: -1)
      }
    }
  }
}
