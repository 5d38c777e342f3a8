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
    return try request.arranged(found)
  }

  /// How many objects several stores have, limit and offset applied.
  func count(_ request: FetchRequest, stores: [Int]) throws(ObjectError) -> Int {
    var all = 0
    for number in stores {
      var one = windowed(request, store: number)
      one.fetchLimit = 0
      all += try count(for: one)
    }
    return request.window(count: all)
  }

  /// The request for one of several stores, with room for the window of the merged result.
  func windowed(_ request: FetchRequest, store number: Int) -> FetchRequest {
    var one = request.withRoomForWindow
    one.affectedStores = [storeList.identifiers[number]]
    return one
  }
}
