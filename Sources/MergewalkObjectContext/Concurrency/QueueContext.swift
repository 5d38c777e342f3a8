/// A context on the thread of a container, for use by other tasks.
///
/// The context itself never leaves its thread: work reaches it as closures, and their results are `Sendable`: values
/// and object IDs, but not managed objects. An object that is smuggled out traps at its next use.
///
/// ```swift
/// let id = try await background.perform { context in
///   let order = try context.insert("Order")
///   try context.save()
///   return order.objectID
/// }
/// ```
public final class QueueContext: Sendable {
  private let queue: StoreQueue
  private let box: ContextBox

  init(queue: StoreQueue, make: @escaping @Sendable () -> ManagedObjectContext) {
    self.queue = queue
    box = ContextBox(queue: queue, make: make)
  }

  /// Runs work with the context on its thread, after all work submitted earlier.
  ///
  /// - Throws: The error of `body`.
  public func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let box = box
    return try await queue.run { () throws(Failure) -> Value in try body(box.context) }
  }

  /// Runs work with the context on its thread and blocks the caller until it is done.
  ///
  /// Called from work of the same container, it runs at once. Tasks should use ``perform(_:)``, which blocks no thread.
  ///
  /// - Throws: The error of `body`.
  public func performAndWait<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let box = box
    return try queue.runAndWait { () throws(Failure) -> Value in try body(box.context) }
  }

  /// Has work done on the thread some time.
  func post(_ work: @escaping @Sendable () -> Void) { queue.post(work) }

  /// A new context that saves to this one.
  public func newChild() -> QueueContext {
    let parent = box
    return QueueContext(queue: queue) { ManagedObjectContext(parent: parent.context) }
  }
}

/// A context and the thread that it belongs to.
///
/// Unchecked: ``context`` is touched on the queue's thread only, which it checks; and when the last reference goes away
/// no work is left that could use it.
final class ContextBox: @unchecked Sendable {
  private let queue: StoreQueue
  private let make: @Sendable () -> ManagedObjectContext
  private var made: ManagedObjectContext?

  init(queue: StoreQueue, make: @escaping @Sendable () -> ManagedObjectContext) {
    self.queue = queue
    self.make = make
  }

  /// The context, made at its first use.
  var context: ManagedObjectContext {
    // Only this file and the container come here, on the queue: it guards against a mistake of ours.
    precondition(queue.isCurrent, "a context was used outside of its container's thread; use perform")
    if let made { return made }
    let context = make()
    context.queue = queue
    made = context
    return context
  }
}
