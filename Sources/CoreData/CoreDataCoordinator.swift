public import Foundation
public import MergewalkObjectModel
public import MergewalkObjectStore

// The coordinator's stores under Core Data's names, with file URLs.

extension PersistentStore {
  /// Apple's `NSPersistentStore.StoreType`.
  public typealias StoreType = PersistentStoreType

  /// The store's location; a store in memory has none.
  public var url: URL? { type == .inMemory ? nil : URL(fileURLWithPath: path) }
}

extension PersistentStoreCoordinator {
  /// Apple's initializer.
  public convenience init(managedObjectModel model: ManagedObjectModel) { self.init(model: model) }

  /// The model of its stores.
  public var managedObjectModel: ManagedObjectModel { model }
  /// The open stores.
  public var persistentStores: [PersistentStore] { stores }

  /// The ID for a URI; `nil` if it does not belong to an open store.
  public func managedObjectID(forURIRepresentation url: URL) -> ManagedObjectID? {
    objectID(forURI: url.absoluteString)
  }

  /// Opens or creates a store.
  ///
  /// - Throws: `StoreError` as `addStore` does, and `invalidOption` for an option that is not known, or for
  ///   ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``: only an ``NSPersistentContainer`` keeps posting.
  @discardableResult
  public func addPersistentStore(
    ofType type: String, configurationName configuration: String?, at url: URL?, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) -> PersistentStore {
    try addStore(type, configuration, url?.path, StoreOptions(options, path: url?.path ?? "").withoutPosting())
  }

  /// Opens or creates a store with options that have been read.
  @discardableResult
  func addStore(
    _ type: String, _ configuration: String?, _ path: String?, _ options: StoreOptions
  ) throws(StoreError) -> PersistentStore {
    try addStore(
      type: PersistentStoreType(name: type), at: path, configuration: configuration, options: options.options)
  }

  /// Opens or creates a store.
  ///
  /// - Throws: `StoreError` as ``addPersistentStore(ofType:configurationName:at:options:)`` does.
  @discardableResult
  public func addPersistentStore(
    type: PersistentStore.StoreType, configuration: String? = nil, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) -> PersistentStore {
    try addPersistentStore(ofType: type.name, configurationName: configuration, at: url, options: options)
  }

  /// Opens or creates the store of a description, before it returns, and reports it.
  public func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler: (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    do throws(StoreError) {
      try addPersistentStore(
        ofType: description.type, configurationName: description.configuration, at: description.url,
        options: description.options)
    } catch { return completionHandler(description, error) }
    completionHandler(description, nil)
  }

  /// The open store at a location; `nil` if there is none.
  public func persistentStore(for url: URL) -> PersistentStore? { store(at: url.path) }

  /// The location of a store; `/dev/null` for one in memory.
  public func url(for store: PersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

  /// Removes a store's files.
  ///
  /// - Throws: `StoreError` as `destroyPersistentStore(at:type:)` for a path does.
  public func destroyPersistentStore(
    at url: URL, ofType type: String, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) {
    _ = try StoreOptions(options, path: url.path)
    try destroyPersistentStore(at: url.path, type: PersistentStoreType(name: type))
  }

  /// Removes a store's files.
  ///
  /// - Throws: `StoreError` as `destroyPersistentStore(at:type:)` for a path does.
  public func destroyPersistentStore(
    at url: URL, type: PersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) { try destroyPersistentStore(at: url, ofType: type.name, options: options) }

  /// Replaces a store, which need not exist, with a copy of another one.
  ///
  /// - Throws: `StoreError` as `replacePersistentStore(at:withStoreFrom:type:)` does.
  public func replacePersistentStore(
    at url: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom source: URL,
    sourceOptions: [AnyHashable: Any]? = nil, ofType type: String
  ) throws(StoreError) {
    _ = try StoreOptions(destinationOptions, path: url.path)
    _ = try StoreOptions(sourceOptions, path: source.path)
    try replacePersistentStore(at: url.path, withStoreFrom: source.path, type: PersistentStoreType(name: type))
  }

  /// Replaces a store, which need not exist, with a copy of another one.
  ///
  /// - Throws: `StoreError` as `replacePersistentStore(at:withStoreFrom:type:)` does.
  public func replacePersistentStore(
    at url: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom source: URL,
    sourceOptions: [AnyHashable: Any]? = nil, type: PersistentStore.StoreType
  ) throws(StoreError) {
    try replacePersistentStore(
      at: url, destinationOptions: destinationOptions, withPersistentStoreFrom: source, sourceOptions: sourceOptions,
      ofType: type.name)
  }

  /// Moves the records of a store into a new one, which replaces it.
  ///
  /// - Throws: `StoreError` as `migratePersistentStore(_:to:type:options:)` for a path does.
  @discardableResult
  public func migratePersistentStore(
    _ store: PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, withType type: String
  ) throws(StoreError) -> PersistentStore {
    try migratePersistentStore(
      store, to: url.path, type: PersistentStoreType(name: type),
      options: StoreOptions(options, path: url.path).options)
  }

  /// Moves the records of a store into a new one, which replaces it.
  ///
  /// - Throws: `StoreError` as `migratePersistentStore(_:to:type:options:)` for a path does.
  @discardableResult
  public func migratePersistentStore(
    _ store: PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: PersistentStore.StoreType
  ) throws(StoreError) -> PersistentStore {
    try migratePersistentStore(store, to: url, options: options, withType: type.name)
  }

  /// The metadata of a store, read without opening it.
  ///
  /// - Throws: `StoreError` as `metadata(ofStoreAt:type:)` does.
  public static func metadataForPersistentStore(
    ofType type: String? = nil, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) -> StoreMetadata {
    _ = try StoreOptions(options, path: url.path)
    return try metadata(ofStoreAt: url.path, type: type.map { PersistentStoreType(name: $0) })
  }

  /// The metadata of a store, read without opening it.
  ///
  /// - Throws: `StoreError` as `metadata(ofStoreAt:type:)` does.
  public static func metadataForPersistentStore(
    type: PersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws(StoreError) -> StoreMetadata { try metadataForPersistentStore(ofType: type.name, at: url, options: options) }

  /// The end of the histories of stores, all of the coordinator for `nil`; `nil` if none has a history.
  ///
  /// - Throws: `StoreError` as `currentHistoryToken(of:)` does; Core Data answers `nil`.
  public func currentPersistentHistoryToken(
    fromStores wanted: [PersistentStore]?
  ) throws(StoreError) -> NSPersistentHistoryToken? { try currentHistoryToken(of: wanted) }
}

extension ManagedObjectModel {
  /// Whether a store with some metadata can be opened with a configuration of this model, or with all of it for `nil`.
  public func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: StoreMetadata
  ) -> Bool {
    isConfiguration(
      configuration,
      compatibleWithVersionHashes: Dictionary(metadata.hashes.entities.map { ($0.name, $0.hash) }) { first, _ in first }
    )
  }
}
