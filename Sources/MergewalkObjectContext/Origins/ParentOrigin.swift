import MergewalkObjectModel
import MergewalkObjectStore

/// The context above: what it shows, changes that are not saved included, with the changes of the context itself.
///
/// Rows are copied when they are needed. So a child sees changes that the parent makes later only in rows that it fetches,
/// refreshes or faults then.
struct ParentOrigin: RowOrigin {
  let context: ManagedObjectContext
  let parent: ManagedObjectContext

  // MARK: Requests

  func objects(_ request: FetchRequest) throws(ObjectError) -> FetchedObjects {
    let pending = try context.pendingMatches(request)
    var asked = pending.isEmpty ? request : pending.storeRequest(request)
    asked.fetchBatchSize = 0
    asked.includesPropertyValues = true
    asked.propertiesToFetch = []
    let found = try adopt(parent.fetch(asked), request)
    if pending.isEmpty { return FetchedObjects(list: found) }
    return FetchedObjects(
      list: try request.arranged(context.inStoreOrder(found + pending.matches.map(\.object))))
  }

  func objectIDs(_ request: FetchRequest) throws(ObjectError) -> FetchedObjectIDs {
    try context.hasChanges ? objects(request).objectIDs : parent.fetchObjectIDs(request)
  }

  func dictionaries(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries {
    try parent.fetchDictionaries(request)
  }

  func count(_ request: FetchRequest) throws(ObjectError) -> Int {
    let pending = try context.pendingMatches(request)
    if pending.isEmpty { return try parent.count(for: request) }
    var asked = pending.storeRequest(request)
    asked.fetchLimit = 0
    return request.window(count: try parent.count(for: asked) + pending.matches.count)
  }

  /// The objects here that stand for a parent's objects.
  private func adopt(_ found: FetchedObjects, _ request: FetchRequest) throws(ObjectError) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(found.count)
    for object in found {
      let buffer = context.buffer(table: object.table)
      let known = buffer.row(primaryKey: object.primaryKey)
      let isKnown = known.map { buffer.realize(row: $0) } ?? false
      let refreshes =
        request.shouldRefreshRefetchedObjects && known.map { buffer.states[$0] == RowState.clean } ?? false
      if !isKnown || refreshes {
        // Its values are needed now; a fault of the parent has them from the fetch.
        try parent.fire(object)
        try copy(object)
      }
      let own = context.object(table: object.table, primaryKey: object.primaryKey, entity: object.entityIndex)
      own.learnEntity(Int(buffer.entities[own.row]))
      if refreshes { own.forgetRelated() }
      result.append(own)
    }
    return result
  }

  // MARK: Rows

  func bring(_ primaryKeys: [Int64], table: TableID) throws(ObjectError) {
    let buffer = context.buffer(table: table)
    let missing = primaryKeys.filter { key in buffer.row(primaryKey: key).map { !buffer.realize(row: $0) } ?? true }
    guard !missing.isEmpty else { return }
    buffer.compactIfWorthwhile()
    // The objects keep the parent's rows in their places while they are copied.
    for object in try parent.objects(table: table, primaryKeys: missing) { try copy(object) }
  }

  /// Copies the row of a parent's object, replacing the fault or the clean row that is here.
  private func copy(_ object: ManagedObject) throws(ObjectError) {
    let (own, theirs) = (context.buffer(table: object.table), parent.buffer(table: object.table))
    try own.requireRoom(for: object.row, of: theirs)
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
      if context.registry.isInUse { context.registry.looseRows[object.table.index].append(Int32(row)) }
    }
    own.takeStored(row: row, from: theirs, row: object.row, slots: copiedSlots(entity, theirs))
  }

  /// The slots of a parent's row that a child takes, `nil` for all: transient values stay where they were set, as in Core
  /// Data.
  private func copiedSlots(_ entity: Int32, _ buffer: RowBuffer) -> [Int]? {
    let transient = context.model.entities[Int(entity)].transientSlots
    return transient.isEmpty ? nil : (0..<buffer.columnCount).filter { !transient.contains($0) }
  }

  func current(_ object: ManagedObject) throws(ObjectError) -> (buffer: RowBuffer, row: Int, slots: [Int]?) {
    let twin = context.counterpart(of: object, in: parent)
    try parent.fire(twin)
    guard !twin.isDeleted else { throw context.notFound(object.objectID) }
    let theirs = parent.buffer(table: twin.table)
    return (theirs, twin.row, copiedSlots(theirs.entities[twin.row], theirs))
  }

  func referring(
    to object: ManagedObject, by relationship: RelationshipDescription, from table: TableID
  ) throws(ObjectError) -> [Int32] {
    let twin = context.counterpart(of: object, in: parent)
    let keys = try parent.referring(to: twin, by: relationship, from: table).map(\.primaryKey)
    try bring(keys, table: table)
    let buffer = context.buffer(table: table)
    return keys.compactMap { buffer.row(primaryKey: $0).map(Int32.init) }
  }

  // MARK: Pairs

  func partners(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> [Partner] {
    try parent.partners(of: context.counterpart(of: object, in: parent), relationship, relation)
  }

  func row(_ pair: LinkChanges.Pair, _ relation: LinkRelation, isUnsaved: Bool) throws(ObjectError) -> LinkRow? {
    let known = try parent.change(pair, relation, isUnsaved: isUnsaved || pair.owner < 0 || pair.target < 0)
    return known.isLinked ? known.row : nil
  }

  func owners(of target: Int64, _ relation: LinkRelation) throws(ObjectError) -> [Int64] {
    try parent.owners(of: target, relation)
  }

  func lastOrderKey(table: TableID, slot: Int, target: Int64) throws(StoreError) -> Int64? {
    if let known = parent.lastOrderKeys[OrderedOwner(table: table, slot: slot, owner: target)] { return known }
    return try parent.origin.lastOrderKey(table: table, slot: slot, target: target)
  }
}
