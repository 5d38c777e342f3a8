package import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// Opens an existing store for a coordinator: every commit is final, and others may have the store open too.
  ///
  /// - Parameter configuration: The configuration whose entities the store has; `nil` for all.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata`,
  ///   `incompatibleModel`, `missingTable`, `missingColumn`, `invalidOption`, `busy` while an import runs into the
  ///   store,
  ///   `inputOutput` or `sqlite`.
  package static func openShared(
    path: String, model: ManagedObjectModel, configuration: String? = nil,
    options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) -> StoreFile {
    guard let expected = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    let path = try StorePath.existing(path)
    let pragmas = try PragmaList(options.pragmas, path: path)
    let file = try SharedStoreFile(path, isReadOnly: options.isReadOnly)
    let connection = try file.open(options)
    do {
      // A file that is no store, or not this model's, is refused before anything is written.
      let metadata = try StoreMetadata.read(connection)
      try metadata.requireHashes(of: expected, path: path, options: options)
      if options.isReadOnly {
        try connection.apply(.read(cacheKiB: options.cacheKiB))
      } else {
        try connection.apply(.shared(cacheKiB: options.cacheKiB))
      }
      try connection.apply(pragmas.pragmas)
      if options.vacuums, !options.isReadOnly { try connection.execute("VACUUM") }
      if options.analyzes, !options.isReadOnly { try connection.execute("ANALYZE") }
      let schema = try expected.adapted(to: connection)
      if !options.isReadOnly { try connection.prepareTriggers(schema, isRun: false) }
      let result = StoreFile(
        path: path, schema: schema, metadata: metadata, connection: connection,
        warnings: try warnings(connection, schema), undo: .sharedFile(file), pendingIndexes: [])
      result.keepCommits()
      return result
    } catch {
      try? connection.close()
      throw error
    }
  }
}

extension StoreMetadata {
  /// Checks that a store was made with this version of the model.
  package func requireHashes(
    of schema: StoreSchema, path: String, options: PersistentStoreOptions = PersistentStoreOptions()
  ) throws(StoreError) {
    let differences = ModelHashes(schema).differences(fromStore: hashes)
    guard differences.isEmpty || options.ignoresVersioning else {
      throw StoreError(
        .incompatibleModel, path: path, message: "the store was made with another version of the model: \(differences)",
        differences: differences)
    }
  }
}

/// The file of a store that a coordinator has open.
final class SharedStoreFile {
  private let path: String
  private let isReadOnly: Bool
  /// Whether the file was in write-ahead mode before it was opened.
  private let wasWriteAhead: Bool

  init(_ path: String, isReadOnly: Bool) throws(StoreError) {
    self.path = path
    self.isReadOnly = isReadOnly
    wasWriteAhead = try DatabaseHeader(path).isWriteAhead
  }

  /// Opens the file.
  func open(_ options: PersistentStoreOptions) throws(StoreError) -> Connection {
    let mode: Connection.Mode =
      if !isReadOnly {
        .readWrite
      } else if wasWriteAhead, !FileSystem.isWritableFolder(FileSystem.folder(of: path)) {
        // SQLite cannot make the files beside it that it needs to share a log; no other process can write there either.
        .immutable
      } else {
        .readOnly
      }
    let connection = try Connection.open(path, mode)
    connection.setBusyTimeout(milliseconds: Int32(max(0, min(options.timeout, 3600)) * 1000))
    return connection
  }

  /// Closes; the last one to close the file leaves it alone and in the journal mode that it had.
  func close(_ connection: Connection) throws(StoreError) {
    if !isReadOnly {
      // While others have the file open neither succeeds, and what was committed is safe in the log.
      if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
      connection.setBusyTimeout(milliseconds: 0)
      if wasWriteAhead {
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      } else {
        try? connection.execute("PRAGMA journal_mode=DELETE")
      }
    }
    try connection.close()
  }
}
