import ObjectModel
import ObjectStore

/// Fetches of entities that several stores have: each store is asked, and the results are merged here.
extension ManagedObjectContext {
  /// The numbers of the stores that a request asks, when these are several.
  func severalStores(_ request: FetchRequest) -> [Int]? {
    guard storeList.all.count > 1, let entity = model.entity(named: request.entityName) else { return nil }
    let numbers = storeNumbers(entity).filter { number in
      request.affectedStores?.contains(storeList.identifiers[number]) ?? true
    }
    return numbers.count > 1 ? numbers : nil
  }

  /// The objects of a request in several stores, in its order, limit and offset applied to all together.
  ///
  /// - Complexity: One SELECT a store; with an order O(n log n) for all objects found.
  func fetchObjects(_ request: FetchRequest, stores: [Int]) throws(ObjectError) -> [ManagedObject] {
    var found: [ManagedObject] = []
    for number in stores { found += try fetch(windowed(request, store: number)) }
    if !request.sortDescriptors.isEmpty {
      found = try predicateErrors { () throws(PredicateError) in
        try SortOrder(request.sortDescriptors).sorted(found) { .object($0) }
      }
    }
    return Array(window(request, found))
  }

  /// What is left of a result after limit and offset.
  func window<Element>(_ request: FetchRequest, _ all: [Element]) -> ArraySlice<Element> {
    let rest = all.dropFirst(request.fetchOffset)
    return request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest
  }

  /// How many objects several stores have, limit and offset applied.
  func count(_ request: FetchRequest, stores: [Int]) throws(ObjectError) -> Int {
    var all = 0
    for number in stores {
      var one = windowed(request, store: number)
      one.fetchLimit = 0
      all += try count(for: one)
    }
    all = max(0, all - request.fetchOffset)
    return request.fetchLimit > 0 ? min(all, request.fetchLimit) : all
  }

  /// The request for one of several stores, with room for the window of the merged result.
  func windowed(_ request: FetchRequest, store number: Int) -> FetchRequest {
    var one = request
    one.affectedStores = [storeList.identifiers[number]]
    one.fetchOffset = 0
    if request.fetchLimit > 0 {
      let (sum, isTooLarge) = request.fetchLimit.addingReportingOverflow(request.fetchOffset)
      one.fetchLimit = isTooLarge ? 0 : sum
    }
    return one
  }
}
