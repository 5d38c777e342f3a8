public import MergewalkObjectModel
import Synchronization

/// A fetch on a container's thread that returns portions of values, for tasks that show progress, let others use the
/// container in between, and can be cancelled.
///
/// ```swift
/// let names = background.asyncFetch(request) { order throws(ObjectError) in try order.value(forKey: "number") }
/// for try await portion in names { ... }
/// ```
///
/// Objects stay on their thread; the values made from them are returned. The fetch runs with the first portion; when
/// the task is cancelled, a running SELECT stops soon, and the sequence throws ``ObjectError`` with `cancelled`.
public struct QueueFetch<Value: Sendable>: AsyncSequence, Sendable {
  /// The values of consecutive objects in the result.
  public typealias Element = [Value]
  /// The error that it throws.
  public typealias Failure = ObjectError

  let context: QueueContext
  let request: FetchRequest
  let size: Int
  let transform: @Sendable (ManagedObject) throws(ObjectError) -> Value
  /// The work of the thread when no more can be requested.
  var end: (@Sendable () -> Void)?

  /// Starts the fetch again.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(fetch: self) }

  /// Iterates over the portions.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let fetch: QueueFetch
    private let place: QueueFetchPlace

    fileprivate init(fetch: QueueFetch) {
      self.fetch = fetch
      place = QueueFetchPlace(fetch.context, end: fetch.end)
    }

    /// The values of the next objects; `nil` after the last one.
    public mutating func next() async throws(ObjectError) -> [Value]? { try await next(isolation: nil) }

    /// The values of the next objects; `nil` after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ObjectError) -> [Value]? {
      let (fetch, rest) = (fetch, place.rest)
      let result: Result<[Value]?, ObjectError> = await withTaskCancellationHandler {
        do throws(ObjectError) {
          return .success(
            try await fetch.context.perform { context throws(ObjectError) -> [Value]? in
              try rest.next(fetch.size, fetch.request, context, fetch.transform)
            })
        } catch {
          return .failure(error)
        }
      } onCancel: {
        rest.isCancelled.store(true, ordering: .relaxed)
      }
      return try result.get()
    }
  }
}

extension QueueContext {
  /// Fetches the objects of a request in portions and creates a value from each.
  ///
  /// Nothing runs before the first portion is requested.
  ///
  /// - Parameters:
  ///   - portion: The number of objects at a time; `nil` for the request's batch size, or 500 if it has none.
  ///   - transform: Creates the value, on the container's thread.
  public func asyncFetch<Value: Sendable>(
    _ request: FetchRequest, portion: Int? = nil,
    _ transform: @escaping @Sendable (ManagedObject) throws(ObjectError) -> Value
  ) -> QueueFetch<Value> {
    QueueFetch(context: self, request: request, size: FetchPortions.size(portion, request), transform: transform)
  }
}

/// Where a fetch in portions is; its result goes away on the thread that it belongs to.
private final class QueueFetchPlace: Sendable {
  let rest = QueueFetchRest()
  private let context: QueueContext
  private let end: (@Sendable () -> Void)?

  init(_ context: QueueContext, end: (@Sendable () -> Void)?) {
    self.context = context
    self.end = end
  }

  deinit {
    let (rest, end) = (rest, end)
    context.post {
      rest.portions = nil
      end?()
    }
  }
}

/// The objects that have not arrived yet.
///
/// Unchecked: ``portions`` is touched on the context's thread only.
private final class QueueFetchRest: @unchecked Sendable {
  let isCancelled = Atomic(false)
  var portions: FetchPortions?

  func next<Value>(
    _ size: Int, _ request: FetchRequest, _ context: ManagedObjectContext,
    _ transform: (ManagedObject) throws(ObjectError) -> Value
  ) throws(ObjectError) -> [Value]? {
    let portions = portions ?? FetchPortions(request, size: size, context: context)
    self.portions = portions
    guard let objects = try portions.next(isCancelled: { isCancelled.load(ordering: .relaxed) }) else { return nil }
    var values: [Value] = []
    values.reserveCapacity(objects.count)
    for object in objects { values.append(try transform(object)) }
    return values
  }
}
