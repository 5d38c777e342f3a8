public import MergewalkObjectModel

/// A store that fetches its records one by one, or a few at a time, from elsewhere, for example from a server.
///
/// Fetched records stay in tables in memory, so predicates, orders and groups mean the same as in any store: the store
/// returns possible matches, and the request is then evaluated on these tables. A loaded record is not requested again
/// unless a fetch returns it, or ``PersistentStore/evictCachedRecords()`` is called.
///
/// Primary keys are the reference data of Apple's incremental stores: a store keeps them with its records, or keeps a
/// table from them to its own names.
///
/// Source: Apple's "Incremental Store Programming Guide" and `NSIncrementalStore`.
public protocol IncrementalStore: AnyObject {
  /// The metadata of the store.
  ///
  /// - Parameters:
  ///   - model: The model that the store is opened with.
  ///   - proposed: The metadata of a new store of the model. Return it if there is no store yet, and the same from then
  ///     on.
  /// - Throws: ``StoreError``; nothing is then opened.
  func loadMetadata(for model: ManagedObjectModel, proposed: StoreMetadata) throws(StoreError) -> StoreMetadata

  /// Saves metadata that the program has set.
  func saveMetadata(_ metadata: StoreMetadata) throws(StoreError)

  /// The greatest primary key ever assigned below a root entity.
  func maximum(of root: EntityDescription) throws(StoreError) -> Int64

  /// Reserves primary keys for new records: their permanent IDs.
  ///
  /// - Returns: The first of `count` consecutive keys, all above 0; `nil`, or anything else, to continue from the greatest
  ///   one so far.
  func obtainPermanentKeys(_ count: Int, of root: EntityDescription) -> Int64?

  /// Finds the records for a request.
  ///
  /// All possible matches must be named, and more may be; limit and offset are applied afterwards. Records whose values
  /// are at hand go into `filler`; those that are only named are requested with ``newValues(for:into:)`` if they are
  /// not in the tables yet.
  func execute(_ request: FetchRequest, into filler: StoreFiller) throws(StoreError) -> IncrementalFetchResult

  /// Returns values of records; of to-many relationships, only those at hand. Deleted records are left out.
  func newValues(for references: [StoredReference], into filler: StoreFiller) throws(StoreError)

  /// The records that a to-many relationship of a record refers to, in order if it is ordered.
  func newValue(
    for relationship: RelationshipDescription, of reference: StoredReference
  ) throws(StoreError) -> [StoredReference]

  /// Saves changes, all or nothing.
  ///
  /// It is called within the transaction of a save, before it is committed.
  ///
  /// - Throws: ``StoreError``; the save then fails.
  func save(_ changes: IncrementalStoreChanges) throws(StoreError)
}

extension IncrementalStore {
  /// Returns `nil`, to continue from the greatest key.
  public func obtainPermanentKeys(_ count: Int, of root: EntityDescription) -> Int64? { nil }
}

/// The result of a request to an incremental store.
public struct IncrementalFetchResult: Sendable {
  /// Named records whose values may be requested later.
  public var references: [StoredReference]
  /// Whether the named and returned records are all of the request's entity: others are removed from the tables.
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

  /// The deleted records.
  public var deleted: [StoredReference] {
    changes.changes.filter { $0.kind == .delete }.map {
      StoredReference(store.model.entities[$0.entity], $0.primaryKey)
    }
  }

  /// Calls `body` for each new record, with its final values and relationships.
  public func forEachInserted(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    try forEach(.insert, body)
  }

  /// Calls `body` for each changed record, with its final values and relationships.
  public func forEachUpdated(_ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    try forEach(.update, body)
  }

  /// The records that a relationship of any record refers to after the save, as far as they are loaded.
  ///
  /// An ordered relationship stored in its members may change without its owner being among the changes.
  public func references(
    of relationship: RelationshipDescription, of reference: StoredReference
  ) throws(StoreError) -> [StoredReference] {
    let reader = StoredObject(store, root: reference.entity.root)
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
    var readers: [RootIndex: StoredObject] = [:]
    for change in changes.changes where change.kind == kind {
      let root = store.model.entities[change.entity].root
      let reader = readers[root] ?? StoredObject(store, root: root)
      readers[root] = reader
      _ = try reader.find(change.primaryKey, body)
    }
  }
}

@available(*, unavailable, message: "changes are confined to the task of their store")
extension IncrementalStoreChanges: Sendable {}
