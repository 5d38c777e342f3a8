/// A program's own types of stores, for ``PersistentStoreCoordinator``.
///
/// ```swift
/// var registry = StoreTypeRegistry()
/// registry.register(atomic: "Ledger") { LedgerStore() }
/// let coordinator = PersistentStoreCoordinator(model: model, registry: registry)
/// try coordinator.addStore(type: .custom("Ledger"), at: "books.ledger")
/// ```
///
/// A registry is a value that is passed to a coordinator; nothing is registered for a whole process.
public struct StoreTypeRegistry {
  private var atomic: [String: () -> any AtomicStore] = [:]
  private var incremental: [String: (String) -> any IncrementalStore] = [:]

  /// Creates a registry without types.
  public init() {}

  /// Registers an atomic store, replacing an earlier one with the same name.
  ///
  /// - Parameters:
  ///   - name: The name of the type, as in ``PersistentStoreType/custom(_:)``.
  ///   - make: Creates the object that reads and writes one file.
  public mutating func register(atomic name: String, _ make: @escaping () -> any AtomicStore) { atomic[name] = make }

  /// Registers an incremental store, replacing an earlier one with the same name.
  ///
  /// - Parameters:
  ///   - name: The name of the type, as in ``PersistentStoreType/custom(_:)``.
  ///   - make: Creates the object that keeps the records of the store with a path, whatever that path means to it.
  public mutating func register(incremental name: String, _ make: @escaping (String) -> any IncrementalStore) {
    incremental[name] = make
  }

  /// The object that keeps the records of a store; `nil` for types that are not incremental or not registered.
  func incrementalStore(_ type: PersistentStoreType, path: String) -> (any IncrementalStore)? {
    if case .custom(let name) = type { incremental[name]?(path) } else { nil }
  }

  /// The object that reads and writes the files of a type; `nil` for types that are not atomic or not registered.
  func atomicStore(_ type: PersistentStoreType) -> (any AtomicStore)? {
    switch type {
    case .xml: XMLStore()
    case .binary: BinaryStore()
    case .custom(let name): atomic[name]?()
    case .sqlite, .inMemory: nil
    }
  }
}

@available(*, unavailable, message: "a registry is confined to the task of its coordinators")
extension StoreTypeRegistry: Sendable {}
