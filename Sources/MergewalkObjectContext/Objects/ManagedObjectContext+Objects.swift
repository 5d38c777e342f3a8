public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Adds a record that the next save inserts; its attributes have the model's defaults.
  ///
  /// - Throws: ``ObjectError`` with `unknownEntity` or `abstractEntity`.
  /// - Complexity: O(columns).
  public func insert(_ entityName: String) throws(ObjectError) -> ManagedObject {
    try insert(try entity(named: entityName))
  }

  /// Adds a record of an entity of the context's model.
  public func insert(_ entity: EntityDescription) throws(ObjectError) -> ManagedObject {
    let (buffer, row) = try takeRowForInsert(entity)
    let object = object(buffer, row: row)
    tellOfInsert(object)
    return object
  }

  /// The object with an ID, without querying the store: a fault unless the context knows the record already.
  ///
  /// The first use of a fault's values throws `notFound` when the store has no such record.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for an ID of another store.
  public func object(with id: ManagedObjectID) throws(ObjectError) -> ManagedObject {
    object(table: try table(id), primaryKey: id.primaryKey, entity: id.entity.index, isExact: id.isExact)
  }

  /// The object with an ID; `nil` when neither store nor context has such a record, or when it is deleted here.
  ///
  /// - Throws: ``ObjectError``.
  public func existingObject(with id: ManagedObjectID) throws(ObjectError) -> ManagedObject? {
    let found = try object(with: id)
    do {
      try fire(found)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    return found.isDeleted || !found.entity.isKind(of: id.entity) ? nil : found
  }

  /// The records that the next save inserts.
  public var insertedObjects: [ManagedObject] { objects(in: RowState.inserted) }

  /// The records of which the next save writes values, or pairs of many-to-many relationships.
  public var updatedObjects: [ManagedObject] {
    var found = objects(in: RowState.updated)
    for (table, key) in pendingLinks.changedObjects() {
      let buffer = buffer(table: table)
      if let row = buffer.row(primaryKey: key), buffer.states[row] == RowState.clean {
        found.append(object(buffer, row: row))
      }
    }
    return found
  }

  /// The records that the next save deletes.
  public var deletedObjects: [ManagedObject] { objects(in: RowState.deleted) }

  /// Discards a record's values, so that the next use fetches them again.
  ///
  /// - Parameter mergingChanges: `true` fetches at once and keeps the values set here; `false` drops them, and partners
  ///   in one-to-one relationships follow. Pairs of many-to-many relationships are kept either way.
  /// - Throws: ``ObjectError`` with `deleted` for a record that was inserted or deleted here, `notFound`, `database`.
  public func refresh(_ object: ManagedObject, mergingChanges: Bool) throws(ObjectError) {
    try forget(object, mergingChanges: mergingChanges)
    postRefreshed([object])
    updateResults()
  }

  /// Refreshes all live objects of the context, and keeps their changes.
  ///
  /// Objects without changes become faults. Those with changes get the stored values, with the changes on top; one
  /// whose record no longer exists stays unchanged, and is a conflict in the save. Inserted and deleted objects are not
  /// touched.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database`.
  /// - Complexity: One SELECT for each object with changes.
  public func refreshAllObjects() throws(ObjectError) {
    keptPrefetches = []
    pendingLinks.dropReverted()
    storedVersion &+= 1
    do {
      var refreshed: [ManagedObject] = []
      // Also when a later object cannot be fetched.
      defer { postRefreshed(refreshed) }
      for object in registeredObjects where object.isValid && !object.isInserted && !object.isDeleted {
        do { try forget(object, mergingChanges: object.hasChanges) } catch {
          guard error.code == .notFound else { throw error }
          continue
        }
        refreshed.append(object)
      }
    }
    updateResults()
  }

  /// Refreshes an object without telling results.
  func forget(_ object: ManagedObject, mergingChanges: Bool) throws(ObjectError) {
    try check(object)
    if hasAccessFailures { forgetFailures(of: object) }
    let buffer = buffer(table: object.table)
    let row = object.row
    switch buffer.states[row] {
    case RowState.inserted, RowState.deleted:
      throw ObjectError(.deleted, "\(object.objectID) cannot be refreshed: it is inserted or deleted here")
    default: break
    }
    object.forgetRelated()
    object.flags.remove(.isInaccessible)
    if buffer.states[row] == RowState.fault {
      buffer.makeFault(row: row)
      return
    }
    guard mergingChanges else {
      try dropChangesWithPartners(object)
      turnIntoFault(object, mergingChanges: false) {
        buffer.rollBack(row: row)
        buffer.makeFault(row: row)
      }
      if !hasLinkChanges(object) { release(object) }
      return
    }
    let current = try origin.current(object)
    try buffer.requireRoom(for: current.row, of: current.buffer, slots: current.slots)
    let partners = partners(buffer, row: row)
    turnIntoFault(object, mergingChanges: true) {
      buffer.takeStored(row: row, from: current.buffer, row: current.row, slots: current.slots)
    }
    try objectErrors { () throws(StoreError) in try agreeOneToOne(buffer, row: row, before: partners) }
  }

  // MARK: Rows and objects

  /// The object of a row that is in use.
  func object(_ buffer: RowBuffer, row: Int) -> ManagedObject {
    if let known = registry.object(table: buffer.table, row: row) { return known.takeUnretainedValue() }
    return makeObject(buffer, row: row)
  }

  /// The object with a primary key: a fault unless its row is here.
  ///
  /// - Parameter isExact: Whether the entity is the record's own for certain. Otherwise, and where the entities below it
  ///   have classes of their own, the row is fetched at once, because the object's class depends on it.
  func object(table: TableID, primaryKey: Int64, entity: Int, isExact: Bool = true) -> ManagedObject {
    let buffer = buffer(table: table)
    if let row = buffer.row(primaryKey: primaryKey) { return object(buffer, row: row) }
    if !isExact, registry.link.classes.variesBelow[entity],
      let known = fetchedObject(buffer, primaryKey: primaryKey)
    {
      return known
    }
    let row = buffer.takeRow(entity: Int32(entity), state: RowState.fault, primaryKey: primaryKey)
    return object(buffer, row: row)
  }

  /// Fetches the values of a fault, and tells an object that has to know; does nothing for other objects.
  @inline(__always)
  func fire(_ object: ManagedObject) throws(ObjectError) {
    if object.flags.contains(.needsAwakening) { try awaken(object) } else { try fetchValues(object) }
  }

  /// Fetches the values of a fault; does nothing for other objects.
  func fetchValues(_ object: ManagedObject) throws(ObjectError) {
    let buffer = buffer(table: object.table)
    if buffer.realize(row: object.row) { return }
    buffer.compactIfWorthwhile()
    try origin.bring([object.primaryKey], table: object.table)
    guard buffer.states[object.row] != RowState.fault else { throw notFound(object.objectID) }
    object.learnEntity(Int(buffer.entities[object.row]))
  }

  /// Fetches the values of a fault unless the one at `slot` came with the fetch that named the object.
  @inline(__always)
  func fire(_ object: ManagedObject, for slot: Int) throws(ObjectError) {
    let buffer = buffer(table: object.table)
    if object.flags.contains(.needsAwakening) { return try awaken(object, for: slot) }
    if buffer.realize(row: object.row) || buffer.isKnown(row: object.row, slot: slot) { return }
    try fetchValues(object)
  }

  /// The statements of a root entity's table.
  func access(table: TableID) throws(ObjectError) -> TableAccess {
    let store = try openStore(table: table)
    return try objectErrors { () throws(StoreError) in try store.access(root: table.root) }
  }

  /// The store that a table is in, if it can be asked: at the moment that the context reads.
  @discardableResult
  func openStore(table: TableID) throws(ObjectError) -> PersistentStore {
    checkThread()
    let store = store(table: table)
    guard store.isOpen else { throw ObjectError(.closed, "the store \(store.file.path) was closed") }
    return queryGeneration?.reader(identifier: store.identifier) ?? store
  }

  /// Ensures that an object is valid and belongs here.
  func check(_ object: ManagedObject) throws(ObjectError) {
    guard try object.validContext === self else {
      throw ObjectError(.otherContext, "\(object.objectID) is an object of another context")
    }
  }

  func entity(named name: String) throws(ObjectError) -> EntityDescription {
    guard let entity = model.entity(named: name) else {
      throw ObjectError(.unknownEntity, "the model has no entity \"\(name)\"")
    }
    return entity
  }

  func notFound(_ id: ManagedObjectID) -> ObjectError {
    ObjectError(.notFound, "the store has no record \(id)")
  }

  private func objects(in state: UInt8) -> [ManagedObject] {
    var found: [ManagedObject] = []
    for buffer in allBuffers {
      // A place that was freed and taken again was touched twice.
      var seen = Set<Int32>()
      for row in buffer.touchedRows where buffer.states[Int(row)] == state && seen.insert(row).inserted {
        found.append(object(buffer, row: Int(row)))
      }
    }
    return found
  }

  // MARK: Letting go

  /// Frees the row of an object that went away, unless it has changes.
  func objectWentAway(table: TableID, row: Int) {
    registry.unregister(table: table, row: row)
    registry.link.withBuffer(table) { $0.releaseUnchanged(row: row) }
  }

  /// Frees a row that has no changes unless an object or a collection still needs it.
  func letGo(_ buffer: RowBuffer, row: Int) {
    if registry.object(table: buffer.table, row: row) == nil { buffer.releaseUnchanged(row: row) }
  }

  /// Tells the object of a row, if there is one, that the record is gone.
  func detach(_ buffer: RowBuffer, row: Int) {
    guard let object = registry.object(table: buffer.table, row: row)?.takeUnretainedValue() else { return }
    object.detach()
    registry.unregister(table: buffer.table, row: row)
    release(object)
    registry.retained.remove(object)
  }

  /// Frees those of the given rows, and of the rows fetched on the way, that are clean and have no object.
  func releaseUnused(_ buffer: RowBuffer, _ rows: [Int32]) {
    guard registry.isInUse else { return }
    let table = buffer.table
    for list in [rows, registry.looseRows[table.index]] {
      for row in list where buffer.states[Int(row)] == RowState.clean { letGo(buffer, row: Int(row)) }
    }
    registry.looseRows[table.index].removeAll(keepingCapacity: true)
    if buffer.holdsNothing, buffer.touchedRows.isEmpty {
      buffer.removeAll()
    } else {
      buffer.compactIfWorthwhile()
    }
  }
}
