import MergewalkDiagnostics
import MergewalkSystem
package import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// Opens an existing store to change it in one transaction, alone.
  ///
  /// The metadata's version hashes must be those of the model. From here to the end no other process can open the
  /// store. The transaction is SQLite's: whatever happens, the store has all of it or nothing.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - model: The model.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  ///   - lockWait: How long to wait, in seconds, while another process has the store open.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata`,
  ///   `incompatibleModel`, `missingTable`, `missingColumn`, `busy`, `inputOutput` or `sqlite`. Nothing has changed.
  package static func open(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int = 32 * 1024,
    lockWait: Double = 2
  ) throws(StoreError) -> StoreFile {
    let (path, expected) = try existing(path, model, configuration)
    let file = ExistingStoreFile(path)
    let connection = try lockedConnection(path, wait: lockWait)
    do {
      try connection.apply(.update(cacheKiB: cacheKiB))
      return try make(path, expected, connection, undo: .existingFile(file))
    } catch {
      try? file.rollBack(connection)
      throw error
    }
  }

  /// Opens an existing store for a run: everything is planned beside it, and ``finish()`` applies the plan.
  ///
  /// Other processes read and write the store meanwhile; only another run waits.
  ///
  /// - Parameters:
  ///   - run: What names the pipeline's runs: only such a run resumes what an earlier one has planned.
  ///   - isThrownAway: Whether the run ends without ``finish()``.
  ///   - lockWait: How long to wait, in seconds, for another run, and for writers when the plan is applied.
  /// - Throws: as ``open(path:model:configuration:cacheKiB:lockWait:)``.
  package static func plan(
    path: String, model: ManagedObjectModel, run: String, isThrownAway: Bool, cacheKiB: Int, lockWait: Double
  ) throws(StoreError) -> StoreFile {
    let (path, expected) = try existing(path, model, nil)
    let file = try PlannedStoreFile(
      path, run: run, isThrownAway: isThrownAway, cacheKiB: cacheKiB, lockWait: lockWait)
    do {
      let result = try make(path, expected, file.overlay, undo: .plannedFile(file))
      let files = result.externalFiles
      let alone = isThrownAway ? [] : UnfinishedStoreNames(path).listsAlone()
      if files.hasEarlier || !alone.isEmpty {
        // What a plan replaces is named by the store, and what it makes by the plan.
        var named = try result.schema.externalFileNames(file.base)
        if file.isAdopted { named.formUnion(try result.schema.externalFileNames(file.overlay)) }
        files.adopt(named: named)
        for list in alone {
          let names = try list.read()
          files.removeFormer(names.made.union(names.obsolete).subtracting(named))
          try FileSystem.remove(list.path)
        }
      }
      for plan in file.thrownAway {
        let made = try plan.files.read().made
        if !made.isEmpty { files.remove(made.subtracting(try result.schema.externalFileNames(file.base))) }
        try plan.remove()
      }
      return result
    } catch {
      try? file.rollBack(isWholeRun: false)
      throw error
    }
  }

  /// Checks what can be checked of a store before it is opened for writing.
  private static func existing(
    _ path: String, _ model: ManagedObjectModel, _ configuration: String?
  ) throws(StoreError) -> (String, StoreSchema) {
    guard let expected = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    let path = try StorePath.existing(path)
    try StorePath.requireRoom(path)
    // A file that is no store is refused before it is opened for writing; with a log beside it that would take a copy.
    if !LogFiles.hasLog(path) {
      do { try check(StoreMetadata.read(path: path), expected, path) } catch {
        // Whoever has it will be waited for.
        guard error.code == .busy else { throw error }
      }
    }
    try requireWritable(path)
    return (path, expected)
  }

  private static func make(
    _ path: String, _ expected: StoreSchema, _ connection: Connection, undo: Undo
  ) throws(StoreError) -> StoreFile {
    // Whoever had the lock may have written them.
    let metadata = try StoreMetadata.read(connection)
    try check(metadata, expected, path)
    let schema = try expected.adapted(to: connection)
    try connection.prepareTriggers(schema, isRun: true)
    let guarded = try schema.tablesGuardedByOthers(connection)
    let file = StoreFile(
      path: path, schema: schema, metadata: metadata, connection: connection,
      warnings: try warnings(connection, schema), undo: undo, pendingIndexes: [])
    file.guardedTables = guarded
    return file
  }

  /// Refuses what cannot be written: SQLite would open it for reading only, and fail later without saying why.
  private static func requireWritable(_ path: String) throws(StoreError) {
    let folder = FileSystem.folder(of: path)
    for (name, what) in [(path, "the store"), (folder, "the folder “\(folder)”, which takes the store's log,")] {
      guard access(name, W_OK) != 0 else { continue }
      let reason = String(cString: strerror(errno))
      throw StoreError(.inputOutput, path: path, message: "\(what) cannot be written: \(reason)")
    }
  }

  /// Opens the file and takes it for this connection alone.
  ///
  /// In exclusive mode SQLite gives no lock back, not even one that is too weak, and does not wait in all cases; two
  /// that wait so would wait for each other. So each attempt is a connection of its own.
  private static func lockedConnection(_ path: String, wait: Double) throws(StoreError) -> Connection {
    let patience = max(0, min(wait, 86_400))
    let end = SystemClock.monotonic + patience
    while true {
      let connection = try Connection.open(path, .readWrite)
      connection.setBusyTimeout(milliseconds: 100)
      do throws(StoreError) {
        // In exclusive mode the lock stays when the transaction ends.
        try connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        connection.setBusyTimeout(milliseconds: 2000)
        return connection
      } catch {
        connection.keepLogOnClose()
        try? connection.close()
        guard error.code == .busy else { throw error }
        // Only after the connection is closed, as asking drops this process's locks.
        if SystemClock.monotonic >= end { throw StoreLock.error(path, waited: patience) }
      }
      FileSystem.pause(seconds: Double.random(in: 0.01...0.06))
    }
  }

  static func check(
    _ metadata: StoreMetadata, _ expected: StoreSchema, _ path: String
  ) throws(StoreError) {
    try metadata.requireHashes(of: expected, path: path)
  }

  static func warnings(_ connection: Connection, _ schema: StoreSchema) throws(StoreError) -> [StoreWarning] {
    var result: [StoreWarning] = []
    let tracksHistory = try connection.tracksHistory()
    if tracksHistory { result.append(.history) }
    let triggers = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NSCoreData%'")
    // Those that new stores have tell nothing that an import could leave out.
    let usual = Set(schema.triggers.map(\.name))
    while try triggers.step() {
      if !usual.contains(triggers.text(0)), !result.contains(.coreDataTriggers) { result.append(.coreDataTriggers) }
    }
    if !tracksHistory, try !CloudTables.names(connection).isEmpty { result.append(.cloudWithoutHistory) }
    return result
  }
}

/// An existing store that is changed in one transaction.
final class ExistingStoreFile {
  private let path: String
  /// The file itself, whatever it is called by now.
  private let identity: FileID?
  /// Whether others have left something in the log.
  private let hadLog: Bool

  init(_ path: String) {
    self.path = path
    identity = FileID(path)
    hadLog = LogFiles.hasLog(path)
  }

  /// Commits, moves the log into the file, and closes.
  func finish(_ connection: Connection) throws(StoreError) {
    guard identity == nil || FileID(path) == identity else {
      // What is written to a file that was moved away is not where the user looks for it.
      throw StoreError(
        .inputOutput, path: path,
        message: "the store was moved or replaced while it was written to: nothing of what was done is at this path;"
          + " put the store back and start again")
    }
    try connection.execute("COMMIT")
    // What fails from here on leaves a log that the next one to open the store completes.
    try? connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    try? connection.close()
  }

  /// Takes the transaction back and closes.
  func rollBack(_ connection: Connection) throws(StoreError) {
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
    if hadLog { connection.keepLogOnClose() }
    try connection.close()
  }
}
