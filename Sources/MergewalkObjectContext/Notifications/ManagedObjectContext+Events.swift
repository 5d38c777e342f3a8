import MergewalkObjectModel
import MergewalkObjectStore

/// Events of a context: as callbacks on its task, or as a sequence for any task. Without observers they cost nothing.
extension ManagedObjectContext {
  /// Calls a closure for each event of some kinds, on the context's task, until the token is released.
  ///
  /// ```swift
  /// let token = context.observe(.didSave) { event in print(event.insertedObjectIDs) }
  /// ```
  public func observe(_ kinds: ContextEvent.Kind..., body: @escaping (ContextEvent) -> Void) -> ObservationToken {
    listeners().observe(Set(kinds), body)
  }

  /// The future events of some kinds, for any one task; the sequence ends with the context.
  ///
  /// ```swift
  /// for await event in context.events(of: [.didSave]) { … }
  /// ```
  ///
  /// Events that have not been consumed yet are kept, without a limit.
  public func events(of kinds: Set<ContextEvent.Kind>) -> AsyncStream<ContextEvent> { listeners().stream(kinds) }

  private func listeners() -> ContextEvents {
    if let events { return events }
    let made = ContextEvents()
    events = made
    return made
  }

  // MARK: Saving

  /// Tells that a save begins.
  func postWillSave() {
    CoordinatorEvents.of(storeList)?.noticeRemoteChanges(storeList)
    if let events, events.wants(.willSave) { events.post(ContextEvent(.willSave, self)) }
  }

  /// The event of a save, if anyone observes it; the rows are still those that were written.
  func savedEvent(_ plan: SavePlan) -> ContextEvent? {
    let isWatched = events?.wants(.didSave) ?? false || events?.wants(.didSaveObjectIDs) ?? false
    guard isWatched || hasFollowers else { return nil }
    var event = ContextEvent(.didSave, self)
    var named = Set<ManagedObjectID>()
    for changes in plan.roots {
      let buffer = changes.buffer
      func id(_ row: Int32) -> ManagedObjectID {
        let id = objectID(
          table: buffer.table, entity: Int(buffer.entities[Int(row)]), primaryKey: buffer.primaryKeys[Int(row)])
        named.insert(id)
        return id
      }
      event.insertedObjectIDs += changes.inserted.map(id)
      event.deletedObjectIDs += changes.deleted.map(id)
      for (slots, rows) in changes.updated.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        for row in rows {
          let id = id(row)
          event.updatedObjectIDs.append(id)
          if isWatched { event.changedKeys[id] = names(slots, model.entities[Int(buffer.entities[Int(row)])]) }
        }
      }
    }
    for (table, key) in pendingLinks.changedObjects() {
      guard let row = buffer(table: table).row(primaryKey: key) else { continue }
      let id = objectID(table: table, entity: Int(buffer(table: table).entities[row]), primaryKey: key)
      if named.insert(id).inserted { event.updatedObjectIDs.append(id) }
    }
    for changes in plan.roots {
      for id in ownersOfMembers(changes) where named.insert(id).inserted { event.relatedObjectIDs.append(id) }
    }
    return event
  }

  /// The objects whose to-many relationships gained or lost members by what was written to the members' rows.
  private func ownersOfMembers(_ changes: ChangedRows) -> [ManagedObjectID] {
    let buffer = changes.buffer
    var found: [ManagedObjectID] = []
    func add(_ relationship: RelationshipDescription, _ tag: UInt8, _ payload: UInt64) {
      guard tag == CellTag.integer else { return }
      let (table, key) = (destinationTable(relationship, from: buffer.table), Int64(bitPattern: payload))
      let known = knownEntity(key, table)
      found.append(
        objectID(table: table, entity: known >= 0 ? known : relationship.destinationEntity, primaryKey: key))
    }
    func toMany(_ entity: Int32) -> [RelationshipDescription] {
      model.entities[Int(entity)].relationships.filter {
        !$0.isToMany && !$0.isTransient && model.inverse(of: $0)?.isToMany == true
      }
    }
    let all = changes.inserted + changes.deleted + changes.updated.values.joined()
    for row in all {
      for relationship in toMany(buffer.entities[Int(row)]) {
        let slot = relationship.slot
        guard buffer.states[Int(row)] != RowState.updated || buffer.isDirty(row: Int(row), slot: slot) else { continue }
        add(relationship, buffer.tags[slot][Int(row)], buffer.payloads[slot][Int(row)])
      }
    }
    for old in buffer.snapshots {
      let entity = buffer.entities[Int(old.row)]
      guard let relationship = toMany(entity).first(where: { $0.slot == Int(old.slot) }) else { continue }
      add(relationship, old.tag, old.payload)
    }
    return found
  }

  /// Tells what a save has written, and brings it to the contexts that want it.
  func postDidSave(_ event: ContextEvent?) {
    guard let event else { return }
    events?.post(event)
    if let events, events.wants(.didSaveObjectIDs) { events.post(event.withoutKeys) }
    mergeIntoFollowers(event)
  }

  private func names(_ slots: [UInt64], _ entity: EntityDescription) -> Set<String> {
    func has(_ slot: Int) -> Bool { slots[slot >> 6] >> (UInt64(slot) & 63) & 1 == 1 }
    let attributes = entity.attributes.filter { !$0.isTransient && has($0.slot) }.map(\.name)
    return Set(attributes + entity.relationships.filter { !$0.isToMany && has($0.slot) }.map(\.name))
  }
}

final class ContextEvents: EventObservers<ContextEvent.Kind, ContextEvent> {
  /// The changes that ``ContextEvent/Kind/objectsDidChange`` has reported since the last save.
  var ledger = ChangeLedger()

  func post(_ event: ContextEvent) { post(event.kind, event) }
}
