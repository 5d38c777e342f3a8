import MergewalkDiagnostics
import MergewalkSQLite
import MergewalkStorePages
import MergewalkThreads

/// An existing store into which a run is planned, and then applied in one transaction.
///
/// For the next developer:
/// - During planning, the store is only read: ``base`` holds a snapshot of it, and the run's connection is an overlay
///   whose log is beside the store (``PlanFile``). So a dry run, a limit or an error has nothing to roll back.
/// - Every commit of the run is one of the overlay: a killed run resumes from there if the store is still the one that
///   was planned for (``StoreState``), and starts over otherwise.
/// - The overlay's log is not synced: if the machine stops, the rest of the log is the run up to an earlier commit,
///   because SQLite checks each frame of a log.
/// - ``apply()`` turns the snapshot's read transaction into the writing one. SQLite refuses that if another process has
///   written since (`SQLITE_BUSY_SNAPSHOT`): that is the proof that the plan fits. It also refuses after a checkpoint
///   that has restarted the log: then the index of the log shows whether there was a commit.
/// - In write-ahead mode, other processes can always read, and write until the plan is applied. With a rollback
///   journal, writers wait for the end of the run, as they do for any reader; a writer that has begun by then and waits
///   longer than we do goes first, and the plan no longer fits.
final class PlannedStoreFile {
  private let path: String
  private let claim: StoreClaim
  /// The store itself.
  let base: Connection
  private let snapshot: DatabaseSnapshot
  private let plan: PlanFile
  private let changed: ChangedRows
  /// The rows that wait for ``apply(_:)``.
  let deferred: DeferredRows
  /// How long to wait for others, in seconds.
  private let patience: Double
  /// The file itself, whatever it is called by now.
  private let identity: FileID?
  /// The bytes of the overlay's log that an earlier process has committed.
  private let lengthBefore: Int
  /// Whether a log stays that was there before and of which nothing is known: a run that is thrown away removes nothing.
  private let sparesLog: Bool
  private var isApplied = false
  /// Whether the store has the run, and files of its plan could not be removed.
  private(set) var leavesPlan = false

  let overlay: Connection
  /// Whether an earlier process has planned a part.
  var isAdopted: Bool { lengthBefore > 0 }
  /// Whether an earlier process has planned a part that the store no longer is what it was for.
  let isOutdated: Bool
  /// The list of the files that this run makes.
  var fileList: ExternalFileList { plan.files }
  /// What earlier processes have written to it.
  let earlierFiles: ExternalFileList.Names
  /// Where an import keeps the records that wait for a second pass.
  var laterPath: String { plan.later }
  /// The plans of dry runs that were killed.
  var thrownAway: [PlanFile] { PlanFile.thrownAway(ofStore: path).filter { $0.path != plan.path } }

  /// Takes a snapshot of a store and opens its plan.
  ///
  /// - Parameters:
  ///   - run: What names the pipeline's runs.
  ///   - isThrownAway: Whether nothing will be applied; what an earlier process has planned is left as it is.
  ///   - cacheKiB: The page cache of the run.
  ///   - lockWait: How long to wait for others, in seconds.
  init(
    _ path: String, run: String, isThrownAway: Bool, cacheKiB: Int, lockWait: Double
  ) throws(StoreError) {
    self.path = path
    patience = max(0, min(lockWait, 86_400))
    sparesLog = isThrownAway && LogFiles.hasLog(path)
    let claim = try StoreClaim.take(path, wait: lockWait)
    let base = try Connection.open(path, .readWrite)
    do throws(StoreError) {
      base.setBusyTimeout(milliseconds: Int32(patience * 1000))
      try base.apply(.update())
      if !isThrownAway, LogFiles.hasLog(path) {
        // What others have left in the log goes into the file while they let it: then the file alone tells its state. A
        // log that is not emptied would count as new, were this process killed and the log's index lost.
        Self.moveLog(base, patience)
      }
      identity = FileID(path)
      let snapshot = try base.mapped { () throws(SQLiteError) in try DatabaseSnapshot(base) }
      let state = StoreState(path, log: snapshot.log)
      let named = PlanFile(store: path, run: run)
      // What is thrown away resumes nothing: a process that is killed could not roll back what it had added.
      let plan = isThrownAway ? PlanFile(beside: named) : named
      // Before anything is written: what cannot be read now may be another time.
      earlierFiles = try plan.files.read()
      var fits = try plan.isResumable(state)
      var parts: (overlay: Connection, changed: ChangedRows, deferred: DeferredRows)?
      if fits {
        do throws(StoreError) { parts = try Self.overlay(snapshot, plan, path, cacheKiB) } catch {
          // What waits is refused, and will be: the run begins anew.
          guard error.code == .refusedRows else { throw error }
          fits = false
        }
      }
      let hasPlan = try plan.hasPlan()
      isOutdated = !isThrownAway && hasPlan && !fits
      if !fits { try plan.begin(state, access: .derived(from: path)) }
      let (overlay, changed, deferred): (Connection, ChangedRows, DeferredRows)
      if let parts {
        (overlay, changed, deferred) = parts
      } else {
        (overlay, changed, deferred) = try Self.overlay(snapshot, plan, path, cacheKiB)
      }
      lengthBefore = fits ? WriteAheadLog(plan.log).length : 0
      (self.claim, self.base, self.snapshot, self.plan, self.overlay) = (claim, base, snapshot, plan, overlay)
      (self.changed, self.deferred) = (changed, deferred)
    } catch {
      try? base.close()
      throw error
    }
  }

  private static func overlay(
    _ snapshot: DatabaseSnapshot, _ plan: PlanFile, _ path: String, _ cacheKiB: Int
  ) throws(StoreError) -> (Connection, ChangedRows, DeferredRows) {
    let log = plan.path
    let overlay = try snapshot.connection.mapped { () throws(SQLiteError) -> Connection in
      try Connection(overlay: snapshot, log: log)
    }
    do throws(StoreError) {
      overlay.name = path
      try overlay.apply(.plan(cacheKiB: cacheKiB))
      let changed = try overlay.mapped { () throws(SQLiteError) in try ChangedRows(overlay) }
      return (overlay, changed, try DeferredRows(overlay, changed, cacheKiB: cacheKiB))
    } catch {
      try? overlay.close()
      throw error
    }
  }

  // MARK: Planning

  /// Ends a batch.
  func commit() throws(StoreError) {
    do throws(StoreError) {
      try deferred.keep()
      try overlay.mapped { () throws(SQLiteError) in try changed.keep() }
      try overlay.execute("COMMIT", .bookkeeping)
      deferred.didCommit()
    } catch {
      changed.forgetKept()
      deferred.didRollBack()
      throw error
    }
  }

  /// The changes and statements that were made only for the plan's sake.
  ///
  /// A row that waits is a change as any other.
  var bookkeeping: (rows: Int, statements: Int) {
    (changed.kept.rows + deferred.kept.rows - deferred.counts.taken, changed.kept.statements + deferred.kept.statements)
  }

  /// Closes and leaves what was committed for a later process.
  func suspend() throws(StoreError) { try close() }

  /// Forgets what was planned, and leaves no trace.
  ///
  /// - Parameters:
  ///   - isWholeRun: Whether what an earlier process has planned goes too.
  ///   - removeFiles: Removes the files that the rows name, and their list, unless some of them stay.
  func rollBack(isWholeRun: Bool, removeFiles: () -> Void = {}) throws(StoreError) {
    let isKept = isAdopted && !isWholeRun
    // Nothing is left to roll back from the store; the files are ours alone while we have the claim.
    try closeConnections()
    defer { claim.giveBack() }
    if isKept { try FileSystem.truncateFile(plan.log, to: lengthBefore) } else { try plan.removePlan() }
    removeFiles()
  }

  // MARK: Reading

  /// The reader of a table's rows from the pages of the snapshot, and the root of the table's tree; `nil` when the run
  /// has changed the table, or when SQLite would read the pages differently.
  func tableScan(_ table: String, columns: [String]) throws(StoreError) -> (TableScan, UInt32)? {
    guard deferred.counts.waiting == 0, changed.rows(ofTable: table)?.count ?? 0 == 0,
      try base.text("PRAGMA encoding") == "UTF-8"
    else { return nil }
    let find = try base.prepare(
      "SELECT rootpage, upper(sql) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0")
    find.bind(1, text: table)
    guard try find.step(), let root = UInt32(exactly: find.integer(0)), !find.text(1).contains("WITHOUT")
    else { return nil }
    var places: [String: Int] = [:]
    let rows = try base.prepare("SELECT name, cid, type, pk, dflt_value, hidden FROM pragma_table_xinfo(?1)")
    rows.bind(1, text: table)
    while try rows.step() {
      // The number of a row is in its key; what a row lacks at its end is null only without a default.
      let isKey = rows.text(0) == "Z_PK"
      guard isKey == (rows.integer(3) == 1), !isKey || rows.text(2).uppercased() == "INTEGER", rows.isNull(4),
        rows.integer(5) == 0
      else { return nil }
      places[rows.text(0)] = Int(rows.integer(1))
    }
    let wanted = columns.compactMap { places[$0] }
    // Several threads may share the scan, and each page is as it was: one at a time is enough.
    let reading = Monitor(())
    guard wanted.count == columns.count, Set(wanted).count == wanted.count, places["Z_PK"] != nil,
      base.head(count: 21).map({ $0.count == 21 && $0[20] == 0 }) ?? false,
      let scan = TableScan(
        pageSize: snapshot.pageSize, pageCount: snapshot.pageCount, columns: wanted,
        pages: { [snapshot] first, buffer in reading.withLock { _ in snapshot.read(pagesFrom: first, into: buffer) } })
    else { return nil }
    return (scan, root)
  }

  /// Whether a row waits for the plan's end, and is not in the overlay.
  func waits(_ primaryKey: Int64, _ table: String) -> Bool { deferred.waits(primaryKey, table) }

  // MARK: Applying

  /// Writes what was planned into the store, in one transaction; the overlay must have no open one.
  ///
  /// - Parameters:
  ///   - computed: For each table, the columns that the store computes from other objects.
  ///   - last: Is called with the store when all rows are there, in the transaction.
  /// - Throws: ``StoreError`` with `changedMeanwhile` when another process has written since the snapshot was taken,
  ///   `refusedRows`, `busy` when other processes write all the time, `inputOutput`, `sqlite`. The store is as before,
  ///   and the plan stays.
  /// - Complexity: O(changed rows), in the order of their numbers.
  func apply(
    computed: [String: Set<String>], _ last: (Connection) throws(StoreError) -> Void
  ) throws(StoreError) {
    changed.stop()
    overlay.willUseFile = nil
    try requireInPlace()
    try takeWriteLock()
    do throws(StoreError) {
      let application = PlanApplication(
        from: overlay, to: base, isReadWhileWritten: !snapshot.hasLog, computed: computed)
      try application.run(changed.tables)
      try deferred.write(to: base)
      try last(base)
      try requireInPlace()
      try commitApplied()
    } catch {
      if !base.isAutocommit { try? base.execute("ROLLBACK") }
      throw error
    }
    isApplied = true
    // From here on the store has it all; a plan that stays is one for another state of the store.
    try? overlay.close()
    do throws(StoreError) { try plan.removePlan() } catch {
      leavesPlan = true
      // The next run is not to take it for one that was never applied.
      try? FileSystem.truncateFile(plan.log, to: 0)
    }
    Self.moveLog(base, patience)
  }

  /// Makes the transaction that holds the snapshot the writing one.
  ///
  /// With a rollback journal one that writes already cannot end as long as we hold the snapshot: half of the time is for it
  /// to give up, and then we do.
  private func takeWriteLock() throws(StoreError) {
    let end = SystemClock.monotonic + patience / 2
    while true {
      do throws(StoreError) {
        return try base.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION WHERE 0")
      } catch {
        guard error.code == .busy else { throw error }
        if snapshot.hasLog || SystemClock.monotonic >= end { return try takeWriteLockAnew() }
      }
      FileSystem.pause(seconds: 0.02)
    }
  }

  /// Gives up the transaction that holds the snapshot and begins the writing one.
  ///
  /// A checkpoint that starts the log anew waits for whoever reads it, while we would wait for the checkpoint; and when it
  /// is done, SQLite takes it for a commit. The index of the log tells whether it was one. With a rollback journal SQLite
  /// says so itself.
  private func takeWriteLockAnew() throws(StoreError) {
    let version = try base.integer("PRAGMA data_version")
    try base.execute("COMMIT")
    base.setBusyTimeout(milliseconds: Int32(patience * (snapshot.hasLog ? 1000 : 500)))
    defer { base.setBusyTimeout(milliseconds: Int32(patience * 1000)) }
    do throws(StoreError) { try base.execute("BEGIN IMMEDIATE") } catch {
      throw error.code == .busy ? isBusy() : error
    }
    let isCurrent = try snapshot.hasLog ? snapshot.isCurrent() : base.integer("PRAGMA data_version") == version
    guard !isCurrent else { return }
    try? base.execute("ROLLBACK")
    throw StoreError(
      .changedMeanwhile, path: path,
      message: "another program has written to the store since the run began; it contains nothing of the run")
  }

  /// Commits what was applied: with a rollback journal, when no other process reads.
  private func commitApplied() throws(StoreError) {
    do throws(StoreError) { try base.execute("COMMIT") } catch {
      throw error.code == .busy ? isBusy("is reading the store") : error
    }
  }

  private func isBusy(_ what: String = "is writing to the store") -> StoreError {
    StoreLock.error(
      store: path, holder: nil, waited: patience, doing: what,
      state: "; the run is planned, and the same command applies it")
  }

  /// Replaces the metadata of the store after the run was applied.
  func write(_ metadata: StoreMetadata) throws(StoreError) {
    try base.execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      try metadata.write(base)
      try base.execute("COMMIT")
    } catch {
      if !base.isAutocommit { try? base.execute("ROLLBACK") }
      throw error
    }
    Self.moveLog(base, patience)
  }

  /// Moves the log into the file, unless others need it; what stays in the log is as safe there.
  private static func moveLog(_ base: Connection, _ patience: Double) {
    base.setBusyTimeout(milliseconds: 0)
    try? base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.setBusyTimeout(milliseconds: Int32(patience * 1000))
  }

  /// Checks that the store still has its name: what is written to a file that was moved away is not where the user
  /// looks for it.
  private func requireInPlace() throws(StoreError) {
    guard let identity, FileID(path) != identity else { return }
    throw StoreError(
      .inputOutput, path: path,
      message: "the store was moved or replaced while the run was planned: nothing of it was written;"
        + " put the store back and start again")
  }

  // MARK: The end

  func close() throws(StoreError) {
    try closeConnections()
    claim.giveBack()
  }

  private func closeConnections() throws(StoreError) {
    changed.stop()
    overlay.willUseFile = nil
    if !overlay.isClosed {
      if !overlay.isAutocommit { try? overlay.execute("ROLLBACK") }
      try overlay.close()
    }
    // What others have committed into the log is theirs to move.
    let keepsLog = !isApplied && (snapshot.log.frames > 0 || sparesLog)
    if keepsLog { base.keepLogOnClose() }
    if !base.isAutocommit { try? base.execute("COMMIT") }
    try base.close()
    if keepsLog {
      LogFiles.sweep(path, keepsLog: true)
    } else if !FileSystem.exists(path) {
      // SQLite leaves alone what lies beside a file that was moved away.
      for suffix in ["-wal", "-shm"] { try? FileSystem.remove(path + suffix) }
    }
  }
}
