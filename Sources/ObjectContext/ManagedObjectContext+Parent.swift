import ObjectModel
import ObjectStore

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

  // MARK: Reading

  /// The object of the parent that stands for the same record, without asking anybody.
  func counterpart(of object: ManagedObject, in parent: ManagedObjectContext) -> ManagedObject {
    parent.object(table: object.table, primaryKey: object.primaryKey, entity: object.entityIndex)
  }

  /// Copies the rows of records from the parent, as far as they are not here.
  ///
  /// Records that the parent does not have, or has deleted, do not come.
  ///
  /// - Parameter refreshes: Whether rows without changes that are here take the parent's values.
  func inherit(
    _ parent: ManagedObjectContext, table: Int, primaryKeys: [Int64], refreshes: Bool = false
  ) throws(ObjectError) {
    let buffer = buffer(table: table)
    let missing = primaryKeys.filter { key in
      guard let row = buffer.row(primaryKey: key) else { return true }
      return !buffer.realize(row: row) || refreshes && buffer.states[row] == RowState.clean
    }
    guard !missing.isEmpty else { return }
    buffer.compactIfWorthwhile()
    // The objects keep the parent's rows in their places while they are copied.
    let objects = try parent.objects(table: table, primaryKeys: missing)
    for object in objects { inherit(object, from: parent) }
  }

  /// Copies the row of a parent's object, replacing the fault or the clean row that is here.
  @discardableResult
  private func inherit(_ object: ManagedObject, from parent: ManagedObjectContext) -> Int {
    let (own, theirs) = (buffer(table: object.table), parent.buffer(table: object.table))
    let entity = theirs.entities[object.row]
    let row: Int
    if let known = own.row(primaryKey: object.primaryKey) {
      row = known
      if own.states[row] == RowState.fault {
        own.makeFault(row: row)
        own.markClean(row: row)
      }
      own.entities[row] = entity
    } else {
      row = own.takeRow(entity: entity, state: RowState.clean, primaryKey: object.primaryKey)
      if registry.isInUse { registry.looseRows[object.table].append(Int32(row)) }
    }
    own.takeStored(row: row, from: theirs, row: object.row, slots: Array(0..<own.columnCount))
    return row
  }

  /// The objects of a request: what the parent finds, with the changes of this context.
  func fetch(_ request: FetchRequest, from parent: ManagedObjectContext) throws(ObjectError) -> [ManagedObject] {
    let (excluded, matches) = try ownMatches(request)
    var asked = request
    asked.fetchBatchSize = 0
    asked.includesPropertyValues = true
    asked.propertiesToFetch = []
    guard !excluded.isEmpty || !matches.isEmpty else {
      return try adopt(parent.fetch(asked), request, from: parent)
    }
    var pending = PendingMatches()
    pending.excluded = excluded
    let found = try adopt(parent.fetch(pending.storeRequest(asked)), request, from: parent)
    var merged = found + matches
    if storeList.all.count > 1 {
      // What has no order among the others comes as the stores do.
      merged.sort { left, right in
        let (one, other) = (storeNumber(left.table), storeNumber(right.table))
        return one == other ? left.primaryKey.comesBefore(right.primaryKey) : one < other
      }
      if request.sortDescriptors.isEmpty { return Array(request.window(merged)) }
    }
    let unsorted = merged
    let all = try predicateErrors { () throws(PredicateError) in
      try SortOrder(request.sortDescriptors).sorted(unsorted) { .object($0) }
    }
    return Array(request.window(all))
  }

  /// How many objects a request finds, with the changes of this context.
  func count(_ request: FetchRequest, from parent: ManagedObjectContext) throws(ObjectError) -> Int {
    let (excluded, matches) = try ownMatches(request)
    guard !excluded.isEmpty || !matches.isEmpty else { return try parent.count(for: request) }
    var pending = PendingMatches()
    pending.excluded = excluded
    var asked = pending.storeRequest(request)
    asked.fetchLimit = 0
    return request.window(count: try parent.count(for: asked) + matches.count)
  }

  /// The records that are changed here, which the parent must not judge, and those of them that match.
  private func ownMatches(
    _ request: FetchRequest
  ) throws(ObjectError) -> (excluded: [ManagedObjectID], matches: [ManagedObject]) {
    guard request.includesPendingChanges, let entity = model.entity(named: request.entityName) else { return ([], []) }
    var excluded: [ManagedObjectID] = []
    var matches: [ManagedObject] = []
    for number in storeNumbers(entity)
    where request.affectedStores?.contains(storeList.identifiers[number]) ?? true {
      let table = table(entity, store: number)
      let keys = changedKeys(request, entity, table)
      let pending = try pendingMatches(request, entity, table, keys)
      excluded += pending.excluded
      matches += pending.matches.map(\.object)
    }
    return (excluded, matches)
  }

  /// The objects here that stand for a parent's objects.
  private func adopt(
    _ found: FetchedObjects, _ request: FetchRequest, from parent: ManagedObjectContext
  ) throws(ObjectError) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(found.count)
    for object in found {
      let buffer = buffer(table: object.table)
      let known = buffer.row(primaryKey: object.primaryKey)
      let isKnown = known.map { buffer.realize(row: $0) } ?? false
      let refreshes =
        request.shouldRefreshRefetchedObjects && known.map { buffer.states[$0] == RowState.clean } ?? false
      if !isKnown || refreshes {
        // Its values are needed now; a fault of the parent has them from the fetch.
        try parent.fire(object)
        inherit(object, from: parent)
      }
      let own = self.object(table: object.table, primaryKey: object.primaryKey, entity: object.entityIndex)
      own.learnEntity(Int(buffer.entities[own.row]))
      if refreshes { own.forgetRelated() }
      result.append(own)
    }
    return result
  }

  /// The greatest position that the parent knows in the ordered relationship that a to-one relationship belongs to.
  func orderKey(
    from parent: ManagedObjectContext, table: Int, slot: Int, target: Int64
  ) throws(StoreError) -> Int64? {
    if let known = parent.lastOrderKeys[OrderedOwner(table: table, slot: slot, owner: target)] { return known }
    return try parent.storedOrderKey(table: table, slot: slot, target: target)
  }

  // MARK: Saving

  /// Puts all changes into the parent; they are then the parent's changes.
  ///
  /// - Throws: ``SaveError`` with `conflict` when the parent does not have a changed record any more; nothing has
  ///   changed then.
  func push(_ plan: SavePlan, to parent: ManagedObjectContext) throws(SaveError) {
    var targets: [(buffer: RowBuffer, row: Int32, target: Int)] = []
    var lost: [ManagedObjectID] = []
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
    }
    guard lost.isEmpty else {
      throw SaveError(
        code: .conflict,
        message: "\(lost.count) changed objects are deleted in the parent context or gone from the store: "
          + lost.prefix(3).map(\.description).joined(separator: ", "), conflicts: lost)
    }
    for changes in plan.roots { insert(changes, into: parent) }
    for (buffer, row, target) in targets { push(buffer, Int(row), to: parent, row: target) }
    pushLinks(to: parent)
    parent.pendingReferences = nil
    // Members that objects of the parent know may have changed.
    parent.storedVersion &+= 1
  }

  private func insert(_ changes: ChangedRows, into parent: ManagedObjectContext) {
    let (buffer, theirs) = (changes.buffer, parent.buffer(table: changes.buffer.table))
    for inserted in changes.inserted {
      let row = Int(inserted)
      let key = buffer.primaryKeys[row]
      // A fault that somebody made of the ID of an object that was not there yet becomes the object.
      let known = theirs.row(primaryKey: key)
      if let known, theirs.states[known] == RowState.deleted {
        // Its deletion was undone here after the parent got to know of it; the stores still have it.
        theirs.unmarkDeleted(row: known)
        parent.recorder?.isThere(parent.object(theirs, row: known))
        theirs.touchedRows.append(Int32(known))
        push(buffer, row, slots: Array(0..<buffer.columnCount), to: parent, row: known)
        continue
      }
      if let known { theirs.makeFault(row: known) }
      let target = known ?? theirs.takeRow(entity: buffer.entities[row], state: RowState.inserted, primaryKey: key)
      theirs.states[target] = RowState.inserted
      theirs.entities[target] = buffer.entities[row]
      theirs.touchedRows.append(Int32(target))
      theirs.takeStored(row: target, from: buffer, row: row, slots: Array(0..<buffer.columnCount))
      theirs.versions[target] = 1
      for slot in 0..<buffer.columnCount { noteOrder(buffer, row, slot, parent) }
      if let recorder = parent.recorder { recorder.isThere(parent.object(theirs, row: target)) }
    }
  }

  /// Puts the changed cells of a row, or its deletion, into a parent's row.
  private func push(_ buffer: RowBuffer, _ row: Int, to parent: ManagedObjectContext, row target: Int) {
    let theirs = parent.buffer(table: buffer.table)
    if theirs.states[target] == RowState.clean {
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
      if theirs.states[target] == RowState.inserted {
        parent.detach(theirs, row: target)
        theirs.release(row: target)
      } else {
        theirs.markDeleted(row: target)
      }
      return
    }
    let slots = (0..<buffer.columnCount).filter { buffer.isDirty(row: row, slot: $0) }
    push(buffer, row, slots: slots, to: parent, row: target)
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
  }

  /// Lets the parent know which positions are taken.
  private func noteOrder(_ buffer: RowBuffer, _ row: Int, _ slot: Int, _ parent: ManagedObjectContext) {
    guard let orders = buffer.orderKeys[slot], buffer.tags[slot][row] == CellTag.integer else { return }
    let name = OrderedOwner(table: buffer.table, slot: slot, owner: Int64(bitPattern: buffer.payloads[slot][row]))
    // The parent looks into the store when it does not know; what is behind here is there or above.
    let known = parent.lastOrderKeys[name] ?? lastOrderKeys[name] ?? .min
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
