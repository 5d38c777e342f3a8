package import MergewalkSQLite

/// Opens a store for reading without leaving a trace beside it.
///
/// SQLite makes a `-shm` file next to a file in write-ahead mode, and next to any file that has a log, even when it only
/// reads. So a store whose log is empty is opened as immutable, and one with a log that no process has open is copied to a
/// temporary folder together with it.
package enum ReadableStore {
  /// Runs `body` with a connection that reads the store.
  ///
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `sqlite`, or what `body` throws.
  package static func withConnection<Value>(
    _ path: String, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let given = path
    let path = try StorePath.existing(path)
    let isWhole = HotJournal.playBack(path)
    let header = try DatabaseHeader(path, name: given)
    let isShared = FileSystem.exists(path + "-shm")
    if isWhole, isShared || !LogFiles.areUsed(path, header) {
      let value = try run(path, .readOnly, name: given, body)
      // A reader that was killed has left them; what is in the log stays where it is.
      if isShared, !LogFiles.hasLog(path) { LogFiles.sweep(path, keepsLog: false) }
      return value
    }
    if isWhole, !LogFiles.hasLog(path) {
      let value = try run(path, .immutable, name: given, body)
      if FileSystem.size(path + "-wal") == 0 { LogFiles.sweep(path, keepsLog: false) }
      return value
    }

    let folder = try FileSystem.makeTemporaryFolder()
    let copy = folder + "/" + FileSystem.name(of: path)
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(copy + suffix) }
      FileSystem.removeFolder(folder)
    }
    try FileSystem.copy(path, to: copy)
    // With the log, or the journal that may not be played back in its place.
    for suffix in ["-wal", "-journal"] where FileSystem.size(path + suffix) ?? 0 > 0 {
      try FileSystem.copy(path + suffix, to: copy + suffix)
    }
    // The user knows the store by its own name.
    return try run(copy, .readWrite, name: given, body)
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
