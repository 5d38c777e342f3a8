public import MergewalkObjectModel

/// Brings a model and stores together; contexts work on top of it.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: model)
/// try coordinator.addStore(type: .sqlite, at: "shop.sqlite")
/// let context = ManagedObjectContext(coordinator: coordinator)
/// ```
///
/// A coordinator serves contexts that live as long as a program: every save is one transaction that survives a crash of
/// the machine. So a store that does not exist is made at once, complete with its indexes and under its final name, and
/// is then opened like any other. (An import makes a new store beside its final name and shows it when all is done; it
/// works with the file directly.)
///
/// An SQLite store is written in write-ahead mode, and several coordinators and processes may have it open at a time;
/// an import needs it alone. The last one to close a store leaves one single file. A coordinator that goes away closes
/// its stores; a process that dies leaves a `-wal` file that the next one to open the store plays back.
///
/// Every store holds all entities unless it is added with a configuration; where several stores hold an entity, the one
/// that was added first takes new objects. A coordinator, its stores and all contexts on it are confined to one task.
public final class PersistentStoreCoordinator {
  /// The model of all stores.
  public let model: ManagedObjectModel
  /// The types of stores that can be added besides those that are built in.
  public let registry: StoreTypeRegistry
  /// The stores by number; contexts share it.
  package let list = StoreList()
  /// The stores, in the order in which they were added; removed ones are not among them.
  public var stores: [PersistentStore] { list.stores }

  /// Creates a coordinator without a store.
  ///
  /// - Parameter registry: The types of stores that a program brings along.
  public init(model: ManagedObjectModel, registry: StoreTypeRegistry = StoreTypeRegistry()) {
    self.model = model
    self.registry = registry
  }

  deinit {
    // There is no caller left to hear of an error; what was committed stays in the log.
    try? close()
  }

  // MARK: - Finding stores

  /// The store that was added first, or `nil` when there is none.
  public var store: PersistentStore? { stores.first }

  /// The store that takes new objects of an entity: the first that has it; `nil` when none has.
  public func store(for entity: EntityDescription) -> PersistentStore? { stores.first { $0.contains(entity) } }

  /// The stores that have objects of an entity, in the order in which they were added.
  public func stores(for entity: EntityDescription) -> [PersistentStore] { stores.filter { $0.contains(entity) } }

  /// The store with an identity (``PersistentStore/identifier``); `nil` when there is none.
  public func store(identifier: String) -> PersistentStore? { stores.first { $0.identifier == identifier } }

  /// The store with a path, letter by letter as it was given; `nil` when there is none.
  public func store(at path: String) -> PersistentStore? {
    stores.first { $0.isAt(path) }
  }

  // MARK: - Adding and removing

  /// Opens a store of any type, or makes it when there is no file.
  ///
  /// - Parameters:
  ///   - type: What keeps the records.
  ///   - path: The store's path; stores in memory need none.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - options: How the store is opened.
  /// - Throws: ``StoreError``: `notFound` when there is no path, no such configuration, or no file to open for reading
  ///   only; `incompatibleModel`; `invalidOption` for types that are not registered and options that cannot be used;
  ///   `unsupported` when the coordinator has a store with this identity; `damagedFile`; or what `StoreFile.create` and
  ///   `StoreFile.openShared` throw.
  @discardableResult
  public func addStore(
    type: PersistentStoreType, at path: String? = nil, configuration: String? = nil,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) -> PersistentStore {
    try add(try open(type: type, at: path, configuration: configuration, options: options))
  }

  /// Opens the SQLite store at a path, or makes it when there is no file.
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

  /// Closes a store and forgets it; changes that contexts have not saved are not in it.
  ///
  /// - Throws: ``StoreError`` when it cannot be closed; it is forgotten all the same.
  public func remove(_ store: PersistentStore) throws(StoreError) {
    list.remove(store)
    try store.close()
  }

  /// Moves the logs into the files and closes the stores; changes that contexts have not saved are not in them.
  ///
  /// Contexts on the stores can do nothing with them afterwards: their fetches and saves throw. Closing twice does
  /// nothing.
  ///
  /// - Throws: ``StoreError``; what was committed is safe, in a `-wal` file beside the store if need be.
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
    guard self.store(identifier: store.identifier) == nil else {
      try? store.close()
      throw StoreError(
        .unsupported, path: store.path,
        message:
          "the coordinator has a store with the identity \(store.identifier) already; objects of two such stores "
          + "could not be told apart")
    }
    list.append(store)
    return store
  }

  // MARK: - Objects

  /// The ID that a URI stands for; `nil` when it is none, or names another store or an entity that the model has not.
  ///
  /// Whether there is such a record is not asked.
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
