import MergewalkObjectModel
import MergewalkSQLite

/// Writes one transaction of persistent history for every transaction of the object layer.
///
/// What is deleted is recorded before the rows go, with the values that the model keeps, by one statement for each
/// batch of rows that joins the table; everything else is recorded when the rows are written. Nothing is remembered
/// between transactions: numbers and texts are looked up in the store, so a transaction that is rolled back needs no
/// cleaning up.
package final class HistoryRecorder: StoreObserver {
  /// Which program writes.
  package var identity = HistoryIdentity.current
  /// The time, in seconds since 2001-01-01 00:00:00 UTC.
  package var clock: () -> Double = ExpressionFunction.currentTime
  /// The columns that there are.
  let layout: HistoryLayout

  private let path: String
  private let connection: Connection
  private let rows: HistoryRows
  private let statements: Statements
  private var pending: Pending?
  /// The transaction that was recorded last, until the next one begins.
  private var finished: Int64?
  /// The transaction of the last batch request, and the number of that.
  private var batch: (transaction: Int64, request: Int)?

  /// The transaction that is being written.
  private struct Pending {
    let number: Int64
    var nextChange: Int64
    /// Whether the deletions are recorded already.
    var hasDeletions: Bool
  }

  /// The statements that run once a transaction.
  private struct Statements {
    let insert: Statement
    let maximum: Statement
    let writeMaximum: Statement
    let insertMaximum: Statement
    let greatestChange: Statement
    let greatestTransaction: Statement
    let greatestString: Statement?
    let findString: Statement?
    let insertString: Statement?
  }

  private let dataVersion: Statement
  private var seenDataVersion: Int64 = 0

  private init(_ store: PersistentStore, _ layout: HistoryLayout) throws(StoreError) {
    self.layout = layout
    path = store.path
    connection = store.connection
    rows = try HistoryRows(store, layout)
    statements = try Self.prepare(connection, layout)
    dataVersion = try connection.prepare("PRAGMA data_version")
    dataVersion.use = .bookkeeping
    _ = try takeRemoteChange()
  }

  // MARK: Attaching

  /// Makes a store record its history, if it has the tables of it: one call after the store was opened.
  ///
  /// - Returns: Whether history is recorded from now on (or was already).
  /// - Throws: ``StoreError`` when the tables cannot be read.
  @discardableResult
  package static func adopt(store: PersistentStore) throws(StoreError) -> Bool {
    if recorder(of: store) != nil { return true }
    guard !store.isReadOnly, try store.connection.hasTable(HistoryTables.changes) else { return false }
    let layout = try HistoryLayout(store.connection)
    guard layout.missingColumn == nil else { return false }
    store.observers.append(try HistoryRecorder(store, layout))
    return true
  }

  /// Makes a store record its history, and makes the tables that are missing.
  ///
  /// - Throws: ``StoreError`` with `missingColumn` when a table by the name of one of history's is something else, with
  ///   `unsupported` when the store is read-only.
  @discardableResult
  package static func attach(to store: PersistentStore) throws(StoreError) -> HistoryRecorder {
    if let known = recorder(of: store) { return known }
    guard !store.isReadOnly else {
      throw StoreError(.unsupported, path: store.path, message: "a store that is only read cannot record its history")
    }
    try store.inTransaction { () throws(StoreError) in try makeTables(store) }
    let layout = try HistoryLayout(store.connection)
    guard layout.missingColumn == nil else {
      throw StoreError(
        .missingColumn, path: store.path,
        message: "a table of persistent history lacks a column that it must have; remove history's tables")
    }
    let recorder = try HistoryRecorder(store, layout)
    store.observers.append(recorder)
    return recorder
  }

  package static func recorder(of store: PersistentStore) -> HistoryRecorder? {
    store.observers.lazy.compactMap { $0 as? HistoryRecorder }.first
  }

  private static func makeTables(_ store: PersistentStore) throws(StoreError) {
    let found = try HistoryLayout(store.connection)
    let tombstones = EntityHistory.tombstoneCount(in: store.model)
    // A store of an old system has no table of strings, and no columns that would refer to it.
    let isOld = !found.transactions.isEmpty && found.strings.isEmpty
    var tables: [(name: String, number: Int64)] = []
    if found.changes.isEmpty { tables.append((HistoryTables.changes, HistoryTables.Number.change)) }
    if found.transactions.isEmpty { tables.append((HistoryTables.transactions, HistoryTables.Number.transaction)) }
    if found.strings.isEmpty, !isOld { tables.append((HistoryTables.strings, HistoryTables.Number.string)) }
    for (name, number) in tables {
      for statement in HistoryTables.createStatements(table: name, tombstones: tombstones) {
        try store.connection.execute(statement)
      }
      try store.connection.execute(
        "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
          + "VALUES (\(number), '\(name.dropFirst())', 0, 0)")
    }
  }

  private static func prepare(
    _ connection: Connection, _ layout: HistoryLayout
  ) throws(StoreError) -> Statements {
    let origins = HistoryTables.Origin.allCases.map { layout.isInterned($0) ? $0.numberColumn : $0.textColumn }
    // Parameters keep their places whichever columns there are: number, entity, time, origins.
    let columns = ["Z_PK", "Z_ENT", "ZTIMESTAMP"] + origins
    let known = columns.indices.filter { layout.transactions.contains(columns[$0]) }
    let names = known.map { columns[$0] }.joined(separator: ", ")
    let values = known.map { "?\($0 + 1)" }.joined(separator: ", ")
    let greatest = { (table: String) in "SELECT ifnull(max(Z_PK), 0) FROM \(table)" }
    let hasStrings = HistoryTables.Origin.allCases.contains(where: layout.isInterned)
    let stringColumns =
      layout.strings.contains("Z_ENT") ? ("Z_PK, ZNAME, Z_ENT", "?1, ?2, ?3") : ("Z_PK, ZNAME", "?1, ?2")
    // None of them looks at a row of the model's entities, so that those may wait (``DeferredRows``).
    func prepare(_ sql: String) throws(StoreError) -> Statement {
      let statement = try connection.prepare(sql)
      statement.use = .bookkeeping
      return statement
    }
    return Statements(
      insert: try prepare("INSERT INTO ATRANSACTION (\(names)) VALUES (\(values))"),
      maximum: try prepare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?"),
      writeMaximum: try prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?"),
      insertMaximum: try prepare("INSERT INTO Z_PRIMARYKEY (Z_MAX, Z_ENT, Z_NAME, Z_SUPER) VALUES (?, ?, ?, 0)"),
      greatestChange: try prepare(greatest(HistoryTables.changes)),
      greatestTransaction: try prepare(greatest(HistoryTables.transactions)),
      greatestString: hasStrings ? try prepare(greatest(HistoryTables.strings)) : nil,
      findString: hasStrings ? try prepare("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?") : nil,
      insertString: hasStrings
        ? try prepare("INSERT INTO ATRANSACTIONSTRING (\(stringColumns.0)) VALUES (\(stringColumns.1))") : nil)
  }

  // MARK: Others

  /// Whether another connection has written the store since this was asked last.
  func takeRemoteChange() throws(StoreError) -> Bool {
    defer { dataVersion.reset() }
    let version = try dataVersion.step() ? dataVersion.integer(0) : 0
    defer { seenDataVersion = version }
    return version != seenDataVersion
  }

  // MARK: Observing

  package func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    finished = nil
    guard !changes.isEmpty else { return }
    if let unfinished = pending {
      // The caller tries again within the same transaction.
      pending = nil
      try discard(unfinished.number)
    }
    try begin(changes, store)
    try record(changes, deletions: true)
    pending?.hasDeletions = true
  }

  package func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError) {
    guard !changes.isEmpty else { return }
    if pending == nil { try begin(changes, store) }
    if pending?.hasDeletions == false { try record(changes, deletions: true) }
    try record(changes, deletions: false)
    guard let finished = pending else { return }
    pending = nil
    self.finished = finished.number
    batch = store.isInBatchRequest ? (finished.number, store.batchRequestNumber) : nil
    try writeMaximum(finished.nextChange - 1, HistoryTables.Number.change, "CHANGE")
    try writeMaximum(finished.number, HistoryTables.Number.transaction, "TRANSACTION")
  }

  package func didRollBack(_ store: PersistentStore) {
    // Within another owner's transaction the rows were not rolled back.
    if let number = pending?.number ?? finished, !connection.isAutocommit { try? discard(number) }
    pending = nil
    finished = nil
    batch = nil
  }

  // MARK: Steps

  private func begin(_ changes: StoreChanges, _ store: PersistentStore) throws(StoreError) {
    let change = try next(HistoryTables.Number.change, statements.greatestChange, count: changes.changes.count)
    if store.isInBatchRequest, let batch, batch.request == store.batchRequestNumber {
      // A batch request is one transaction, in however many pieces it writes.
      pending = Pending(number: batch.transaction, nextChange: change, hasDeletions: false)
      return
    }
    let number = try next(HistoryTables.Number.transaction, statements.greatestTransaction, count: 1)
    let insert = statements.insert
    insert.bind(1, number)
    if insert.parameterCount > 1 { insert.bind(2, HistoryTables.Number.transaction) }
    if insert.parameterCount > 2 { insert.bind(3, clock()) }
    let texts = [changes.author, identity.bundleID, changes.contextName, identity.processID]
    for origin in HistoryTables.Origin.allCases {
      let parameter = Int32(4 + origin.rawValue)
      guard insert.parameterCount >= parameter else { continue }
      guard let text = texts[origin.rawValue], !text.isEmpty else {
        insert.bindNull(parameter)
        continue
      }
      if layout.isInterned(origin) {
        insert.bind(parameter, try intern(text))
      } else {
        insert.bind(parameter, text: text)
      }
    }
    try insert.run()
    pending = Pending(number: number, nextChange: change, hasDeletions: false)
  }

  private func record(_ changes: StoreChanges, deletions: Bool) throws(StoreError) {
    guard let transaction = pending else { return }
    pending?.nextChange = try rows.insert(
      changes, deletions: deletions, transaction: transaction.number, first: transaction.nextChange)
  }

  private func discard(_ number: Int64) throws(StoreError) {
    try connection.execute(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = \(number); DELETE FROM ATRANSACTION WHERE Z_PK = \(number)")
  }

  /// The number of a text, which gets one when it has none.
  private func intern(_ text: String) throws(StoreError) -> Int64 {
    guard let find = statements.findString, let insert = statements.insertString,
      let greatest = statements.greatestString
    else { return 0 }
    find.bind(1, text: text)
    defer { find.reset() }
    if try find.step() { return find.integer(0) }
    let number = try next(HistoryTables.Number.string, greatest, count: 1)
    insert.bind(1, number)
    insert.bind(2, text: text)
    if insert.parameterCount > 2 { insert.bind(3, HistoryTables.Number.string) }
    try insert.run()
    try writeMaximum(number, HistoryTables.Number.string, "TRANSACTIONSTRING")
    return number
  }

  /// The first of the next numbers of a table.
  private func next(_ entity: Int64, _ greatest: Statement, count: Int) throws(StoreError) -> Int64 {
    let said = statements.maximum
    said.bind(1, entity)
    defer {
      said.reset()
      greatest.reset()
    }
    var used = try said.step() ? max(said.integer(0), 0) : 0
    if try greatest.step() { used = max(used, greatest.integer(0)) }
    // Leaves room for the numbers themselves and for the one that comes after.
    guard used < Int64.max - Int64(count) - 1 else {
      throw StoreError(
        .damagedMetadata, path: path, message: "persistent history has no numbers left after \(used) (Z_ENT \(entity))")
    }
    return used + 1
  }

  private func writeMaximum(_ maximum: Int64, _ entity: Int64, _ name: String) throws(StoreError) {
    statements.writeMaximum.bind(1, maximum)
    statements.writeMaximum.bind(2, entity)
    try statements.writeMaximum.run()
    guard connection.changes == 0 else { return }
    statements.insertMaximum.bind(1, maximum)
    statements.insertMaximum.bind(2, entity)
    statements.insertMaximum.bind(3, text: name)
    try statements.insertMaximum.run()
  }
}
