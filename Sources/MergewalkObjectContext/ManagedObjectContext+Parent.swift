import MergewalkObjectModel
import MergewalkObjectStore

/// Contexts on contexts: a child reads what its parent shows, changes that are not saved included, and saves into the
/// parent; only the save of the context at the root reaches the stores.
///
/// A child copies rows from its parent when it needs them. So a child sees changes that the parent makes later only in
/// rows that it fetches, refreshes or faults then.
extension ManagedObjectContext {
  /// Creates an empty context whose changes are saved into another context.
  ///
  /// The child keeps its parent alive.
  public convenience init(parent: ManagedObjectContext) {
    self.init(model: parent.model, stores: parent.storeList, coordinator: parent.coordinator)
    self.parent = parent
    parent.children.removeAll { $0.context == nil }
    parent.children.append(WeakContext(self))
  }

  /// The object of the parent that stands for the same record, without asking a store.
  func counterpart(of object: ManagedObject, in parent: ManagedObjectContext) -> ManagedObject {
    parent.object(table: object.table, primaryKey: object.primaryKey, entity: object.entityIndex)
  }

  // MARK: Saving

  /// Puts all changes into the parent; they are then the parent's changes.
  ///
  /// - Throws: ``SaveError`` with `conflict` when the parent does not have a changed record any more; nothing has
  ///   changed then.
  func push(_ plan: SavePlan, to parent: ManagedObjectContext) throws(SaveError) {
    var targets: [(buffer: RowBuffer, row: Int32, target: Int)] = []
    var lost: [ManagedObjectID] = []
    // Held, so that their rows stay where they are.
    var there: [ManagedObject] = []
    defer { withExtendedLifetime(there) {} }
    for changes in plan.roots {
      let buffer = changes.buffer
      for row in changes.updated.values.joined() + changes.deleted {
        let key = buffer.primaryKeys[Int(row)]
        let target: Int?
        do {
          target = try parent.rowForChange(table: buffer.table, primaryKey: key)
        } catch {
          throw SaveError(error)
        }
        if let target {
          targets.append((buffer, row, target))
        } else if buffer.states[Int(row)] == RowState.updated {
          lost.append(objectID(table: buffer.table, entity: Int(buffer.entities[Int(row)]), primaryKey: key))
        }
      }
      let known = try saving { () throws(ObjectError) in try objectsThere(changes, in: parent) }
      there += known
      for object in known {
        guard let row = buffer.row(primaryKey: object.primaryKey) else { continue }
        targets.append((buffer, Int32(row), object.row))
      }
    }
    guard lost.isEmpty else {
      throw SaveError(
        code: .conflict,
        message: "\(lost.count) changed objects are deleted in the parent context or gone from the store: "
          + lost.prefix(3).map(\.description).joined(separator: ", "), conflicts: lost)
    }
    for changes in plan.roots { try requireRoom(for: changes.buffer, in: parent) }
    for changes in plan.roots { insert(changes, into: parent) }
    let partners = targets.flatMap { formerPartners($0.buffer, Int($0.row), of: $0.target, in: parent) }
    for (buffer, row, target) in targets { push(buffer, Int(row), to: parent, row: target) }
    for changes in plan.roots { try pushTransients(changes, to: parent) }
    pushLinks(to: parent)
    noteReferencesToDeleted(plan, parent)
    parent.pendingReferences = nil
    // Members that objects of the parent know may have changed.
    parent.storedVersion &+= 1
    try saveErrors { () throws(StoreError) in try parent.agree(partners) }
  }

  /// The parent's objects of records that are new here: undo brought them back here as well as there, or in the store.
  private func objectsThere(
    _ changes: ChangedRows, in parent: ManagedObjectContext
  ) throws(ObjectError) -> [ManagedObject] {
    let (table, theirs) = (changes.buffer.table, parent.buffer(table: changes.buffer.table))
    let keys = changes.inserted.map { changes.buffer.primaryKeys[Int($0)] }
    // Temporary keys that the parent does not know are new to it and to the stores.
    return try parent.objects(table: table, primaryKeys: keys.filter { $0 > 0 || theirs.row(primaryKey: $0) != nil })
  }

  /// The one-to-one partners that a parent's row is about to lose to others.
  private func formerPartners(
    _ buffer: RowBuffer, _ row: Int, of target: Int, in parent: ManagedObjectContext
  ) -> [FormerPartner] {
    guard buffer.states[row] != RowState.deleted else { return [] }
    let theirs = parent.buffer(table: buffer.table)
    return oneToOnes(of: buffer, row).compactMap { relationship in
      let (old, new) = (
        theirs.reference(row: target, slot: relationship.slot), buffer.reference(row: row, slot: relationship.slot)
      )
      guard old != new, isSet(buffer, row, relationship.slot) else { return nil }
      return FormerPartner(buffer: theirs, row: target, relationship: relationship, key: old)
    }
  }

  /// Sees to it that a parent has room for everything that changed here.
  private func requireRoom(for buffer: RowBuffer, in parent: ManagedObjectContext) throws(SaveError) {
    let theirs = parent.buffer(table: buffer.table)
    if theirs.arena.count + buffer.arena.count <= theirs.byteLimit { return }
    var count = 0
    for touched in buffer.touchedRows where RowState.isChange(buffer.states[Int(touched)]) {
      let row = Int(touched)
      let isNew = buffer.states[row] == RowState.inserted
      count += buffer.byteCount(row: row, slots: isNew ? nil : changedSlots(buffer, row))
    }
    do { try theirs.requireRoom(count) } catch { throw SaveError(error) }
  }

  private func insert(_ changes: ChangedRows, into parent: ManagedObjectContext) {
    let (buffer, theirs) = (changes.buffer, parent.buffer(table: changes.buffer.table))
    for inserted in changes.inserted {
      let row = Int(inserted)
      let key = buffer.primaryKeys[row]
      // A fault made of the ID of an object that was not there yet becomes the object.
      let known = theirs.row(primaryKey: key)
      if let known, theirs.isLive(row: known) { continue }
      if let known, theirs.states[known] == RowState.deleted {
        // Its deletion was undone here after the parent got to know of it; the stores still have it.
        theirs.unmarkDeleted(row: known)
        parent.recorder?.isThere(parent.object(theirs, row: known))
        theirs.touchedRows.append(Int32(known))
        push(buffer, row, slots: changedSlots(buffer, row), to: parent, row: known)
        continue
      }
      if let known { theirs.makeFault(row: known) }
      let target = known ?? theirs.takeRow(entity: buffer.entities[row], state: RowState.inserted, primaryKey: key)
      theirs.states[target] = RowState.inserted
      theirs.entities[target] = buffer.entities[row]
      theirs.touchedRows.append(Int32(target))
      theirs.takeStored(row: target, from: buffer, row: row)
      theirs.versions[target] = 1
      for slot in 0..<buffer.columnCount { noteOrder(buffer, row, slot, parent) }
      if let recorder = parent.recorder { recorder.isThere(parent.object(theirs, row: target)) }
    }
  }

  /// Puts changes of transient attributes alone into the parent, which no plan has as nothing of them is stored.
  private func pushTransients(_ changes: ChangedRows, to parent: ManagedObjectContext) throws(SaveError) {
    let buffer = changes.buffer
    let pushed = Set(changes.updated.values.joined())
    for touched in buffer.touchedRows where buffer.states[Int(touched)] == RowState.updated && !pushed.contains(touched)
    {
      let row = Int(touched)
      let slots = changedSlots(buffer, row)
      if slots.isEmpty { continue }
      do throws(StoreError) {
        // Who is gone from the parent has no use for them.
        let target = try parent.rowForChange(table: buffer.table, primaryKey: buffer.primaryKeys[row])
        if let target { push(buffer, row, slots: slots, to: parent, row: target) }
      } catch {
        throw SaveError(error)
      }
    }
  }

  /// Puts the changed cells of a row, or its deletion, into a parent's row.
  private func push(_ buffer: RowBuffer, _ row: Int, to parent: ManagedObjectContext, row target: Int) {
    let theirs = parent.buffer(table: buffer.table)
    if theirs.states[target] == RowState.clean, buffer.states[row] != RowState.inserted {
      // What was read here is what the change is based on: a later version in the store is a conflict.
      theirs.versions[target] = min(theirs.versions[target], buffer.versions[row])
    }
    if buffer.states[row] == RowState.deleted {
      if let recorder = parent.recorder {
        let object = parent.object(theirs, row: target)
        do { try parent.noteRemoval(object) } catch {
          // Who had the object cannot be asked for; the object itself can come back all the same.
          recorder.willRemove(object)
        }
      }
      if theirs.states[target] == RowState.inserted { return parent.annihilate(theirs, row: target) }
      // What it referred to at last decides whether its deletion is denied.
      push(buffer, row, slots: changedSlots(buffer, row), to: parent, row: target)
      theirs.markDeleted(row: target)
      // Its delete rules did not see what the parent has made refer to it since.
      parent.waitingDeletions.append(parent.object(theirs, row: target))
      return
    }
    push(buffer, row, slots: changedSlots(buffer, row), to: parent, row: target)
  }

  /// The slots of a row that were set here: of a new one, all.
  private func changedSlots(_ buffer: RowBuffer, _ row: Int) -> [Int] {
    (0..<buffer.columnCount).filter { isSet(buffer, row, $0) }
  }

  private func isSet(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Bool {
    buffer.states[row] == RowState.inserted || buffer.isDirty(row: row, slot: slot)
  }

  /// Puts cells of a row into a parent's row.
  private func push(_ buffer: RowBuffer, _ row: Int, slots: [Int], to parent: ManagedObjectContext, row target: Int) {
    let theirs = parent.buffer(table: buffer.table)
    for slot in slots {
      theirs.set(
        row: target, slot: slot, tag: buffer.tags[slot][row], payload: buffer.payloads[slot][row],
        arena: UnsafeRawPointer(buffer.arena.base))
      if let entities = buffer.destinationEntities[slot] { theirs.destinationEntities[slot]?[target] = entities[row] }
      if let orders = buffer.orderKeys[slot] {
        theirs.setOrderKey(row: target, slot: slot, orders[row])
        noteOrder(buffer, row, slot, parent)
      }
    }
    // Transient values of any type are with the object.
    guard let object = registry.object(table: buffer.table, row: row)?.takeUnretainedValue(),
      let values = object.extras?.transientValues, !values.isEmpty
    else { return }
    let twin = parent.object(theirs, row: target)
    for slot in slots {
      guard let value = values[slot] else { continue }
      twin.makeExtras().transientValues[slot] = value
      theirs.willChange(row: target, slot: slot)
    }
  }

  /// Lets the parent know which positions are taken.
  private func noteOrder(_ buffer: RowBuffer, _ row: Int, _ slot: Int, _ parent: ManagedObjectContext) {
    guard let orders = buffer.orderKeys[slot], buffer.tags[slot][row] == CellTag.integer else { return }
    let name = OrderedOwner(table: buffer.table, slot: slot, owner: Int64(bitPattern: buffer.payloads[slot][row]))
    // What was not asked for yet may be greater: undo puts positions back without asking.
    let known =
      parent.lastOrderKeys[name] ?? lastOrderKeys[name]
      ?? (try? parent.origin.lastOrderKey(table: name.table, slot: slot, target: name.owner)) ?? .min
    parent.lastOrderKeys[name] = max(known, orders[row])
  }

  /// Takes note of the versions that a save of the root context has given to rows: they are changes that went through
  /// here, or that this context would hear of by refreshing, and no conflicts.
  func learnVersions(_ plan: SavePlan) {
    for changes in plan.roots {
      let (buffer, theirs) = (self.buffer(table: changes.buffer.table), changes.buffer)
      for row in changes.updated.values.joined() {
        guard let own = buffer.row(primaryKey: theirs.primaryKeys[Int(row)]) else { continue }
        // Only by one: who has not seen an earlier version still has a conflict.
        if buffer.versions[own] == theirs.versions[Int(row)] &- 1 { buffer.versions[own] &+= 1 }
      }
    }
    for child in children { child.context?.learnVersions(plan) }
  }

  /// Has the parent carry out once more the delete rules of what it deleted and what was pushed refers to.
  private func noteReferencesToDeleted(_ plan: SavePlan, _ parent: ManagedObjectContext) {
    func note(_ key: Int64, _ table: TableID) {
      let theirs = parent.buffer(table: table)
      guard let row = theirs.row(primaryKey: key), theirs.states[row] == RowState.deleted else { return }
      let object = parent.object(theirs, row: row)
      if parent.waitingDeletions.last !== object { parent.waitingDeletions.append(object) }
    }
    for changes in plan.roots {
      let rows = (changes.inserted + changes.updated.values.joined()).lazy.map(Int.init)
      forEachChangedReference(changes.buffer, rows) { _, key, reference in note(key, reference.table) }
    }
    for changes in pendingLinks.storages.values {
      for (pair, change) in changes.changes where change.isLinked && change.isEffective {
        note(pair.owner, changes.ownerTable)
        note(pair.target, changes.targetTable)
      }
    }
  }

  private func pushLinks(to parent: ManagedObjectContext) {
    for place in pendingLinks.order {
      guard let changes = pendingLinks.changes(place) else { continue }
      for (pair, change) in changes.changes where change.isEffective {
        if parent.recorder != nil {
          // Whoever records what changes has to know how it was; what cannot be asked for is not recorded.
          _ = try? parent.change(pair, changes.relation, isUnsaved: pair.owner < 0 || pair.target < 0)
        }
        // What the parent shows is what is stored as far as this context knows.
        var pushed = parent.pendingLinks.changes(place)?[pair] ?? change
        pushed.row.order = change.row.order
        pushed.row.inverseOrder = change.row.inverseOrder
        pushed.row.ownerEntity = change.row.ownerEntity
        pushed.isLinked = change.isLinked
        pushed.isMoved = pushed.isMoved || change.isMoved
        parent.pendingLinks.set(pushed, changes.relation)
      }
    }
    parent.pendingLinks.forgetPositions()
  }
}
