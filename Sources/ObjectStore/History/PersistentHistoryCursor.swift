import CSQLite
import ObjectModel
import SQLite

/// The history of a store, one transaction or one change at a time.
///
/// A cursor sees what was there when it was made. It holds one transaction, or one change, in memory. Changes come in
/// the order of their transactions' numbers, and in a transaction in the order in which they were written. It is
/// confined to the task of its store.
public final class PersistentHistoryCursor {
  private let reader: HistoryReader
  private let request: PersistentHistoryChangeRequest
  private let transactions: Statement
  private let changes: Statement?
  private var decoder: HistoryDecoder
  private var evaluator = PredicateEvaluator()
  /// How many transactions may still come.
  private var remaining: Int
  /// The number of the transaction of the change that was read ahead; `nil` when none was.
  private var aheadNumber: Int64?
  private var isAtEndOfChanges = false
  /// The transaction whose changes ``nextChange()`` gives.
  private var current: PersistentHistoryTransaction?
  /// Whether it counts against ``remaining`` already.
  private var isCurrentCounted = false
  private var isEnded = false

  init(_ request: PersistentHistoryChangeRequest, _ store: PersistentStore) throws(StoreError) {
    self.request = request
    let reader = try HistoryReader(store)
    self.reader = reader
    decoder = HistoryDecoder(reader)
    remaining = request.fetchLimit ?? Int.max
    let needsChanges =
      request.resultType != .transactionsOnly && request.resultType != .count || request.entityNames != nil
      || request.changedObjectID != nil
    var after: Int64 = 0
    var date: Double?
    switch request.place {
    case .start: break
    case .token(let token): after = try reader.position(after: token)
    case .date(let seconds):
      guard reader.layout.transactions.contains("ZTIMESTAMP") else {
        throw StoreError(
          .missingColumn, path: store.path, message: "persistent history does not say when transactions were written")
      }
      date = seconds
    }
    let condition = try Self.changeCondition(request, store)
    let columns = decoder.columns
    let statements = try storeErrors(store.path) { () throws(SQLiteError) in
      let last = try reader.bounds()?.upperBound ?? 0
      let time = reader.layout.transactions.contains("ZTIMESTAMP") ? "t.ZTIMESTAMP" : "NULL"
      let texts = HistoryTables.Origin.allCases.map(reader.column).joined(separator: ", ")
      let transactions = try store.connection.prepare(
        "SELECT t.Z_PK, \(time), \(texts) FROM ATRANSACTION AS t WHERE t.Z_PK > ?1 AND t.Z_PK <= ?2"
          + (date == nil ? "" : " AND t.ZTIMESTAMP > ?3") + " ORDER BY t.Z_PK")
      transactions.bind(1, after)
      transactions.bind(2, last)
      if let date { transactions.bind(3, date) }
      guard needsChanges else { return (transactions, Statement?.none) }
      let changes = try store.connection.prepare(
        "SELECT \(columns.joined(separator: ", ")) FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2"
          + condition + " ORDER BY ZTRANSACTIONID, Z_PK")
      changes.bind(1, after)
      changes.bind(2, last)
      return (transactions, changes)
    }
    transactions = statements.0
    changes = statements.1
  }

  /// The changes that are wanted, as SQL after other conditions; nothing but numbers gets into it.
  private static func changeCondition(
    _ request: PersistentHistoryChangeRequest, _ store: PersistentStore
  ) throws(StoreError) -> String {
    var condition = ""
    func numbers(_ entities: ClosedRange<Int>) -> [Int] {
      entities.map { store.schema.entityNumbers[$0] }.filter { $0 > 0 }
    }
    func list(_ numbers: [Int]) -> String { numbers.map { "\($0)" }.joined(separator: ", ") }
    if let names = request.entityNames {
      var wanted = Set<Int>()
      for name in names {
        guard let entity = store.model.entity(named: name) else {
          throw StoreError(.unsupported, path: store.path, message: "the model has no entity \(name)")
        }
        wanted.formUnion(numbers(entity.index...entity.lastDescendantIndex))
      }
      condition += " AND ZENTITY IN (\(list(wanted.sorted())))"
    }
    if let id = request.changedObjectID {
      guard id.storeUUID == store.identifier, store.model.entities.indices.contains(id.entity.rootIndex) else {
        throw StoreError(.unsupported, path: store.path, message: "\(id) is the ID of another store")
      }
      let root = store.model.entities[id.entity.rootIndex]
      condition += " AND ZENTITYPK = \(id.primaryKey)"
      condition += " AND ZENTITY IN (\(list(numbers(root.index...root.lastDescendantIndex))))"
    }
    return condition
  }

  // MARK: Transactions

  /// The next transaction, with its changes unless the request asks for transactions only; `nil` at the end.
  ///
  /// - Throws: ``StoreError``, also when the store was closed or the predicate cannot be evaluated.
  /// - Complexity: O(changes of the transaction), in memory too.
  public func next() throws(StoreError) -> PersistentHistoryTransaction? {
    current = nil
    let keepsChanges = request.resultType != .transactionsOnly && request.resultType != .count
    while var transaction = try nextMatch() {
      guard changes != nil else { return transaction }
      var list: [PersistentHistoryChange] = []
      var count = 0
      while try hasChange(of: transaction.transactionNumber) {
        if let change = takeChange() {
          count += 1
          if keepsChanges { list.append(change) }
        } else {
          transaction.unreadableChangeCount += 1
        }
      }
      if isFilteringChanges, count == 0 { continue }
      if keepsChanges { transaction.changes = list }
      remaining -= 1
      return transaction
    }
    return nil
  }

  /// The next change of the transactions that are wanted; `nil` at the end.
  ///
  /// Changes that cannot be read are passed over. The result type does not matter, except that requests for transactions or counts have no changes. What
  /// ``next()`` has returned is behind the cursor.
  ///
  /// - Throws: ``StoreError`` as ``next()``.
  public func nextChange() throws(StoreError) -> PersistentHistoryChange? {
    guard changes != nil else { return nil }
    while true {
      if current == nil {
        current = try nextMatch()
        isCurrentCounted = !isFilteringChanges
        if current != nil, isCurrentCounted { remaining -= 1 }
      }
      guard let transaction = current else { return nil }
      while try hasChange(of: transaction.transactionNumber) {
        guard let change = takeChange() else { continue }
        if !isCurrentCounted { remaining -= 1 }
        isCurrentCounted = true
        return change
      }
      current = nil
    }
  }

  private var isFilteringChanges: Bool { request.entityNames != nil || request.changedObjectID != nil }

  /// The next transaction for which the predicate holds.
  private func nextMatch() throws(StoreError) -> PersistentHistoryTransaction? {
    guard remaining > 0 else { return nil }
    while let transaction = try nextRow() {
      guard let predicate = request.predicate else { return counted(transaction) }
      do {
        if try evaluator.evaluate(predicate, with: .object(transaction)) { return counted(transaction) }
      } catch {
        throw StoreError(
          .unsupported, path: reader.store.path, message: "the predicate over transactions fails: \(error)")
      }
    }
    return nil
  }

  /// Counts a transaction that is given out as it is.
  private func counted(_ transaction: PersistentHistoryTransaction) -> PersistentHistoryTransaction {
    if changes == nil { remaining -= 1 }
    return transaction
  }

  private func nextRow() throws(StoreError) -> PersistentHistoryTransaction? {
    if isEnded { return nil }
    try requireOpen()
    return try storeErrors(reader.store.path) { () throws(SQLiteError) in
      let row = transactions
      guard try row.step() else {
        isEnded = true
        row.reset()
        return nil
      }
      let number = row.integer(0)
      let hasTime = row.type(1) == SQLITE_INTEGER || row.type(1) == SQLITE_FLOAT
      func text(_ origin: HistoryTables.Origin) -> String? {
        let column = Int32(2 + origin.rawValue)
        return row.type(column) == SQLITE_TEXT ? row.text(column) : nil
      }
      return PersistentHistoryTransaction(
        transactionNumber: number, storeID: reader.store.identifier, timestamp: hasTime ? row.double(1) : 0,
        author: text(.author), contextName: text(.contextName), bundleID: text(.bundleID), processID: text(.processID),
        token: PersistentHistoryToken(store: reader.store, number: number))
    }
  }

  // MARK: Changes

  /// Whether the next change belongs to a transaction; what belongs to earlier ones is passed over.
  private func hasChange(of number: Int64) throws(StoreError) -> Bool {
    guard let changes, !isAtEndOfChanges else { return false }
    try requireOpen()
    return try storeErrors(reader.store.path) { () throws(SQLiteError) in
      while true {
        if let ahead = aheadNumber, ahead >= number { return ahead == number }
        guard try changes.step() else {
          isAtEndOfChanges = true
          aheadNumber = nil
          changes.reset()
          return false
        }
        // What is no integer belongs to no transaction; it compares less than every number.
        aheadNumber = changes.type(1) == SQLITE_INTEGER ? changes.integer(1) : Int64.min
      }
    }
  }

  /// The change that ``hasChange(of:)`` has found; `nil` when it cannot be read.
  private func takeChange() -> PersistentHistoryChange? {
    aheadNumber = nil
    return changes.flatMap { decoder.change($0) }
  }

  private func requireOpen() throws(StoreError) {
    if reader.store.connection.isClosed {
      throw StoreError(
        .unsupported, path: reader.store.path, message: "the store was closed while its history was read")
    }
  }
}

@available(*, unavailable, message: "a cursor is confined to the task of its store")
extension PersistentHistoryCursor: Sendable {}
