import MergewalkDiagnostics
package import MergewalkSQLite
import MergewalkStorePages

/// A store file that is being written: a new one, built beside its final name, or an existing one.
///
/// Both ends of a run look the same to the caller: ``finish()`` makes everything durable,
/// ``rollBackRun()`` leaves the file system as it was before.
///
/// | | new store | run into an existing store | one change of an existing store |
/// |---|---|---|---|
/// | where | `.NAME.mergewalk-PID` in the same folder | in an overlay, `.NAME.mergewalk-plan-…` | in place |
/// | commits | none, or a batch each | a batch each, into the overlay | none before the end |
/// | indexes | built late, see ``buildIndexes(where:)`` | kept up by SQLite | kept up by SQLite |
/// | `finish()` | indexes, `Z_MAX`, sync, rename | one transaction with all that differs | commit |
/// | `rollBackRun()` | removes the hidden file | removes the overlay | rolls back |
///
/// When a value goes away without either call, it rolls back.
package final class StoreFile {
  /// The store's final path.
  package let path: String
  /// Whether the store is new.
  package let isNew: Bool
  /// The tables and columns, with the names that the file really has.
  package private(set) var schema: StoreSchema
  /// The metadata; ``writeMetadata(_:)`` changes them.
  package private(set) var metadata: StoreMetadata
  /// The connection; all statements of the run go through it.
  package let connection: Connection
  /// Facts about the store that a writer should know.
  package let warnings: [StoreWarning]

  /// The tables, by their names in upper case, of which something may refuse rows that others have added; known of
  /// existing stores that are opened for a run.
  package internal(set) var guardedTables: Set<String> = []

  /// Whether rows were written past the object layer, so that ``finish()`` has to compute derived attributes.
  var needsDerivedValues = false

  /// Whether the same input has to give the same bytes, as in a store that is being built.
  ///
  /// Times are not filled in then, and files get names that are made of what they hold.
  package var isReproducible = false { didSet { setFileNames() } }
  /// Whether the store will be thrown away, and what others have left for it stays.
  var sparesOthers = false { didSet { setFileNames() } }
  /// The files with values beside the store.
  package private(set) lazy var externalFiles = ExternalFiles(
    path: path, hasReproducibleNames: hasReproducibleFileNames, list: fileList.list, earlier: fileList.earlier)
  /// Names that are made of what files hold are those that an unfinished store with the same values has.
  private var hasReproducibleFileNames: Bool { isReproducible && !sparesOthers }
  private func setFileNames() { externalFiles.hasReproducibleNames = hasReproducibleFileNames }
  private var fileList: (list: ExternalFileList?, earlier: ExternalFileList.Names) {
    switch undo {
    case .newFile(let file): (file.fileList, file.earlierFiles)
    case .plannedFile(let file): (file.fileList, file.earlierFiles)
    default: (nil, ([], []))
    }
  }

  /// Is called with the path of a new store's file when that is complete and does not have its name yet.
  package var willPublish: ((String) throws(StoreError) -> Void)?

  let undo: Undo
  var pendingIndexes: [IndexDefinition]
  /// Rows that go into a new store past SQLite.
  package internal(set) var direct: DirectLoad?
  /// The rows that were written so.
  var directRecord = DirectRecord()
  /// Whether what went past SQLite is checked against the rows entry by entry before the store gets its name.
  package var checksWhole = false
  /// Whether a new store that is finished can be shipped as it is: every object went past SQLite, and none was changed
  /// afterwards.
  package private(set) var isPacked = false
  /// Which default data a new store has that is shipped when it is finished; `nil` for a store that is used where it is.
  package var seedIdentity: String?
  /// The mark of these data, when the finished store has it and is laid out as it is shipped; `nil` when
  /// ``SeedFile/seal(_:to:isPacked:access:identity:)`` has to see to that.
  package private(set) var seed: SeedFile.Mark?
  private var isEnded = false
  private var keepsCommits = false
  /// Whether a store that is being built keeps batches, so that another process can resume.
  package let keepsBatches: Bool
  /// Whether a new store says that it outlasts a stop of the machine.
  private var isDurable: Bool
  /// The batches that were committed since the file was opened.
  private var commits = 0

  /// The way to leave no trace.
  enum Undo {
    /// The hidden file and the claim on its name.
    case newFile(NewStoreFile)
    /// The overlay in which the run is planned.
    case plannedFile(PlannedStoreFile)
    /// One transaction, from the first ``begin()`` to the end.
    case existingFile(ExistingStoreFile)
    /// A file that others may have open too; every commit is final.
    case sharedFile(SharedStoreFile)
    /// Closing the connection is all: the tables are in memory, or they are only read.
    case connection
    /// The store is only read; the connection is closed by who opened it.
    case nothing
  }

  /// Whether the store is only read over another owner's connection, so that it gives out no keys.
  var isOnlyRead: Bool { if case .nothing = undo { true } else { false } }

  init(
    path: String, schema: StoreSchema, metadata: StoreMetadata, connection: Connection, warnings: [StoreWarning],
    undo: Undo, pendingIndexes: [IndexDefinition], keepsBatches: Bool = false, isDurable: Bool = false
  ) {
    self.path = path
    self.schema = schema
    self.metadata = metadata
    self.connection = connection
    self.warnings = warnings
    self.undo = undo
    self.pendingIndexes = pendingIndexes
    self.keepsBatches = keepsBatches
    self.isDurable = isDurable
    if case .newFile = undo { isNew = true } else { isNew = false }
    isReproducible = isNew
  }

  deinit {
    // There is no caller left to hear of an error.
    if isEnded { return }
    if keepsCommits { try? connection.close() } else { try? rollBackToOpening() }
  }

  /// Makes every commit final: from here on an existing store that goes away without ``finish()`` is closed with what
  /// was committed, in its log if need be, instead of being rolled back as a run.
  package func keepCommits() {
    precondition(!isNew, "a store that is being built has no commits to keep")
    keepsCommits = true
  }

  /// Takes over other tables and columns: a migration has changed them.
  func replaceSchema(_ schema: StoreSchema) {
    self.schema = schema
    // Derived attributes of the new version have no values yet.
    needsDerivedValues = true
  }

  // MARK: - Batches

  /// Starts a batch; a new store that keeps none has one transaction for the whole run.
  package func begin() throws(StoreError) {
    guard connection.isAutocommit, direct == nil else { return }
    if isDurable {
      // On the disk before anything else is.
      try connection.execute("PRAGMA synchronous=FULL; BEGIN; PRAGMA user_version=0; COMMIT; PRAGMA synchronous=OFF")
      isDurable = false
    }
    try connection.execute(isNew ? "BEGIN" : "BEGIN IMMEDIATE", .bookkeeping)
  }

  /// Ends a batch and keeps it; nothing happens in a new store that keeps no batches.
  package func commit() throws(StoreError) {
    guard !isNew || keepsBatches, !connection.isAutocommit else { return }
    switch undo {
    case .plannedFile(let file): try file.commit()
    // The transaction ends with ``finish()``.
    case .existingFile: break
    default: try connection.execute("COMMIT")
    }
    commits += 1
  }

  // MARK: - Rows that wait

  /// The rows of a planned run that wait for its end; `nil` for all other files.
  var deferredRows: DeferredRows? { if case .plannedFile(let file) = undo { file.deferred } else { nil } }

  /// From here on new and changed rows of some tables wait for the end of a planned run, sorted, unless they
  /// are read before: then they are ordinary rows of the plan.
  ///
  /// Nothing else of such a table may be unique than what objects are found by, as new rows are not checked against
  /// indexes before the end. Tables are left out when triggers have to run, which would not.
  ///
  /// - Parameter tables: The names of the tables; none for an end of it.
  package func deferRows(of tables: Set<String>) throws(StoreError) {
    guard let deferred = deferredRows else { return }
    let waits = tables.isEmpty ? false : try !connection.runsTriggers()
    try deferred.take(waits ? tables : [])
    if !waits { try deferred.setSmallCache(false) }
  }

  /// Reads the rows of a table of a planned run from its pages, see ``PlannedStoreFile``; `nil` where SQLite has to.
  func tableScan(_ table: String, columns: [String]) throws(StoreError) -> (TableScan, UInt32)? {
    if case .plannedFile(let file) = undo { try file.tableScan(table, columns: columns) } else { nil }
  }

  /// Before rows are looked at of which changes may wait: few pages are read twice until more is wanted.
  package func willScan(_ isLikely: Bool) throws(StoreError) { try deferredRows?.setSmallCache(isLikely) }

  /// How many rows wait, and how many did so at any time.
  package var deferredCounts: (taken: Int, waiting: Int) { deferredRows?.counts ?? (0, 0) }

  // MARK: - Metadata

  /// Replaces the metadata, as part of the batch that has begun.
  package func writeMetadata(_ metadata: StoreMetadata) throws(StoreError) {
    // It counts as a change: what it replaces may stay in the page until that is laid out anew.
    try metadata.write(connection)
    self.metadata = metadata
  }

  /// Goes back to metadata that were there before a transaction that was rolled back.
  func forgetMetadata(_ former: StoreMetadata) { metadata = former }

  // MARK: - Indexes

  /// The indexes of a new store that are not built yet.
  package var unbuiltIndexes: [IndexDefinition] { pendingIndexes }

  /// Builds those of the missing indexes that fit; ``finish()`` builds the rest.
  ///
  /// - Throws: ``StoreError`` with a constraint as its cause when rows break a uniqueness constraint.
  /// - Complexity: A sort of the table for each index; several threads sort when the connection allows it.
  package func buildIndexes(where isWanted: (IndexDefinition) -> Bool = { _ in true }) throws(StoreError) {
    try endDirectLoad()
    let wanted = pendingIndexes.filter(isWanted)
    if keepsBatches, !wanted.isEmpty { try begin() }
    pendingIndexes.removeAll { index in wanted.contains(index) }
    for index in wanted { try connection.execute(index.sql) }
  }

  /// Finds out which indexes of a new store are not there: one that was built within a batch may have been rolled back
  /// with it.
  func findPendingIndexes() throws(StoreError) {
    let built = try Self.indexNames(connection)
    pendingIndexes = schema.indexes.filter { !built.contains($0.name) }
  }

  static func indexNames(_ connection: Connection) throws(StoreError) -> Set<String> {
    Set(try connection.texts("SELECT name FROM sqlite_master WHERE type = 'index'"))
  }

  // MARK: - The end

  /// Makes the run durable and closes the store.
  ///
  /// There is one single file afterwards, without a `-wal`.
  ///
  /// - Throws: ``StoreError``; a new store is gone then, an existing one keeps what was committed.
  package func finish() throws(StoreError) { try finish(acknowledge: nil) }

  /// Makes the run durable, lets the caller tell of it, and closes the store.
  ///
  /// - Parameter acknowledge: Is called when the store is there with everything in its own file, and returns the
  ///   metadata to end with: those without the mark that the run was finished and not told of. Failing to write them is
  ///   no failure of the run.
  package func finish(acknowledge: (() -> StoreMetadata?)?) throws(StoreError) {
    precondition(!isEnded, "a store file must not be used after its end")
    do throws(StoreError) {
      // What earlier processes have replaced must not be named by what is there in the end.
      let named = externalFiles.hasEarlier ? try schema.externalFileNames(connection) : []
      switch undo {
      case .newFile(let file):
        try endDirectLoad()
        try begin()
        try findPendingIndexes()
        try buildIndexes()
        try fillDerivedValues()
        try fillCounts()
        try makeTriggers()
        try writeBookkeeping { () throws(StoreError) in try raiseMaxima(connection) }
        try checkDirectTables()
        isPacked = hasDirectRowsOnly
        // All is committed by now, and nothing was written since.
        if isPacked, let seedIdentity, try connection.integer("PRAGMA freelist_count") == 0 {
          seed = try SeedFile.mark(connection, identity: seedIdentity)
          file.apply(.usual)
        }
        // Default data ends in rollback mode, and what is packed is not written any more.
        try file.publish(connection, hasLog: !(isReproducible && isPacked), willPublish: willPublish)
        isEnded = true
        externalFiles.removeObsolete(named: named)
        if let last = acknowledge?() { try? Self.endWith(last, path) }
        return
      case .plannedFile(let file):
        try begin()
        if needsDerivedValues { try fillDerivedValues() }
        try commit()
        do throws(StoreError) {
          try file.apply(computed: schema.computedColumns) { (store) throws(StoreError) in try raiseMaxima(store) }
        } catch {
          switch error.code {
          // The files that it has made go too: they are in no list any more.
          case .changedMeanwhile, .refusedRows: try? rollBack(isWholeRun: true)
          // The plan stays, for a process that applies it.
          default:
            isEnded = true
            try? file.suspend()
          }
          throw error
        }
        // Everything is there: what fails from here on is no failure of the run.
        isEnded = true
        externalFiles.removeObsolete(named: named)
        if let last = acknowledge?() { try? file.write(last) }
        // The list of files belongs to the next run from then on.
        try? file.close()
        return
      case .existingFile(let file):
        try begin()
        if needsDerivedValues { try fillDerivedValues() }
        try raiseMaxima(connection)
        try file.finish(connection)
        isEnded = true
        if let last = acknowledge?() { try? Self.endWith(last, path) }
      case .sharedFile(let file): try file.close(connection)
      case .connection: try connection.close()
      case .nothing: break
      }
      isEnded = true
      externalFiles.removeObsolete(named: named)
    } catch {
      // What was interrupted can be resumed.
      if isNew, !(keepsBatches && error.cause?.kind == .interrupted) { try? rollBackRun() }
      throw error
    }
  }

  /// Replaces the metadata of a store that was finished a moment ago.
  private static func endWith(_ metadata: StoreMetadata, _ path: String) throws(StoreError) {
    let connection = try Connection.open(path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    try metadata.write(connection)
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    try connection.close()
  }

  /// Rolls back the whole run and closes the store.
  ///
  /// A new store leaves nothing behind. An existing store was not written. After the end nothing happens.
  package func rollBackRun() throws(StoreError) { try rollBack(isWholeRun: true) }

  /// Rolls back what was done since the store was opened, and closes it: an earlier process's part of the run stays.
  package func rollBackToOpening() throws(StoreError) { try rollBack(isWholeRun: false) }

  private func rollBack(isWholeRun: Bool) throws(StoreError) {
    if isEnded { return }
    isEnded = true
    // Its pages are written in the background, to a file that is closed now.
    direct = nil
    // What an earlier process has kept of a new store stays unless the whole run goes, or this process has resumed it.
    var isWhole = isWholeRun
    if case .newFile(let file) = undo { isWhole = isWholeRun || !file.isAdopted || commits > 0 }
    var named: Set<String>? = isWhole ? [] : nil
    // A name that is made of what the file holds may have been there before.
    if case .plannedFile(let file) = undo, isWholeRun, externalFiles.hasEarlier {
      do throws(StoreError) { named = try schema.externalFileNames(file.base) } catch {
        named = nil
        externalFiles.keepEarlier(error)
      }
    }
    let removeFiles = { [externalFiles, named] in externalFiles.removeAllMade(named: named) }
    switch undo {
    // What another process could resume goes before the files that its rows name.
    case .newFile(let file) where isWhole: try file.discard(connection, removeFiles: removeFiles)
    case .plannedFile(let file): try file.rollBack(isWholeRun: isWholeRun, removeFiles: removeFiles)
    case .newFile(let file):
      removeFiles()
      try file.suspend(connection)
    case .existingFile(let file):
      removeFiles()
      try file.rollBack(connection)
    case .sharedFile(let file):
      removeFiles()
      try file.close(connection)
    case .connection: try connection.close()
    case .nothing: break
    }
  }

  // MARK: - Runs that go on later

  /// Whether an earlier process has planned a run that the store no longer is what it was for: it was dropped.
  package var hasOutdatedPlan: Bool { if case .plannedFile(let file) = undo { file.isOutdated } else { false } }

  /// Whether the store has a planned run, and files of the plan stay beside it as they could not be removed.
  package var leavesPlan: Bool { if case .plannedFile(let file) = undo { file.leavesPlan } else { false } }

  /// The rows and statements that only keep a plan.
  package var bookkeeping: (rows: Int, statements: Int) {
    if case .plannedFile(let file) = undo { file.bookkeeping } else { (0, 0) }
  }

  /// The metadata as they were before the run: those of the store that a plan is made for.
  package func metadataBeforeRun() throws(StoreError) -> StoreMetadata {
    if case .plannedFile(let file) = undo { try .read(file.base) } else { metadata }
  }

  /// Closes the store and leaves what was committed, for a process that resumes the run: in the plan for an existing
  /// store, in the hidden file of a new one.
  ///
  /// A new store of which nothing was kept is rolled back.
  package func suspend() throws(StoreError) {
    guard !isEnded else { return }
    switch undo {
    case .plannedFile(let file):
      isEnded = true
      try file.suspend()
    case .newFile(let file) where keepsBatches && (file.isAdopted || commits > 0):
      isEnded = true
      try file.suspend(connection)
    default: try rollBackRun()
    }
  }

  /// The hidden file of a new store, open to write; `nil` for all others.
  var hiddenDescriptor: Int32? { if case .newFile(let file) = undo { file.descriptor } else { nil } }

  /// The hidden file of a new store; `nil` for all others.
  package var hiddenPath: String? { if case .newFile(let file) = undo { file.hiddenPath } else { nil } }

  /// Where an import that resumes later keeps what it puts off; it goes away with the hidden file, or with the plan.
  package var laterPath: String? {
    if case .plannedFile(let file) = undo { file.laterPath } else { hiddenPath.map(Self.laterPath) }
  }

  /// The same for a hidden file.
  package static func laterPath(_ hiddenPath: String) -> String { hiddenPath + UnfinishedStoreNames.laterSuffix }

  /// Whether an earlier process has begun to build the store, or to plan the run.
  package var isAdopted: Bool {
    switch undo {
    case .newFile(let file): file.isAdopted
    case .plannedFile(let file): file.isAdopted
    default: false
    }
  }

  /// Starts a batch of a new store that is still there when the machine stops, with all batches before it.
  ///
  /// Its commit waits for the disk. The journal is there before the file is written, so a machine that stops meanwhile
  /// leaves the batch before. The file's `user_version` tells that it is whole, until the next batch begins.
  package func beginDurably() throws(StoreError) {
    guard keepsBatches, let hiddenPath, connection.isAutocommit else { return }
    try FileSystem.sync(FileSystem.folder(of: hiddenPath))
    try connection.execute("PRAGMA synchronous=FULL; BEGIN; PRAGMA user_version=1")
    isDurable = true
  }

  /// The bytes of a new store, and those that its journal has of the open batch: what keeping the batch costs beside
  /// writing it.
  package func batchBytes() throws(StoreError) -> (file: Int, journal: Int) {
    guard let hiddenPath else { return (0, 0) }
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return (Int(pages) * 4096, FileSystem.size(hiddenPath + "-journal") ?? 0)
  }
}

@available(*, unavailable, message: "a store file belongs to the task that opened it")
extension StoreFile: Sendable {}
