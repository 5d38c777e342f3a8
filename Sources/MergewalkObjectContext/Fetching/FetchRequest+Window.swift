import MergewalkObjectModel

/// Applies a request to objects that were not found in one statement: in several stores, in a parent, or by evaluating
/// them here.
extension FetchRequest {
  /// Sees to it that limit, offset and batch size can be: before anything is asked, as several stores and parents are asked
  /// for more than the window.
  ///
  /// - Throws: ``ObjectError`` with `invalidRequest`.
  func checkWindow() throws(ObjectError) {
    for (name, number) in [("limit", fetchLimit), ("offset", fetchOffset), ("batch size", fetchBatchSize)]
    where number < 0 {
      throw ObjectError(
        PredicateError(.invalidRequest, "the fetch \(name) is \(number); it must be 0, for none, or more"))
    }
  }

  /// The part of a result within limit and offset.
  func window<Element>(_ all: [Element]) -> ArraySlice<Element> {
    let rest = all.dropFirst(fetchOffset)
    return fetchLimit > 0 ? rest.prefix(fetchLimit) : rest
  }

  /// How many of a number of objects are left after limit and offset.
  func window(count: Int) -> Int {
    let rest = max(0, count - fetchOffset)
    return fetchLimit > 0 ? min(rest, fetchLimit) : rest
  }

  /// The request for a part of the objects, with room for the window of all of them.
  var withRoomForWindow: FetchRequest {
    var request = self
    request.fetchOffset = 0
    if fetchLimit > 0 {
      let (sum, isTooLarge) = fetchLimit.addingReportingOverflow(fetchOffset)
      request.fetchLimit = isTooLarge ? 0 : sum
    }
    return request
  }

  /// The objects in the request's order, limit and offset applied; without an order as they come.
  func arranged(_ objects: [ManagedObject]) throws(ObjectError) -> [ManagedObject] {
    guard !sortDescriptors.isEmpty else { return Array(window(objects)) }
    return try predicateErrors { () throws(PredicateError) in
      Array(window(try SortOrder(sortDescriptors).sorted(objects) { .object($0) }))
    }
  }
}
