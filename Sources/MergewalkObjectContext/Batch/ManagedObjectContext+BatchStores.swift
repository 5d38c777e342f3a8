import MergewalkObjectModel
import MergewalkObjectStore

/// Batch requests of contexts with several stores.
extension ManagedObjectContext {
  /// Whether the context works on one store alone, so that batch requests run here.
  var hasOneStore: Bool { storeList.all.count == 1 }

  /// Runs a request in each store that has its entity and adds the results up: all or nothing in each store.
  ///
  /// - Throws: ``BatchError`` of the first store that refuses; the stores before it keep what was done.
  func inEachStore(
    _ entityName: String, _ body: (ManagedObjectContext) throws(BatchError) -> BatchResult
  ) throws(BatchError) -> BatchResult {
    let entity = try batchEntity(entityName)
    var result = BatchResult()
    for number in storeNumbers(entity) {
      guard let store = storeList.store(number) else { continue }
      result.add(try body(batchContext(store)))
    }
    return result
  }

  /// Runs a request in the store that new objects of its entity go to, among some stores or all.
  func inStoreForInsert(
    _ entityName: String, among stores: [String]?, _ body: (ManagedObjectContext) throws(BatchError) -> BatchResult
  ) throws(BatchError) -> BatchResult {
    let entity = try batchEntity(entityName)
    let store: PersistentStore
    do {
      let table = try tableForInsert(entity, among: stores)
      try openStore(table: table)
      store = self.store(table: table)
    } catch {
      throw .object(error)
    }
    return try body(batchContext(store))
  }

  /// A context on one store, under the same name.
  private func batchContext(_ store: PersistentStore) -> ManagedObjectContext {
    let context = ManagedObjectContext(store: store)
    context.name = name
    context.transactionAuthor = transactionAuthor
    return context
  }
}

extension BatchResult {
  /// Adds what happened in another store.
  fileprivate mutating func add(_ other: BatchResult) {
    insertedCount += other.insertedCount
    updatedCount += other.updatedCount
    deletedCount += other.deletedCount
    insertedObjectIDs += other.insertedObjectIDs
    updatedObjectIDs += other.updatedObjectIDs
    deletedObjectIDs += other.deletedObjectIDs
  }
}
