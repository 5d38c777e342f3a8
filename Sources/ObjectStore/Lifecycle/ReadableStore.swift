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
    if !header.isWriteAhead || isShared { return try run(path, .readOnly, body) }
    if !hasLog { return try run(path, .immutable, body) }

    let folder = try FileSystem.makeTemporaryFolder()
    let copy = folder + "/" + FileSystem.name(of: path)
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(copy + suffix) }
      FileSystem.removeFolder(folder)
    }
    try FileSystem.copy(path, to: copy)
    try FileSystem.copy(path + "-wal", to: copy + "-wal")
    do {
      return try run(copy, .readWrite, body)
    } catch {
      // The user knows the store by its own name.
      throw StoreError(
        error.code, path: path, message: error.message, differences: error.differences, cause: error.cause)
    }
  }

  private static func run<Value>(
    _ path: String, _ mode: Connection.Mode, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let connection = try storeErrors(path) { () throws(SQLiteError) in
      let connection = try Connection(path: path, mode: mode)
      try connection.apply(.read())
      return connection
    }
    let value = try body(connection)
    try storeErrors(path) { () throws(SQLiteError) in try connection.close() }
    return value
  }
}

/// The first 100 bytes of a database file.
///
/// Source: [Database file format, section 1.3](https://sqlite.org/fileformat2.html#the_database_header).
struct DatabaseHeader {
  let bytes: [UInt8]

  /// Reads and checks the header of a file that need not be open.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `sqlite` or `notADatabase`.
  init(_ path: String) throws(StoreError) {
    guard FileSystem.size(path) != nil else {
      throw StoreError(.notFound, path: path, message: "there is no such file")
    }
    let connection = try storeErrors(path) { () throws(SQLiteError) in try Connection(path: path, mode: .readOnly) }
    try self.init(connection)
  }

  /// Reads and checks the header of an open file.
  init(_ connection: Connection) throws(StoreError) {
    guard let bytes = connection.head(count: 100), bytes.count == 100,
      bytes.prefix(16).elementsEqual("SQLite format 3\0".utf8)
    else {
      throw StoreError(.notADatabase, path: connection.path, message: "the file is no SQLite database")
    }
    self.bytes = bytes
  }

  /// Whether the file is in write-ahead mode.
  var isWriteAhead: Bool { bytes[18] == 2 || bytes[19] == 2 }
}
