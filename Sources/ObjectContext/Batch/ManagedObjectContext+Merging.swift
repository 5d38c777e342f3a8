public import ObjectModel
import ObjectStore
import SQLite

extension ManagedObjectContext {
  /// Brings the context's objects up to what a batch request did to the store; the request must have returned IDs.
  ///
  /// Objects that the request wrote take the store's values when they are used next; values that were set here and not
  /// saved stay, on top of the store's new ones, so that the next save is no conflict. Objects that are gone are not
  /// valid any more, what was changed in them is lost, and to-one relationships changed here that refer to them refer to
  /// nothing. To-many relationships are read anew. Objects that the context does not hold cost nothing.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for IDs of another store, `closed` or `database`.
  /// - Complexity: O(IDs + changed rows); one statement for each object that was changed both there and here.
  public func mergeChanges(from result: BatchResult) throws(ObjectError) {
    for id in result.insertedObjectIDs + result.updatedObjectIDs + result.deletedObjectIDs {
      guard id.storeUUID == store.identifier else {
        throw ObjectError(.otherContext, "\(id) is the ID of another store")
      }
    }
    storedVersion &+= 1
    lastOrderKeys.removeAll(keepingCapacity: true)
    if !result.deletedObjectIDs.isEmpty { forget(result.deletedObjectIDs) }
    for id in result.updatedObjectIDs {
      let buffer = buffer(table: id.entity.rootIndex)
      guard let row = buffer.row(primaryKey: id.primaryKey) else { continue }
      switch buffer.states[row] {
      // Also faults: their values may have come with the fetch that named them.
      case RowState.clean, RowState.fault: try forget(object(buffer, row: row), mergingChanges: false)
      case RowState.updated: try forget(object(buffer, row: row), mergingChanges: true)
      case RowState.deleted: try takeVersion(buffer, row: row)
      default: continue
      }
    }
    notifyResults()
  }

  /// Gives a row that is deleted here the store's version, so that its deletion is no conflict.
  private func takeVersion(_ buffer: RowBuffer, row: Int) throws(ObjectError) {
    let access = try access(table: buffer.rootEntity)
    let key = buffer.primaryKeys[row]
    let versions = try objectErrors { () throws(SQLiteError) in try access.versions(primaryKeys: [key], buffer) }
    if let version = versions[key] { buffer.versions[row] = version }
  }

  /// Lets go of records that are not in the store any more, and of what is about to refer to them.
  private func forget(_ ids: [ManagedObjectID]) {
    var gone: [Int: Set<Int64>] = [:]
    for id in ids { gone[id.entity.rootIndex, default: []].insert(id.primaryKey) }
    for (table, keys) in gone.sorted(by: { $0.key < $1.key }) {
      let buffer = buffer(table: table)
      for key in keys.sorted() {
        guard let row = buffer.row(primaryKey: key) else { continue }
        if buffer.states[row] != RowState.fault { buffer.rollBack(row: row) }
        detach(buffer, row: row)
        buffer.release(row: row)
      }
    }
    for buffer in allBuffers { clearReferences(in: buffer, to: gone) }
    pendingLinks.forget(gone)
    pendingReferences = nil
  }

  /// Clears to-one relationships of changed rows that refer to records that are gone.
  private func clearReferences(in buffer: RowBuffer, to gone: [Int: Set<Int64>]) {
    for touched in buffer.touchedRows {
      let row = Int(touched)
      guard buffer.states[row] == RowState.inserted || buffer.states[row] == RowState.updated else { continue }
      for relationship in model.entities[Int(buffer.entities[row])].relationships where !relationship.isToMany {
        let slot = relationship.slot
        guard let keys = gone[model.entities[relationship.destinationEntity].rootIndex],
          buffer.tags[slot][row] == CellTag.integer, keys.contains(Int64(bitPattern: buffer.payloads[slot][row]))
        else { continue }
        buffer.setReference(row: row, slot: slot, primaryKey: 0, destinationEntity: -1)
      }
    }
  }
}

extension PendingLinks {
  /// Forgets what was to become of pairs with records that are gone.
  fileprivate func forget(_ gone: [Int: Set<Int64>]) {
    for storage in order {
      guard let changes = changes(storage) else { continue }
      forget(storage) { pair in
        gone[changes.ownerTable]?.contains(pair.owner) ?? false
          || gone[changes.targetTable]?.contains(pair.target) ?? false
      }
    }
  }
}
