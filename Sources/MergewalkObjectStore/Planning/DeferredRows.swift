import CMergewalkSQLite
import MergewalkSQLite

/// New and changed rows of a planned run that are not written into the overlay: they wait, sorted by their numbers,
/// until the plan is applied.
///
/// For the next developer:
/// - A run that commits often changes the same pages again and again. Waiting rows change each page of the store only
///   once.
/// - Callers need not know: before a statement that may read or write any row, all waiting rows are written into the
///   overlay (``writeOut()``), in order, and are an ordinary part of the plan from then on. Statements that declare
///   that they touch no such row (``Connection/Use``), and fetches of rows that do not wait, continue without it.
/// - Waiting rows are committed with their batch, as bytes in a table of the overlay. A process that resumes the run
///   begins by writing them out.
/// - A row waits at most once. New rows are not checked against unique indexes before the plan is applied: only tables
///   without unique indexes besides that of the key may wait (``StoreFile/deferRows(of:)``).
final class DeferredRows {
  static let table = "mergewalk_deferred_rows"

  private let overlay: Connection
  private let changed: ChangedRows
  private var tables: Set<String> = []
  /// The rows that wait, by table.
  private var waiting: [String: RowBits] = [:]
  /// Those of the open batch.
  private var batches: [DeferredShape: DeferredBatch] = [:]
  private var batchKeys: [(rows: RowBits, key: Int64)] = []
  /// The rows that waited before the open batch wrote all of them out.
  private var former: [String: RowBits]?
  private var isWriting = false
  private let cacheKiB: Int
  private var hasSmallCache = false
  /// The rows that were taken so far, and those of them that were not written out.
  private(set) var counts = (taken: 0, waiting: 0)
  /// How many rows of ``table`` were written and deleted, and by how many statements.
  private(set) var kept = (rows: 0, statements: 0)

  /// - Parameter cacheKiB: The page cache of the overlay.
  /// - Throws: ``StoreError``: `refusedRows` when what an earlier process has kept cannot be written.
  init(_ overlay: Connection, _ changed: ChangedRows, cacheKiB: Int) throws(StoreError) {
    self.overlay = overlay
    self.changed = changed
    self.cacheKiB = cacheKiB
    if try overlay.hasTable(Self.table) {
      try overlay.execute("BEGIN IMMEDIATE")
      try write(to: overlay)
      try overlay.execute("DELETE FROM \(Self.table)")
      try overlay.mapped { () throws(SQLiteError) in try changed.keep() }
      try overlay.execute("COMMIT")
    }
    overlay.willUseFile = { [weak self] use throws(SQLiteError) in
      guard use == .rows, let self, counts.waiting > 0, !isWriting else { return }
      do throws(StoreError) { try writeOut() } catch {
        throw SQLiteError(code: error.cause?.code ?? SQLITE_IOERR, message: error.message)
      }
    }
  }

  // MARK: Taking rows

  /// Lets rows of these tables wait from now on; those of others that do are written out.
  func take(_ tables: Set<String>) throws(StoreError) {
    if !self.tables.isSubset(of: tables), counts.waiting > 0 { try writeOut() }
    self.tables = tables
  }

  /// Gives memory back for as long as pages are only read, and few of them twice.
  ///
  /// - Parameter isWanted: Whether that is so; in any case it ends when rows have to be written out.
  func setSmallCache(_ isWanted: Bool) throws(StoreError) {
    guard isWanted != hasSmallCache else { return }
    hasSmallCache = isWanted
    try overlay.execute("PRAGMA cache_size=-\(isWanted ? min(cacheKiB, Self.smallCacheKiB) : cacheKiB)", .bookkeeping)
  }

  private static let smallCacheKiB = 2048

  func takes(_ table: String) -> Bool { tables.contains(table) }

  /// Takes rows.
  ///
  /// - Parameter columns: Where the values of the shape's columns come from.
  /// - Returns: Whether they were taken; if not, none was, and SQLite may be asked to write them.
  func take(
    _ shape: DeferredShape, _ primaryKeys: UnsafePointer<Int64>, rows: UnsafeBufferPointer<Int32>,
    columns: [CellSource.Column], arena: UnsafeRawPointer
  ) throws(StoreError) -> Bool {
    let waiting = rowsWaiting(in: shape.table)
    let written = changed.rows(ofTable: shape.table)
    for row in rows {
      let key = primaryKeys[Int(row)]
      if waiting.contains(key) || written?.contains(key) == true { return false }
    }
    var batch = batch(shape)
    for row in rows {
      let key = primaryKeys[Int(row)]
      waiting.insert(key)
      batchKeys.append((waiting, key))
      batch.append(key, row: Int(row), columns, arena)
      if batch.bytes.count > Self.mostBytes {
        try keep()
        batch = self.batch(shape)
      }
    }
    counts.taken += rows.count
    counts.waiting += rows.count
    return true
  }

  /// The bytes of a batch from which on it is kept in pieces: SQLite's values have an end.
  private static let mostBytes = 64 << 20

  private func batch(_ shape: DeferredShape) -> DeferredBatch {
    if let known = batches[shape] { return known }
    let batch = DeferredBatch()
    batches[shape] = batch
    return batch
  }

  private func rowsWaiting(in table: String) -> RowBits {
    if let known = waiting[table] { return known }
    let rows = RowBits()
    waiting[table] = rows
    return rows
  }

  /// Whether a row waits.
  func waits(_ primaryKey: Int64, _ table: String) -> Bool {
    counts.waiting > 0 && waiting[table]?.contains(primaryKey) == true
  }

  /// Ensures that rows can be read from the overlay.
  func willRead(_ table: String, _ primaryKeys: UnsafeBufferPointer<Int64>) throws(StoreError) {
    guard counts.waiting > 0, let rows = waiting[table], primaryKeys.contains(where: rows.contains) else { return }
    try writeOut()
  }

  /// Writes everything that waits into the overlay.
  private func writeOut() throws(StoreError) {
    isWriting = true
    defer { isWriting = false }
    let isAlone = overlay.isAutocommit
    if isAlone { try overlay.execute("BEGIN IMMEDIATE") }
    do throws(StoreError) {
      try setSmallCache(false)
      try keep()
      try write(to: overlay)
      try overlay.execute("DELETE FROM \(Self.table)")
      kept.rows += overlay.changes
      if former == nil { former = waiting }
      waiting = [:]
      counts.waiting = 0
      guard isAlone else { return }
      try overlay.mapped { () throws(SQLiteError) in try changed.keep() }
      try overlay.execute("COMMIT")
      didCommit()
    } catch {
      if isAlone, !overlay.isAutocommit {
        try? overlay.execute("ROLLBACK")
        changed.forgetKept()
        didRollBack()
      }
      throw error
    }
  }

  // MARK: Batches

  /// Writes what is new into its table, as part of the open transaction; belongs right before its end.
  func keep() throws(StoreError) {
    guard !batches.isEmpty else { return }
    let before = overlay.statementsExecuted
    try overlay.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.table)(id INTEGER PRIMARY KEY, name TEXT, columns TEXT, isNew INTEGER, rows BLOB)",
      .bookkeeping)
    let insert = try overlay.prepare("INSERT INTO \(Self.table)(name, columns, isNew, rows) VALUES(?1, ?2, ?3, ?4)")
    insert.use = .bookkeeping
    for (shape, batch) in batches.sorted(by: { $0.key < $1.key }) {
      batch.sort()
      insert.bind(1, text: shape.table)
      insert.bind(2, text: shape.columnList)
      insert.bind(3, Int64(shape.isNew ? 1 : 0))
      insert.bind(4, blob: batch.bytes)
      try insert.run()
      kept.rows += 1
    }
    batches = [:]
    kept.statements += overlay.statementsExecuted - before
  }

  /// Belongs behind each commit.
  func didCommit() {
    batchKeys.removeAll(keepingCapacity: true)
    former = nil
  }

  /// Belongs behind each rollback of the overlay, also of a commit that failed.
  func didRollBack() {
    if let former { waiting = former }
    for (rows, key) in batchKeys { rows.remove(key) }
    batches = [:]
    didCommit()
    counts.waiting = waiting.values.reduce(0) { $0 + $1.count }
  }

  // MARK: Writing

  /// Writes all rows that are kept into a database, in the order of their numbers.
  ///
  /// - Throws: ``StoreError``: `refusedRows` when a row is refused, or has changed since it was read.
  /// - Complexity: O(rows log batches); memory for a piece of each batch.
  func write(to target: Connection) throws(StoreError) {
    guard try overlay.hasTable(Self.table) else { return }
    var runs: [(table: String, run: DeferredRun)] = []
    let list = try overlay.prepare("SELECT id, name, columns, isNew FROM \(Self.table) ORDER BY name, id")
    list.use = .bookkeeping
    while try list.step() {
      let shape = DeferredShape(table: list.text(1), columnList: list.text(2), isNew: list.integer(3) == 1)
      runs.append((shape.table, try DeferredRun(overlay, id: list.integer(0), shape)))
    }
    var statements: [DeferredShape: Statement] = [:]
    for table in Set(runs.map(\.table)).sorted() {
      var begun: [DeferredRun] = []
      for (name, run) in runs where name == table { if try run.next() { begun.append(run) } }
      var merge = DeferredMerge(begun)
      while let run = merge.first {
        let statement: Statement
        if let known = statements[run.shape] {
          statement = known
        } else {
          statement = try target.prepare(run.shape.sql)
          statements[run.shape] = statement
        }
        try run.bind(to: statement)
        do throws(StoreError) { try statement.run() } catch {
          guard error.cause?.kind.isConstraint ?? false else { throw error }
          throw Self.refusal(target, "row \(run.key) of \(table): \(error.message)", error.cause)
        }
        guard run.shape.isNew || target.changes == 1 else {
          throw Self.refusal(target, "row \(run.key) of \(table) has changed since it was read", nil)
        }
        try merge.advance()
      }
    }
  }

  private static func refusal(_ target: Connection, _ what: String, _ cause: DatabaseFailure?) -> StoreError {
    StoreError(
      .refusedRows, path: target.name,
      message: "\(what); rows that wait until the end of the run cannot be written; run again with direct: never",
      cause: cause)
  }
}
