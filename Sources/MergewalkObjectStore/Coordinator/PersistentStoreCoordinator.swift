public import MergewalkObjectModel

/// Connects a model with stores; contexts work on top of it.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: model)
/// try coordinator.addStore(type: .sqlite, at: "shop.sqlite")
/// let context = ManagedObjectContext(coordinator: coordinator)
/// ```
///
/// A coordinator serves contexts that live as long as a program: every save is one transaction that survives a crash of
/// the machine. So a new store is created immediately, with all indexes and under its final name, and is then opened
/// like any other. (An import builds a new store beside its final name and publishes it at the end; it works with the
/// file directly.)
///
/// An SQLite store is written in write-ahead mode, and several coordinators and processes may have it open at a time;
/// an import needs exclusive access. The last one to close a store leaves a single file. A released coordinator closes
/// its stores; a process that dies leaves a `-wal` file, which is replayed when the store is next opened.
///
/// Every store has all entities unless it is added with a configuration; if several stores have an entity, new objects
/// go to the one that was added first. A coordinator, its stores and all contexts on it are confined to one task.
public final class PersistentStoreCoordinator {
  /// The model of all stores.
  public let model: ManagedObjectModel
  /// The types of stores in addition to the built-in ones.
  public let registry: StoreTypeRegistry
  /// The stores by number; contexts share it.
  package let list = StoreList()
  /// The stores, in the order in which they were added, without removed ones.
  public var stores: [PersistentStore] { list.stores }

  /// Creates a coordinator without a store.
  ///
  /// - Parameter registry: The program's own types of stores.
  public init(model: ManagedObjectModel, registry: StoreTypeRegistry = StoreTypeRegistry()) {
    self.model = model
    self.registry = registry
  }

  deinit {
    // There is no caller left to hear of an error; what was committed stays in the log.
    try? close()
  }

  // MARK: - Finding stores

  /// The store that was added first, or `nil` if there is none.
  public var store: PersistentStore? { stores.first }

  /// The store for new objects of an entity: the first that has the entity; `nil` if none has it.
  public func store(for entity: EntityDescription) -> PersistentStore? { stores.first { $0.contains(entity) } }

  /// The stores that have objects of an entity, in the order in which they were added.
  public func stores(for entity: EntityDescription) -> [PersistentStore] { stores.filter { $0.contains(entity) } }

  /// The store with an identity (``PersistentStore/identifier``); `nil` if there is none.
  public func store(identifier: String) -> PersistentStore? { stores.first { $0.identifier == identifier } }

  /// The store with a path, exactly as given; `nil` if there is none.
  public func store(at path: String) -> PersistentStore? {
    stores.first { $0.isAt(path) }
  }

  // MARK: - Adding and removing

  /// Opens a store of any type, or creates it if there is no file.
  ///
  /// - Parameters:
  ///   - type: The storage type.
  ///   - path: The store's path; stores in memory need none.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - options: The options of the store.
  /// - Throws: ``StoreError``: `notFound` if there is no path, no such configuration, or no file to open read-only;
  ///   `incompatibleModel`; `invalidOption` for unregistered types and unusable options; `unsupported` if the
  ///   coordinator already has a store with this identity; `damagedFile`; or the errors of `StoreFile.create` and
  ///   `StoreFile.openShared`.
  @discardableResult
  public func addStore(
    type: PersistentStoreType, at path: String? = nil, configuration: String? = nil,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) -> PersistentStore {
    try add(try open(type: type, at: path, configuration: configuration, options: options))
  }

  /// Opens the SQLite store at a path, or creates it if there is no file.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  /// - Throws: ``StoreError`` as ``addStore(type:at:configuration:options:)``.
  @discardableResult
  public func addSQLiteStore(
    at path: String, configuration: String? = nil, cacheKiB: Int = 8 * 1024
  ) throws(StoreError) -> PersistentStore {
    var options = PersistentStoreOptions()
    options.cacheKiB = cacheKiB
    return try addStore(type: .sqlite, at: path, configuration: configuration, options: options)
  }

  /// Closes and removes a store; unsaved changes of contexts are lost.
  ///
  /// - Throws: ``StoreError`` if it cannot be closed; it is removed anyway.
  public func remove(_ store: PersistentStore) throws(StoreError) {
    list.remove(store)
    try store.close()
  }

  /// Moves the logs into the files and closes the stores; unsaved changes of contexts are lost.
  ///
  /// Contexts can no longer use the stores: their fetches and saves throw. Closing twice does nothing.
  ///
  /// - Throws: ``StoreError``; committed data is safe, possibly in a `-wal` file beside the store.
  public func close() throws(StoreError) {
    for store in stores.reversed() {
      list.remove(store)
      try store.close()
    }
  }

  /// Opens a store without adding it.
  func open(
    type: PersistentStoreType, at path: String?, configuration: String?, options: PersistentStoreOptions
  ) throws(StoreError) -> PersistentStore {
    // Before a file is made that stays behind.
    _ = try PragmaList(options.pragmas, path: path ?? "")
    if type == .inMemory {
      return try PersistentStore.inMemory(model: model, configuration: configuration, options: options)
    }
    guard let path, !path.isEmpty else {
      throw StoreError(.notFound, path: path ?? "", message: "a store of type \(type) needs a path")
    }
    switch type {
    case .sqlite:
      return try PersistentStore.openSQLite(path, model: model, configuration: configuration, options: options)
    default:
      if let source = registry.incrementalStore(type, path: path) {
        return try PersistentStore.openIncremental(
          source, type: type, path: path, model: model, configuration: configuration, options: options)
      }
      return try PersistentStore.openAtomic(
        registry.requireAtomicStore(type, path: path), type: type, path: path, model: model,
        configuration: configuration, options: options)
    }
  }

  /// Takes a store that is open; it is closed when the coordinator has one with its identity already.
  @discardableResult
  func add(_ store: PersistentStore) throws(StoreError) -> PersistentStore {
    var refusal: String?
    if self.store(identifier: store.identifier) != nil {
      refusal =
        "the coordinator has a store with the identity \(store.identifier) already; objects of two such stores "
        + "could not be told apart"
    } else if !list.hasRoom(for: model) {
      refusal =
        "the coordinator has had \(list.all.count) stores, also those that were removed, and has no numbers for more: "
        + "use another coordinator"
    }
    if let refusal {
      try? store.close()
      throw StoreError(.unsupported, path: store.path, message: refusal)
    }
    list.append(store)
    return store
  }

  // MARK: - Objects

  /// The ID for a URI; `nil` if it is invalid, or names another store or an entity that the model does not have.
  ///
  /// This does not check whether the record exists.
  public func objectID(forURI uri: String) -> ManagedObjectID? {
    guard let parts = ObjectURI(uri), let entity = model.entity(named: parts.entityName),
      let store = store(identifier: parts.storeUUID)
    else { return nil }
    return ManagedObjectID(
      storeUUID: store.identifier, entity: entity, primaryKey: parts.primaryKey, isExact: !entity.hasSubentities)
  }
}

@available(*, unavailable, message: "a coordinator is confined to one task; open the store again there")
extension PersistentStoreCoordinator: Sendable {}
