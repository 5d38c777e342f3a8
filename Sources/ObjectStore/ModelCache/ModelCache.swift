package import ObjectModel
package import SQLite

/// The copy of its model that a store made by Core Data carries in `Z_MODELCACHE`.
///
/// Stores that this project makes have none: the layout does not need it, and older systems' stores have none either.
/// They carry a copy in their metadata instead; ``StoreModel`` looks in both places.
public enum ModelCache {
  /// Reads the model of a store.
  ///
  /// - Returns: The model; `nil` when the store has no cache, or one that is no model.
  /// - Throws: ``StoreError`` when the table cannot be read.
  package static func read(_ connection: Connection) throws(StoreError) -> ManagedObjectModel? {
    guard let bytes = try content(connection), let archive = Deflate.inflate(bytes),
      let draft = ArchivedModel.read(archive)
    else { return nil }
    return try? ManagedObjectModel(draft)
  }

  /// Whether the store has a cache, readable or not.
  static func content(_ connection: Connection) throws(StoreError) -> [UInt8]? {
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'"
    guard try connection.integer(tables) == 1 else { return nil }
    let select = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try select.step(), !select.isNull(0) else { return nil }
    return Array(select.bytes(0))
  }
}
