public import MergewalkObjectModel

/// A request for a store's history: a plain value.
///
/// Source: Apple,
/// [NSPersistentHistoryChangeRequest](https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest).
public struct PersistentHistoryChangeRequest: Sendable, Hashable {
  /// Whether history is read or forgotten.
  public enum Action: Sendable, Hashable {
    /// Transactions after a place are read.
    case fetch
    /// Transactions before a place are forgotten.
    case delete
  }
  /// A place in history.
  public enum Place: Sendable, Hashable {
    /// Before the first transaction.
    case start
    /// A token: after its transaction when reading, before it when deleting.
    case token(PersistentHistoryToken)
    /// Seconds since 2001-01-01 00:00:00 UTC: transactions later than that are read, earlier ones are deleted.
    case date(Double)
  }
  /// The kind of result of a request.
  public enum ResultType: String, Sendable, Hashable, CaseIterable {
    /// That it succeeded.
    case statusOnly
    /// The IDs of the records that changed, each once, in the order of their first change.
    case objectIDs
    /// How many transactions there are, or were deleted.
    case count
    /// The transactions without their changes.
    case transactionsOnly
    /// The changes of all transactions.
    case changesOnly
    /// The transactions with their changes.
    case transactionsAndChanges
  }

  /// Whether history is read or forgotten.
  public let action: Action
  /// Where.
  public let place: Place
  /// The kind of result; a deletion returns the count or the status.
  public var resultType: ResultType
  /// Which transactions are read; deletions ignore it.
  ///
  /// A predicate over `author`, `contextName`, `bundleID`, `processID`, `storeID`, `timestamp` and `transactionNumber`,
  /// evaluated in memory, a transaction at a time.
  public var predicate: ObjectPredicate?
  /// When not `nil`: only changes of these entities and of what inherits from them are read, and only transactions with
  /// such changes.
  public var entityNames: [String]?
  /// When not `nil`: only changes of this record are read, and only transactions with such changes.
  public var changedObjectID: ManagedObjectID?
  /// The greatest number of transactions that are read; `nil` for no bound.
  public var fetchLimit: Int?

  private init(_ action: Action, _ place: Place, _ resultType: ResultType) {
    self.action = action
    self.place = place
    self.resultType = resultType
  }

  /// Reads what came after a token; everything for `nil`.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, token.map { .token($0) } ?? .start, .transactionsAndChanges)
  }

  /// Reads what came after a date: seconds since 2001-01-01 00:00:00 UTC.
  public static func fetchHistory(afterDate date: Double) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, .date(date), .transactionsAndChanges)
  }

  /// Reads what came after a transaction.
  public static func fetchHistory(
    after transaction: PersistentHistoryTransaction
  ) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.fetch, .token(transaction.token), .transactionsAndChanges)
  }

  /// Forgets what came before the transaction of a token, which stays.
  public static func deleteHistory(before token: PersistentHistoryToken) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .token(token), .statusOnly)
  }

  /// Forgets what came before a date: seconds since 2001-01-01 00:00:00 UTC.
  public static func deleteHistory(beforeDate date: Double) -> PersistentHistoryChangeRequest {
    PersistentHistoryChangeRequest(.delete, .date(date), .statusOnly)
  }

  /// Forgets what came before a transaction, which stays.
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
  /// The records that changed.
  case objectIDs([ManagedObjectID])
  /// How many transactions.
  case count(Int)
  /// The transactions.
  case transactions([PersistentHistoryTransaction])
  /// The changes.
  case changes([PersistentHistoryChange])
}
