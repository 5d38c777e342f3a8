import CZlib
public import ObjectModel
public import SQLite

/// The copy of its model that a store made by Core Data carries in `Z_MODELCACHE`.
///
/// Stores that this project makes have none: the layout does not need it, and older systems' stores have none either.
public enum ModelCache {
  /// The most bytes that a cache may inflate to.
  static let limit = 64 << 20

  /// Reads the model of a store.
  ///
  /// - Returns: The model; `nil` when the store has no cache, or one that is no model.
  /// - Throws: ``SQLiteError`` when the table cannot be read.
  public static func read(_ connection: Connection) throws(SQLiteError) -> ManagedObjectModel? {
    guard let bytes = try content(connection), let archive = inflate(bytes), let draft = ArchivedModel.read(archive)
    else { return nil }
    return try? ManagedObjectModel(draft)
  }

  /// Whether the store has a cache, readable or not.
  static func content(_ connection: Connection) throws(SQLiteError) -> [UInt8]? {
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'"
    guard try connection.integer(tables) == 1 else { return nil }
    let select = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try select.step(), !select.isNull(0) else { return nil }
    return Array(select.bytes(0))
  }

  /// Inflates a raw DEFLATE stream, one without a header; `nil` when it is damaged or too large.
  static func inflate(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var result: [UInt8] = []
    return input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while true {
        let (code, produced) = output.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          return (CZlib.inflate(&stream, Z_NO_FLUSH), target.count - Int(stream.avail_out))
        }
        result += output.prefix(produced)
        guard result.count <= limit else { return nil }
        if code == Z_STREAM_END { return result }
        // Without progress the stream is cut off.
        guard code == Z_OK, produced > 0 || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
