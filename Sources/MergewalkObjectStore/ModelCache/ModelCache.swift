package import MergewalkObjectModel
package import MergewalkSQLite

/// The copy of its model that a store carries in `Z_MODELCACHE`, from which Core Data infers migrations.
///
/// Stores that this project makes have one too, besides the copy in their metadata, which says more; ``StoreModel`` looks
/// in both places.
package enum ModelCache {
  /// Reads the model of a store.
  ///
  /// - Returns: The model; `nil` when the store has no cache, or one that is no model.
  /// - Throws: ``StoreError`` when the table cannot be read.
  package static func read(_ connection: Connection) throws(StoreError) -> ManagedObjectModel? {
    guard let bytes = try content(connection), let archive = Deflate.inflate(bytes),
      let draft = ArchivedModel.read(archive, for: .cache)
    else { return nil }
    return try? ManagedObjectModel(draft)
  }

  /// Whether the store has a cache, readable or not.
  package static func content(_ connection: Connection) throws(StoreError) -> [UInt8]? {
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'"
    guard try connection.integer(tables) == 1 else { return nil }
    let select = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try select.step(), !select.isNull(0) else { return nil }
    return Array(select.bytes(0))
  }

  /// Writes the copy of a model, in place of one that is there.
  ///
  /// There is none of a model with composite attributes: how Core Data archives them is not known.
  static func write(_ model: ManagedObjectModel, _ connection: Connection) throws(StoreError) {
    try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
    guard let content = try ModelImage.of(model).cache else { return }
    let insert = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
    insert.bind(1, copying: content)
    try insert.run()
  }

  /// The copy of a model as it is written; `nil` when there is none.
  static func bytes(of model: ManagedObjectModel) throws(StoreError) -> [UInt8]? {
    guard model.entities.allSatisfy({ $0.compositeAttributes.isEmpty }) else { return nil }
    return try Deflate.deflate(ModelArchiver.archive(model, for: .cache).bytes)
  }
}
