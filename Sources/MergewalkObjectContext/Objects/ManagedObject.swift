public import MergewalkObjectModel
import MergewalkObjectStore

/// One record in a context: a handle on a row, and the base of the classes that entities have.
///
/// A context has at most one object a record, made when it is asked for, of the class that the entity was given
/// (`PersistentStoreCoordinator.setClass(_:forEntity:)`). The object holds no values; they are in the context's
/// columns. The context does not keep objects alive unless they have changes. When the last reference to an object
/// without changes goes away, its row is freed; an object with changes stays until they are saved, rolled back or
/// refreshed away.
///
/// An object that is held, with changes or without, always has a context: where the last reference to the context goes
/// first, the object's rows, changes and settings go to a successor, which ``context`` gives. What concerned those who
/// had the context ends with it: undo steps, observers of its events, and objects that only the context kept.
///
/// An object is valid until its context is reset, its deletion is saved here or merged from elsewhere, or its insert is
/// rolled back. After that keyed access throws ``ObjectError`` with `invalid`, typed access gives empty
/// values, and ``isDeleted`` says whether it is the record that is gone.
///
/// Relationships are kept at both ends, and both ends are visible at once, before any save.
///
/// A subclass declares its properties with ``Managed`` and ``ManagedRelation``, or with accessors on `get` and `set`,
/// and overrides the methods below that it wants to hear of. They are only called for entities that have a class of
/// their own, so that plain rows pay nothing for them, and only those methods that a class overrides cost time.
/// Variables of its own need initial values; they go away with the object, and are set back in ``didTurnIntoFault()``
/// when the object is refreshed.
open class ManagedObject {
  final let link: ContextLink
  /// The context where only its objects keep it alive; see ``ManagedObjectContext/handOver()``.
  @exclusivity(unchecked) final var keeper: ManagedObjectContext?
  /// The record's `Z_PK`, or a negative number before its first save.
  ///
  /// Unchecked exclusivity, here and below: they are touched at each access, and no access to one runs other code.
  @exclusivity(unchecked) private(set) final var primaryKey: Int64
  @exclusivity(unchecked) private final var place: Int32
  /// The record's table.
  @exclusivity(unchecked) private(set) final var table: TableID
  private final let generation: UInt32
  /// The place among the objects that the context holds because of their changes, or -1.
  @exclusivity(unchecked) final var heldIndex: Int32 = -1
  @exclusivity(unchecked) private final var entityNumber: UInt16
  /// What is going on with the object.
  @exclusivity(unchecked) final var flags: ObjectFlags = []
  /// What few objects have.
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
    flags = handle.link.classes.flags[handle.entityIndex]
    if handle.row >= 0, let context = handle.link.context, context.isKeptByObjects { keeper = context }
  }

  deinit {
    guard place >= 0, generation == link.generation else { return }
    link.withContext { $0.objectWentAway(table: table, row: row) }
  }

  // MARK: For subclasses

  /// The object was inserted a moment ago and has the model's defaults: the place for further initial values.
  open func awakeFromInsert() {}

  /// The object's values came from the store: called before the first of them is read, and again after each refresh.
  ///
  /// What is set here is no change. Relationships should not be set here.
  open func awakeFromFetch() {}

  /// The object got other values by an undo, a rollback, a refresh or the resolution of a conflict.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}

  /// The context is about to save the object's changes, its insert or its deletion.
  ///
  /// Values may be set here; then every object that changed is told again, until nothing changes any more. Set them
  /// primitively, or only when they differ, or there is no end: a save gives up after 1,000 rounds.
  open func willSave() {}

  /// The object's changes, its insert or its deletion were saved; after a deletion ``context`` is `nil`.
  open func didSave() {}

  /// The object is about to be deleted; its relationships are still there.
  open func prepareForDeletion() {}

  /// The object's values are about to be forgotten by a refresh.
  open func willTurnIntoFault() {}

  /// The object's values were forgotten by a refresh: the place to forget what was made of them.
  ///
  /// It is not called when the object goes away: Swift frees its variables then.
  open func didTurnIntoFault() {}

  /// A value is about to be read; an override calls `super`, which fetches the values of a fault.
  ///
  /// - Parameter key: The property, or `nil` for all.
  open func willAccessValue(forKey key: String?) {
    // A reader that has to know of failures reads with `value(forKey:)`, which fires the fault itself.
    if let context = link.context, isValid { try? context.fire(self) }
  }

  /// A value was read.
  open func didAccessValue(forKey key: String?) {}

  /// A property is about to be set: called once a set.
  ///
  /// An override calls `super`, so that transient values can be undone.
  open func willChangeValue(forKey key: String) { recordTransient(key) }

  /// A property was set, maybe to what it was; an override calls `super`, which tells observers.
  open func didChangeValue(forKey key: String) { postChange(key) }

  /// Checks a value before it is saved, and may replace it by a better one; an override calls `super` at its end.
  ///
  /// Called for every attribute of an inserted object and for every changed one of an updated object.
  ///
  /// - Throws: ``ValidationError``, or any error, whose description becomes the message. Here: what the model demands.
  open func validateValue(_ value: inout AttributeValue, forKey key: String) throws {
    try validateByModel(value, forKey: key)
  }

  /// Checks the object before its insert is saved; an override calls `super` and adds what concerns several properties.
  ///
  /// - Throws: ``ValidationError`` with everything that is wrong, or any error, whose description becomes the message.
  ///
  /// Here: every attribute, mandatory relationships, and the least and greatest number of objects in to-many ones.
  open func validateForInsert() throws {
    try validateAll(attributes: { try validateAttributes(onlyChanged: false) }) { context throws(ObjectError) in
      try context.relationshipFailures(self)
    }
  }

  /// Checks the object before its changes are saved; as ``validateForInsert()``.
  ///
  /// Here: the attributes that were changed, and all relationships; a save looks after these itself.
  open func validateForUpdate() throws {
    try validateAll(attributes: { try validateAttributes(onlyChanged: true) }) { context throws(ObjectError) in
      context.isValidatingSave ? [] : try context.relationshipFailures(self)
    }
  }

  /// Checks whether the object may be deleted, before the deletion is saved.
  ///
  /// Here: no relationship with the rule "deny" has objects.
  open func validateForDelete() throws {
    try validateAll(attributes: {}) { context throws(ObjectError) in
      try context.fire(self)
      return try context.deniedDeletions(context.buffer(table: table), [Int32(row)])
    }
  }

  // MARK: State

  /// The object's own entity; for a fault, the entity that is known so far, which may be an ancestor.
  public final var entity: EntityDescription { link.model.entities[entityIndex] }

  /// The record's ID: temporary until the first save, or until ``ManagedObjectContext/obtainPermanentIDs(for:)``.
  public final var objectID: ManagedObjectID { link.objectID(table: table, entity: entity, primaryKey: primaryKey) }

  /// The context, or `nil` when the object is not valid any more.
  ///
  /// Where the last reference to the context went before the object, it is the context that succeeded it.
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
  /// Whether the next save deletes the record, or its deletion was merged, or typed access found that it is gone.
  public final var isDeleted: Bool { flags.contains(.isInaccessible) || state == RowState.deleted }
  /// Whether the values have not been fetched yet; asking for one fetches all.
  public final var isFault: Bool { state == RowState.fault }
  /// Whether the next save has something to do with the record.
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
          .invalid, "\(objectID) is not valid any more: its context was reset, or the record has been deleted")
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

/// What is going on with an object.
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
  /// Objects are equal when they are the same.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Feeds the object's identity.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
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
