import MergewalkObjectModel
import MergewalkObjectStore

/// Where the records of a context come from: the stores of its coordinator, or the context above it.
///
/// A call answers a whole request or brings all rows that are missing; nothing here is called for each row.
protocol RowOrigin {
  /// The objects of a request, with the changes of the context.
  func objects(_ request: FetchRequest) throws(ObjectError) -> FetchedObjects
  /// The IDs of the objects of a request, with the changes of the context.
  func objectIDs(_ request: FetchRequest) throws(ObjectError) -> FetchedObjectIDs
  /// The values of a request as the stores have them.
  func dictionaries(_ request: FetchRequest) throws(ObjectError) -> FetchedDictionaries
  /// How many objects a request finds, with the changes of the context.
  func count(_ request: FetchRequest) throws(ObjectError) -> Int

  /// Fills faults and brings rows that are not here; records that do not exist do not come.
  func bring(_ primaryKeys: [Int64], table: TableID) throws(ObjectError)
  /// The values that a record would have if it were fetched now: a row of some buffer, and the slots that it has, `nil`
  /// for all.
  func current(_ object: ManagedObject) throws(ObjectError) -> (buffer: RowBuffer, row: Int, slots: [Int]?)
  /// Brings the rows of a table that refer to an object by a to-one relationship, and returns their places.
  func referring(
    to object: ManagedObject, by relationship: RelationshipDescription, from table: TableID
  ) throws(ObjectError) -> [Int32]
  /// The other ends of an object's pairs.
  func partners(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> [Partner]
  /// A pair as it is there, `nil` when the two are not related; a store is not asked for what is unsaved.
  func row(_ pair: LinkChanges.Pair, _ relation: LinkRelation, isUnsaved: Bool) throws(ObjectError) -> LinkRow?
  /// The objects that may be the owner of a target whose row has room for one.
  func owners(of target: Int64, _ relation: LinkRelation) throws(ObjectError) -> [Int64]
  /// The greatest position in the ordered relationship that a to-one relationship belongs to.
  func lastOrderKey(table: TableID, slot: Int, target: Int64) throws(StoreError) -> Int64?
}

extension ManagedObjectContext {
  /// Where records come from that are not here.
  var origin: any RowOrigin {
    if let parent { ParentOrigin(context: self, parent: parent) } else { StoreOrigin(context: self) }
  }

  /// The numbers of the stores that a request asks: those that have its entity.
  func affectedStores(_ request: FetchRequest) -> [Int] {
    guard let entity = model.entity(named: request.entityName) else { return [] }
    return storeNumbers(entity).filter { request.affectedStores?.contains(storeList.identifiers[$0]) ?? true }
  }

  /// Objects as their stores follow each other and by primary key, which is the order of what has no other one.
  func inStoreOrder(_ objects: some Sequence<ManagedObject>) -> [ManagedObject] {
    objects.sorted { left, right in
      let (one, other) = (left.table.store, right.table.store)
      return one == other ? left.primaryKey.comesBefore(right.primaryKey) : one < other
    }
  }
}
