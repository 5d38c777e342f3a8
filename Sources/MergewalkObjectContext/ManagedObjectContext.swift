import MergewalkBytes
public import MergewalkObjectModel
public import MergewalkObjectStore

/// A scratch pad of rows between code and a store.
///
/// The context is columnar: per root entity it holds a ``RowBuffer``, and a row is an index into it. Managed objects
/// are handles on rows, created only on demand; import stages work on the rows themselves. Both go through the same
/// setters and the same ``save()``.
///
/// For the next developer:
/// - Values live in columns, never in objects. A new feature adds a column, a list of rows or a table beside them; it
///   does not add a property to ``ManagedObject``.
/// - Every change goes through the setters of the row (`ManagedObjectContext+ToOne.swift` and its neighbours): they
///   keep inverses, undo, pending changes and notifications in step. A second way to write a cell would lose one of
///   them.
/// - Imports and saved objects share ``save()``. Work per row happens a million times: no closure, string or dictionary
///   for a row.
/// - A save is an attempt (``SaveRun``): all its changes to the context must be undone when a store refuses it.
/// - Extensions have one subject per file. Stored properties must be in this file, so their comments name their users.
///
/// A context is confined to one task: pass object IDs to others.
public final class ManagedObjectContext {
  /// The model of the context's objects.
  public let model: ManagedObjectModel
  /// The context's coordinator, which it keeps alive; `nil` for a context over a bare store.
  public let coordinator: PersistentStoreCoordinator?
  /// The stores that rows come from and go to, by number.
  let storeList: StoreList
  /// The context that this one saves to; `nil` when it saves to the stores.
  @exclusivity(unchecked) public internal(set) var parent: ManagedObjectContext?
  /// The snapshot that the context reads, or `nil` when it always reads the current state.
  public internal(set) var queryGeneration: QueryGenerationToken?
  /// The contexts that save into this one.
  var children: [WeakContext] = []
  /// The thread that the context belongs to; `nil` when its user sees to that.
  var queue: StoreQueue? {
    get { registry.link.queue }
    set { registry.link.queue = newValue }
  }
  /// The context's name in persistent history, or `nil`.
  public var name: String?
  /// The author of the changes, for persistent history, or `nil`.
  public var transactionAuthor: String?
  /// The treatment of conflicts in a save: records that another context has changed, and values that are not unique.
  public var mergePolicy = MergePolicy.error
  /// Whether saves of the coordinator's other contexts are merged into this one at once, as
  /// ``mergeChanges(from:)-(ContextEvent)`` does.
  public var automaticallyMergesChangesFromParent = false {
    didSet { followOthers() }
  }
  /// The stores' `writeMark` if only this context had written since it was made or reset.
  var knownWriteMark: Int
  /// Who listens to what happens here; `nil` without observers.
  var events: ContextEvents?

  // Unchecked exclusivity: touched at each access to an object, and no access to it runs other code.
  @exclusivity(unchecked) private var buffers: [RowBuffer?]
  @exclusivity(unchecked) private var templates: [RowTemplate?]
  private var validators: [EntityValidator?]
  /// The last order keys given out since the last reset.
  var lastOrderKeys: [OrderedOwner: Int64] = [:]

  /// The objects that are alive, by root entity and row.
  @exclusivity(unchecked) var registry: ObjectRegistry
  /// Whether the context succeeded another one, and only its objects keep it alive; see ``handOver()``.
  @exclusivity(unchecked) var isKeptByObjects = false
  /// Who refers to whom among the changed rows; `nil` until the first access to a to-many relationship.
  @exclusivity(unchecked) var pendingReferences: PendingReferences?
  /// The keys of objects that are gone: that got permanent ones and were never saved, and, with an undo manager, whose
  /// deletion was saved here or merged.
  var annihilated: [TableID: Set<Int64>] = [:]
  /// By entity: the to-one relationships without an inverse that may refer to its objects, once asked for.
  var unpairedReferences: [Int: [RelationshipDescription]] = [:]
  /// Pairs that the next save adds to or removes from join tables.
  private(set) var pendingLinks = PendingLinks()
  /// The requests of fetched properties that were requested, read once.
  var fetchedPropertyRequests: [FetchedPropertyName: FetchRequest] = [:]
  /// The results that want to hear of changes.
  var resultObservers: [WeakResults] = []
  @exclusivity(unchecked) var typedFailures = AccessFailures()
  /// Whether an object becomes a deleted one when typed access finds that the store no longer has its record.
  ///
  /// Otherwise the next save fails with ``ObjectFailureCode/unreadable``. Its values are empty ones either way.
  public var shouldDeleteInaccessibleFaults = true
  /// Mandatory to-one relationships that may lead nowhere when rows are written, by table and slot: an import that
  /// writes objects before what they refer to sets them later.
  package var postponedSlots: [TableID: Set<Int>] = [:]
  /// The first primary keys of the rows that the work in progress has made, by root entity.
  ///
  /// The work is an import, which is one save to everyone else: a later write of such a row leaves its version at 1.
  package var firstNewKeys: [RootIndex: Int64] = [:]
  /// Whether the context keeps all its objects alive, not only those with changes.
  ///
  /// This is useful for a small set of objects that is used again and again, and for keeping objects while their IDs
  /// travel to another context. It is off by default: keep the objects that you need in a collection of your own.
  @exclusivity(unchecked) public var retainsRegisteredObjects = false {
    didSet { retainObjects() }
  }
  /// The failures that the validation of objects found before a save; the save reports them with its own findings.
  var hookFailures: [ObjectValidationFailure] = []
  /// What was prefetched for results that became arrays.
  var keptPrefetches: [PrefetchedRows] = []
  /// Whether an object checks itself for a save, which looks after changed relationships itself.
  var isValidatingSave = false
  /// Writes down what changes, for the undo manager; `nil` without one.
  @exclusivity(unchecked) var recorder: ChangeRecorder?
  /// Whether delete rules of stored records take effect at the end of the event instead of at once.
  ///
  /// `false` by default. The end of an event is ``processPendingChanges()``.
  public var propagatesDeletesAtEndOfEvent = false
  /// Objects that are deleted here and whose delete rules wait for the end of the event.
  var waitingDeletions: ArraySlice<ManagedObject> = []
  /// Moves when what the store holds may have changed: members of relationships that were read before are stale.
  @exclusivity(unchecked) var storedVersion: UInt32 = 0

  /// Creates an empty context over a store, without an undo manager.
  public convenience init(store: PersistentStore) {
    let stores = StoreList()
    stores.append(store)
    self.init(model: store.model, stores: stores, coordinator: nil)
  }

  /// Creates an empty context on a coordinator; stores may be added to it later.
  public convenience init(coordinator: PersistentStoreCoordinator) {
    self.init(model: coordinator.model, stores: coordinator.list, coordinator: coordinator)
  }

  init(model: ManagedObjectModel, stores: StoreList, coordinator: PersistentStoreCoordinator?) {
    self.model = model
    storeList = stores
    knownWriteMark = stores.writeMark
    self.coordinator = coordinator
    buffers = Array(repeating: nil, count: model.entities.count)
    templates = Array(repeating: nil, count: model.entities.count)
    validators = Array(repeating: nil, count: model.entities.count)
    registry = ObjectRegistry(tableCount: model.entities.count, model: model, stores: stores)
    registry.link.context = self
  }

  deinit { handOver() }

  /// Takes over what a context has that goes away: rows, changes and settings.
  func takeOver(_ old: ManagedObjectContext) {
    isKeptByObjects = true
    parent = old.parent
    parent?.children.removeAll { $0.context == nil }
    parent?.children.append(WeakContext(self))
    queryGeneration = old.queryGeneration
    name = old.name
    transactionAuthor = old.transactionAuthor
    mergePolicy = old.mergePolicy
    knownWriteMark = old.knownWriteMark
    buffers = old.buffers
    templates = old.templates
    validators = old.validators
    lastOrderKeys = old.lastOrderKeys
    registry = old.registry
    registry.link.context = self
    pendingReferences = old.pendingReferences
    annihilated = old.annihilated
    unpairedReferences = old.unpairedReferences
    pendingLinks = old.pendingLinks
    fetchedPropertyRequests = old.fetchedPropertyRequests
    typedFailures = old.typedFailures
    shouldDeleteInaccessibleFaults = old.shouldDeleteInaccessibleFaults
    postponedSlots = old.postponedSlots
    firstNewKeys = old.firstNewKeys
    hookFailures = old.hookFailures
    propagatesDeletesAtEndOfEvent = old.propagatesDeletesAtEndOfEvent
    waitingDeletions = old.waitingDeletions
    storedVersion = old.storedVersion
    automaticallyMergesChangesFromParent = old.automaticallyMergesChangesFromParent
    for buffer in allBuffers where buffer.onFirstChange != nil { watchFirstChanges(buffer) }
  }

  /// The rows of a table: those of the hierarchy below a root entity in one store.
  package func buffer(table: TableID) -> RowBuffer {
    if table.index < buffers.count, let buffer = buffers[table.index] { return buffer }
    if table.index >= buffers.count {
      // A store was added to the coordinator since the context was made.
      buffers.append(contentsOf: repeatElement(nil, count: table.index + 1 - buffers.count))
      registry.makeRoom(tableCount: table.index + 1)
    }
    let buffer = RowBuffer(model: model, root: model.entities[table.root.index], table: table)
    buffer.recorder = recorder
    buffers[table.index] = buffer
    registry.link.learn(buffer)
    return buffer
  }

  /// The rows of a root entity in the first store.
  package func buffer(root: RootIndex) -> RowBuffer { buffer(table: TableID(root: root)) }

  package var allBuffers: [RowBuffer] { buffers.compactMap { $0 } }

  /// Adds rows of one entity that the next save inserts, with primary keys of their own and the model's defaults.
  ///
  /// - Returns: The first row; the others follow it.
  /// - Complexity: O(`count` × columns).
  package func insertRows(_ entity: EntityDescription, count: Int) -> Int {
    // Importers and batch requests have refused abstract entities before they come here.
    precondition(!entity.isAbstract, "\(entity.name) is abstract and has no objects of its own")
    let buffer = buffer(root: entity.root)
    let first = buffer.appendRows(count, entity: Int32(entity.index), state: RowState.inserted)
    let key = store.takePrimaryKeys(root: entity.root, count: count)
    let keys = buffer.primaryKeys
    for i in 0..<count { keys[first + i] = key + Int64(i) }
    buffer.touchedRows.append(contentsOf: Int32(first)..<Int32(first + count))
    template(entity).fill(buffer, rows: first..<first + count)
    return first
  }

  /// The cells of a new row of an entity.
  package func template(_ entity: EntityDescription) -> RowTemplate {
    if let template = templates[entity.index] { return template }
    let template = RowTemplate(entity)
    templates[entity.index] = template
    return template
  }

  func validator(_ entity: EntityDescription) -> EntityValidator {
    if let validator = validators[entity.index] { return validator }
    let validator = EntityValidator(entity)
    validators[entity.index] = validator
    return validator
  }

  /// Discards every row and every change; existing objects are no longer valid (``ManagedObject/isValid``).
  ///
  /// - Complexity: O(number of root entities), whatever the number of rows, unless `objectsDidChange` is observed.
  public func reset() {
    let invalidated = idsForReset
    for buffer in buffers { buffer?.removeAll() }
    lastOrderKeys.removeAll(keepingCapacity: true)
    registry.removeAll()
    releaseAllObjects()
    pendingReferences = nil
    annihilated.removeAll()
    pendingLinks.removeAll()
    forgetUndo()
    typedFailures = AccessFailures()
    knownWriteMark = storeList.writeMark
    postReset(invalidated)
  }

  /// Restores all values to those of the last save, and discards inserted objects.
  ///
  /// Inserted objects are no longer valid; deleted ones are restored.
  public func rollback() {
    for buffer in allBuffers {
      let touched = registry.isInUse ? buffer.touchedRows : []
      for row in touched where buffer.states[Int(row)] == RowState.inserted { detach(buffer, row: Int(row)) }
      buffer.rollBack()
      releaseUnused(buffer, touched)
    }
    pendingReferences = nil
    pendingLinks.removeAll()
    typedFailures = AccessFailures()
    changesWereRolledBack()
    forgetUndo()
    postPendingChanges()
    updateResults()
  }

  /// Whether the next save has something to do.
  public var hasChanges: Bool {
    for buffer in allBuffers {
      for row in buffer.touchedRows where RowState.isChange(buffer.states[Int(row)]) { return true }
    }
    return pendingLinks.hasChanges
  }
}

extension RowState {
  /// Whether a row in this state is something for the next save.
  static func isChange(_ state: UInt8) -> Bool { state == inserted || state == updated || state == deleted }
}

/// The defaults of an entity's attributes, ready to be put into rows.
package final class RowTemplate {
  private struct Default {
    var slot: Int
    var tag: UInt8
    var payload: UInt64
    var bytes: [UInt8]
  }
  private var defaults: [Default] = []

  init(_ entity: EntityDescription) {
    for attribute in entity.attributes {
      guard let value = attribute.defaultValue, let cell = StoredCell(value) else { continue }
      defaults.append(Default(slot: attribute.slot, tag: cell.tag, payload: cell.payload, bytes: cell.bytes))
    }
  }

  /// Puts the defaults into rows whose cells are null.
  func fill(_ buffer: RowBuffer, rows: Range<Int>) {
    for value in defaults {
      var payload = value.payload
      if value.tag == CellTag.text || value.tag == CellTag.blob {
        payload = value.bytes.withUnsafeBytes { buffer.arena.append($0).payload }
      }
      let tags = buffer.tags[value.slot]
      let payloads = buffer.payloads[value.slot]
      for row in rows {
        tags[row] = value.tag
        payloads[row] = payload
      }
    }
  }

  /// Whether a cell holds its default.
  func isDefault(_ buffer: RowBuffer, row: Int, slot: Int) -> Bool {
    guard let value = defaults.first(where: { $0.slot == slot }) else { return buffer.tags[slot][row] == CellTag.null }
    if value.tag != buffer.tags[slot][row] { return false }
    if value.tag == CellTag.text || value.tag == CellTag.blob {
      return value.bytes.elementsEqual(buffer.arena.bytes(ByteRange(payload: buffer.payloads[slot][row])))
    }
    return value.payload == buffer.payloads[slot][row]
  }
}

/// A value in the form that cells have, with its bytes beside it.
package struct StoredCell {
  /// The cell's ``CellTag``.
  package var tag: UInt8
  /// The payload, unless the cell has bytes.
  package var payload: UInt64 = 0
  /// The bytes of a text or blob cell.
  package var bytes: [UInt8] = []

  static let null = StoredCell(tag: CellTag.null)

  private init(tag: UInt8) { self.tag = tag }

  /// Converts a value as Core Data stores it; `nil` for a decimal that the store cannot hold exactly.
  package init?(_ value: AttributeValue) {
    switch value {
    case .null: tag = CellTag.null
    case .boolean(let flag):
      tag = CellTag.integer
      payload = flag ? 1 : 0
    case .integer(let number):
      tag = CellTag.integer
      payload = UInt64(bitPattern: number)
    case .double(let number), .date(let number):
      tag = CellTag.real
      payload = number.bitPattern
    case .decimal(let number):
      guard let cell = number.storedCell else { return nil }
      tag = cell.tag
      payload = cell.payload
    case .string(let text), .uri(let text):
      tag = CellTag.text
      bytes = Array(text.utf8)
    case .binary(let data):
      tag = CellTag.blob
      bytes = data
    case .uuid(let high, let low):
      tag = CellTag.blob
      bytes = UUIDText.bytes(high, low)
    }
  }
}

extension DecimalNumber {
  /// The cell that holds the number in a column of type DECIMAL: an integer when it is whole and fits 64 bits, else a
  /// binary64 number when that gives back the same 15 digits; `nil` otherwise.
  package var storedCell: (tag: UInt8, payload: UInt64)? {
    if let integer = storedInteger { return (CellTag.integer, UInt64(bitPattern: integer)) }
    guard let number = storedReal else { return nil }
    return (CellTag.real, number.bitPattern)
  }
}

@available(*, unavailable, message: "a context is confined to one task; pass object IDs to others")
extension ManagedObjectContext: Sendable {}
