import MergewalkDiagnostics
package import MergewalkObjectModel
import MergewalkSQLite
import Synchronization

extension StoreFile {
  /// Starts a new store beside its final name.
  ///
  /// The file has page size 4096, incremental auto-vacuum, all tables, the metadata and one `Z_PRIMARYKEY` row an
  /// entity; no index yet. What crashed runs left behind for the same name is removed.
  ///
  /// - Parameters:
  ///   - path: The final path.
  ///   - configuration: The configuration whose entities are stored; `nil` for all.
  ///   - cacheKiB: The page cache in KiB.
  ///   - threads: How many threads help to sort when indexes are built.
  /// - Throws: ``StoreError`` with `alreadyExists` when there is a file, or a log left over from one; `notFound` when
  ///   there is no such configuration; `busy` when the same store is being built by another process; `inputOutput`;
  ///   `sqlite`.
  package static func create(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int = 32 * 1024, threads: Int = 1
  ) throws(StoreError) -> StoreFile {
    try create(
      path: path, model: model, configuration: configuration, cacheKiB: cacheKiB, threads: threads, lockWait: 0,
      keepsBatches: false, sparesOthers: false)
  }

  /// Starts a new store beside its final name.
  ///
  /// - Parameters:
  ///   - keepsBatches: Whether ``commit()`` keeps a batch for another process to resume, see
  ///     ``adopt(path:model:cacheKiB:lockWait:isWanted:)``.
  ///   - sparesOthers: Whether what others have left behind stays, as the new file will be thrown away.
  package static func create(
    path: String, model: ManagedObjectModel, configuration: String? = nil, cacheKiB: Int, threads: Int = 1,
    lockWait: Double, keepsBatches: Bool, sparesOthers: Bool
  ) throws(StoreError) -> StoreFile {
    guard let schema = StoreSchema(model: model, configuration: configuration) else {
      throw StoreError(.notFound, path: path, message: "the model has no configuration \(configuration ?? "")")
    }
    return try create(
      path: path, schema: schema, configuration: configuration, cacheKiB: cacheKiB, threads: threads,
      lockWait: lockWait, keepsBatches: keepsBatches, sparesOthers: sparesOthers)
  }

  /// The same for tables that are known, as those of many stores of one model are.
  ///
  /// - Parameter schema: That of the model, or of the configuration.
  package static func create(
    path: String, schema: StoreSchema, configuration: String? = nil, cacheKiB: Int, threads: Int = 1,
    lockWait: Double, keepsBatches: Bool, sparesOthers: Bool
  ) throws(StoreError) -> StoreFile {
    let empty = try EmptyStoreImage.of(schema, configuration: configuration, path: path)
    let path = StorePath.resolved(path)
    let file = try NewStoreFile(path, lockWait: lockWait, sparesOthers: sparesOthers)
    do {
      try file.fill(empty.bytes)
      let connection = try Connection.open(file.hiddenPath, .create, name: path)
      try connection.apply(.load(cacheKiB: cacheKiB, threads: threads, keepsBatches: keepsBatches))
      try connection.execute("BEGIN")
      let metadata = empty.newMetadata()
      try metadata.write(connection)
      let store = StoreFile(
        path: path, schema: schema, metadata: metadata, connection: connection, warnings: [], undo: .newFile(file),
        pendingIndexes: schema.indexes, keepsBatches: keepsBatches)
      store.sparesOthers = sparesOthers
      return store
    } catch {
      try? file.remove()
      throw error
    }
  }

  /// Continues with a new store of which an earlier process has kept batches.
  ///
  /// A batch that was not committed is rolled back. That the machine has not stopped since is for the caller to know,
  /// who has the metadata of the last batch.
  ///
  /// - Parameters:
  ///   - path: The final path.
  ///   - cacheKiB: The page cache in KiB.
  ///   - lockWait: How long to wait, in seconds, while another process is building the same store.
  ///   - isWanted: Decides whether to resume a file, by the metadata, the hidden path, and whether all that was
  ///     kept is there even if the machine has stopped since, see ``beginDurably()``.
  /// - Returns: The store; `nil` when there is none to resume, or when the store is there already.
  /// - Throws: ``StoreError`` with `busy`, `incompatibleModel` when a wanted file is of another model, or `inputOutput` or
  ///   `sqlite` when the disk does not let it be read.
  package static func adopt(
    path: String, model: ManagedObjectModel, cacheKiB: Int, lockWait: Double,
    isWanted: (StoreMetadata, String, Bool) -> Bool
  ) throws(StoreError) -> StoreFile? {
    guard let schema = StoreSchema(model: model, configuration: nil) else { return nil }
    let path = StorePath.resolved(path)
    try NewStoreFile.requireNotOurs(path)
    let names = UnfinishedStoreNames(path)
    let end = SystemClock.monotonic + max(0, min(lockWait, 86_400))
    while true {
      var busy: String?
      for hidden in names.unfinished() {
        let claim: HiddenClaim
        switch HiddenClaim.take(hidden) {
        case .mine(let mine): claim = mine
        case .others:
          busy = hidden
          continue
        case .nothing: continue
        }
        guard claim.size > 0 else { continue }
        guard let (connection, metadata, isDurable) = try opened(hidden) else { continue }
        guard isWanted(metadata, hidden, isDurable) else { continue }
        try check(metadata, schema, path)
        guard !FileSystem.exists(path) else { return nil }
        let file = try NewStoreFile(path, adopting: claim)
        connection.name = path
        try connection.apply(.load(cacheKiB: cacheKiB, keepsBatches: true))
        let built = try StoreFile.indexNames(connection)
        let result = StoreFile(
          path: path, schema: schema, metadata: metadata, connection: connection, warnings: [],
          undo: .newFile(file), pendingIndexes: schema.indexes.filter { !built.contains($0.name) },
          keepsBatches: true, isDurable: isDurable)
        let files = result.externalFiles
        if files.hasEarlier { files.adopt(named: try schema.externalFileNames(connection)) }
        return result
      }
      guard let busy, !FileSystem.exists(path) else { return nil }
      guard SystemClock.monotonic < end else {
        throw StoreLock.error(busy, store: path, waited: lockWait, doing: "is building the store")
      }
      FileSystem.pause(seconds: 0.05)
    }
  }

  /// Whether an earlier process has left a new store that ``adopt(path:model:cacheKiB:lockWait:isWanted:)`` would go on
  /// with; it is only looked at.
  package static func hasUnfinished(
    path: String, isWanted: (StoreMetadata, String, Bool) -> Bool
  ) throws(StoreError) -> Bool {
    for hidden in UnfinishedStoreNames(StorePath.resolved(path)).unfinished() {
      guard case .mine(let claim) = HiddenClaim.take(hidden) else { continue }
      // To close the claim's descriptor would take the connection's locks away.
      let isThere = try withExtendedLifetime(claim) { () throws(StoreError) -> Bool in
        guard claim.size > 0, let (connection, metadata, isDurable) = try opened(hidden) else { return false }
        try? connection.close()
        return isWanted(metadata, hidden, isDurable)
      }
      if isThere { return true }
    }
    return false
  }

  /// Opens the hidden file of a store that no process is building; `nil` for what is no store to resume, which whoever
  /// builds a new one removes.
  private static func opened(_ hidden: String) throws(StoreError) -> (Connection, StoreMetadata, Bool)? {
    do throws(StoreError) { return try open(hidden) } catch {
      // What the disk does not give now it may give another time.
      guard error.cause?.isOfDisk ?? false || error.cause?.kind == .unopenable else { return nil }
      throw error
    }
  }

  /// Opens such a file, which rolls back what was not committed.
  private static func open(_ hidden: String) throws(StoreError) -> (Connection, StoreMetadata, Bool) {
    let connection = try Connection.open(hidden, .readWrite)
    try connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    let version = try connection.integer("PRAGMA user_version")
    return (connection, try StoreMetadata.read(connection), version == 1)
  }

  /// Removes what processes that are gone have left of an existing store by now.
  package static func removeUnfinished(path: String) {
    let path = StorePath.resolved(path)
    guard (try? NewStoreFile.requireNotOurs(path)) != nil else { return }
    UnfinishedStoreNames(path).removeLeftovers()
  }
}

/// The hidden file of a store that is being built.
final class NewStoreFile {
  let path: String
  /// `.NAME.mergewalk-PID` in the same folder.
  let hiddenPath: String
  /// Whether an earlier process has begun it.
  let isAdopted: Bool
  /// The list of the files beside the store that are made for it.
  var fileList: ExternalFileList { ExternalFileList(path: hiddenPath + PlanFile.filesSuffix) }
  /// What earlier processes have written to it.
  let earlierFiles: ExternalFileList.Names
  private var claim: HiddenClaim?
  /// The file, open to read and to write; it is closed when the store has its name.
  var descriptor: Int32? { claim?.descriptor }

  /// The stores that this process is building.
  private static let claimed = Mutex<Set<String>>([])

  /// Claims the name and removes what crashed runs left behind.
  init(_ path: String, lockWait: Double, sparesOthers: Bool) throws(StoreError) {
    self.path = path
    isAdopted = false
    earlierFiles = ([], [])
    let names = UnfinishedStoreNames(path)
    // No other process builds in a folder of this one's own, and none has left anything there.
    let isPrivate = PrivateFolder.holds(path)
    if !isPrivate { try StorePath.requireRoom(path) }
    try Self.requireFree(path)
    try Self.requireNotOurs(path)
    if !isPrivate { try Self.waitForOthers(path, names, seconds: lockWait) }
    try Self.takeName(path)
    do {
      if !sparesOthers, !isPrivate { names.removeLeftovers() }
      let made = try HiddenClaim.make(names)
      hiddenPath = made.path
      claim = made
    } catch {
      Self.giveName(path)
      throw error
    }
  }

  /// Takes over the file of an earlier process.
  init(_ path: String, adopting claim: HiddenClaim) throws(StoreError) {
    self.path = path
    isAdopted = true
    hiddenPath = claim.path
    earlierFiles = try ExternalFileList(path: claim.path + PlanFile.filesSuffix).read()
    self.claim = claim
    try Self.requireFree(path)
    try Self.takeName(path)
    UnfinishedStoreNames(path).removeLeftovers(except: claim.path)
  }

  /// Checks that this process is not building the store: to open and close the hidden file would drop its lock.
  static func requireNotOurs(_ path: String) throws(StoreError) {
    if claimed.withLock({ $0.contains(path) }) { throw alreadyBuilding(path) }
  }

  deinit { if claim != nil { release() } }

  /// Writes the first bytes of the file, before SQLite opens it.
  func fill(_ bytes: [UInt8]) throws(StoreError) {
    let failure = claim.map { claim in bytes.withUnsafeBytes { WholeBytes.write($0, to: claim.descriptor).failure } }
    if failure != 0 { throw FileSystem.failure(path, "cannot write") }
  }

  private static func takeName(_ path: String) throws(StoreError) {
    guard claimed.withLock({ $0.insert(path).inserted }) else { throw alreadyBuilding(path) }
  }

  private static func alreadyBuilding(_ path: String) -> StoreError {
    StoreError(.busy, path: path, message: "this process is already building the store")
  }

  private static func giveName(_ path: String) { claimed.withLock { _ = $0.remove(path) } }

  /// Waits until no other process is building the store.
  ///
  /// Whoever builds one has a lock on its hidden file; a process that only has the number of one that was killed has
  /// not.
  private static func waitForOthers(_ path: String, _ names: UnfinishedStoreNames, seconds: Double) throws(StoreError) {
    var waited = 0.0
    while true {
      try requireFree(path)
      guard let builder = names.unfinished().first(where: { StoreLock.holder($0) != nil }) else { return }
      guard waited < seconds else {
        throw StoreLock.error(builder, store: path, waited: seconds, doing: "is building the store")
      }
      FileSystem.pause(seconds: 0.05)
      waited += 0.05
    }
  }

  /// Checks that there is neither a file nor a log of an earlier one, which SQLite would replay into the new file.
  private static func requireFree(_ path: String) throws(StoreError) {
    for suffix in PrivateFolder.holds(path) ? [""] : ["", "-wal", "-journal"] where FileSystem.exists(path + suffix) {
      let message =
        suffix.isEmpty ? "there is a file already" : "there is a \(suffix) file of an earlier store; remove it"
      throw StoreError(.alreadyExists, path: path, message: message)
    }
  }

  /// Gives the file the access that it has for good, before SQLite closes it.
  func apply(_ access: FileAccess) { if let descriptor { access.apply(to: descriptor) } }

  /// Commits, marks the file as one in write-ahead mode, syncs it and gives it its name.
  ///
  /// - Parameters:
  ///   - hasLog: Whether the store is to be in write-ahead mode; else it is in rollback mode.
  ///   - willPublish: Is called with the path of the file when it is complete and does not have its name yet.
  func publish(
    _ connection: Connection, hasLog: Bool, willPublish: ((String) throws(StoreError) -> Void)?
  ) throws(StoreError) {
    try connection.execute("COMMIT")
    // Only the header's version numbers change; the log stays empty and goes away with the connection.
    let mode = hasLog ? try connection.text("PRAGMA journal_mode=WAL") : nil
    try connection.close()
    guard !hasLog || mode == "wal" else {
      throw StoreError(.sqlite, path: path, message: "the file stays in journal mode \(mode ?? "")")
    }
    // A folder that was replaced by a copy has a file of that name, too, with what was written until then.
    guard claim?.isInPlace ?? false else {
      throw StoreError(
        .inputOutput, path: path,
        message: "the folder was moved or replaced while the store was built: there is no store at this path;"
          + " start again")
    }
    try FileSystem.sync(hiddenPath)
    try Self.requireFree(path)
    try removeCompanions()
    try willPublish?(hiddenPath)
    do throws(StoreError) {
      try FileSystem.renameExclusively(hiddenPath, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch {
      // A name that may not outlast the next stop of the machine goes again: a run that fails leaves no store.
      guard isPublished, !takeBackName() else { throw error }
    }
    release()
  }

  /// Whether the final path leads to the file.
  private var isPublished: Bool {
    guard let descriptor, let own = FileID(descriptor: descriptor) else { return false }
    return FileID(path) == own
  }

  /// Gives the file its hidden name again; whether that worked.
  private func takeBackName() -> Bool {
    if FileSystem.exists(hiddenPath) { return (try? FileSystem.remove(path)) != nil }
    return (try? FileSystem.rename(path, to: hiddenPath)) != nil
  }

  /// Closes and leaves what was committed.
  func suspend(_ connection: Connection) throws(StoreError) {
    defer { release() }
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
    try connection.close()
  }

  /// Closes and removes the hidden file.
  ///
  /// - Parameter removeFiles: Removes the files that its rows name.
  func discard(_ connection: Connection, removeFiles: () -> Void) throws(StoreError) {
    // The file goes away whether or not SQLite closes it without an error.
    try? connection.close()
    try remove(removeFiles: removeFiles)
  }

  /// Removes the hidden file, and then the files that its rows name, and gives the name free.
  func remove(removeFiles: () -> Void = {}) throws(StoreError) {
    defer { release() }
    // The file goes first: without it the others are not resumed.
    try FileSystem.remove(hiddenPath)
    removeFiles()
    try removeCompanions()
  }

  private func removeCompanions() throws(StoreError) {
    for suffix in UnfinishedStoreNames.companions { try FileSystem.remove(hiddenPath + suffix) }
  }

  private func release() {
    claim = nil
    Self.giveName(path)
  }
}
