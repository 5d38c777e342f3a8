import ObjectModel
import ObjectStore

/// Records that what is written refers to and that somebody else deleted: their own rows are not written, so that their
/// versions say nothing.
extension ManagedObjectContext {
  /// Throws when what is written refers to records that somebody else deleted.
  func checkTargets(_ plan: SavePlan) throws(SaveError) {
    let missing = try missingTargets(plan)
    if !missing.isEmpty { throw SaveError(missing) }
  }

  /// The records that a plan refers to and that are not in the store any more.
  ///
  /// - Complexity: Nothing while nobody else writes to the stores; else one SELECT a table that is referred to.
  func missingTargets(_ plan: SavePlan) throws(SaveError) -> [MergeConflict] {
    guard storeList.writeMark != knownWriteMark else { return [] }
    var conflicts: [MergeConflict] = []
    for (table, keys) in targets(plan).sorted(by: { $0.key < $1.key }) {
      let buffer = buffer(table: table)
      let asked = keys.keys.filter { key in
        // New ones are there in a moment, and changed ones have their versions checked.
        guard let row = buffer.row(primaryKey: key) else { return true }
        return !buffer.isWritten(row: row)
      }
      guard !asked.isEmpty else { continue }
      let store = store(table: table)
      let versions = try saveErrors { () throws(StoreError) in
        try store.access(root: table.root).versions(primaryKeys: asked.sorted(), buffer)
      }
      for key in asked.sorted() where versions[key] == nil {
        let row = buffer.row(primaryKey: key).flatMap { buffer.states[$0] == RowState.clean ? $0 : nil }
        let snapshot = row.map { self.snapshot(buffer, table: table, row: $0) }
        conflicts.append(
          MergeConflict(
            objectID: objectID(
              table: table, entity: row.map { Int(buffer.entities[$0]) } ?? keys[key] ?? table.root, primaryKey: key),
            oldVersion: row.map { buffer.versions[$0] } ?? 0, newVersion: 0, objectSnapshot: snapshot,
            cachedSnapshot: snapshot ?? [:], persistedSnapshot: nil))
      }
    }
    return conflicts
  }

  /// The keys that a plan starts to refer to, with the entities that are known, by table.
  private func targets(_ plan: SavePlan) -> [TableID: [Int64: Int]] {
    var found: [TableID: [Int64: Int]] = [:]
    for changes in plan.roots {
      let buffer = changes.buffer
      for changed in changes.inserted + changes.updated.values.joined() {
        let row = Int(changed)
        let isNew = buffer.states[row] == RowState.inserted
        for relationship in model.entities[Int(buffer.entities[row])].relationships
        where !relationship.isToMany && !relationship.isTransient {
          let slot = relationship.slot
          let key = Int64(bitPattern: buffer.payloads[slot][row])
          guard buffer.tags[slot][row] == CellTag.integer, key > 0, isNew || buffer.isDirty(row: row, slot: slot)
          else { continue }
          found[destinationTable(relationship, from: buffer.table), default: [:]][key] = relationship.destinationEntity
        }
      }
    }
    for place in pendingLinks.order {
      guard let changes = pendingLinks.changes(place) else { continue }
      for (pair, change) in changes.changes where change.isLinked && !change.isStored {
        if pair.owner > 0 { found[changes.ownerTable, default: [:]][pair.owner] = changes.ownerTable.root }
        if pair.target > 0 { found[changes.targetTable, default: [:]][pair.target] = changes.targetTable.root }
      }
    }
    return found
  }

  /// Takes note of a transaction of this context in some stores: others have to look out for it.
  func noteWrite(_ numbers: [Int]) {
    for number in numbers {
      guard let store = storeList.store(number) else { continue }
      store.writes += 1
      knownWriteMark += 1
    }
  }
}
