public import ObjectModel
import SQLite

extension StoreFile {
  /// Opens an existing store for writing, alone.
  ///
  /// The metadata's version hashes must be those of the model. From here to the end no other process can open the
  /// store. The main file is not touched before ``finish()``; everything goes to its write-ahead log.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - model: The model.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata`,
  ///   `incompatibleModel`, `missingTable`, `missingColumn`, `busy`, `inputOutput` or `sqlite`. Nothing has changed.
  public static func open(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int = 32 * 1024
  ) throws(StoreError) -> StoreFile {
    guard let expected = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    let file = try ExistingStoreFile(path)
    // A file that is no store is refused before it is opened for writing.
    let metadata = try StoreMetadata.read(path: path)
    let differences = ModelHashes(expected).differences(fromStore: metadata.hashes)
    guard differences.isEmpty else {
      throw StoreError(
        .incompatibleModel, path: path, message: "the store was made with another version of the model: \(differences)",
        differences: differences)
    }
    let connection = try storeErrors(path) { () throws(SQLiteError) in try Connection(path: path, mode: .readWrite) }
    do {
      try storeErrors(path) { () throws(SQLiteError) in
        // In exclusive mode the lock stays when the transaction ends.
        try connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
      }
      try file.remember(connection)
      try storeErrors(path) { () throws(SQLiteError) in
        try connection.apply(.update(cacheKiB: cacheKiB))
        for name in coreDataFunctions { try connection.registerNullFunction(name, argumentCount: 5) }
      }
      let schema = try expected.adapted(to: connection)
      return StoreFile(
        path: path, schema: schema, metadata: metadata, connection: connection,
        warnings: try warnings(connection), undo: .existingFile(file), pendingIndexes: [])
    } catch {
      try? file.rollBack(connection)
      throw error
    }
  }

  /// Functions that only Core Data registers and that triggers of its stores call, each with five arguments.
  static let coreDataFunctions = [
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
  ]

  static func warnings(_ connection: Connection) throws(StoreError) -> [Warning] {
    try storeErrors(connection.path) { () throws(SQLiteError) in
      var result: [Warning] = []
      let history = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('ACHANGE', 'ATRANSACTION')"
      if try connection.integer(history) ?? 0 > 0 { result.append(.history) }
      let triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NSCoreData%'"
      if try connection.integer(triggers) ?? 0 > 0 { result.append(.coreDataTriggers) }
      return result
    }
  }
}

/// What an existing store looked like before it was opened.
final class ExistingStoreFile {
  private let path: String
  private var before: State?

  /// What has to be restored.
  private struct State {
    let header: DatabaseHeader
    /// The length of the log, or `nil` when there was none.
    let logLength: Int?
  }

  init(_ path: String) throws(StoreError) {
    self.path = path
    // SQLite plays a journal back when it opens the file, so the file would change before anything was written.
    try StoreCopy.requireNoJournal(path)
  }

  /// Remembers the header and the length of the log; only when the connection has the lock.
  func remember(_ connection: Connection) throws(StoreError) {
    before = State(header: try DatabaseHeader(connection), logLength: FileSystem.size(path + "-wal"))
  }

  /// Moves the log into the file, restores the journal mode and closes.
  func finish(_ connection: Connection) throws(StoreError) {
    let wasWriteAhead = before?.header.isWriteAhead ?? true
    // From here on pages move into the main file. If that fails half-way, only the log can complete it, so there is no
    // way back any more.
    before = nil
    try storeErrors(path) { () throws(SQLiteError) in
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      if !wasWriteAhead { try connection.execute("PRAGMA journal_mode=DELETE") }
      try connection.close()
    }
    if let length = FileSystem.size(path + "-wal"), length > 0 {
      throw StoreError(.inputOutput, path: path, message: "the log could not be moved into the file")
    }
  }

  /// Closes without moving the log into the file, and cuts off what this run appended to it.
  ///
  /// The main file was not written, except for the version numbers in its header when it was not in write-ahead mode;
  /// these are put back. The log only grew: SQLite appends to a log that is not checkpointed.
  func rollBack(_ connection: Connection) throws(StoreError) {
    guard let before else {
      // Without the lock the log may be somebody else's, and after a checkpoint it is needed.
      return try storeErrors(path) { () throws(SQLiteError) in try connection.close() }
    }
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
    connection.keepLogOnClose()
    try storeErrors(path) { () throws(SQLiteError) in try connection.close() }
    if let length = before.logLength, length > 0 {
      if FileSystem.size(path + "-wal") ?? 0 > length { try FileSystem.truncateFile(path + "-wal", to: length) }
    } else {
      try FileSystem.remove(path + "-wal")
    }
    if FileSystem.head(path, count: before.header.bytes.count) != before.header.bytes {
      try FileSystem.overwriteHead(path, before.header.bytes)
    }
  }
}
