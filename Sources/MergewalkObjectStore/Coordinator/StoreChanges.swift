/// The changes of one save, or one batch request, to one store: the records that it inserts, updates and deletes.
///
/// The values themselves are in the store's tables.
public struct StoreChanges: Sendable {
  /// The kind of change to a record.
  public enum Kind: Int, Sendable, Hashable {
    /// The record is new.
    case insert = 0
    /// Values of the record are updated.
    case update = 1
    /// The record is deleted.
    case delete = 2
  }
  /// One record.
  public struct Change: Sendable, Hashable {
    /// The kind of change.
    public var kind: Kind
    /// The index of its own entity in the model.
    public var entity: Int
    /// Its `Z_PK`.
    public var primaryKey: Int64
    /// For updates: the index into ``StoreChanges/slotSets`` of the written slots; -1 otherwise.
    public var slotSet: Int32 = -1

    /// Creates a change.
    public init(kind: Kind, entity: Int, primaryKey: Int64, slotSet: Int32 = -1) {
      self.kind = kind
      self.entity = entity
      self.primaryKey = primaryKey
      self.slotSet = slotSet
    }
  }

  /// The changes, in writing order.
  public var changes: [Change] = []
  /// Sets of slots (`AttributeDescription.slot`, `RelationshipDescription.slot`), each once: one bit per slot.
  public var slotSets: [[UInt64]] = []
  /// The author of the changes: the context's `transactionAuthor`.
  public var author: String?
  /// The `name` of the context that makes the changes.
  public var contextName: String?

  /// Creates an empty list.
  public init() {}

  /// Whether there are no changes.
  public var isEmpty: Bool { changes.isEmpty }
}

/// Hears of every transaction that the object layer writes to a store, before and after its rows are written, and can
/// refuse it: persistent history and stores whose rows live elsewhere work this way.
package protocol StoreObserver: AnyObject {
  /// The transaction has begun and no row is written yet: what is going to be deleted can still be read.
  ///
  /// - Throws: What makes the save fail; the transaction is rolled back.
  func willWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError)

  /// All rows are written, and the transaction is about to be committed.
  ///
  /// - Throws: What makes the save fail; the transaction is rolled back.
  func didWrite(_ changes: StoreChanges, to store: PersistentStore) throws(StoreError)

  /// The transaction was rolled back after ``willWrite(_:to:)``.
  func didRollBack(_ store: PersistentStore)
}
