public import ObjectModel
import SQLite

/// Brings a model and stores together; contexts work on top of it.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: model)
/// try coordinator.addSQLiteStore(at: "shop.sqlite")
/// let context = ManagedObjectContext(coordinator: coordinator)
/// ```
///
/// A coordinator serves contexts that live as long as a program: every save is one transaction that survives a crash of
/// the machine. So a store that does not exist is made at once, complete with its indexes and under its final name, and
/// is then opened like any other. (An import makes a new store beside its final name and shows it when all is done; it
/// works with ``StoreFile`` directly.)
///
/// The store is written in write-ahead mode, alone: no other connection can open it until ``close()``, which leaves one
/// single file. A coordinator that goes away closes its store; a process that dies leaves a `-wal` file that the next
/// one to open the store plays back.
///
/// A coordinator, its stores and all contexts on it are confined to one task.
public final class PersistentStoreCoordinator {
  /// The model of all stores.
  public let model: ManagedObjectModel
  /// The stores by number; contexts share it.
  package let list = StoreList()
  /// The stores, in the order in which they were added; closed ones are not among them.
  public var stores: [PersistentStore] { list.stores }

  /// Creates a coordinator without a store.
  public init(model: ManagedObjectModel) { self.model = model }

  deinit {
    // Nobody is left to hear of an error; what was committed stays in the log.
    try? close()
  }

  /// The store, or `nil` when there is none.
  public var store: PersistentStore? { stores.first }

  /// Opens the store at a path, or makes it when there is no file.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  /// - Throws: ``StoreError`` as `StoreFile.create` and `StoreFile.open` do, `incompatibleModel` above all.
  @discardableResult
  public func addSQLiteStore(
    at path: String, configuration: String? = nil, cacheKiB: Int = 8 * 1024
  ) throws(StoreError) -> PersistentStore {
    if !FileSystem.exists(path) {
      let made = try StoreFile.create(path: path, model: model, configuration: configuration)
      try made.finish()
    }
    let file = try StoreFile.open(path: path, model: model, configuration: configuration, cacheKiB: cacheKiB)
    try storeErrors(path) { () throws(SQLiteError) in
      // Unlike an import, a save is worth waiting for the disk, and the log must not grow with the program's life.
      try file.connection.execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000")
    }
    file.keepCommits()
    let store = try PersistentStore(file: file)
    list.append(store)
    return store
  }

  /// Moves the log into the file and closes the store; changes that contexts have not saved are not in it.
  ///
  /// Contexts on the store can do nothing with it afterwards: their fetches and saves throw. Closing twice does nothing.
  ///
  /// - Throws: ``StoreError``; what was committed is safe, in a `-wal` file beside the store if need be.
  public func close() throws(StoreError) {
    for store in stores.reversed() {
      list.remove(store)
      try store.file.finish()
    }
  }

  /// The ID that a URI stands for; `nil` when it is none, or names another store or an entity that the model has not.
  ///
  /// Whether there is such a record is not asked.
  public func objectID(forURI uri: String) -> ManagedObjectID? {
    guard let parts = ObjectURI(uri), let entity = model.entity(named: parts.entityName),
      let store = stores.first(where: { $0.file.metadata.uuid == parts.storeUUID })
    else { return nil }
    return ManagedObjectID(storeUUID: store.file.metadata.uuid, entity: entity, primaryKey: parts.primaryKey)
  }
}

@available(*, unavailable, message: "a coordinator is confined to one task; open the store again there")
extension PersistentStoreCoordinator: Sendable {}
