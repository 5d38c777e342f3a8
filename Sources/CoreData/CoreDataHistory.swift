public import Foundation
public import MergewalkObjectContext
import MergewalkObjectModel
public import MergewalkObjectStore

/// Apple's name of ``PersistentHistoryTransaction``.
public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction
/// Apple's name of ``PersistentHistoryChange``.
public typealias NSPersistentHistoryChange = PersistentHistoryChange
/// Apple's name of ``PersistentHistoryToken``.
public typealias NSPersistentHistoryToken = PersistentHistoryToken

/// Apple's `NSPersistentHistoryChangeRequest`.
public final class NSPersistentHistoryChangeRequest {
  /// The request itself.
  public var request: PersistentHistoryChangeRequest
  /// The kind of result.
  public var resultType: PersistentHistoryChangeRequest.ResultType {
    get { request.resultType }
    set { request.resultType = newValue }
  }
  /// The request whose predicate and limit select the transactions to read: that of
  /// ``MergewalkObjectStore/PersistentHistoryTransaction/fetchRequest``.
  public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?
  /// The stores whose history is read or deleted; `nil` for all of the context.
  public var affectedStores: [NSPersistentStore]?

  private init(_ request: PersistentHistoryChangeRequest) { self.request = request }

  /// Reads the history after a token; all of it for `nil`.
  public static func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.fetchHistory(after: token))
  }

  /// Reads the history after a date.
  public static func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.fetchHistory(afterDate: date.timeIntervalSinceReferenceDate))
  }

  /// Reads the history after a transaction.
  public static func fetchHistory(
    after transaction: NSPersistentHistoryTransaction
  ) -> NSPersistentHistoryChangeRequest { NSPersistentHistoryChangeRequest(.fetchHistory(after: transaction)) }

  /// Reads the transactions that a request selects: that of
  /// ``MergewalkObjectStore/PersistentHistoryTransaction/fetchRequest`` with a predicate, such as `token > %@`.
  public static func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSPersistentHistoryChangeRequest {
    let request = NSPersistentHistoryChangeRequest(.fetchHistory(after: nil))
    request.fetchRequest = fetchRequest
    return request
  }

  /// Deletes the history before a token; nothing for `nil`.
  public static func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(token.map { .deleteHistory(before: $0) } ?? .deleteHistory(beforeDate: -.infinity))
  }

  /// Deletes the history before a date.
  public static func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.deleteHistory(beforeDate: date.timeIntervalSinceReferenceDate))
  }

  /// Deletes the history before a transaction, which stays.
  public static func deleteHistory(
    before transaction: NSPersistentHistoryTransaction
  ) -> NSPersistentHistoryChangeRequest { NSPersistentHistoryChangeRequest(.deleteHistory(before: transaction)) }

  /// The request with what its fetch request says.
  fileprivate var complete: PersistentHistoryChangeRequest {
    var complete = request
    if let predicate = fetchRequest?.predicate?.predicate { complete.predicate = predicate }
    if let limit = fetchRequest?.fetchLimit, limit > 0 { complete.fetchLimit = limit }
    return complete
  }
}

/// Apple's `NSPersistentHistoryResult`.
public struct NSPersistentHistoryResult: Sendable, Hashable {
  /// The kind of result.
  public let resultType: PersistentHistoryChangeRequest.ResultType
  let answers: [PersistentHistoryResult]

  /// A `Bool`, an `Int`, `[NSManagedObjectID]`, `[NSPersistentHistoryTransaction]` or `[NSPersistentHistoryChange]`,
  /// depending on the type of the result.
  public var result: Any? {
    switch resultType {
    case .statusOnly: true
    case .count: answers.reduce(0) { if case .count(let count) = $1 { $0 + count } else { $0 } }
    case .objectIDs: answers.flatMap { if case .objectIDs(let ids) = $0 { ids } else { [] } }
    case .changesOnly: answers.flatMap { if case .changes(let changes) = $0 { changes } else { [] } }
    case .transactionsOnly, .transactionsAndChanges:
      answers.flatMap { if case .transactions(let found) = $0 { found } else { [] } }
    }
  }
}

extension ManagedObjectContext {
  /// Reads or deletes history, in every SQLite store of the context or in the request's stores, one after the other.
  ///
  /// - Throws: ``MergewalkObjectStore/StoreError`` as `store.execute(_:)` does.
  @discardableResult
  public func execute(_ request: NSPersistentHistoryChangeRequest) throws(StoreError) -> NSPersistentHistoryResult {
    var answers: [PersistentHistoryResult] = []
    for store in coordinator?.stores ?? [] where store.type == .sqlite || store.type == .inMemory {
      if let wanted = request.affectedStores, !wanted.contains(where: { $0 === store }) { continue }
      answers.append(try store.execute(request.complete))
    }
    return NSPersistentHistoryResult(resultType: request.resultType, answers: answers)
  }
}

extension PersistentStore {
  /// Reads history one transaction at a time.
  ///
  /// - Throws: ``MergewalkObjectStore/StoreError`` as for the request itself.
  public func history(_ request: NSPersistentHistoryChangeRequest) throws(StoreError) -> PersistentHistoryCursor {
    try history(request.complete)
  }
}

extension PersistentHistoryTransaction {
  /// A request over transactions, for the predicate of ``NSPersistentHistoryChangeRequest/fetchRequest``.
  public static var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    NSFetchRequest(entityName: "Transaction")
  }

  /// The transaction's changes, for ``MergewalkObjectContext/ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
  public func objectIDNotification() -> Notification {
    Notification(
      name: .NSManagedObjectContextDidSaveObjectIDs, object: nil,
      userInfo: [
        NSInsertedObjectIDsKey: Set(objectIDs(of: .insert)), NSUpdatedObjectIDsKey: Set(objectIDs(of: .update)),
        NSDeletedObjectIDsKey: Set(objectIDs(of: .delete)),
      ])
  }
}
