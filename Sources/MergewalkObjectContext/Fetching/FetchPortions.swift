import MergewalkObjectModel
import MergewalkObjectStore

/// A fetch whose objects come in portions: one SELECT for all IDs first, then one for the rows of each portion.
final class FetchPortions {
  private let context: ManagedObjectContext
  private let request: FetchRequest
  private let size: Int
  private var found: FetchedObjects?
  /// How many objects have come.
  private(set) var completed = 0
  /// How many objects there are; 0 before the first portion.
  var total: Int { found?.count ?? 0 }

  init(_ request: FetchRequest, size: Int, context: ManagedObjectContext) {
    self.context = context
    self.size = size
    var request = request
    request.fetchBatchSize = size
    self.request = request
  }

  /// How many objects a portion has: at least 1; without a wish as many as a batch of the request has, or 500.
  static func size(_ wish: Int?, _ request: FetchRequest) -> Int {
    max(1, wish ?? (request.fetchBatchSize > 0 ? request.fetchBatchSize : 500))
  }

  /// The next objects; `nil` at the end.
  ///
  /// - Throws: ``ObjectError`` with `cancelled` soon after `isCancelled` says so, or as a fetch does.
  func next(isCancelled: () -> Bool) throws(ObjectError) -> [ManagedObject]? {
    func work<Value>(_ body: () throws(ObjectError) -> Value) throws(ObjectError) -> Value {
      guard let store = context.storeList.all.first else { return try body() }
      do throws(ObjectError) {
        return try store.interruptible(isCancelled, body)
      } catch {
        if error.code == .cancelled { try check(isCancelled()) }
        throw error
      }
    }
    try check(isCancelled())
    let all: FetchedObjects
    if let found {
      all = found
    } else {
      all = try work { () throws(ObjectError) in try context.fetch(request) }
      found = all
    }
    guard completed < all.count else { return nil }
    let range = completed..<min(completed + size, all.count)
    let objects = try work { () throws(ObjectError) in Array(all[range]) }
    // Rows of a SELECT that was stopped are faults; they must not be taken for a portion.
    try check(isCancelled())
    completed = range.upperBound
    return objects
  }

  private func check(_ isCancelled: Bool) throws(ObjectError) {
    guard isCancelled else { return }
    throw ObjectError(.cancelled, "the task was cancelled after \(completed) objects of \(request.entityName)")
  }
}
