public import ObjectModel
import SQLite
import Synchronization

extension StoreFile {
  /// Starts a new store beside its final name.
  ///
  /// The file has page size 4096, incremental auto-vacuum, all tables, the metadata and one `Z_PRIMARYKEY` row an
  /// entity; no index yet. What crashed runs left behind for the same name is removed.
  ///
  /// - Parameters:
  ///   - path: The final path.
  ///   - model: The model.
  ///   - configuration: The configuration whose entities are stored; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  ///   - threads: How many threads help to sort when indexes are built.
  ///   - lockWait: How long to wait, in seconds, while another process is building the same store.
  /// - Throws: ``StoreError`` with `alreadyExists` when there is a file, or a log left over from one; `notFound` when
  ///   there is no such configuration; `busy` when the same store is being built by somebody else; `inputOutput`; `sqlite`.
  public static func create(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int = 32 * 1024, threads: Int = 1,
    lockWait: Double = 0
  ) throws(StoreError) -> StoreFile {
    guard let schema = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    let file = try NewStoreFile(path, lockWait: lockWait)
    do {
      var metadata = StoreMetadata(
        hashes: ModelHashes(schema), versionIdentifier: model.draft.versionIdentifier)
      metadata[ModelCopy.key] = ModelCopy.value(model)
      let connection = try storeErrors(path) { () throws(SQLiteError) in
        let connection = try Connection(path: file.hiddenPath, mode: .create)
        // Both must be set before the first table is made.
        try connection.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL")
        try connection.apply(.load(cacheKiB: cacheKiB, threads: threads))
        try connection.execute("BEGIN")
        for statement in schema.createTableStatements() + schema.bookkeepingStatements() {
          try connection.execute(statement)
        }
        try metadata.write(connection)
        try PrimaryKeyRow.insert(schema.primaryKeyRows, connection)
        return connection
      }
      return StoreFile(
        path: path, schema: schema, metadata: metadata, connection: connection, warnings: [], undo: .newFile(file),
        pendingIndexes: schema.indexes)
    } catch {
      try? file.remove()
      throw error
    }
  }
}

/// The hidden file of a store that is being built.
final class NewStoreFile {
  /// The final path.
  let path: String
  /// `.NAME.mergewalk-PID` in the same folder.
  let hiddenPath: String

  /// The hidden paths that this process uses now: a file with our own number that is not here is a leftover.
  private static let claimed = Mutex<Set<String>>([])

  /// Claims the name and removes what crashed runs left behind.
  init(_ path: String, lockWait: Double) throws(StoreError) {
    self.path = path
    let folder = FileSystem.folder(of: path)
    let prefix = "." + FileSystem.name(of: path) + ".mergewalk-"
    hiddenPath = "\(folder)/\(prefix)\(FileSystem.processNumber)"
    try Self.requireFree(path)
    try Self.waitForOthers(path, folder: folder, prefix: prefix, seconds: lockWait)
    let claim = hiddenPath
    guard Self.claimed.withLock({ $0.insert(claim).inserted }) else {
      throw StoreError(.busy, path: path, message: "this process is already building the store")
    }
    do {
      for name in FileSystem.names(in: folder) where name.hasPrefix(prefix) {
        let digits = name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
        guard let process = Int32(digits), process > 0 else { continue }
        if process == FileSystem.processNumber || !FileSystem.isRunning(process) {
          try FileSystem.remove("\(folder)/\(name)")
        }
      }
    } catch {
      release()
      throw error
    }
  }

  /// Waits until no other process is building the store.
  ///
  /// Whoever builds one has a lock on its hidden file; a process that only has the number of one that was killed has not.
  private static func waitForOthers(
    _ path: String, folder: String, prefix: String, seconds: Double
  ) throws(StoreError) {
    var waited = 0.0
    while true {
      try requireFree(path)
      let builder = FileSystem.names(in: folder).first { name in
        guard name.hasPrefix(prefix), let process = Int32(name.dropFirst(prefix.count)) else { return false }
        return process != FileSystem.processNumber && StoreLock.holder("\(folder)/\(name)") != nil
      }
      guard let builder else { return }
      guard waited < seconds else {
        throw StoreLock.error("\(folder)/\(builder)", store: path, waited: seconds, doing: "is building the store")
      }
      FileSystem.pause(seconds: 0.05)
      waited += 0.05
    }
  }

  /// Checks that there is neither a file nor a log of an earlier one, which SQLite would replay into the new file.
  private static func requireFree(_ path: String) throws(StoreError) {
    for suffix in ["", "-wal", "-journal"] where FileSystem.exists(path + suffix) {
      let message =
        suffix.isEmpty ? "there is a file already" : "there is a \(suffix) file of an earlier store; remove it"
      throw StoreError(.alreadyExists, path: path, message: message)
    }
  }

  /// Commits, marks the file as one in write-ahead mode, syncs it and gives it its name.
  func publish(_ connection: Connection) throws(StoreError) {
    try storeErrors(path) { () throws(SQLiteError) in
      try connection.execute("COMMIT")
      // Only the header's version numbers change; the log stays empty and goes away with the connection.
      let mode = try connection.text("PRAGMA journal_mode=WAL")
      try connection.close()
      guard mode == "wal" else { throw SQLiteError(code: 1, message: "the file stays in journal mode \(mode ?? "")") }
    }
    try FileSystem.sync(hiddenPath)
    try Self.requireFree(path)
    try FileSystem.renameExclusively(hiddenPath, to: path)
    try FileSystem.sync(FileSystem.folder(of: path))
    release()
  }

  /// Closes and removes the hidden file.
  func discard(_ connection: Connection) throws(StoreError) {
    // The file goes away whether or not SQLite closes it without an error.
    try? connection.close()
    try remove()
  }

  /// Removes the hidden file and gives the name free.
  func remove() throws(StoreError) {
    defer { release() }
    for suffix in ["", "-wal", "-shm", "-journal"] { try FileSystem.remove(hiddenPath + suffix) }
  }

  private func release() {
    let claim = hiddenPath
    Self.claimed.withLock { _ = $0.remove(claim) }
  }
}
