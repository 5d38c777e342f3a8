import MergewalkObjectModel
import MergewalkSQLite

extension PersistentStore {
  /// Whether every transaction of the object layer is recorded in the store's history.
  public var isTrackingHistory: Bool { HistoryRecorder.recorder(of: self) != nil }

  /// The program recorded for new transactions; without effect if the store has no history.
  public var historyIdentity: HistoryIdentity {
    get { HistoryRecorder.recorder(of: self)?.identity ?? .current }
    set { HistoryRecorder.recorder(of: self)?.identity = newValue }
  }

  /// The end of the store's history: a reader that starts here gets later transactions.
  ///
  /// - Throws: ``StoreError`` with `noHistory` if the store has no history.
  public func currentHistoryToken() throws(StoreError) -> PersistentHistoryToken {
    PersistentHistoryToken(store: self, number: try HistoryReader(self).latestNumber())
  }

  /// Whether another process or coordinator has written the store since the last call, or since the store was opened.
  ///
  /// The new transactions are in the history after the last token that was read. This replaces Core Data's notification
  /// of a remote change with a query.
  ///
  /// - Returns: The end of the history, or `nil` if there were no writes, or if the store has no history.
  /// - Throws: ``StoreError`` if the store cannot be read.
  /// - Complexity: One statement that reads no table if there were no writes.
  public func remoteChange() throws(StoreError) -> PersistentHistoryToken? {
    guard !connection.isClosed, let recorder = HistoryRecorder.recorder(of: self) else { return nil }
    let hasChanged = try recorder.takeRemoteChange()
    return hasChanged ? try currentHistoryToken() : nil
  }

  /// Reads history step by step.
  ///
  /// - Throws: ``StoreError`` with `noHistory`, `foreignHistoryToken`, `expiredHistoryToken`, `missingColumn`; with
  ///   `unsupported` for a request that deletes, or that names entities or records that the store does not have.
  public func history(_ request: PersistentHistoryChangeRequest) throws(StoreError) -> PersistentHistoryCursor {
    guard request.action == .fetch else {
      throw StoreError(
        .unsupported, path: path, message: "a request that deletes history has nothing to read; execute it")
    }
    return try PersistentHistoryCursor(request, self)
  }

  /// Reads history at once, or deletes it.
  ///
  /// Texts of deleted transactions stay in the store, as they do in Core Data.
  ///
  /// - Throws: ``StoreError`` as ``history(_:)``; with `unsupported` for a deletion in a read-only store.
  /// - Complexity: O(result) in memory; ``history(_:)`` takes less.
  public func execute(_ request: PersistentHistoryChangeRequest) throws(StoreError) -> PersistentHistoryResult {
    if request.action == .delete { return try deleteHistory(request) }
    let cursor = try PersistentHistoryCursor(request, self)
    switch request.resultType {
    case .statusOnly: return .status
    case .objectIDs:
      var seen = Set<ManagedObjectID>()
      var ids: [ManagedObjectID] = []
      while let change = try cursor.nextChange() {
        if seen.insert(change.changedObjectID).inserted { ids.append(change.changedObjectID) }
      }
      return .objectIDs(ids)
    case .count:
      var count = 0
      while try cursor.next() != nil { count += 1 }
      return .count(count)
    case .changesOnly:
      var changes: [PersistentHistoryChange] = []
      while let change = try cursor.nextChange() { changes.append(change) }
      return .changes(changes)
    case .transactionsOnly, .transactionsAndChanges:
      var transactions: [PersistentHistoryTransaction] = []
      while let transaction = try cursor.next() { transactions.append(transaction) }
      return .transactions(transactions)
    }
  }

  private func deleteHistory(_ request: PersistentHistoryChangeRequest) throws(StoreError) -> PersistentHistoryResult {
    let reader = try HistoryReader(self)
    guard !isReadOnly else {
      throw StoreError(.unsupported, path: path, message: "a store that is only read cannot forget its history")
    }
    let conditions: (changes: String, transactions: String)
    let bind: (Statement) -> Void
    switch request.place {
    case .start: return request.resultType == .count ? .count(0) : .status
    case .token(let token):
      let number = try reader.number(of: token)
      conditions = ("ZTRANSACTIONID < ?", "Z_PK < ?")
      bind = { $0.bind(1, number) }
    case .date(let seconds):
      try reader.requireTimes()
      conditions = (
        "ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP < ?)", "ZTIMESTAMP < ?"
      )
      bind = { $0.bind(1, seconds) }
    }
    let deleted = try inTransaction { () throws(StoreError) in
      let changes = try connection.prepare("DELETE FROM ACHANGE WHERE \(conditions.changes)")
      let transactions = try connection.prepare("DELETE FROM ATRANSACTION WHERE \(conditions.transactions)")
      bind(changes)
      bind(transactions)
      try changes.run()
      try transactions.run()
      return connection.changes
    }
    return request.resultType == .count ? .count(deleted) : .status
  }
}

extension PersistentStoreCoordinator {
  /// The end of the histories of stores that have one, or `nil` if none has.
  ///
  /// - Parameter wanted: The stores; `nil` for all.
  /// - Throws: ``StoreError`` if a store's history cannot be read.
  public func currentHistoryToken(of wanted: [PersistentStore]? = nil) throws(StoreError) -> PersistentHistoryToken? {
    var tokens: [PersistentHistoryToken] = []
    for store in wanted ?? stores {
      do {
        tokens.append(try store.currentHistoryToken())
      } catch {
        if error.code != .noHistory { throw error }
      }
    }
    return tokens.isEmpty ? nil : PersistentHistoryToken(tokens)
  }
}
