public import MergewalkObjectModel

/// A request for a store's history: a plain value.
///
/// Source: Apple,
/// [NSPersistentHistoryChangeRequest](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest).
public struct PersistentHistoryChangeRequest: Sendable, Hashable {
  /// Whether to read or delete history.
  public enum Action: Sendable, Hashable {
    /// Transactions after a position are read.
    case fetch
    /// Transactions before a position are deleted.
    case delete
  }
  /// A position in history.
  public enum Place: Sendable, Hashable {
    /// Before the first transaction.
    case start
    /// A token: after its transaction when reading, before it when deleting.
    case token(PersistentHistoryToken)
    /// Seconds since 2001-01-01 00:00:00 UTC: later transactions are read, earlier ones are deleted.
    case date(Double)
  }
  /// The kind of result of a request.
  public enum ResultType: String, Sendable, Hashable, CaseIterable {
    /// The success of the request.
    case statusOnly
    /// The IDs of the changed records, each once, in the order of their first change.
    case objectIDs
    /// The number of transactions found or deleted.
    case count
    /// The transactions without their changes.
    case transactionsOnly
    /// The changes of all transactions.
    case changesOnly
    /// The transactions with their changes.
    case transactionsAndChanges
  }

  /// Whether to read or delete history.
  public let action: Action
  /// The position.
  public let place: Place
  /// The kind of result; a deletion returns the count or the status.
  public var resultType: ResultType
  /// The condition on the transactions to read; deletions ignore it.
  ///
  /// A predicate over `author`, `contextName`, `bundleID`, `processID`, `storeID`, `timestamp`, `token` and
  /// `transactionNumber`, evaluated in memory, one transaction at a time. Tokens are arguments: `token > %@`.
  public var predicate: ObjectPredicate?
  /// If not `nil`: only changes of these entities and their subentities are read, and only transactions with such
  /// changes.
  public var entityNames: [String]?
  /// If not `nil`: only changes of this record are read, and only transactions with such changes.
  public var changedObjectID: ManagedObjectID?
  /// The maximum number of transactions to read; `nil` for no limit.
  public var fetchLimit: Int?

  private init(_ action: Action, _ place: Place, _ resultType: ResultType) {
    self.action = action
    self.place = place
    self.resultType = resultType
  }

  /// Reads the history after a token; all of it for `nil`.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, token.map { .token($0) } ?? .start, .transactionsAndChanges)
  }

  /// Reads the history after a date: seconds since 2001-01-01 00:00:00 UTC.
  public static func fetchHistory(afterDate date: Double) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, .date(date), .transactionsAndChanges)
  }

  /// Reads the history after a transaction.
  public static func fetchHistory(
    after transaction: PersistentHistoryTransaction
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, .token(transaction.token), .transactionsAndChanges)
  }

  /// Deletes the history before a token's transaction, which stays.
  public static func deleteHistory(before token: PersistentHistoryToken) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .token(token), .statusOnly)
  }

  /// Deletes the history before a date: seconds since 2001-01-01 00:00:00 UTC.
  public static func deleteHistory(beforeDate date: Double) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .date(date), .statusOnly)
  }

  /// Deletes the history before a transaction, which stays.
  public static func deleteHistory(
    before transaction: PersistentHistoryTransaction
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .token(transaction.token), .statusOnly)
  }
}

/// The result of a ``PersistentHistoryChangeRequest``, by its result type.
public enum PersistentHistoryResult: Sendable, Hashable {
  /// The request succeeded.
  case status
  /// The changed records.
  case objectIDs([ManagedObjectID])
  /// The number of transactions.
  case count(Int)
  /// The transactions.
  case transactions([PersistentHistoryTransaction])
  /// The changes.
  case changes([PersistentHistoryChange])
}
