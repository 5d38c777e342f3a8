public import ObjectModel
public import ObjectStore

/// A coordinator with its contexts on a thread of their own, for programs with many tasks.
///
/// Everything of a container happens on one thread, one piece of work after the other, as everything on one coordinator
/// does in Core Data. Programs that want to read in parallel make several containers on the same file.
///
/// ```swift
/// let container = PersistentContainer(model: model)
/// try await container.withCoordinator { try $0.addSQLiteStore(at: "shop.sqlite"); return }
/// let count = try await container.viewContext.perform { try $0.count("Order") }
/// ```
public final class PersistentContainer: Sendable {
  /// The model of all stores.
  public let model: ManagedObjectModel
  /// The context for reading and for what people see.
  public let viewContext: QueueContext
  private let queue: StoreQueue
  private let box: CoordinatorBox

  /// Creates a container without a store.
  public init(model: ManagedObjectModel) {
    self.model = model
    let queue = StoreQueue()
    let box = CoordinatorBox(queue: queue, model: model)
    self.queue = queue
    self.box = box
    viewContext = QueueContext(queue: queue) { ManagedObjectContext(coordinator: box.coordinator) }
  }

  /// Runs work with the coordinator on the container's thread: adding stores, above all.
  ///
  /// - Throws: What `body` throws.
  public func withCoordinator<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (PersistentStoreCoordinator) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let box = box
    return try await queue.run { () throws(Failure) -> Value in try body(box.coordinator) }
  }

  /// A new context on the coordinator, without an undo manager.
  public func newBackgroundContext() -> QueueContext {
    let box = box
    return QueueContext(queue: queue) { ManagedObjectContext(coordinator: box.coordinator) }
  }

  /// Runs work with a new context that goes away afterwards; what the work does not save is lost.
  ///
  /// - Throws: What `body` throws.
  public func performBackgroundTask<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await newBackgroundContext().perform(body)
  }

  /// Closes all stores, after all work that came before.
  ///
  /// - Throws: ``StoreError``; what was committed is safe.
  public func close() async throws(StoreError) {
    try await withCoordinator { coordinator throws(StoreError) in try coordinator.close() }
  }
}

/// A coordinator and the thread that it belongs to.
///
/// Unchecked, as ``ContextBox`` is.
private final class CoordinatorBox: @unchecked Sendable {
  private let queue: StoreQueue
  private let model: ManagedObjectModel
  private var made: PersistentStoreCoordinator?

  init(queue: StoreQueue, model: ManagedObjectModel) {
    self.queue = queue
    self.model = model
  }

  var coordinator: PersistentStoreCoordinator {
    // Only the container comes here, on the queue: it guards against a mistake of ours.
    precondition(queue.isCurrent, "a coordinator was used outside of its container's thread; use withCoordinator")
    if let made { return made }
    let coordinator = PersistentStoreCoordinator(model: model)
    made = coordinator
    return coordinator
  }
}
