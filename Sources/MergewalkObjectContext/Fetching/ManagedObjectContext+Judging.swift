import MergewalkObjectModel
import MergewalkObjectStore

/// Fetches that SQL cannot carry out, from stores that are no SQLite stores.
extension ManagedObjectContext {
  /// The objects of a request that SQL refused, judged one by one: closures, orders of one's own, transient properties.
  ///
  /// That goes for stores in memory, XML, binary and custom stores, as in Core Data. An SQLite store keeps to its
  /// refusal: there the request would read the whole table unnoticed.
  ///
  /// - Parameter error: What was thrown; it is thrown again when it is another error, or when an SQLite store is asked.
  /// - Complexity: O(objects of the entity).
  func judged(_ request: FetchRequest, after error: ObjectError) throws(ObjectError) -> [ManagedObject] {
    guard error.predicateError?.code == .notInSQL else { throw error }
    let asked = affectedStores(request)
    guard !asked.isEmpty, asked.allSatisfy({ storeList.all[$0].type != .sqlite }) else { throw error }
    var all = request
    all.predicate = nil
    all.sortDescriptors = []
    all.fetchLimit = 0
    all.fetchOffset = 0
    all.fetchBatchSize = 0
    var found = Array(try fetch(all))
    if let predicate = request.predicate {
      // One evaluator, so that `now` is one value for all.
      var evaluator = PredicateEvaluator()
      evaluator.readsBeyondEnd = true
      var matching: [ManagedObject] = []
      for object in found {
        let matches = try predicateErrors { () throws(PredicateError) in
          try evaluator.evaluate(predicate, with: .object(object))
        }
        if matches { matching.append(object) }
      }
      found = matching
    }
    return try request.arranged(found)
  }
}
