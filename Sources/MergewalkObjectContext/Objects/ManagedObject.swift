public import MergewalkObjectModel
import MergewalkObjectStore

/// One record in a context: a handle on a row, and the base of the classes that entities have.
///
/// A context has at most one object per record, created on demand, of the class that was set for the entity
/// (`PersistentStoreCoordinator.setClass(_:forEntity:)`). The object holds no values; they are in the context's
/// columns. The context does not keep objects alive unless they have changes. When the last reference to an object
/// without changes goes away, its row is freed; an object with changes stays until they are saved, rolled back or
/// refreshed away.
///
/// An object that you hold, with changes or without, always has a context: if the last reference to the context is
/// released first, a successor takes over its rows, changes and settings, and ``context`` returns the successor. Undo
/// steps, observers of its events, and objects that only the context kept end with the original context.
///
/// An object is valid until its context is reset, its deletion is saved here or merged from elsewhere, or its insert is
/// rolled back. After that, keyed access throws ``ObjectError`` with `invalid`, typed access returns empty values, and
/// ``isDeleted`` tells whether the record was deleted.
///
/// Relationships are kept at both ends, and both ends are visible at once, before any save.
///
/// A subclass declares its properties with ``Managed`` and ``ManagedRelation``, or with accessors on `get` and `set`,
/// and overrides the methods below that it needs. They are called only for entities with a class of their own, so plain
/// rows pay nothing for them, and only overridden methods cost time. Stored properties of a subclass need initial
/// values; they are lost with the object, and should be reset in ``didTurnIntoFault()`` when the object is refreshed.
open class ManagedObject {
  final let link: ContextLink
  /// The context where only its objects keep it alive; see ``ManagedObjectContext/handOver()``.
  @exclusivity(unchecked) final var keeper: ManagedObjectContext?
  /// The record's `Z_PK`, or a negative number before its first save.
  ///
  /// Unchecked exclusivity, here and below: they are touched at each access, and no access to one runs other code.
  @exclusivity(unchecked) private(set) final var primaryKey: Int64
  @exclusivity(unchecked) private final var place: Int32
  @exclusivity(unchecked) private(set) final var table: TableID
  private final let generation: UInt32
  /// The place among the objects that the context holds because of their changes, or -1.
  @exclusivity(unchecked) final var heldIndex: Int32 = -1
  @exclusivity(unchecked) private final var entityNumber: UInt16
  @exclusivity(unchecked) final var flags: ObjectFlags = []
  /// The data that few objects have.
  @exclusivity(unchecked) final var extras: ObjectExtras?

  /// Creates the object of a row; for contexts only.
  ///
  /// Subclasses whose variables have initial values inherit it.
  public required init(_ handle: ObjectHandle) {
    link = handle.link
    generation = handle.generation
    table = handle.table
    place = Int32(handle.row)
    primaryKey = handle.primaryKey
    entityNumber = UInt16(handle.entityIndex)
    flags = handle.flags
  }

  deinit {
    guard place >= 0, isOfGeneration else { return }
    link.withContext { $0.objectWentAway(table: table, row: row) }
  }

  // MARK: For subclasses

  /// Called after the object was inserted with the model's defaults: the place for further initial values.
  open func awakeFromInsert() {}

  /// Called when the object's values have come from the store, before the first of them is read, and again after each
  /// refresh.
  ///
  /// Values set here do not count as changes. Do not set relationships here.
  open func awakeFromFetch() {}

  /// Called after an undo, a rollback, a refresh or the resolution of a conflict has changed the object's values.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}

  /// Called before the context saves the object's changes, its insert or its deletion.
  ///
  /// You may set values here; all objects that changed are then called again, until nothing changes any more. Set
  /// values primitively, or only when they differ; otherwise this never ends, and the save gives up after 1,000 rounds.
  open func willSave() {}

  /// Called after the object's changes, its insert or its deletion were saved; after a deletion ``context`` is `nil`.
  open func didSave() {}

  /// Called before the object is deleted, while its relationships are still set.
  open func prepareForDeletion() {}

  /// Called before a refresh discards the object's values.
  open func willTurnIntoFault() {}

  /// Called after a refresh has discarded the object's values: the place to discard values computed from them.
  ///
  /// It is not called when the object is released, because Swift then frees its variables.
  open func didTurnIntoFault() {}

  /// Called before a value is read; an override calls `super`, which fetches the values of a fault.
  ///
  /// - Parameter key: The property, or `nil` for all.
  open func willAccessValue(forKey key: String?) {
    // A reader that has to know of failures reads with `value(forKey:)`, which fires the fault itself.
    if let context = link.context, isValid { try? context.fire(self) }
  }

  /// Called after a value was read.
  open func didAccessValue(forKey key: String?) {}

  /// Called once before a property is set.
  ///
  /// An override calls `super`, so that transient values can be undone.
  open func willChangeValue(forKey key: String) { recordTransient(key) }

  /// Called after a property was set, even to the same value; an override calls `super`, which notifies observers.
  open func didChangeValue(forKey key: String) { postChange(key) }

  /// Checks a value before it is saved, and may replace it; an override calls `super` at its end.
  ///
  /// Called for every attribute of an inserted object and for every changed one of an updated object.
  ///
  /// - Throws: ``ValidationError``, or any error, whose description becomes the message. The default checks the model's
  ///   requirements.
  open func validateValue(_ value: inout AttributeValue, forKey key: String) throws {
    try validateByModel(value, forKey: key)
  }

  /// Checks the object before its insert is saved; an override calls `super` and adds rules about several properties.
  ///
  /// - Throws: ``ValidationError`` with all findings, or any error, whose description becomes the message.
  ///
  /// The default checks every attribute, mandatory relationships, and the minimum and maximum number of objects in
  /// to-many ones.
  open func validateForInsert() throws {
    try validateAll(attributes: { try validateAttributes(onlyChanged: false) }) { context throws(ObjectError) in
      try context.relationshipFailures(self)
    }
  }

  /// Checks the object before its changes are saved; like ``validateForInsert()``.
  ///
  /// It checks the changed attributes and all relationships; a save checks the relationships by itself.
  open func validateForUpdate() throws {
    try validateAll(attributes: { try validateAttributes(onlyChanged: true) }) { context throws(ObjectError) in
      context.isValidatingSave ? [] : try context.relationshipFailures(self)
    }
  }

  /// Checks whether the object may be deleted, before the deletion is saved.
  ///
  /// The default requires that no relationship with the rule "deny" has objects.
  open func validateForDelete() throws {
    try validateAll(attributes: {}) { context throws(ObjectError) in
      try context.fire(self)
      return try context.deniedDeletions(context.buffer(table: table), [Int32(row)])
    }
  }

  // MARK: State

  /// The object's own entity; for a fault, the most specific entity known so far, which may be an ancestor.
  public final var entity: EntityDescription { link.model.entities[entityIndex] }

  /// The record's ID: temporary until the first save, or until ``ManagedObjectContext/obtainPermanentIDs(for:)``.
  public final var objectID: ManagedObjectID { link.objectID(table: table, entity: entity, primaryKey: primaryKey) }

  /// The context, or `nil` when the object is no longer valid.
  ///
  /// If the last reference to the context was released before the object, this is its successor.
  public final var context: ManagedObjectContext? {
    guard isValid, let context = link.context else { return nil }
    context.takeHold()
    return context
  }

  /// Whether the context still has the record.
  public final var isValid: Bool {
    place >= 0 && isOfGeneration && link.context != nil
  }

  /// Whether the next save inserts the record.
  public final var isInserted: Bool { state == RowState.inserted }
  /// Whether the next save writes changed values of the record, or pairs of its many-to-many relationships.
  public final var isUpdated: Bool {
    switch state {
    case RowState.updated: true
    case RowState.clean, RowState.fault: link.context?.hasLinkChanges(self) ?? false
    default: false
    }
  }
  /// Whether the next save deletes the record, it was deleted before it was saved, its deletion was merged, or typed
  /// access found that it no longer exists.
  public final var isDeleted: Bool { flags.contains(.isInaccessible) || state == RowState.deleted }
  /// Whether the values have not been fetched yet; reading one fetches all.
  public final var isFault: Bool { state == RowState.fault }
  /// Whether the next save has to write or delete the record.
  public final var hasChanges: Bool { isInserted || isUpdated || isDeleted && isValid }

  final var state: UInt8 {
    guard isValid else { return RowState.free }
    return link.withBuffer(table) { $0.state(of: row) } ?? RowState.free
  }

  // MARK: For the context

  /// The row, or -1 when the record is gone.
  final var row: Int { Int(place) }
  /// The index of the object's entity, as far as it is known.
  final var entityIndex: Int { Int(entityNumber) }

  /// The context of a valid object.
  ///
  /// - Throws: ``ObjectError`` with `invalid`.
  final var validContext: ManagedObjectContext {
    get throws(ObjectError) {
      guard let context = link.context, place >= 0, isOfGeneration else {
        throw ObjectError(
          .invalid, "\(objectID) is no longer valid: its context was reset, or the record has been deleted")
      }
      context.checkThread()
      return context
    }
  }

  /// Whether the object was made since the context was reset.
  @inline(__always)
  final var isOfGeneration: Bool { generation == link.generation }

  /// Takes note that the record is gone.
  final func detach() {
    place = -1
    keeper = nil
  }

  /// Forgets what the store said about other objects.
  final func forgetRelated() {
    extras?.storedMembers.removeAll()
    extras?.fetchedResults.removeAll()
  }

  /// Takes note of the key that the record has now.
  final func learnKey(_ key: Int64) { primaryKey = key }

  /// Takes note of where the record's row is now.
  final func move(to table: TableID, row: Int) {
    self.table = table
    place = Int32(row)
    // The record may have been gone and be there again.
    flags.remove(.isInaccessible)
  }

  /// Takes note of the record's own entity once it is known.
  final func learnEntity(_ index: Int) { entityNumber = UInt16(index) }
}

struct ObjectFlags: OptionSet {
  let rawValue: UInt8
  /// The object's class overrides methods that are called in its life, besides those at each access.
  static let hasHooks = ObjectFlags(rawValue: 1)
  /// The object's class overrides `willAccessValue` or `didAccessValue`.
  static let hasAccessHooks = ObjectFlags(rawValue: 64)
  /// The object's class overrides `willChangeValue` or `didChangeValue`.
  static let hasChangeHooks = ObjectFlags(rawValue: 128)
  /// The values are in the row, or will be, and the object was not told: see `awakeFromFetch`.
  static let needsAwakening = ObjectFlags(rawValue: 2)
  /// The record is gone, and typed access shows empty values.
  static let isInaccessible = ObjectFlags(rawValue: 4)
  /// A hook of the object runs that brings it into or out of the state of a fault.
  static let isInTransition = ObjectFlags(rawValue: 8)
  /// A value was set since the flag was cleared.
  static let wasSet = ObjectFlags(rawValue: 16)
}

extension ManagedObject: Hashable {
  /// Objects are equal if they are identical.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Feeds the object's identity.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The partners that the store named for a to-many relationship.
struct StoredMembers {
  /// The context's `storedVersion` when they were read.
  let version: UInt32
  let primaryKeys: [Int64]
  /// Their positions; none where the relationship keeps none, or keeps it in the members' rows.
  private let orders: [Int64]

  init(version: UInt32, primaryKeys: [Int64]) {
    self.version = version
    self.primaryKeys = primaryKeys
    orders = []
  }

  init(version: UInt32, partners: [Partner]) {
    self.version = version
    primaryKeys = partners.map(\.primaryKey)
    orders = partners.contains { $0.order != 0 } ? partners.map(\.order) : []
  }

  var partners: [Partner] {
    orders.isEmpty
      ? primaryKeys.map { Partner(primaryKey: $0, order: 0) }
      : zip(primaryKeys, orders).map { Partner(primaryKey: $0, order: $1) }
  }
}

/// An object at the other end of a relationship.
struct Partner {
  var primaryKey: Int64
  var order: Int64
}

@available(*, unavailable, message: "an object is confined to its context's task; pass its objectID")
extension ManagedObject: Sendable {}
