import MergewalkObjectModel
import MergewalkObjectStore

/// Bringing back what a context was before an event.
///
/// Old cells go through the same columns as any change, so change detection, inverses and versions are right, and
/// recording goes on meanwhile: what is recorded is the way forward again. No setter of a class is called.
extension ManagedObjectContext {
  /// Fetches what undoing changes needs to know, so that nothing has been changed when that fails.
  func prepare(_ changes: UndoChanges, _ recorder: ChangeRecorder) throws(ObjectError) {
    for record in changes.records where record.object.isValid && record.object.isFault {
      do {
        try fire(record.object)
      } catch {
        // Another context or process deleted the record; there is nothing to set back.
        if error.code != .notFound { throw error }
      }
    }
    // What another context, or the parent, has brought back meanwhile is not inserted once more.
    var keys: [TableID: [Int64]] = [:]
    for record in changes.records where record.kind == .removed && !record.object.isValid {
      keys[record.object.table, default: []].append(record.object.primaryKey)
    }
    for (table, keys) in keys.sorted(by: { $0.key < $1.key }) { try fetchMissing(buffer(table: table), keys) }
    for cell in changes.cells where cell.orderKey != 0 && cell.tag == CellTag.integer {
      let table = changes.records[Int(cell.row)].object.table
      let target = Int64(bitPattern: recorder.currentPayload(cell, table: table))
      try objectErrors { () throws(StoreError) in
        try giveOut(cell.orderKey, table: table, slot: Int(cell.slot), target: target)
      }
    }
    for pair in changes.pairs { _ = try known(recorder.current(pair)) }
    guard changes.byteCount > 0 else { return }
    for buffer in allBuffers { try buffer.requireRoom(changes.byteCount) }
  }

  /// The current state of a pair.
  private func known(_ pair: UndoChanges.Pair) throws(ObjectError) -> LinkChanges.Change {
    let row = pair.change.row
    return try change(
      LinkChanges.Pair(owner: row.owner, target: row.target), pair.relation,
      isUnsaved: row.owner < 0 || row.target < 0)
  }

  /// Makes everything in `changes` what it was before them.
  ///
  /// - Throws: ``ObjectError`` with `database` when a record that has to go is related to others that cannot be
  ///   fetched.
  func setBack(_ changes: UndoChanges, _ recorder: ChangeRecorder) throws(ObjectError) {
    for record in changes.records where record.kind == .removed { revive(record.object, recorder) }
    let partners = formerPartners(changes)
    for cell in changes.cells { setBack(cell, of: changes, recorder) }
    for old in changes.transients {
      let object = changes.records[old.record].object
      guard isLive(object) else { continue }
      recorder.willChangeTransient(object, slot: old.slot)
      if old.value != nil || object.extras != nil { object.makeExtras().transientValues[old.slot] = old.value }
    }
    for pair in changes.pairs { try setBack(recorder.current(pair), storedVersion: changes.storedVersion) }
    // Whoever referred to these does not any more, so that their delete rules find none, unless something was not
    // recorded. Their own cells still refer to others, which were there before and stay.
    let gone = changes.records.filter { $0.kind == .inserted && isLive($0.object) }
    try deleteNow(gone.reversed().map(\.object), tellsObjects: false, cascadesToOne: false)
    try objectErrors { () throws(StoreError) in
      // Those that are not there yet may come back with the next action of the step.
      for (object, former) in partners where isLive(object) && !isAgreed(former) { _ = try agreeEnds(former) }
    }
    pendingReferences = nil
    pendingLinks.forgetPositions()
    for record in changes.records where record.object.flags.contains(.hasHooks) && record.object.isValid {
      let event: SnapshotEvents =
        switch record.kind {
        case .changed: .undoUpdate
        case .inserted: .undoInsertion
        case .removed: .undoDeletion
        }
      record.object.awake(fromSnapshotEvents: event)
    }
    letGo(changes, recorder)
  }

  /// The one-to-one partners that objects are about to lose: others may have given them these since the event.
  private func formerPartners(_ changes: UndoChanges) -> [(ManagedObject, FormerPartner)] {
    var oneToOnes: [Int: [RelationshipDescription]] = [:]
    return changes.cells.compactMap { cell in
      let object = changes.records[Int(cell.row)].object
      guard isLive(object) else { return nil }
      let buffer = buffer(table: object.table)
      let known = oneToOnes[object.entityIndex] ?? self.oneToOnes(of: buffer, object.row)
      oneToOnes[object.entityIndex] = known
      guard let relationship = known.first(where: { $0.slot == Int(cell.slot) }) else { return nil }
      let key = buffer.reference(row: object.row, slot: relationship.slot)
      return (object, FormerPartner(buffer: buffer, row: object.row, relationship: relationship, key: key))
    }
  }

  /// Makes objects clean that are what they were at the last save, so that the context does not keep them alive.
  private func letGo(_ changes: UndoChanges, _ recorder: ChangeRecorder) {
    for record in changes.records where record.object.isValid {
      buffer(table: record.object.table).settle(row: record.object.row)
      if !record.object.hasChanges { release(record.object) }
    }
    for pair in changes.pairs {
      let row = recorder.current(pair).change.row
      for (table, key) in [(pair.relation.ownerTable, row.owner), (pair.relation.targetTable, row.target)] {
        guard let place = buffer(table: table).row(primaryKey: key),
          let object = registry.object(table: table, row: place)?.takeUnretainedValue(), !object.hasChanges
        else { continue }
        release(object)
      }
    }
  }

  private func isLive(_ object: ManagedObject) -> Bool { object.isValid && !object.isDeleted && !object.isFault }

  /// Brings a deleted record back: with its row while the deletion is not saved, else as a new one with the same key.
  private func revive(_ object: ManagedObject, _ recorder: ChangeRecorder) {
    let buffer = buffer(table: object.table)
    if object.isValid {
      guard object.isDeleted else { return }
      recorder.willRevive(object)
      buffer.unmarkDeleted(row: object.row)
      return
    }
    let (key, entity) = (object.primaryKey, Int32(object.entityIndex))
    annihilated[object.table]?.remove(key)
    var place = -1
    if let row = buffer.row(primaryKey: key) {
      // The record was asked for by its ID since, or the store has got it back.
      detach(buffer, row: row)
      place = row
      if buffer.states[row] == RowState.fault { buffer.makeInserted(row: row, entity: entity) }
      if buffer.states[row] == RowState.deleted { buffer.unmarkDeleted(row: row) }
    } else {
      place = buffer.takeRow(entity: entity, state: RowState.inserted, primaryKey: key)
    }
    buffer.touchedRows.append(Int32(place))
    object.forgetRelated()
    object.move(to: object.table, row: place)
    registry.register(object, table: object.table, row: place)
    if retainsRegisteredObjects { registry.retained.insert(object) }
    hold(object)
    recorder.isThere(object)
  }

  private func setBack(_ cell: CellSnapshot, of changes: UndoChanges, _ recorder: ChangeRecorder) {
    let object = changes.records[Int(cell.row)].object
    guard isLive(object) else { return }
    let buffer = buffer(table: object.table)
    var old = cell
    old.row = Int32(object.row)
    old.payload = recorder.currentPayload(cell, table: object.table)
    buffer.setBack(old, bytes: UnsafeRawPointer(changes.arena?.base ?? buffer.arena.base))
  }

  private func setBack(_ pair: UndoChanges.Pair, storedVersion version: UInt32) throws(ObjectError) {
    let current = try known(pair)
    var change = pair.change
    if version != storedVersion {
      // A save came between, so that what the store has is another thing now.
      change = current
      change.isLinked = pair.change.isLinked
      if change.isLinked {
        let isMoved =
          current.row.order != pair.change.row.order || current.row.inverseOrder != pair.change.row.inverseOrder
        change.isMoved = current.isMoved || isMoved
        change.row = pair.change.row
      }
    }
    pendingLinks.set(change, pair.relation)
  }
}
