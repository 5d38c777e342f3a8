public import MergewalkObjectModel
public import MergewalkObjectStore

/// A coordinator with its contexts on a thread of their own, and parallel readers, for programs with many tasks.
///
/// All changes to stores happen on one thread, one piece of work after the other: `write` for work that is saved at its
/// end, and long-lived contexts (``viewContext``, ``newBackgroundContext()``). Reads (``read(_:)``, `stream`) run in
/// parallel with it and with each other, on threads and connections of their own.
///
/// ```swift
/// let container = try await PersistentContainer.open(model, at: "shop.sqlite", classes: [Order.self])
/// try await container.write { context in try context.insert(Order.self).number = 7 }
/// let count = try await container.read { context in try context.count("Order") }
/// ```
public final class PersistentContainer: Sendable {
  /// The model of all stores.
  public let model: ManagedObjectModel
  /// The context for reading, and for user interfaces.
  public let viewContext: QueueContext
  let queue: StoreQueue
  let box: CoordinatorBox
  let readers: ReaderPool
  let turnstile = Turnstile()
  /// The number of parallel reads.
  public var readerCount: Int { readers.size }
  /// Whether the task is inside a read: another one within it must not wait for its end.
  @TaskLocal static var isReading = false
  /// The turns of the writes that the task was started in, by container: another write within one must not wait for
  /// its end.
  @TaskLocal static var turns: [ObjectIdentifier: WriteTurn] = [:]

  /// Creates a container without a store.
  ///
  /// - Parameter readers: The number of parallel reads; threads and connections are created when they are needed.
  public init(model: ManagedObjectModel, readers: Int = 8) {
    self.model = model
    let queue = StoreQueue()
    let pool = ReaderPool(size: readers)
    let box = CoordinatorBox(queue: queue, model: model, readers: pool)
    self.queue = queue
    self.box = box
    self.readers = pool
    viewContext = QueueContext(queue: queue) { ManagedObjectContext(coordinator: box.coordinator) }
  }

  /// Creates a container with one SQLite store, which is created if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - classes: The classes of objects, for the entities that name them in the model or that have their names.
  ///   - readers: The number of parallel reads.
  ///   - options: The options for opening the store.
  /// - Throws: ``StoreError`` or ``ObjectError``.
  public static func open(
    _ model: ManagedObjectModel, at path: String, classes: [ManagedObject.Type] = [], readers: Int = 8,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) async throws -> PersistentContainer {
    let container = PersistentContainer(model: model, readers: readers)
    try await container.withCoordinator { coordinator in
      try coordinator.setClasses(classes)
      try coordinator.addStore(type: .sqlite, at: path, options: options)
    }
    return container
  }

  /// Runs work with the coordinator on the container's thread, mainly to add stores.
  ///
  /// - Throws: The error of `body`.
  public func withCoordinator<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (PersistentStoreCoordinator) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let box = box
    return try await queue.run { () throws(Failure) -> Value in
      defer { box.tellReaders() }
      return try body(box.coordinator)
    }
  }

  /// A new context on the coordinator, without an undo manager.
  public func newBackgroundContext() -> QueueContext {
    let box = box
    return QueueContext(queue: queue) { ManagedObjectContext(coordinator: box.coordinator) }
  }

  /// Runs work with a new, temporary context; changes that the work does not save are lost.
  ///
  /// - Throws: The error of `body`.
  public func performBackgroundTask<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await newBackgroundContext().perform(body)
  }

  /// Closes all stores, after all work submitted earlier.
  ///
  /// - Throws: ``StoreError``; committed data is safe.
  public func close() async throws(StoreError) {
    await readers.close()
    try await withCoordinator { coordinator throws(StoreError) in try coordinator.close() }
  }
}

/// A coordinator and the thread that it belongs to.
///
/// Unchecked, as ``ContextBox`` is.
final class CoordinatorBox: @unchecked Sendable {
  private let queue: StoreQueue
  private let model: ManagedObjectModel
  private let readers: ReaderPool
  private var made: PersistentStoreCoordinator?

  init(queue: StoreQueue, model: ManagedObjectModel, readers: ReaderPool) {
    self.queue = queue
    self.model = model
    self.readers = readers
  }

  var coordinator: PersistentStoreCoordinator {
    // Only the container comes here, on the queue: it guards against a mistake of ours.
    precondition(queue.isCurrent, "a coordinator was used outside of its container's thread; use withCoordinator")
    if let made { return made }
    let coordinator = PersistentStoreCoordinator(model: model)
    coordinator.list.companions[ObjectIdentifier(ReaderPool.self)] = StoreListListener(self)
    ObjectClasses.shared(coordinator.list, model: model).didChange = { [weak self] in self?.tellReaders() }
    made = coordinator
    return coordinator
  }

  func tellReaders() {
    guard let made else { return }
    let stores = made.stores.map(ReaderStore.init)
    readers.follow(
      stores.isEmpty || stores.contains(nil) ? nil : stores.compactMap { $0 },
      ObjectClasses.shared(made.list, model: model).given)
  }
}

/// Tells the readers of stores that come and go; the coordinator keeps it, and it does not keep the coordinator.
private final class StoreListListener: StoreListObserver {
  private weak var box: CoordinatorBox?

  init(_ box: CoordinatorBox) { self.box = box }

  func storeListChanged(_ store: PersistentStore, isPresent: Bool) { box?.tellReaders() }
}
