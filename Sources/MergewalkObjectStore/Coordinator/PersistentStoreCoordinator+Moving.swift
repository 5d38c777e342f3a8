import MergewalkObjectModel

extension PersistentStoreCoordinator {
  /// Moves the records of a store into a new store, possibly of another type, which replaces it.
  ///
  /// Entities, primary keys, versions, values, relationships with their order and the users' metadata are kept. The new
  /// store has its own identity, so the IDs of its objects differ in that part; saved IDs and URIs become invalid. The
  /// old store is closed; its file stays. Contexts continue with the new store.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator, without unsaved changes worth keeping.
  ///   - path: The path of the new store, which must not exist; none for stores in memory.
  ///   - type: The type of the new store.
  ///   - options: The options of the new store.
  /// - Returns: The new store.
  /// - Throws: ``StoreError`` with `alreadyExists`, `notFound`, or an error of writing; the old store is then
  ///   unchanged.
  @discardableResult
  public func migratePersistentStore(
    _ store: PersistentStore, to path: String? = nil, type: PersistentStoreType,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) -> PersistentStore {
    guard stores.contains(where: { $0 === store }) else {
      throw StoreError(.notFound, path: store.path, message: "the store does not belong to this coordinator")
    }
    if let path, type != .inMemory, FileSystem.exists(path) {
      throw StoreError(.alreadyExists, path: path, message: "there is a file already")
    }
    // Before a file is made that stays behind.
    _ = try PragmaList(options.pragmas, path: path ?? "")
    let configuration = store.configuration
    let target: PersistentStore
    switch type {
    case .sqlite:
      guard let path else { throw StoreError(.notFound, path: "", message: "a store of type \(type) needs a path") }
      let file = try StoreFile.create(path: path, model: model, configuration: configuration)
      do {
        try PersistentStore(file: file, configuration: configuration).takeAll(of: store)
      } catch {
        try? file.rollBackRun()
        throw error
      }
      try file.finish()
      target = try open(type: type, at: path, configuration: configuration, options: options)
    case .inMemory:
      target = try open(type: type, at: nil, configuration: configuration, options: PersistentStoreOptions())
      try target.takeAll(of: store)
    default:
      guard let path else { throw StoreError(.notFound, path: "", message: "a store of type \(type) needs a path") }
      let backing = try registry.requireAtomicStore(type, path: path)
      let file = try StoreFile.inMemory(path: path, model: model, configuration: configuration, type: type)
      let full = try PersistentStore(file: file, type: type, configuration: configuration)
      try full.takeAll(of: store)
      try backing.save(StoreContents(try full.reopened()), to: path)
      target = try open(type: type, at: path, configuration: configuration, options: options)
    }
    list.replace(store, with: target)
    try store.close()
    return target
  }

  /// Replaces a store, which need not exist, with a copy of another one.
  ///
  /// The copy has the identity of the store that it is made from. Neither may be open for writing elsewhere, and the
  /// replaced store must not be open at all.
  ///
  /// - Parameters:
  ///   - path: The path of the store to replace.
  ///   - source: The path of the store to copy, including its log.
  ///   - type: The type of both.
  /// - Returns: The names of files with values of the replaced store that stay beside it, sorted: another store has the
  ///   same folder, or they could not be removed.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `busy`, `unsupported`, `inputOutput` or `sqlite`.
  @discardableResult
  public func replacePersistentStore(
    at path: String, withStoreFrom source: String, type: PersistentStoreType = .sqlite
  ) throws(StoreError) -> [String] {
    guard StorePath.resolved(path) != StorePath.resolved(source) || !FileSystem.exists(path) else {
      throw StoreError(.unsupported, path: path, message: "a store cannot take its own place")
    }
    switch type {
    case .sqlite: return try SQLiteStoreFiles.replace(path, with: source)
    case .inMemory: throw StoreError(.unsupported, path: path, message: "a store in memory has no file")
    default:
      guard FileSystem.exists(source) else {
        throw StoreError(.notFound, path: source, message: "there is no file; name the store that is to be copied")
      }
      // Only a file that can be read takes the place of another.
      _ = try registry.requireAtomicStore(type, path: source).readMetadata(from: source)
      guard let size = FileSystem.size(source), let bytes = FileSystem.head(source, count: size), bytes.count == size
      else { throw StoreError(.inputOutput, path: source, message: "the file cannot be read") }
      try AtomicFile.replace(path) { file throws(StoreError) in try file.write(bytes) }
      return []
    }
  }

  /// Removes a store's file with its log and external data.
  ///
  /// Does nothing if there is no store.
  ///
  /// - Throws: ``StoreError`` with `busy` if another process has the store open, or `inputOutput`.
  public func destroyPersistentStore(at path: String, type: PersistentStoreType = .sqlite) throws(StoreError) {
    guard !stores.contains(where: { $0.isAt(path) }) else {
      throw StoreError(.busy, path: path, message: "the coordinator has the store open; remove it first")
    }
    switch type {
    case .sqlite: try SQLiteStoreFiles.remove(path)
    case .inMemory: break
    default:
      try FileSystem.requireReplaceable(path)
      try FileSystem.remove(path)
    }
  }
}

extension PersistentStore {
  /// Takes all records and the metadata of users from another store of the model into the empty tables.
  func takeAll(of other: PersistentStore) throws(StoreError) {
    try other.incremental?.loadAll()
    let contents = StoreContents(other)
    try fill { filler throws(StoreError) in
      filler.metadata = filler.metadata.taking(other.metadata)
      for root in contents.rootEntities { filler.setMaximum(contents.maximum(of: root), of: root) }
      try contents.forEachObject { object throws(StoreError) in
        try filler.begin(object.entity, primaryKey: object.primaryKey, version: object.version)
        for attribute in object.entity.attributes { try filler.set(object.value(of: attribute), for: attribute) }
        for relationship in object.entity.relationships {
          try filler.set(try object.references(of: relationship), for: relationship)
        }
        try filler.end()
      }
    }
  }

  /// The store over the same tables, with the sequences that are in them now.
  func reopened() throws(StoreError) -> PersistentStore {
    try PersistentStore(file: file, type: type, configuration: configuration, options: options)
  }
}
