import MergewalkObjectModel
public import MergewalkObjectStore

extension ManagedObjectContext {
  /// See ``ContextLink/checkThread()``.
  @inline(__always)
  func checkThread() { registry.link.checkThread() }
}

/// Stores by number, and the tables in them.
extension ManagedObjectContext {
  /// The coordinator's stores, in the order in which they were added.
  public var stores: [PersistentStore] { storeList.stores }

  func table(_ entity: EntityDescription, store number: Int) -> TableID {
    TableID(root: entity.root, store: number, of: model)
  }

  /// The table of a relationship's destination, seen from the table of the objects that have it.
  @inline(__always)
  func destinationTable(_ relationship: RelationshipDescription, from table: TableID) -> TableID {
    table.sibling(model.entities[relationship.destinationEntity])
  }

  /// The store that a table is in, also when it was closed and removed from the coordinator.
  @inline(__always)
  func store(table: TableID) -> PersistentStore { storeList.all[table.store] }

  /// The store that a table is in, at the moment that the context reads.
  @inline(__always)
  func readStore(table: TableID) -> PersistentStore {
    let store = store(table: table)
    return queryGeneration?.reader(identifier: store.identifier) ?? store
  }

  /// The first store: that of a context which works on one.
  ///
  /// Importers have one, and batch requests ask `hasOneStore`.
  package var store: PersistentStore {
    guard let store = storeList.all.first else { preconditionFailure("the coordinator has no store") }
    return store
  }

  /// The UUID of the store that a table is in, also when it was removed.
  func storeUUID(_ table: TableID) -> String { storeList.identifiers[table.store] }

  func objectID(table: TableID, entity: Int, primaryKey: Int64) -> ManagedObjectID {
    ManagedObjectID(storeUUID: storeUUID(table), entity: model.entities[entity], primaryKey: primaryKey)
  }

  func storeNumbers(_ entity: EntityDescription) -> [Int] {
    storeList.numbers.filter { storeList.all[$0].contains(entity) }
  }

  /// The table that a record with an ID is in.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for an ID of a store or a model that the context does not have.
  func table(_ id: ManagedObjectID) throws(ObjectError) -> TableID {
    guard id.entity.index < model.entities.count, id.entity === model.entities[id.entity.index] else {
      throw ObjectError(.otherContext, "\(id) is the ID of another model's object")
    }
    // Nearly always the first store.
    if storeList.identifiers.first == id.storeUUID { return TableID(root: id.entity.root) }
    guard let number = storeList.number(of: id.storeUUID) else {
      throw ObjectError(.otherContext, "\(id) is the ID of another store's object")
    }
    return table(id.entity, store: number)
  }

  /// The table that new records of an entity go to: that of the first store that has the entity and can be written.
  ///
  /// - Parameter stores: The identifiers of those that may get them; `nil` for all.
  func tableForInsert(_ entity: EntityDescription, among stores: [String]? = nil) throws(ObjectError) -> TableID {
    // Nearly always the first store.
    if stores == nil, !storeList.all.isEmpty, let first = storeList.store(0), !first.isReadOnly, first.contains(entity)
    {
      return TableID(root: entity.root)
    }
    let numbers = storeNumbers(entity).filter { stores?.contains(storeList.identifiers[$0]) ?? true }
    guard let number = numbers.first(where: { !storeList.all[$0].isReadOnly }) ?? numbers.first else {
      guard stores == nil else {
        throw ObjectError(.closed, "none of the stores that the request names has the entity \(entity.name)")
      }
      throw ObjectError(.closed, "no open store has the entity \(entity.name); add one to the coordinator")
    }
    return table(entity, store: number)
  }

  /// Assigns a record that was never saved to a store; by default, it goes to the first one that has its entity.
  ///
  /// Steps of undo go on, unless one of them relates the record to others: then all steps of this context are forgotten.
  ///
  /// - Throws: ``ObjectError`` with `assigned` when the record was saved, or is already related to others, which would
  ///   then be in another store; `closed` when the coordinator does not have the store, `unknownEntity` when the store
  ///   does not have the entity.
  public func assign(_ object: ManagedObject, to store: PersistentStore) throws(ObjectError) {
    try check(object)
    guard let number = storeList.numbers.first(where: { storeList.all[$0] === store }) else {
      throw ObjectError(.closed, "\(store.path) is not a store of this context's coordinator")
    }
    guard store.contains(object.entity) else {
      throw ObjectError(.unknownEntity, "the configuration of \(store.path) has no entity \(object.entity.name)")
    }
    let target = table(object.entity, store: number)
    if target == object.table { return }
    guard object.isInserted, object.objectID.isTemporary else {
      throw ObjectError(.assigned, "\(object.objectID) was saved and stays in its store")
    }
    for relationship in object.entity.relationships where !relationship.isTransient {
      let isRelated =
        relationship.isToMany
        ? try !members(of: object, relationship).isEmpty : try referenced(by: object, relationship) != 0
      if isRelated {
        throw ObjectError(
          .assigned, "\(object.objectID) is related to others by \(relationship.name); assign it to a store first")
      }
    }
    try buffer(table: target).requireRoom(for: object.row, of: buffer(table: object.table))
    guard let recorder else { return move(object, to: target) }
    recorder.follow(object) { move(object, to: target) }
  }

  /// Moves the row of a new record without relations to another table.
  private func move(_ object: ManagedObject, to target: TableID) {
    let (old, new) = (buffer(table: object.table), buffer(table: target))
    let (oldTable, oldRow) = (object.table, object.row)
    let row = new.takeRow(
      entity: old.entities[oldRow], state: RowState.inserted, primaryKey: old.primaryKeys[oldRow])
    new.touchedRows.append(Int32(row))
    new.takeStored(row: row, from: old, row: oldRow)
    registry.unregister(table: oldTable, row: oldRow)
    old.release(row: oldRow)
    object.move(to: target, row: row)
    registry.register(object, table: target, row: row)
    // It may be the first object of the table.
    if new.onFirstChange == nil { watchFirstChanges(new) }
  }
}
