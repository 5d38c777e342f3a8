public import MergewalkObjectModel

/// A fetch that comes in portions, so that a task can show how far it is, let others run and be cancelled.
///
/// ```swift
/// for try await portion in context.asyncFetch(request) {
///   for object in portion.objects { ... }
///   show(portion.completed, of: portion.total)
/// }
/// ```
///
/// The first portion begins with one SELECT for all IDs, each portion with one for its rows. The work is done by the
/// task that asks, to which the context is confined; between two portions other tasks run. When the task is cancelled,
/// a SELECT that is running stops soon, and the sequence throws ``ObjectError`` with `cancelled`. Objects go when they
/// are no longer held, so memory does not grow with their number.
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
  public func makeAsyncIterator() -> Iterator {
    Iterator(portions: FetchPortions(request, size: size, context: context))
  }

  /// Fetches portion after portion.
  public struct Iterator: AsyncIteratorProtocol {
    private let portions: FetchPortions

    fileprivate init(portions: FetchPortions) { self.portions = portions }

    /// The next portion; `nil` at the end.
    ///
    /// - Throws: ``ObjectError`` with `cancelled`, or as ``ManagedObjectContext/fetch(_:)-(FetchRequest)`` does.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ObjectError) -> Portion? {
      if portions.completed > 0 { await Task.yield() }
      guard let objects = try portions.next(isCancelled: { Task.isCancelled }) else { return nil }
      return Portion(objects: objects, completed: portions.completed, total: portions.total)
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
    AsyncFetch(context: self, request: request, size: FetchPortions.size(portion, request))
  }
}

@available(*, unavailable, message: "a fetch is confined to its context's task")
extension AsyncFetch: Sendable {}
