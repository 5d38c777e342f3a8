public import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// Makes the tables of a store in memory, complete with indexes, metadata and numbers of entities.
  ///
  /// - Parameters:
  ///   - path: What stands for the store in messages: the path of the file behind it, if there is one.
  ///   - configuration: The configuration whose entities are stored; `nil` for all.
  ///   - type: What the metadata say about the kind of the store.
  /// - Throws: ``StoreError`` with `notFound` when there is no such configuration, or `sqlite`.
  package static func inMemory(
    path: String = memoryPath, model: ManagedObjectModel, configuration: String? = nil,
    type: PersistentStoreType = .inMemory
  ) throws(StoreError) -> StoreFile {
    guard let schema = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    var metadata = StoreMetadata(
      hashes: ModelHashes(schema), versionIdentifier: model.draft.versionIdentifier, type: type)
    // What is behind the store is migrated with it one day.
    if type != .inMemory { metadata[ModelCopy.key] = try ModelCopy.value(model) }
    let connection = try Connection.open(memoryPath, .create, name: path)
    try connection.apply(.memory)
    try connection.makeTables(schema, metadata, also: schema.createIndexStatements())
    return StoreFile(
      path: path, schema: schema, metadata: metadata, connection: connection, warnings: [], undo: .connection,
      pendingIndexes: [])
  }

  /// The path of a store without a file, as in SQLite.
  package static var memoryPath: String { ":memory:" }
}

extension PersistentStore {
  /// Creates an empty in-memory store.
  ///
  /// - Throws: ``StoreError`` with `notFound` if there is no such configuration, or `sqlite`.
  public static func inMemory(
    model: ManagedObjectModel, configuration: String? = nil, options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) -> PersistentStore {
    let file = try StoreFile.inMemory(model: model, configuration: configuration)
    return try PersistentStore(file: file, type: .inMemory, configuration: configuration, options: options)
  }
}
