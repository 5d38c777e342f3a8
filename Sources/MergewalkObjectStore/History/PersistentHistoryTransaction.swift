public import MergewalkObjectModel

/// One record that a transaction inserted, updated or deleted.
///
/// Source: Apple, [NSPersistentHistoryChange](https://developer.apple.com/documentation/coredata/nspersistenthistorychange).
public struct PersistentHistoryChange: Sendable, Hashable {
  /// The kind of change to the record.
  public typealias ChangeType = StoreChanges.Kind

  /// The number of the change, from 1 in writing order.
  public let changeID: Int64
  /// The number of its transaction.
  public let transactionNumber: Int64
  /// The record.
  public let changedObjectID: ManagedObjectID
  /// The kind of change.
  public let changeType: ChangeType
  /// For updates: the names of the written properties, sorted; `nil` if history does not record them, or has properties
  /// that the model does not have.
  public let updatedProperties: [String]?
  /// For deletions: the values of the attributes that the model keeps (`preserveAfterDeletion`), without nulls; `nil`
  /// for other changes.
  public let tombstone: [String: AttributeValue]?
}

/// The changes of one save, or one batch request, to a store.
///
/// Source: Apple, [NSPersistentHistoryTransaction](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction).
public struct PersistentHistoryTransaction: Sendable, Hashable {
  /// The number, from 1 in writing order.
  public let transactionNumber: Int64
  /// The UUID of the store.
  public let storeID: String
  /// When it was written, in seconds since 2001-01-01 00:00:00 UTC; 0 if history does not record it.
  public let timestamp: Double
  /// The `transactionAuthor` of the context, or `nil`.
  public let author: String?
  /// The `name` of the context, or `nil`.
  public let contextName: String?
  /// The bundle identifier of the program, or `nil`.
  public let bundleID: String?
  /// The name of the process, or `nil`.
  public let processID: String?
  /// The position in history right after the transaction.
  public let token: PersistentHistoryToken
  /// The changes in writing order; `nil` if they were not requested.
  public internal(set) var changes: [PersistentHistoryChange]?
  /// The number of changes left out because they are unreadable: those of entities that the model does not have, and
  /// rows that make no sense.
  public internal(set) var unreadableChangeCount = 0

  /// The IDs of the records with a kind of change, in order; empty if the changes were not requested.
  public func objectIDs(of type: PersistentHistoryChange.ChangeType) -> [ManagedObjectID] {
    (changes ?? []).lazy.filter { $0.changeType == type }.map(\.changedObjectID)
  }

  /// The transaction in the form that contexts merge.
  public var batchResult: BatchResult {
    var result = BatchResult()
    result.insertedObjectIDs = objectIDs(of: .insert)
    result.updatedObjectIDs = objectIDs(of: .update)
    result.deletedObjectIDs = objectIDs(of: .delete)
    result.insertedCount = result.insertedObjectIDs.count
    result.updatedCount = result.updatedObjectIDs.count
    result.deletedCount = result.deletedObjectIDs.count
    return result
  }
}

extension PersistentHistoryTransaction: KeyedValues {
  /// The values for the predicate of a ``PersistentHistoryChangeRequest``: `author`, `contextName`, `bundleID`,
  /// `processID`, `storeID`, `timestamp`, `token` and `transactionNumber`.
  public func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    func text(_ value: String?) -> EvaluatedValue { value.map { .attribute(.string($0)) } ?? .null }
    return switch key {
    case "author": text(author)
    case "contextName": text(contextName)
    case "bundleID": text(bundleID)
    case "processID": text(processID)
    case "storeID": text(storeID)
    case "timestamp": .attribute(.date(timestamp))
    // A token is compared as the number that it has in the transaction's store.
    case "transactionNumber", "token": .attribute(.integer(transactionNumber))
    default:
      throw PredicateError(
        .unknownKey, "a transaction has no \"\(key)\"",
        hint: "author, contextName, bundleID, processID, storeID, timestamp, token, transactionNumber")
    }
  }

  /// `nil`: a transaction is not a managed object.
  public var evaluatedObjectID: ManagedObjectID? { nil }
}
