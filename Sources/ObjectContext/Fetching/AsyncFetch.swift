public import ObjectModel
import ObjectStore

/// A fetch that comes in portions, so that a task can show how far it is, let others run and be cancelled.
///
/// ```swift
/// for try await portion in context.asyncFetch(request) {
///   for object in portion.objects { ... }
///   show(portion.completed, of: portion.total)
/// }
/// ```
///
/// The first portion begins with one SELECT for all IDs, each portion with one for its rows. The work is done by the task
/// that asks, to which the context is confined; between two portions other tasks run. When the task is cancelled, a SELECT
/// that is running stops soon, and the sequence throws ``ObjectError`` with `cancelled`. Objects go when nobody holds them,
/// so memory does not grow with their number.
public struct AsyncFetch: AsyncSequence {
  /// Objects that follow each other in the result.
  public struct Portion {
    /// The objects.
    public let objects: [ManagedObject]
    /// How many objects have come, these included.
    public let completed: Int
    /// How many objects there are in all.
    public let total: Int
  }

  private let context: ManagedObjectContext
  private let request: FetchRequest
  private let size: Int

  init(context: ManagedObjectContext, request: FetchRequest, size: Int) {
    self.context = context
    self.request = request
    self.size = size
  }

  /// Starts over.
  public func makeAsyncIterator() -> Iterator { Iterator(context: context, request: request, size: size) }

  /// Fetches portion after portion.
  public struct Iterator: AsyncIteratorProtocol {
    private let context: ManagedObjectContext
    private var request: FetchRequest
    private let size: Int
    private var found: FetchedObjects?
    private var completed = 0

    fileprivate init(context: ManagedObjectContext, request: FetchRequest, size: Int) {
      self.context = context
      self.request = request
      self.size = size
      self.request.fetchBatchSize = size
    }

    /// The next portion; `nil` at the end.
    ///
    /// - Throws: ``ObjectError`` with `cancelled`, or as ``ManagedObjectContext/fetch(_:)-(FetchRequest)`` does.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ObjectError) -> Portion? {
      if found != nil { await Task.yield() }
      try checkCancellation()
      let all: FetchedObjects
      if let found {
        all = found
      } else {
        all = try interruptible { () throws(ObjectError) in try context.fetch(request) }
        found = all
      }
      guard completed < all.count else { return nil }
      let range = completed..<Swift.min(completed + size, all.count)
      let objects = try interruptible { () throws(ObjectError) in Array(all[range]) }
      // Rows of a SELECT that was stopped are faults; nobody shall take them for a portion.
      try checkCancellation()
      completed = range.upperBound
      return Portion(objects: objects, completed: completed, total: all.count)
    }

    private func checkCancellation() throws(ObjectError) {
      if Task.isCancelled {
        throw ObjectError(.cancelled, "the task was cancelled after \(completed) objects of \(request.entityName)")
      }
    }

    private func interruptible<Value>(_ body: () throws(ObjectError) -> Value) throws(ObjectError) -> Value {
      do {
        guard let store = context.storeList.all.first else { return try body() }
        return try store.interruptible({ Task.isCancelled }, body)
      } catch {
        if error.cause?.cause?.kind == .interrupted { try checkCancellation() }
        throw error
      }
    }
  }
}

extension ManagedObjectContext {
  /// Fetches the objects of a request in portions, for tasks that can be cancelled.
  ///
  /// Nothing runs before the first portion is asked for.
  ///
  /// - Parameter portion: How many objects come at a time; `nil` for the request's batch size, or 500 when it has none;
  ///   less than 1 counts as 1.
  public func asyncFetch(_ request: FetchRequest, portion: Int? = nil) -> AsyncFetch {
    let size = portion ?? (request.fetchBatchSize > 0 ? request.fetchBatchSize : 500)
    return AsyncFetch(context: self, request: request, size: max(1, size))
  }
}

@available(*, unavailable, message: "a fetch is confined to its context's task")
extension AsyncFetch: Sendable {}
