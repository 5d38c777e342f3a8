import MergewalkSQLite

/// A snapshot of a coordinator's stores that can be read while they change.
///
/// It keeps a connection with an open read transaction for each store, so the log of a store cannot be reset as long as
/// the token lives: release it when it is no longer needed.
///
/// Source: Apple's `NSQueryGenerationToken`; [Isolation in SQLite](https://sqlite.org/isolation.html).
public final class QueryGenerationToken {
  private let readers: [(identifier: String, reader: PersistentStore)]

  init(_ readers: [(identifier: String, reader: PersistentStore)]) { self.readers = readers }

  deinit {
    // There is no caller left to hear of an error; the connections only read.
    for (_, reader) in readers { try? reader.close() }
  }

  /// The snapshot of the store with an identity; `nil` for a store that was added later.
  package func reader(identifier: String) -> PersistentStore? {
    readers.first { $0.identifier == identifier }?.reader
  }
}

@available(*, unavailable, message: "a query generation is confined to the task of its coordinator")
extension QueryGenerationToken: Sendable {}

extension PersistentStoreCoordinator {
  /// Pins the committed state of the stores; later commits are not visible through the token.
  ///
  /// - Throws: ``StoreError`` with `unsupported` unless all stores are SQLite stores in write-ahead mode, or `sqlite`.
  /// - Complexity: One connection per store; no row is read or copied.
  public func currentQueryGeneration() throws(StoreError) -> QueryGenerationToken {
    var readers: [(identifier: String, reader: PersistentStore)] = []
    for store in stores { readers.append((store.identifier, try store.pinnedReader())) }
    return QueryGenerationToken(readers)
  }
}

extension PersistentStore {
  /// A store over the same file that sees what is committed now, whatever is written afterwards, and cannot be written.
  ///
  /// - Throws: ``StoreError`` with `unsupported` for other types than SQLite and files that are not in write-ahead
  ///   mode;
  ///   `sqlite`.
  package func pinnedReader() throws(StoreError) -> PersistentStore {
    guard type == .sqlite else {
      throw StoreError(
        .unsupported, path: path, message: "query generations need a store of type SQLite; this one is \(type)")
    }
    let mode = try connection.text("PRAGMA journal_mode")
    guard mode == "wal" else {
      throw StoreError(
        .unsupported, path: path,
        message: "query generations need write-ahead mode, but the store's journal mode is \(mode ?? "unknown")")
    }
    var readOptions = options
    readOptions.isReadOnly = true
    let reader = try Connection.open(path, .readOnly)
    try reader.apply(.read(cacheKiB: options.cacheKiB))
    // A read transaction begins with the first read.
    try reader.execute("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM Z_METADATA")
    let file = StoreFile(
      path: path, schema: schema, metadata: self.file.metadata, connection: reader, warnings: [], undo: .connection,
      pendingIndexes: [])
    return try PersistentStore(file: file, type: .sqlite, configuration: configuration, options: readOptions)
  }
}
