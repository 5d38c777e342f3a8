import MergewalkObjectModel
import MergewalkSQLite
import Synchronization

/// The pages of a store without objects, made once for many new stores of one model.
///
/// SQLite parses the schema anew for each table that it makes, which takes longer than some hundred records: of a family
/// of stores, that is most of the time.
struct EmptyStoreImage: Sendable {
  /// What the pages say, with an identity that each store replaces by its own.
  private let metadata: StoreMetadata
  /// The file: page size 4096, incremental auto-vacuum, all tables, the metadata and one `Z_PRIMARYKEY` row an entity;
  /// no index.
  let bytes: [UInt8]

  /// As long as any, so that the identity of a store takes its place.
  private static let placeholder = "00000000-0000-0000-0000-000000000000"

  private init(_ model: ManagedObjectModel, _ schema: StoreSchema, path: String) throws(StoreError) {
    var metadata = StoreMetadata(hashes: ModelHashes(schema), versionIdentifier: model.draft.versionIdentifier)
    metadata.uuid = Self.placeholder
    metadata[ModelCopy.key] = try ModelImage.of(model).copy
    self.metadata = metadata
    let connection = try Connection.open(StoreFile.memoryPath, .create, name: path)
    try connection.apply(.memory)
    // Both must be set before the first table is made.
    try connection.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL")
    try connection.makeTables(schema, metadata, also: [])
    try ModelCache.write(model, connection)
    bytes = try connection.mapped { () throws(SQLiteError) in try connection.serialized() }
    try connection.close()
  }

  /// The metadata of a store that is made of the image.
  func newMetadata() -> StoreMetadata {
    var metadata = metadata
    metadata.uuid = StoreUUID.make()
    return metadata
  }

  private struct Last {
    weak var model: ManagedObjectModel?
    var configuration: String?
    var image: EmptyStoreImage
  }

  private static let last = Mutex<Last?>(nil)

  /// The image of a schema; that of the last model is remembered as long as the model is there, which it does not hold.
  ///
  /// - Parameters:
  ///   - configuration: The configuration that the schema is of; `nil` for all.
  ///   - path: The store that errors name.
  /// - Throws: ``StoreError`` with `sqlite`.
  static func of(
    _ schema: StoreSchema, configuration: String?, path: String
  ) throws(StoreError) -> EmptyStoreImage {
    let model = schema.model
    let known = last.withLock { last in
      last?.model === model && last?.configuration == configuration ? last?.image : nil
    }
    if let known { return known }
    let image = try EmptyStoreImage(model, schema, path: path)
    last.withLock { $0 = Last(model: model, configuration: configuration, image: image) }
    return image
  }
}

extension Connection {
  /// Makes the tables of a store, with its metadata and the numbers of its entities, in a transaction.
  ///
  /// - Throws: ``StoreError`` with `unsupported` when two tables would have one name, or `sqlite`.
  func makeTables(_ schema: StoreSchema, _ metadata: StoreMetadata, also others: [String]) throws(StoreError) {
    if let clash = schema.tableNameClash { throw StoreError(.unsupported, path: name, message: clash.message) }
    try execute("BEGIN")
    for statement in schema.createTableStatements() + schema.bookkeepingStatements() + others {
      try execute(statement)
    }
    try metadata.write(self)
    try PrimaryKeyRow.insert(schema.primaryKeyRows, self)
    try execute("COMMIT")
  }
}
