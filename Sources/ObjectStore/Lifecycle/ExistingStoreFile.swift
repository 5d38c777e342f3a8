import Diagnostics
import Glibc
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
  ///   - lockWait: How long to wait, in seconds, while somebody else has the store open.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `notACoreDataStore`, `damagedMetadata`,
  ///   `incompatibleModel`, `missingTable`, `missingColumn`, `busy`, `inputOutput` or `sqlite`. Nothing has changed.
  public static func open(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int = 32 * 1024,
    lockWait: Double = 2
  ) throws(StoreError) -> StoreFile {
    guard let expected = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    let path = try StorePath.existing(path)
    let file = ExistingStoreFile(path)
    // A file that is no store is refused before it is opened for writing; with a log beside it that would take a copy.
    if FileSystem.size(path + "-wal") ?? 0 == 0 {
      do { try check(StoreMetadata.read(path: path), expected, path) } catch {
        // Whoever has it will be waited for.
        guard error.code == .busy else { throw error }
      }
    }
    try requireWritable(path)
    let connection = try lockedConnection(path, wait: lockWait)
    do {
      try file.remember(connection)
      // Whoever had the lock may have written them.
      let metadata = try StoreMetadata.read(connection)
      try check(metadata, expected, path)
      try connection.apply(.update(cacheKiB: cacheKiB))
      try connection.registerCoreDataFunctions()
      let schema = try expected.adapted(to: connection)
      return StoreFile(
        path: path, schema: schema, metadata: metadata, connection: connection,
        warnings: try warnings(connection), undo: .existingFile(file), pendingIndexes: [])
    } catch {
      try? file.rollBack(connection, isWholeRun: false)
      throw error
    }
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
  /// In exclusive mode SQLite gives no lock back, not even one that is too weak, and does not wait in all cases; two that
  /// wait so would wait for each other. So each attempt is a connection of its own.
  private static func lockedConnection(_ path: String, wait: Double) throws(StoreError) -> Connection {
    let patience = max(0, min(wait, 86_400))
    let end = FileSystem.now() + patience
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
        if FileSystem.now() >= end { throw StoreLock.error(path, waited: patience) }
      }
      FileSystem.pause(seconds: Double.random(in: 0.01...0.06))
    }
  }

  static func check(
    _ metadata: StoreMetadata, _ expected: StoreSchema, _ path: String
  ) throws(StoreError) {
    let differences = ModelHashes(expected).differences(fromStore: metadata.hashes)
    guard differences.isEmpty else {
      throw StoreError(
        .incompatibleModel, path: path, message: "the store was made with another version of the model: \(differences)",
        differences: differences)
    }
  }

  static func warnings(_ connection: Connection) throws(StoreError) -> [Warning] {
    var result: [Warning] = []
    let history = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('ACHANGE', 'ATRANSACTION')"
    if try connection.integer(history) ?? 0 > 0 { result.append(.history) }
    let triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NSCoreData%'"
    if try connection.integer(triggers) ?? 0 > 0 { result.append(.coreDataTriggers) }
    return result
  }
}

/// What an existing store looked like before it was opened, and before the run that it is opened for.
///
/// Both are the same unless the run was begun by an earlier process.
final class ExistingStoreFile {
  private let path: String
  /// The state to which the whole run is taken back; `nil` when nothing can be taken back any more.
  private var beforeRun: RunOrigin?
  /// The state in which the file was opened.
  private var beforeOpening: RunOrigin?
  /// Whether the file is to be in write-ahead mode afterwards.
  private var wasWriteAhead = true

  /// The file itself, whatever it is called by now.
  private var identity: FileID?
  /// Says beside a store that is not in write-ahead mode that a run has switched it over, so that whoever comes after a
  /// crash switches it back.
  private var mark: String { "\(FileSystem.folder(of: path))/.\(FileSystem.name(of: path)).mergewalk-rollback" }

  init(_ path: String) { self.path = path }

  /// Checks that the store still has its name: what is written to a file that was moved away is not where the user
  /// looks for it.
  func requireInPlace() throws(StoreError) {
    guard let identity, FileID(path) != identity else { return }
    throw StoreError(
      .inputOutput, path: path,
      message: "the store was moved or replaced while it was written to: nothing of what was done is at this path;"
        + " put the store back and start again")
  }

  /// What the store was before the run, with the file's identity as it is now; `nil` when that is not known.
  var origin: RunOrigin? {
    guard var origin = beforeRun else { return nil }
    origin.identity = RunOrigin.identity(of: path)
    return origin
  }

  /// Remembers the header and the length of the log; only when the connection has the lock.
  func remember(_ connection: Connection) throws(StoreError) {
    // Behind the last commit there may be pages of a process that was killed; the first commit writes over them.
    let origin = RunOrigin(header: try DatabaseHeader(connection), logLength: WriteAheadLog(path + "-wal").length)
    beforeRun = origin
    beforeOpening = origin
    identity = FileID(path)
    wasWriteAhead = origin.isWriteAhead && !FileSystem.exists(mark)
    if !wasWriteAhead, !origin.isWriteAhead, FileAccess.own.make(mark) {
      // There before the file says otherwise, also when the machine stops.
      try FileSystem.sync(FileSystem.folder(of: path))
    }
  }

  /// Goes on with the run of an earlier process, and returns whether all of it can still be taken back.
  ///
  /// - Parameter commits: The commits that the run has made.
  func adopt(_ origin: RunOrigin, commits: Int) -> Bool {
    wasWriteAhead = origin.isWriteAhead
    guard origin.identity == RunOrigin.identity(of: path),
      WriteAheadLog(path + "-wal", countingFrom: origin.logLength).commits == commits
    else { return false }
    beforeRun = origin
    return true
  }

  /// Moves the log into the file; there is no way back any more.
  func moveLog(_ connection: Connection) throws(StoreError) {
    // From here on pages move into the main file. If that fails half-way, only the log can complete it.
    beforeRun = nil
    beforeOpening = nil
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if let length = FileSystem.size(path + "-wal"), length > 0 {
      throw StoreError(.inputOutput, path: path, message: "the log could not be moved into the file")
    }
  }

  /// Restores the journal mode and closes.
  func finish(_ connection: Connection) throws(StoreError) {
    if !wasWriteAhead {
      try connection.execute("PRAGMA journal_mode=DELETE")
      try FileSystem.remove(mark)
    }
    try connection.close()
  }

  /// Closes and leaves what was committed in the log.
  func suspend(_ connection: Connection) throws(StoreError) {
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
    connection.keepLogOnClose()
    try connection.close()
  }

  /// Closes without moving the log into the file, and cuts off what was appended to it.
  ///
  /// The main file was not written, except for the version numbers in its header when it was not in write-ahead mode;
  /// these are put back. The log only grew: SQLite appends to a log that is not checkpointed.
  ///
  /// - Parameter isWholeRun: Whether what an earlier process has committed of the run goes too.
  func rollBack(_ connection: Connection, isWholeRun: Bool) throws(StoreError) {
    guard let before = isWholeRun ? beforeRun : beforeOpening else {
      // Without the lock the log may be somebody else's, and after a checkpoint it is needed.
      connection.keepLogOnClose()
      return try connection.close()
    }
    try suspend(connection)
    guard identity == nil || FileID(path) == identity else {
      // Beside another file, or none, the log would be taken for that one's.
      return try FileSystem.remove(path + "-wal")
    }
    if before.logLength > 0 {
      if FileSystem.size(path + "-wal") ?? 0 > before.logLength {
        try FileSystem.truncateFile(path + "-wal", to: before.logLength)
      }
    } else {
      try FileSystem.remove(path + "-wal")
    }
    if FileSystem.head(path, count: before.header.count) != before.header {
      try FileSystem.overwriteHead(path, before.header)
    }
    if !before.isWriteAhead { try FileSystem.remove(mark) }
  }
}
