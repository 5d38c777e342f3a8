import MergewalkObjectModel

/// The history of a store, one transaction or one change at a time.
///
/// A cursor sees the history as of its creation. It reads pages of some hundred rows and keeps one transaction, or one
/// page of changes, in memory; no statement is open between its calls, so stores can be written and closed in the
/// meantime. Changes come in the order of their transactions' numbers, and within a transaction in writing order. It is
/// confined to the task of its store.
public final class PersistentHistoryCursor {
  private let reader: HistoryReader
  private let request: PersistentHistoryChangeRequest
  private var transactions: HistoryTransactionPages
  private var changes: HistoryChangePages?
  private var evaluator = PredicateEvaluator()
  /// How many transactions may still come.
  private var remaining: Int
  /// The transaction whose changes ``nextChange()`` gives.
  private var current: PersistentHistoryTransaction?
  /// Whether it counts against ``remaining`` already.
  private var isCurrentCounted = false

  init(_ request: PersistentHistoryChangeRequest, _ store: PersistentStore) throws(StoreError) {
    let reader = try HistoryReader(store)
    self.reader = reader
    var numbered = request
    if let predicate = request.predicate { numbered.predicate = try reader.numbering(predicate) }
    self.request = numbered
    remaining = request.fetchLimit ?? Int.max
    var after: Int64 = 0
    var date: Double?
    switch request.place {
    case .start: break
    case .token(let token): after = try reader.position(after: token)
    case .date(let seconds):
      try reader.requireTimes()
      date = seconds
    }
    let condition = try Self.changeCondition(request, store)
    let last = try reader.bounds()?.upperBound ?? 0
    transactions = try HistoryTransactionPages(reader, after: after, through: last, date: date)
    let needsChanges =
      request.resultType != .transactionsOnly && request.resultType != .count || request.entityNames != nil
      || request.changedObjectID != nil
    changes = needsChanges ? try HistoryChangePages(reader, after: after, through: last, condition: condition) : nil
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

  /// The next transaction, with its changes unless the request is for transactions only; `nil` at the end.
  ///
  /// - Throws: ``StoreError``, also if the store was closed or the predicate cannot be evaluated.
  /// - Complexity: O(changes of the transaction), in memory too.
  public func next() throws(StoreError) -> PersistentHistoryTransaction? {
    try reader.requireOpen()
    current = nil
    let keepsChanges = request.resultType != .transactionsOnly && request.resultType != .count
    while var transaction = try nextMatch() {
      guard changes != nil else { return transaction }
      var list: [PersistentHistoryChange] = []
      var count = 0
      while let read = try changes?.next(of: transaction.transactionNumber) {
        if let change = read.change {
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

  /// The next change of the requested transactions; `nil` at the end.
  ///
  /// Unreadable changes are skipped. The result type does not matter, except that requests for transactions or counts
  /// have no changes. Transactions returned by ``next()`` are not repeated.
  ///
  /// - Throws: ``StoreError`` as ``next()``.
  public func nextChange() throws(StoreError) -> PersistentHistoryChange? {
    try reader.requireOpen()
    guard changes != nil else { return nil }
    while true {
      if current == nil {
        current = try nextMatch()
        isCurrentCounted = !isFilteringChanges
        if current != nil, isCurrentCounted { remaining -= 1 }
      }
      guard let transaction = current else { return nil }
      while let read = try changes?.next(of: transaction.transactionNumber) {
        guard let change = read.change else { continue }
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
    while let transaction = try transactions.next() {
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

  private func counted(_ transaction: PersistentHistoryTransaction) -> PersistentHistoryTransaction {
    if changes == nil { remaining -= 1 }
    return transaction
  }
}

@available(*, unavailable, message: "a cursor is confined to the task of its store")
extension PersistentHistoryCursor: Sendable {}
