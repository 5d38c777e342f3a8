import MergewalkObjectModel
import MergewalkObjectStore

/// The stores of a context's coordinator.
///
/// A request is answered by the one store that has its entity; of several, each one is asked, and the results are merged
/// here.
struct StoreOrigin: RowOrigin {
  let context: ManagedObjectContext

  // MARK: Requests

  func objects(_ request: FetchRequest) throws(ObjectError) -> FetchedObjects {
    do {
      guard let parts = parts(request) else { return try context.fetchFromStore(request) }
      var found: [ManagedObject] = []
      for part in parts { found += try context.fetch(part) }
      return FetchedObjects(list: try request.arranged(found))
    } catch {
      return FetchedObjects(list: try context.judged(request, after: error))
    }
  }

  func objectIDs(_ request: FetchRequest) throws(ObjectError) -> FetchedObjectIDs {
    guard parts(request) == nil else { return try objects(request).objectIDs }
    do {
      let plan = try FetchPlan(request, .objectIDs, context)
      return FetchedObjectIDs(
        keys: try context.fetchKeys(plan), model: context.model, storeUUID: plan.store.identifier)
    } catch {
      return FetchedObjectIDs(list: try context.judged(request, after: error).map(\.objectID))
    }
  }

  func dictionaries(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries {
    try parts(request) == nil ? context.fetchDictionariesFromStore(request) : dictionariesOfSeveral(request)
  }

  func count(_ request: FetchRequest) throws(ObjectError) -> Int {
    do {
      guard let parts = parts(request) else { return try context.countInStore(request) }
      var all = 0
      for var part in parts {
        part.fetchLimit = 0
        all += try context.count(for: part)
      }
      return request.window(count: all)
    } catch {
      return try context.judged(request, after: error).count
    }
  }

  /// The requests to each of several stores, with room for the window of the merged result.
  func parts(_ request: FetchRequest) -> [FetchRequest]? {
    guard context.storeList.all.count > 1 else { return nil }
    let numbers = context.affectedStores(request)
    guard numbers.count > 1 else { return nil }
    return numbers.map { number in
      var part = request.withRoomForWindow
      part.affectedStores = [context.storeList.identifiers[number]]
      return part
    }
  }

  // MARK: Rows

  func bring(_ primaryKeys: [Int64], table: TableID) throws(ObjectError) {
    // The stores know nothing of what was never saved.
    let keys = primaryKeys.filter { $0 > 0 }
    guard !keys.isEmpty else { return }
    let (access, buffer) = (try context.access(table: table), context.buffer(table: table))
    try objectErrors { () throws(StoreError) in
      guard keys.count == 1 else { return try access.fetchRows(primaryKeys: keys.sorted(), into: buffer) }
      try access.fetchRow(primaryKey: keys[0], into: buffer)
    }
  }

  func current(_ object: ManagedObject) throws(ObjectError) -> (buffer: RowBuffer, row: Int, slots: [Int]?) {
    let fresh = RowBuffer(model: context.model, root: context.model.entities[object.table.root.index])
    let access = try context.access(table: object.table)
    let row = try objectErrors { () throws(StoreError) in
      try access.fetchRow(primaryKey: object.primaryKey, into: fresh)
    }
    guard let row else { throw context.notFound(object.objectID) }
    return (fresh, row, access.storedSlots)
  }

  func referring(
    to object: ManagedObject, by relationship: RelationshipDescription, from table: TableID
  ) throws(ObjectError) -> [Int32] {
    let (access, buffer) = (try context.access(table: table), context.buffer(table: table))
    buffer.compactIfWorthwhile()
    return try objectErrors { () throws(StoreError) in
      try access.fetchRows(slot: relationship.slot, target: object.primaryKey, into: buffer)
    }
  }

  // MARK: Pairs

  func partners(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> [Partner] {
    var found: [Partner] = []
    try withLinks(relation, table: object.table) { links throws(StoreError) in
      try links.forEachPartner(of: object.primaryKey, isOwner: relation.isOwner) {
        found.append(Partner(primaryKey: $0, order: $1))
      }
    }
    return found
  }

  func row(_ pair: LinkChanges.Pair, _ relation: LinkRelation, isUnsaved: Bool) throws(ObjectError) -> LinkRow? {
    guard !isUnsaved, pair.owner > 0, pair.target > 0 else { return nil }
    return try withLinks(relation, table: relation.ownerTable) { links throws(StoreError) in
      try links.pair(owner: pair.owner, target: pair.target)
    }
  }

  func owners(of target: Int64, _ relation: LinkRelation) throws(ObjectError) -> [Int64] {
    guard target > 0 else { return [] }
    let owner = try withLinks(relation, table: relation.ownerTable) { links throws(StoreError) in
      try links.storedOwner(of: target)
    }
    return owner.map { [$0] } ?? []
  }

  private func withLinks<Value>(
    _ relation: LinkRelation, table: TableID, _ body: (LinkAccess) throws(StoreError) -> Value
  ) throws(ObjectError) -> Value {
    let store = try context.openStore(table: table)
    return try objectErrors { () throws(StoreError) in try body(try store.links(relation.storage)) }
  }

  func lastOrderKey(table: TableID, slot: Int, target: Int64) throws(StoreError) -> Int64? {
    // Nothing refers to a record that was never saved.
    guard target > 0 else { return nil }
    return try context.readStore(table: table).access(root: table.root).lastOrderKey(
      slot: slot, target: target)
  }
}
