/// A value for each object of a request, for `for try await`: see `PersistentContainer.stream`.
///
/// Each iterator starts the fetch again. When the task is cancelled, a running SELECT stops soon, and the stream throws
/// ``ObjectError`` with `cancelled`.
public struct ObjectStream<Element: Sendable>: AsyncSequence, Sendable {
  /// The error that it throws.
  public typealias Failure = ObjectError

  private let open: @Sendable () async -> QueueFetch<Element>

  init(open: @escaping @Sendable () async -> QueueFetch<Element>) { self.open = open }

  /// Starts the fetch again.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(open: open) }

  /// Iterates over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let open: @Sendable () async -> QueueFetch<Element>
    private var portions: QueueFetch<Element>.AsyncIterator?
    private var values: ArraySlice<Element> = []
    private var isAtEnd = false

    fileprivate init(open: @escaping @Sendable () async -> QueueFetch<Element>) { self.open = open }

    /// The value of the next object; `nil` after the last one.
    public mutating func next() async throws(ObjectError) -> Element? { try await next(isolation: nil) }

    /// The value of the next object; `nil` after the last one.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ObjectError) -> Element? {
      if let value = values.popFirst() { return value }
      if isAtEnd { return nil }
      if portions == nil { portions = await open().makeAsyncIterator() }
      do {
        values = ArraySlice(try await portions?.next(isolation: actor) ?? [])
      } catch {
        end()
        throw error
      }
      if values.isEmpty { end() }
      return values.popFirst()
    }

    /// Releases the reader.
    private mutating func end() {
      isAtEnd = true
      portions = nil
    }
  }
}
