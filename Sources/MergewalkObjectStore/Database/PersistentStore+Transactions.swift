package import MergewalkObjectModel
import MergewalkSQLite

/// Transactions and statements, for those who know a store and not its database.
extension PersistentStore {
  package var isOpen: Bool { !connection.isClosed }
  package var isInTransaction: Bool { file.isInBatch }

  /// Runs `body` in a transaction of its own, or in the one that is open.
  ///
  /// The sequences of primary keys are read again first, so that what others have taken is not taken twice. When anything
  /// fails, the transaction and the sequences are as before.
  ///
  /// - Parameters:
  ///   - wrap: Makes the caller's error of the store's.
  ///   - excludesReaders: Whether those who read a store with a rollback journal are waited for now and not at the end.
  package func inTransaction<Value, Failure>(
    _ wrap: (StoreError) -> Failure, excludesReaders: Bool = false, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if isInTransaction { return try body() }
    func perform(_ work: () throws(StoreError) -> Void) throws(Failure) {
      do throws(StoreError) { try work() } catch { throw wrap(error) }
    }
    if type == .sqlite { JointJournal.complete(path) }
    let sequences = sequences
    do throws(Failure) {
      try perform { () throws(StoreError) in
        try connection.execute(excludesReaders ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
        try refreshMaxima()
      }
      let value = try body()
      try perform { () throws(StoreError) in try connection.execute("COMMIT") }
      return value
    } catch {
      // What failed is what the caller wants to hear of; SQLite rolls back by itself when even this fails.
      if isInTransaction { try? connection.execute("ROLLBACK") }
      self.sequences = sequences
      throw error
    }
  }

  /// The same for work that has no errors of its own.
  package func inTransaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try inTransaction({ $0 }, body)
  }

  /// Begins a part of the transaction that can be rolled back by itself.
  package func beginPart() throws(StoreError) {
    // What waits knows no parts.
    try file.deferRows(of: [])
    try connection.execute("SAVEPOINT part")
    file.externalFiles.beginPiece()
  }
  /// Keeps what was done since ``beginPart()``.
  package func keepPart() throws(StoreError) {
    try connection.execute("RELEASE part")
    file.externalFiles.endPiece(isKept: true)
  }
  /// Rolls back what was done since ``beginPart()``.
  package func takeBackPart() throws(StoreError) {
    try connection.execute("ROLLBACK TO part; RELEASE part")
    file.externalFiles.endPiece(isKept: false)
  }

  /// Begins a piece of the transaction with parts of its own, which can be rolled back by itself.
  package func beginAttempt() throws(StoreError) {
    try file.begin()
    try file.deferRows(of: [])
    try connection.execute("SAVEPOINT attempt")
    file.externalFiles.beginPiece()
  }
  /// Keeps what was done since ``beginAttempt()``.
  package func keepAttempt() throws(StoreError) {
    try connection.execute("RELEASE attempt")
    file.externalFiles.endPiece(isKept: true)
  }
  /// Rolls back what was done since ``beginAttempt()``, indexes that were built in a new store included.
  package func takeBackAttempt() throws(StoreError) {
    try connection.execute("ROLLBACK TO attempt; RELEASE attempt")
    file.externalFiles.endPiece(isKept: false)
    if file.isNew { try file.findPendingIndexes() }
  }

  /// Makes room for what a deletion reaches (``BatchDeletePlan``).
  package func prepareDeletion() throws(StoreError) { try connection.execute(BatchDeletePlan.create) }

  /// Refuses a deletion after which objects, or references to them, are still there, as a trigger wants that.
  ///
  /// - Parameter deleted: How many rows were deleted.
  package func checkDeletion(_ plan: BatchDeletePlan, deleted: Int) throws(StoreError) {
    if !plan.leftovers.isEmpty {
      let guarded = try schema.tablesGuardedByOthers(connection)
      for (table, sql) in plan.leftovers where guarded.contains(table.uppercased()) {
        guard try connection.integer(sql) ?? 0 == 0 else { throw .leftOut(table, connection) }
      }
    }
    // Some that were to go may not have been there.
    guard try connection.integer("SELECT count(*) FROM \(BatchDeletePlan.doomed)") ?? 0 > deleted else { return }
    for root in plan.deletions.map(\.root) {
      let table = schema.table(forRoot: root).name
      let left = try connection.integer(
        "SELECT count(*) FROM \(BatchDeletePlan.doomed) d JOIN \(table) t ON t.Z_PK = d.k WHERE d.r = \(root)")
      guard left ?? 0 == 0 else { throw .leftOut(table, connection) }
    }
  }

  /// Whether rows of a hierarchy may be left out without a word, as something wants that which others have added to the file.
  package func mayLeaveOut(rowsOf root: RootIndex) throws(StoreError) -> Bool {
    try schema.tablesGuardedByOthers(connection).contains(schema.table(forRoot: root).name.uppercased())
  }

  /// Refuses an update that has left rows out.
  package func checkUpdate(of root: RootIndex, _ wanted: Int, _ changed: Int) throws(StoreError) {
    if changed < wanted { throw .leftOut(schema.table(forRoot: root).name, connection) }
  }

  /// A number that moves when another connection has written the file.
  package func dataVersion() throws(StoreError) -> Int64? { try connection.integer("PRAGMA data_version") }

  /// Runs `body`, whose statements end with ``DatabaseFailure/Kind/interrupted`` soon after `shouldStop` says so.
  package func interruptible<Value, Failure>(
    _ shouldStop: () -> Bool, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try connection.interruptible(shouldStop, body)
  }

  /// Compiles a statement of one's own.
  package func rows(_ sql: String) throws(StoreError) -> DatabaseRows { DatabaseRows(try connection.prepare(sql)) }

  /// Ends statements from now on with ``DatabaseFailure/Kind/interrupted``, soon after `shouldStop` says so.
  package func interruptStatements(when shouldStop: @escaping () -> Bool) {
    connection.interruptStatements(when: shouldStop)
  }

  /// Takes the state of the first read for all that is read until ``thaw()``, or until the store is closed.
  package func freeze() throws(StoreError) { try connection.execute("BEGIN") }

  /// Reads what is committed again.
  package func thaw() throws(StoreError) { if !connection.isAutocommit { try connection.execute("COMMIT") } }

  /// Whether other connections can read the store while this one writes it.
  package var hasParallelReaders: Bool {
    guard type == .sqlite, isOpen else { return false }
    return isReadOnly || (try? connection.text("PRAGMA journal_mode")) == "wal"
  }

  /// SQLite's plan for a statement, one line a step.
  package func queryPlan(_ sql: String) throws(StoreError) -> [String] {
    let plan = try rows("EXPLAIN QUERY PLAN " + sql)
    var lines: [String] = []
    while try plan.step() { lines.append(plan.text(3)) }
    return lines
  }
}

extension StoreFile {
  /// Runs `body`, whose statements end with ``DatabaseFailure/Kind/interrupted`` soon after `shouldStop` says so.
  package func interruptible<Value, Failure>(
    _ shouldStop: () -> Bool, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try connection.interruptible(shouldStop, body)
  }

  package var statementsExecuted: Int { connection.statementsExecuted - bookkeeping.statements }
  /// How many rows were changed since the file was opened.
  package var totalChanges: Int { connection.totalChanges - bookkeeping.rows }
  /// Whether a batch has begun.
  package var isInBatch: Bool { !connection.isAutocommit || direct != nil }

  /// Sets SQLite's page cache.
  package func setCache(kiB: Int) throws(StoreError) { try connection.execute("PRAGMA cache_size=-\(kiB)") }

  /// Lets a store that is being built roll back rows that are refused, for which the connection needs a journal.
  ///
  /// The file is private, so the journal can stay in memory; pages that the run adds are not journalled.
  package func keepJournalInMemory() throws(StoreError) {
    try connection.execute("COMMIT")
    try connection.execute("PRAGMA journal_mode=MEMORY")
    try begin()
  }
}
