public import ObjectModel
import ObjectStore

/// One record in a context: a handle on a row.
///
/// A context has at most one object a record, made when somebody asks for it. The object holds no values; they are in
/// the context's columns. The context does not keep objects alive and objects do not keep the context alive. When the
/// last reference to an object goes away and its row has no changes, the row is freed; a row with changes stays until
/// they are saved or rolled back.
///
/// An object is valid until its context is reset or goes away, its deletion is saved, or its insert is rolled back. Only
/// ``isValid``, ``objectID``, ``entity`` and the state flags may be asked of an object that is not valid; anything else is
/// a mistake in the program and stops it.
///
/// Relationships are kept at both ends, and both ends are visible at once, before any save.
public final class ManagedObject {
  let link: ContextLink
  /// The number of the record's table.
  private(set) var table: Int
  /// The record's `Z_PK`, or a negative number before its first save.
  private(set) var primaryKey: Int64
  /// The row, or -1 when the record is gone.
  private(set) var row: Int
  private let generation: UInt32
  private(set) var entityIndex: Int
  /// What the store said about to-many relationships, by slot.
  var storedMembers: [Int: StoredMembers] = [:]
  /// The results of fetched properties that were asked for, by name.
  var fetchedResults: [String: FetchedObjects] = [:]

  init(link: ContextLink, generation: UInt32, table: Int, row: Int, primaryKey: Int64, entityIndex: Int) {
    self.link = link
    self.generation = generation
    self.table = table
    self.row = row
    self.primaryKey = primaryKey
    self.entityIndex = entityIndex
  }

  deinit {
    if let context = link.context, row >= 0, generation == context.registry.generation {
      context.objectWentAway(table: table, row: row)
    }
  }

  /// The object's own entity; for a fault, the entity that is known so far, which may be an ancestor.
  public var entity: EntityDescription { link.model.entities[entityIndex] }

  /// The record's ID: temporary until the first save, or until ``ManagedObjectContext/obtainPermanentIDs(for:)``.
  public var objectID: ManagedObjectID { link.objectID(table: table, entity: entity, primaryKey: primaryKey) }

  /// The context, or `nil` when the object is not valid any more.
  public var context: ManagedObjectContext? { isValid ? link.context : nil }

  /// Whether the context still has the record.
  public var isValid: Bool {
    guard let context = link.context else { return false }
    return row >= 0 && generation == context.registry.generation
  }

  /// Whether the next save inserts the record.
  public var isInserted: Bool { state == RowState.inserted }
  /// Whether the next save writes changed values of the record, or pairs of its many-to-many relationships.
  public var isUpdated: Bool {
    switch state {
    case RowState.updated: true
    case RowState.clean, RowState.fault: link.context?.hasLinkChanges(self) ?? false
    default: false
    }
  }
  /// Whether the next save deletes the record.
  public var isDeleted: Bool { state == RowState.deleted }
  /// Whether the values have not been fetched yet; asking for one fetches all.
  public var isFault: Bool { state == RowState.fault }
  /// Whether the next save has something to do with the record.
  public var hasChanges: Bool { isInserted || isUpdated || isDeleted }

  private var state: UInt8 {
    guard isValid, let context = link.context else { return RowState.free }
    return context.buffer(table: table).states[row]
  }

  // MARK: For the context

  /// The context of a valid object; traps for others.
  var validContext: ManagedObjectContext {
    guard let context = link.context, row >= 0, generation == context.registry.generation else {
      preconditionFailure("\(objectID) is not valid any more: its context was reset or the record is gone")
    }
    context.checkThread()
    return context
  }

  /// Takes note that the record is gone.
  func detach() { row = -1 }

  /// Forgets what the store said about other objects.
  func forgetRelated() {
    storedMembers.removeAll()
    fetchedResults.removeAll()
  }

  /// Takes note of the key that the record has now.
  func learnKey(_ key: Int64) { primaryKey = key }

  /// Takes note of where the record's row is now.
  func move(to table: Int, row: Int) {
    self.table = table
    self.row = row
  }

  /// Takes note of the record's own entity once it is known.
  func learnEntity(_ index: Int) { entityIndex = index }
}

extension ManagedObject: Hashable {
  /// Objects are equal when they are the same.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Feeds the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The partners that the store named for a to-many relationship.
struct StoredMembers {
  /// The context's `storedVersion` when they were read.
  var version: UInt32
  /// Primary keys and positions; positions are 0 when the relationship keeps none, or keeps it in the members' rows.
  var partners: [Partner]
}

/// An object at the other end of a relationship.
struct Partner {
  var primaryKey: Int64
  var order: Int64
}

@available(*, unavailable, message: "an object is confined to its context's task; pass its objectID")
extension ManagedObject: Sendable {}
