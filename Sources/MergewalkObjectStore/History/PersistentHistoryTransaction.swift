public import MergewalkObjectModel

/// One record that a transaction inserted, updated or deleted.
///
/// Source: Apple, [NSPersistentHistoryChange](https://developer.apple.com/documentation/coredata/nspersistenthistorychange).
public struct PersistentHistoryChange: Sendable, Hashable {
  /// The kind of change to the record.
  public typealias ChangeType = StoreChanges.Kind

  /// The number of the change, from 1 in the order in which changes were written.
  public let changeID: Int64
  /// The number of its transaction.
  public let transactionNumber: Int64
  /// The record.
  public let changedObjectID: ManagedObjectID
  /// The kind of change.
  public let changeType: ChangeType
  /// For updates: the names of the properties that were written, sorted; `nil` when history does not say, or speaks of
  /// properties that the model does not have.
  public let updatedProperties: [String]?
  /// For deletions: the values of the attributes that the model keeps (`preserveAfterDeletion`), without those that
  /// were null; `nil` for other changes.
  public let tombstone: [String: AttributeValue]?
}

/// The changes of one save, or one batch request, to a store.
///
/// Source: Apple, [NSPersistentHistoryTransaction](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction).
public struct PersistentHistoryTransaction: Sendable, Hashable {
  /// The number, from 1 in the order in which transactions were written.
  public let transactionNumber: Int64
  /// The UUID of the store.
  public let storeID: String
  /// When it was written, in seconds since 2001-01-01 00:00:00 UTC; 0 when history does not say.
  public let timestamp: Double
  /// The `transactionAuthor` of the context, or `nil`.
  public let author: String?
  /// The `name` of the context, or `nil`.
  public let contextName: String?
  /// The bundle identifier of the program, or `nil`.
  public let bundleID: String?
  /// The name of the process, or `nil`.
  public let processID: String?
  /// The place in history right after the transaction.
  public let token: PersistentHistoryToken
  /// The changes in the order in which they were written; `nil` when they were not asked for.
  public internal(set) var changes: [PersistentHistoryChange]?
  /// How many changes are left out because they cannot be read: those of entities that the model does not have, and
  /// rows that make no sense.
  public internal(set) var unreadableChangeCount = 0

  /// The IDs of the records to which something happened, in order; empty when the changes were not asked for.
  public func objectIDs(of type: PersistentHistoryChange.ChangeType) -> [ManagedObjectID] {
    (changes ?? []).lazy.filter { $0.changeType == type }.map(\.changedObjectID)
  }

  /// The transaction in the form in which contexts merge what others did to the store.
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
  /// The values that the predicate of a ``PersistentHistoryChangeRequest`` can ask for: `author`, `contextName`,
  /// `bundleID`, `processID`, `storeID`, `timestamp` and `transactionNumber`.
  public func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    func text(_ value: String?) -> EvaluatedValue { value.map { .attribute(.string($0)) } ?? .null }
    return switch key {
    case "author": text(author)
    case "contextName": text(contextName)
    case "bundleID": text(bundleID)
    case "processID": text(processID)
    case "storeID": text(storeID)
    case "timestamp": .attribute(.date(timestamp))
    case "transactionNumber": .attribute(.integer(transactionNumber))
    default:
      throw PredicateError(
        .unknownKey, "a transaction has no \"\(key)\"",
        hint: "author, contextName, bundleID, processID, storeID, timestamp, transactionNumber")
    }
  }

  /// A transaction is no managed object.
  public var evaluatedObjectID: ManagedObjectID? { nil }
}
