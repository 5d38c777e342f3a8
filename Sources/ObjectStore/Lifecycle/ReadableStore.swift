package import SQLite

/// Opens a store for reading without leaving a trace beside it.
///
/// SQLite makes a `-shm` file next to a file in write-ahead mode even when it only reads. So a store whose log is empty
/// is opened as immutable, and one with a log that nobody has open is copied to a temporary folder together with it.
package enum ReadableStore {
  /// Runs `body` with a connection that reads the store.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `sqlite`, or what `body` throws.
  package static func withConnection<Value>(
    _ path: String, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let header = try DatabaseHeader(path)
    let hasLog = (FileSystem.size(path + "-wal") ?? 0) > 0
    let isShared = FileSystem.exists(path + "-shm")
    if !header.isWriteAhead || isShared { return try run(path, .readOnly, name: path, body) }
    if !hasLog { return try run(path, .immutable, name: path, body) }

    let folder = try FileSystem.makeTemporaryFolder()
    let copy = folder + "/" + FileSystem.name(of: path)
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(copy + suffix) }
      FileSystem.removeFolder(folder)
    }
    try FileSystem.copy(path, to: copy)
    try FileSystem.copy(path + "-wal", to: copy + "-wal")
    // The user knows the store by its own name.
    return try run(copy, .readWrite, name: path, body)
  }

  private static func run<Value>(
    _ path: String, _ mode: Connection.Mode, name: String, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let connection = try Connection.open(path, mode, name: name)
    try connection.apply(.read())
    let value = try body(connection)
    try connection.close()
    return value
  }
}
