import ObjectModel
import ObjectStore

/// Events of a context: as callbacks on its task, or as a sequence for any task. Without observers they cost nothing.
extension ManagedObjectContext {
  /// Calls a closure at each event of some kinds, on the context's task, until the token goes away.
  ///
  /// ```swift
  /// let token = context.observe(.didSave) { event in print(event.insertedObjectIDs) }
  /// ```
  public func observe(_ kinds: ContextEvent.Kind..., body: @escaping (ContextEvent) -> Void) -> ObservationToken {
    listeners().observe(Set(kinds), body)
  }

  /// The events of some kinds from now on, for any one task; the sequence ends with the context.
  ///
  /// ```swift
  /// for await event in context.events(of: [.didSave]) { … }
  /// ```
  ///
  /// Events that nobody has taken yet are kept, however many there are.
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

  /// What a save has written, when somebody wants to know; the rows are still those that were written.
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
    return event
  }

  /// Tells what a save has written, and brings it to the contexts that want it.
  func postDidSave(_ event: ContextEvent?) {
    guard let event else { return }
    events?.post(event)
    if let events, events.wants(.didSaveObjectIDs) { events.post(event.withoutKeys) }
    mergeIntoFollowers(event)
  }

  /// The names of the properties at slots.
  private func names(_ slots: [UInt64], _ entity: EntityDescription) -> Set<String> {
    func has(_ slot: Int) -> Bool { slots[slot >> 6] >> (UInt64(slot) & 63) & 1 == 1 }
    let attributes = entity.attributes.filter { !$0.isTransient && has($0.slot) }.map(\.name)
    return Set(attributes + entity.relationships.filter { !$0.isToMany && has($0.slot) }.map(\.name))
  }
}

/// The observers of a context.
final class ContextEvents: EventObservers<ContextEvent.Kind, ContextEvent> {
  /// What ``ContextEvent/Kind/objectsDidChange`` has told since the last save.
  var ledger = ChangeLedger()

  func post(_ event: ContextEvent) { post(event.kind, event) }
}
