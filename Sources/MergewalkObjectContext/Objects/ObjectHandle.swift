import MergewalkObjectStore

/// The row and context that a managed object stands for.
///
/// Only contexts create handles; your own classes pass theirs to `super.init`.
public struct ObjectHandle {
  let link: ContextLink
  let generation: UInt32
  let table: TableID
  let row: Int
  let primaryKey: Int64
  let entityIndex: Int
  /// The state that the object begins with.
  let flags: ObjectFlags

  init(
    link: ContextLink, generation: UInt32, table: TableID, row: Int, primaryKey: Int64, entityIndex: Int,
    flags: ObjectFlags? = nil
  ) {
    self.link = link
    self.generation = generation
    self.table = table
    self.row = row
    self.primaryKey = primaryKey
    self.entityIndex = entityIndex
    self.flags = flags ?? link.classes.flags[entityIndex]
  }
}

@available(*, unavailable, message: "an object is confined to its context's task; pass its objectID")
extension ObjectHandle: Sendable {}

/// The data that few objects have.
final class ObjectExtras {
  /// Values of transient attributes that no column holds, by slot.
  var transientValues: [Int: Any] = [:]
  /// Values of transformable attributes, by slot.
  var transformed: [Int: TransformedValue] = [:]
  /// Who wants to hear of changes, by key.
  var observers: [String: [WeakObservation]] = [:]
  /// The store's members of to-many relationships, by slot.
  var storedMembers: [Int: StoredMembers] = [:]
  /// The results of fetched properties that were requested, by name.
  var fetchedResults: [String: FetchedObjects] = [:]

  /// Whether something here is touched by changes of values.
  var followsChanges: Bool { !observers.isEmpty || !transientValues.isEmpty || !transformed.isEmpty }
}

/// The reasons why an object's values changed without being set or fetched.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
  /// The bits, with Core Data's meaning.
  public let rawValue: UInt
  /// Creates a set from bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The insertion of the object was undone.
  public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
  /// The deletion of the object was undone.
  public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
  /// Changes of values were undone.
  public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
  /// The context was rolled back.
  public static let rollback = SnapshotEvents(rawValue: 1 << 4)
  /// The object was refreshed.
  public static let refresh = SnapshotEvents(rawValue: 1 << 5)
  /// A conflict was resolved.
  public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}
