public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Updates the context's objects with the result of a batch request; the request must have returned IDs.
  ///
  /// Works like ``mergeChanges(inserted:updated:deleted:)``.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for IDs of another store, `closed` or `database`.
  public func mergeChanges(from result: BatchResult) throws(ObjectError) {
    try mergeChanges(
      inserted: result.insertedObjectIDs, updated: result.updatedObjectIDs, deleted: result.deletedObjectIDs)
  }

  /// Updates the context's objects with changes that another context or process made to the store.
  ///
  /// Written objects take the store's values when they are next used; unsaved values set here stay on top of them, so
  /// that the next save is not a conflict. Deleted objects are marked so (``ManagedObject/isDeleted``) and are no
  /// longer valid, their changes are lost, and to-one relationships changed here that refer to them become empty.
  /// To-many relationships are read again. New objects are named in `objectsDidChange`; if it is observed, they are
  /// registered here as faults until the next merge. Other objects that the context does not hold cost nothing.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for IDs of another store or model, `closed` or `database`.
  /// - Complexity: O(IDs + changed rows); one statement for each object that was changed both there and here.
  public func mergeChanges(
    inserted: [ManagedObjectID] = [], updated: [ManagedObjectID] = [], deleted: [ManagedObjectID] = []
  ) throws(ObjectError) {
    try mergeChanges(inserted: inserted, updated: updated, deleted: deleted, related: [])
  }

  /// The same, with objects of which only to-many relationships changed.
  func mergeChanges(
    inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID], related: [ManagedObjectID]
  ) throws(ObjectError) {
    for id in inserted + related { _ = try table(id) }
    var gone: [TableID: Set<Int64>] = [:]
    for id in deleted { gone[try table(id), default: []].insert(id.primaryKey) }
    let written = try updated.map { id throws(ObjectError) in (table: try table(id), primaryKey: id.primaryKey) }
    storedVersion &+= 1
    pendingLinks.dropReverted()
    lastOrderKeys.removeAll(keepingCapacity: true)
    let isWatched = events?.wants(.objectsDidChange) ?? false
    var event = ContextEvent(.objectsDidChange, self)
    if isWatched {
      event.deletedObjectIDs = deleted.filter(holds)
      event.refreshedObjectIDs = related.filter(holds)
    }
    if !gone.isEmpty { forget(gone) }
    if isWatched || retainsRegisteredObjects {
      var new: [ManagedObject] = []
      for id in inserted where !(gone[try table(id)]?.contains(id.primaryKey) ?? false) {
        event.insertedObjectIDs.append(id)
        new.append(try object(with: id))
      }
      keepMerged(new)
    }
    var missing: [TableID: Set<Int64>] = [:]
    for (table, key) in written {
      let buffer = buffer(table: table)
      guard let row = buffer.row(primaryKey: key) else { continue }
      if isWatched, buffer.states[row] != RowState.inserted {
        event.refreshedObjectIDs.append(objectID(table: table, entity: Int(buffer.entities[row]), primaryKey: key))
      }
      switch buffer.states[row] {
      // Also faults: their values may have come with the fetch that named them.
      case RowState.clean, RowState.fault: try forget(object(buffer, row: row), mergingChanges: false)
      case RowState.updated:
        do throws(ObjectError) {
          try forget(object(buffer, row: row), mergingChanges: true)
        } catch {
          // Whoever wrote the record may have deleted it since.
          guard error.code == .notFound else { throw error }
          missing[table, default: []].insert(key)
        }
      case RowState.deleted: try takeVersion(buffer, row: row)
      default: continue
      }
    }
    if !missing.isEmpty { forget(missing) }
    noteInResults(updated + related)
    if isWatched, !event.isEmpty { events?.post(event) }
    updateResults()
    guard let events, events.wants(.didMergeChanges) else { return }
    var merged = ContextEvent(.didMergeChanges, self)
    (merged.insertedObjectIDs, merged.updatedObjectIDs) = (inserted, updated)
    (merged.deletedObjectIDs, merged.refreshedObjectIDs) = (deleted, related)
    if !merged.isEmpty { events.post(merged) }
  }

  /// Whether the context has a row of a record.
  private func holds(_ id: ManagedObjectID) -> Bool {
    guard let table = try? table(id) else { return false }
    return buffer(table: table).row(primaryKey: id.primaryKey) != nil
  }

  /// Gives a row that is deleted here the store's version, so that its deletion is no conflict.
  private func takeVersion(_ buffer: RowBuffer, row: Int) throws(ObjectError) {
    let access = try access(table: buffer.table)
    let key = buffer.primaryKeys[row]
    let versions = try objectErrors { () throws(StoreError) in try access.versions(primaryKeys: [key], buffer) }
    if let version = versions[key] { buffer.versions[row] = version }
  }

  /// Lets go of records that are not in the store any more, and of what is about to refer to them.
  func forget(_ gone: [TableID: Set<Int64>]) {
    for (table, keys) in gone.sorted(by: { $0.key < $1.key }) {
      let buffer = buffer(table: table)
      for key in keys.sorted() {
        guard let row = buffer.row(primaryKey: key) else { continue }
        if buffer.states[row] != RowState.fault { buffer.rollBack(row: row) }
        registry.object(table: table, row: row)?.takeUnretainedValue().flags.insert(.isInaccessible)
        detach(buffer, row: row)
        buffer.release(row: row)
      }
    }
    // Undoing may bring references to them back.
    if recorder != nil { annihilated.merge(gone) { $0.union($1) } }
    for buffer in allBuffers { clearReferences(in: buffer, to: gone) }
    pendingLinks.forget(gone)
    pendingReferences = nil
  }

  /// Clears to-one relationships of changed rows that refer to records that are gone.
  private func clearReferences(in buffer: RowBuffer, to gone: [TableID: Set<Int64>]) {
    for touched in buffer.touchedRows {
      let row = Int(touched)
      guard buffer.states[row] == RowState.inserted || buffer.states[row] == RowState.updated else { continue }
      for relationship in model.entities[Int(buffer.entities[row])].relationships where !relationship.isToMany {
        let slot = relationship.slot
        guard let keys = gone[destinationTable(relationship, from: buffer.table)],
          buffer.tags[slot][row] == CellTag.integer, keys.contains(Int64(bitPattern: buffer.payloads[slot][row]))
        else { continue }
        buffer.setReference(row: row, slot: slot, primaryKey: 0, destinationEntity: -1)
      }
    }
  }
}

extension PendingLinks {
  /// Forgets what was to become of pairs with records that are gone.
  fileprivate func forget(_ gone: [TableID: Set<Int64>]) {
    for storage in order {
      guard let changes = changes(storage) else { continue }
      forget(storage) { pair in
        gone[changes.ownerTable]?.contains(pair.owner) ?? false
          || gone[changes.targetTable]?.contains(pair.target) ?? false
      }
    }
  }
}
