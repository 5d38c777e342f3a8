public import MergewalkObjectModel

/// A fetch that returns portions, so that a task can show progress, let others run and be cancelled.
///
/// ```swift
/// for try await portion in context.asyncFetch(request) {
///   for object in portion.objects { ... }
///   show(portion.completed, of: portion.total)
/// }
/// ```
///
/// The first portion begins with one SELECT for all IDs, each portion with one for its rows. The calling task, to which
/// the context is confined, does the work; other tasks run between two portions. When the task is cancelled, a running
/// SELECT stops soon, and the sequence throws ``ObjectError`` with `cancelled`. Objects are freed when they are no
/// longer held, so memory does not grow with their number.
public struct AsyncFetch: AsyncSequence {
  /// Consecutive objects of the result.
  public struct Portion {
    /// The objects.
    public let objects: [ManagedObject]
    /// The number of objects so far, including these.
    public let completed: Int
    /// The total number of objects.
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

  /// Fetches one portion after the other.
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
  /// Nothing runs before the first portion is requested.
  ///
  /// - Parameter portion: The number of objects at a time; `nil` for the request's batch size, or 500 if it has none;
  ///   less than 1 counts as 1.
  public func asyncFetch(_ request: FetchRequest, portion: Int? = nil) -> AsyncFetch {
    AsyncFetch(context: self, request: request, size: FetchPortions.size(portion, request))
  }
}

@available(*, unavailable, message: "a fetch is confined to its context's task")
extension AsyncFetch: Sendable {}
