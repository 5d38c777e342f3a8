import MergewalkObjectModel
import MergewalkObjectStore

struct ReaderStore: Sendable, Equatable {
  var path: String
  var configuration: String?
  var options: PersistentStoreOptions

  /// A store as readers open it; `nil` for one that cannot be read by several connections at a time.
  init?(_ store: PersistentStore) {
    guard store.hasParallelReaders else { return nil }
    path = store.path
    configuration = store.configuration
    options = store.options
    options.isReadOnly = true
    options.vacuums = false
    options.analyzes = false
    options.migratesAutomatically = false
  }
}

/// A thread with connections that only read, for one task at a time.
///
/// Unchecked: ``coordinator`` and what follows it are touched on the queue's thread only, and by `deinit`, when no work
/// is left that could use them.
final class Reader: @unchecked Sendable {
  let queue = StoreQueue()
  private var coordinator: PersistentStoreCoordinator?
  private var version = -1
  private var isClosed = false
  /// The context of the read that runs.
  private var context: ManagedObjectContext?

  /// A context that sees the stores as they are at its first read until ``end()``; `nil` when they cannot be opened
  /// another time.
  func begin(_ plan: ReaderPlan, model: ManagedObjectModel) -> ManagedObjectContext? {
    // Only the container comes here, on the queue: it guards against a mistake of ours.
    precondition(queue.isCurrent, "a reader was used outside of its thread")
    // A read that was waiting when the container was closed opens no further connections.
    if isClosed { return nil }
    do {
      let coordinator = try follow(plan, model: model)
      for store in coordinator.stores { try store.freeze() }
      let context = ManagedObjectContext(coordinator: coordinator)
      context.queue = queue
      self.context = context
      return context
    } catch {
      // Whoever asks reads through the writer's connection instead, and hears there what is wrong with a store.
      coordinator = nil
      return nil
    }
  }

  /// Lets go of the moment that was read, and of all objects.
  func end() {
    context?.reset()
    context = nil
    do throws(StoreError) {
      for store in coordinator?.stores ?? [] { try store.thaw() }
    } catch {
      // A connection that cannot end its transaction must not be used for the next read.
      coordinator = nil
    }
  }

  /// The context that ``begin(_:model:)`` made, for whoever has the reader.
  var begunContext: ManagedObjectContext {
    // Only streams come here, between `begin` and `end`: it guards against a mistake of ours.
    guard let context else { preconditionFailure("a reader was used without a read") }
    return context
  }

  /// Closes the connections after the work that came before.
  func close() async {
    await queue.run { [self] in
      isClosed = true
      // There is no caller left to hear of an error; the connections only read.
      try? coordinator?.close()
    }
  }

  private func follow(
    _ plan: ReaderPlan, model: ManagedObjectModel
  ) throws -> PersistentStoreCoordinator {
    if let coordinator, version == plan.version { return coordinator }
    let made = PersistentStoreCoordinator(model: model)
    for store in plan.stores ?? [] {
      let added = try made.addStore(
        type: .sqlite, at: store.path, configuration: store.configuration, options: store.options)
      added.interruptStatements { Task.isCancelled }
    }
    try ObjectClasses.shared(made.list, model: model).set(plan.classes)
    coordinator = made
    version = plan.version
    return made
  }
}
