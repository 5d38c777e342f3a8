public import MergewalkObjectModel

/// A store that fetches its records one by one, or a few at a time, from somewhere else: a server, for example.
///
/// What was fetched stays in tables in memory, so that predicates, orders and groups mean the same as in any store: the
/// store hands over what may match, and the request is then judged by these tables. A record that is there is not asked
/// for again unless a fetch brings it, or ``PersistentStore/evictCachedRecords()`` is called.
///
/// Primary keys are the reference data of Apple's incremental stores: a store keeps them with its records, or keeps a
/// table that leads from them to names of its own.
///
/// Source: Apple's "Incremental Store Programming Guide" and `NSIncrementalStore`.
public protocol IncrementalStore: AnyObject {
  /// The metadata of the store at its place.
  ///
  /// - Parameters:
  ///   - model: The model that the store is opened with.
  ///   - proposed: What a new store of the model has. Return it when there is no store yet, and the same ever after.
  /// - Throws: ``StoreError``; nothing is opened then.
  func loadMetadata(for model: ManagedObjectModel, proposed: StoreMetadata) throws(StoreError) -> StoreMetadata

  /// Keeps metadata that the program has set.
  func saveMetadata(_ metadata: StoreMetadata) throws(StoreError)

  /// The greatest primary key that was ever given out below a root entity.
  func maximum(of root: EntityDescription) throws(StoreError) -> Int64

  /// Takes primary keys for new records: their permanent IDs.
  ///
  /// - Returns: The first of `count` keys in a row, all of them above 0; `nil`, or what is no such key, to count on from
  ///   the greatest one so far.
  func obtainPermanentKeys(_ count: Int, of root: EntityDescription) -> Int64?

  /// Finds the records that a request asks for.
  ///
  /// All that may match must be named, more may be; limit and offset are applied afterwards. Records whose values are
  /// at hand go into `filler`; those that are only named are asked for with ``newValues(for:into:)`` when they are not
  /// in the tables yet.
  func execute(_ request: FetchRequest, into filler: StoreFiller) throws(StoreError) -> IncrementalFetchResult

  /// Hands over values of records; of to-many relationships only those that are at hand. Records that are gone are left
  /// out.
  func newValues(for references: [StoredReference], into filler: StoreFiller) throws(StoreError)

  /// The records that a to-many relationship of a record refers to, in order when it is ordered.
  func newValue(
    for relationship: RelationshipDescription, of reference: StoredReference
  ) throws(StoreError) -> [StoredReference]

  /// Saves changes, all or nothing.
  ///
  /// It is called within the transaction of a save, before it is committed.
  ///
  /// - Throws: ``StoreError``; the save fails then.
  func save(_ changes: IncrementalStoreChanges) throws(StoreError)
}

extension IncrementalStore {
  /// Counts on.
  public func obtainPermanentKeys(_ count: Int, of root: EntityDescription) -> Int64? { nil }
}

/// The result of a request to an incremental store.
public struct IncrementalFetchResult: Sendable {
  /// Records that are named and whose values may be asked for later.
  public var references: [StoredReference]
  /// Whether the records that were named or handed over are all that the request's entity has: others go away from the
  /// tables.
  public var isWhole: Bool

  /// Creates a result.
  public init(references: [StoredReference] = [], isWhole: Bool = false) {
    self.references = references
    self.isWhole = isWhole
  }
}

/// The changes of a save to an incremental store.
public struct IncrementalStoreChanges {
  private let changes: StoreChanges
  private let store: PersistentStore
  /// The author of the changes: the context's `transactionAuthor`.
  public var author: String? { changes.author }

  init(_ changes: StoreChanges, _ store: PersistentStore) {
    self.changes = changes
    self.store = store
  }

  /// The records that are deleted.
  public var deleted: [StoredReference] {
    changes.changes.filter { $0.kind == .delete }.map {
      StoredReference(store.model.entities[$0.entity], $0.primaryKey)
    }
  }

  /// Calls `body` at each new record, with its values and relationships as they will be.
  public func forEachInserted(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    try forEach(.insert, body)
  }

  /// Calls `body` at each record that changes, with its values and relationships as they will be.
  public func forEachUpdated(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    try forEach(.update, body)
  }

  /// The records that a relationship of any record refers to as the save leaves it, as far as they were brought here.
  ///
  /// An ordered relationship whose members name their owner may change without its owner being among the changes.
  public func references(
    of relationship: RelationshipDescription, of reference: StoredReference
  ) throws(StoreError) -> [StoredReference] {
    let reader = StoredObject(store, root: reference.entity.rootIndex)
    // Members may be here when the record itself is not: it was evicted, or only what refers to it was asked for.
    if relationship.isToMany { return try reader.members(of: reference.primaryKey, relationship) }
    var result: [StoredReference] = []
    _ = try reader.find(reference.primaryKey) {
      object throws(StoreError) in
      result = try object.references(of: relationship)
    }
    return result
  }

  private func forEach(
    _ kind: StoreChanges.Kind, _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    var readers: [Int: StoredObject] = [:]
    for change in changes.changes where change.kind == kind {
      let root = store.model.entities[change.entity].rootIndex
      let reader = readers[root] ?? StoredObject(store, root: root)
      readers[root] = reader
      _ = try reader.find(change.primaryKey, body)
    }
  }
}

@available(*, unavailable, message: "changes are confined to the task of their store")
extension IncrementalStoreChanges: Sendable {}
