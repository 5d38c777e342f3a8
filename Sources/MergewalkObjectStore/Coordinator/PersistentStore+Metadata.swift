import MergewalkPropertyLists
import MergewalkSQLite

extension StoreMetadata {
  /// The keys that the store itself keeps: values that the program sets for them are ignored.
  static let ownKeys: Set<String> = [
    Key.storeType, Key.frameworkVersion, Key.hashesVersion, Key.hashes, Key.digest, Key.checksum, Key.identifiers,
    Key.autoVacuumLevel, ModelCopy.key, JoinedSaves.key,
  ]

  /// These metadata with another's entries besides those that the store itself keeps.
  func taking(_ other: StoreMetadata) -> StoreMetadata {
    var result = self
    result.entries.removeAll { !Self.ownKeys.contains($0.key) }
    result.entries += other.entries.filter { !Self.ownKeys.contains($0.key) }
    return result
  }
}

extension PersistentStore {
  /// The store's metadata.
  public var metadata: StoreMetadata {
    // Another connection may have set them.
    guard type == .sqlite, !connection.isClosed, let now = try? StoreMetadata.read(connection) else {
      return file.metadata
    }
    return now
  }

  /// Replaces the entries of the metadata, except those of the store itself, immediately and durably.
  ///
  /// - Throws: ``StoreError`` with `readOnly`, `busy`, `unsupported` while a batch request runs, or an error of writing
  ///   the file; nothing has then changed.
  public func setMetadata(_ metadata: StoreMetadata) throws(StoreError) {
    guard !isReadOnly else { throw StoreError(.readOnly, path: path, message: "the store is open for reading only") }
    guard !isInBatchRequest, connection.isAutocommit else {
      throw StoreError(.unsupported, path: path, message: "the store is being written; set metadata when that is done")
    }
    let former = file.metadata
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try file.writeMetadata(self.metadata.taking(metadata))
      for observer in observers {
        if let atomic = observer as? AtomicStoreObserver { try atomic.write(self, metadata: file.metadata) }
      }
      try incremental?.saveMetadata(file.metadata)
      try connection.execute("COMMIT")
    } catch {
      if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
      file.forgetMetadata(former)
      throw error
    }
  }
}

extension PersistentStoreCoordinator {
  /// The metadata of a store: version hashes, identity, and the users' own keys.
  public func metadata(for store: PersistentStore) -> StoreMetadata { store.metadata }

  /// Replaces the entries of a store's metadata, except those of the store itself.
  ///
  /// Unlike in Core Data, they are written immediately and not with the next save.
  ///
  /// - Throws: ``StoreError`` as ``PersistentStore/setMetadata(_:)``.
  public func setMetadata(_ metadata: StoreMetadata, for store: PersistentStore) throws(StoreError) {
    try store.setMetadata(metadata)
  }

  /// Reads the metadata of a store without opening it, without a model, and without reading a table of objects.
  ///
  /// - Parameters:
  ///   - type: The type of the store; `nil` to detect it from the file.
  ///   - path: The store's path.
  ///   - registry: The program's own types.
  /// - Throws: ``StoreError`` with `notFound`, `invalidOption`, or an error about a damaged file.
  public static func metadata(
    ofStoreAt path: String, type: PersistentStoreType? = nil, registry: StoreTypeRegistry = StoreTypeRegistry()
  ) throws(StoreError) -> StoreMetadata {
    let type = try PersistentStoreType(type, fileAt: path)
    switch type {
    case .sqlite: return try StoreMetadata.read(path: path)
    case .inMemory: throw StoreError(.notFound, path: path, message: "a store in memory has no file")
    default: return try registry.requireAtomicStore(type, path: path).readMetadata(from: path)
    }
  }

  /// Replaces the entries of a store's metadata without opening it, except those of the store itself.
  ///
  /// - Throws: ``StoreError`` as ``metadata(ofStoreAt:type:registry:)``, or `busy`, `unsupported`, `inputOutput`.
  public static func setMetadata(
    _ metadata: StoreMetadata, ofStoreAt path: String, type: PersistentStoreType? = nil,
    registry: StoreTypeRegistry = StoreTypeRegistry()
  ) throws(StoreError) {
    let type = try PersistentStoreType(type, fileAt: path)
    switch type {
    case .sqlite:
      _ = try DatabaseHeader(path)
      let connection = try Connection.open(path, .readWrite)
      let now = try StoreMetadata.read(connection)
      try connection.execute("BEGIN IMMEDIATE")
      try now.taking(metadata).write(connection)
      try connection.execute("COMMIT")
      try connection.close()
    case .inMemory: throw StoreError(.notFound, path: path, message: "a store in memory has no file")
    default:
      let store = try registry.requireAtomicStore(type, path: path)
      try store.writeMetadata(try store.readMetadata(from: path).taking(metadata), to: path)
    }
  }
}

extension PersistentStoreType {
  /// The type that was named, or else that of a file, by how it starts.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `inputOutput`, or `notADatabase` for files of no built-in type.
  init(_ named: PersistentStoreType?, fileAt path: String) throws(StoreError) {
    if let named {
      self = named
      return
    }
    // SQLite files are looked into by SQLite alone, whose locks another reader would drop.
    if let known = try? DatabaseHeader(path) {
      _ = known
      self = .sqlite
      return
    }
    guard let head = try FileSystem.headIfThere(path, count: 64) else {
      throw StoreError(.notFound, path: path, message: "there is no such file")
    }
    guard let type = PersistentStoreType(head: head), type != .sqlite else {
      throw StoreError(.notADatabase, path: path, message: "the file is not a store of a type that is built in")
    }
    self = type
  }
}

extension StoreTypeRegistry {
  func requireAtomicStore(_ type: PersistentStoreType, path: String) throws(StoreError) -> any AtomicStore {
    guard let store = atomicStore(type) else {
      throw StoreError(
        .invalidOption, path: path, message: "there are no stores of type \(type); register them with the coordinator")
    }
    return store
  }
}
