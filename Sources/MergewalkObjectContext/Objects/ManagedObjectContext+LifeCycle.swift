import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// Telling objects of classes of their own what happens to them.
extension ManagedObjectContext {
  // MARK: Values come

  /// Fetches the values of a fault and tells the object, unless only the value at `slot` came with the fetch that named
  /// the object: reading that one asks no store and calls no observer.
  func awaken(_ object: ManagedObject, for slot: Int) throws(ObjectError) {
    let (buffer, row) = (buffer(table: object.table), object.row)
    if buffer.states[row] == RowState.fault, !buffer.knowsEverything(row: row), buffer.isKnown(row: row, slot: slot) {
      return
    }
    try awaken(object)
  }

  /// Fetches the values of a fault and tells the object.
  func awaken(_ object: ManagedObject) throws(ObjectError) {
    try fetchValues(object)
    awakenFetched(object)
    // The hook may have done anything to the object and its context.
    try check(object)
  }

  /// Tells an object whose values are here; what it sets then is no change.
  func awakenFetched(_ object: ManagedObject) {
    object.flags.remove(.needsAwakening)
    let buffer = buffer(table: object.table)
    let wasClean = buffer.states[object.row] == RowState.clean
    let snapshotCount = buffer.snapshots.count
    object.flags.insert(.isInTransition)
    object.awakeFromFetch()
    object.flags.remove(.isInTransition)
    guard wasClean, object.isValid, buffer.states[object.row] == RowState.updated else { return }
    buffer.takeForClean(row: object.row, snapshotsFrom: snapshotCount)
    release(object)
  }

  /// The object of a record whose own entity decides on its class and is not known before its row is; `nil` when the
  /// record cannot be fetched.
  func fetchedObject(_ buffer: RowBuffer, primaryKey: Int64) -> ManagedObject? {
    // Whoever uses the fault that is made instead hears of failures.
    guard primaryKey > 0, let access = try? access(table: buffer.table) else { return nil }
    let found = try? access.fetchRow(primaryKey: primaryKey, into: buffer)
    return found.map { object(buffer, row: $0) }
  }

  // MARK: Values go

  /// Forgets or replaces the values of an object by `body`, with the hooks around it.
  ///
  /// With changes merged the object is not a fault afterwards. Transient values from before are put back after
  /// `awakeFromFetch`, as Core Data does it.
  func turnIntoFault(_ object: ManagedObject, mergingChanges: Bool, _ body: () -> Void) {
    guard object.flags.contains(.hasHooks), !object.flags.contains(.needsAwakening) else {
      body()
      if !mergingChanges { forgetTransientValues(object) }
      return
    }
    object.flags.insert(.isInTransition)
    object.willTurnIntoFault()
    let former = mergingChanges ? transientCells(object) : []
    let formerValues = object.extras?.transientValues ?? [:]
    body()
    if !mergingChanges { forgetTransientValues(object) }
    object.didTurnIntoFault()
    object.flags.remove(.isInTransition)
    object.flags.insert(.needsAwakening)
    guard mergingChanges else { return }
    awakenFetched(object)
    for (slot, cell) in former { overwrite(object, slot: slot, with: cell) }
    for (slot, value) in formerValues { object.makeExtras().transientValues[slot] = value }
    object.awake(fromSnapshotEvents: .refresh)
  }

  private func forgetTransientValues(_ object: ManagedObject) {
    object.extras?.transientValues.removeAll()
    object.extras?.transformed.removeAll()
  }

  /// The values of an object's transient attributes that are in columns.
  private func transientCells(_ object: ManagedObject) -> [(slot: Int, cell: StoredCell)] {
    let (buffer, row) = (buffer(table: object.table), object.row)
    return object.entity.attributes.compactMap { attribute in
      guard attribute.isTransient, attribute.slot < buffer.columnCount else { return nil }
      let value = attribute.type.value(
        tag: buffer.tags[attribute.slot][row], payload: buffer.payloads[attribute.slot][row], buffer.arena)
      guard value != .null, let cell = StoredCell(value) else { return nil }
      return (attribute.slot, cell)
    }
  }

  /// Puts a value into an object's row without making that a change.
  func overwrite(_ object: ManagedObject, slot: Int, with cell: StoredCell) {
    let (buffer, row) = (buffer(table: object.table), object.row)
    cell.bytes.withUnsafeBytes { bytes in
      let hasBytes = cell.tag == CellTag.text || cell.tag == CellTag.blob
      buffer.overwrite(
        row: row, slot: slot, tag: cell.tag,
        payload: hasBytes ? ByteRange(offset: 0, length: bytes.count).payload : cell.payload,
        arena: bytes.baseAddress ?? UnsafeRawPointer(buffer.arena.base))
    }
  }

  /// Tells objects that had changes that these are gone, and lets them go.
  func changesWereRolledBack() {
    for object in registry.held where object.isValid && object.flags.contains(.hasHooks) {
      object.awake(fromSnapshotEvents: .rollback)
    }
    releaseHeldObjects()
  }

  // MARK: Saving

  /// Tells the objects that a save is about to write, until none of them changes anything more, and has them check
  /// themselves; returns them.
  ///
  /// Rows of entities without a class of their own have no part in this.
  func runWillSaveHooks() throws(SaveError) -> [ManagedObject] {
    hookFailures = []
    guard registry.link.classes.isInUse else { return [] }
    var told: [ManagedObject] = []
    var known = Set<ManagedObject>()
    var waiting = changedHookedObjects()
    for _ in 0..<Self.mostRounds where !waiting.isEmpty {
      for object in waiting where object.isValid {
        if known.insert(object).inserted { told.append(object) }
        object.flags.remove(.wasSet)
        object.willSave()
      }
      waiting = changedHookedObjects().filter { !known.contains($0) || $0.flags.contains(.wasSet) }
    }
    guard waiting.isEmpty else {
      throw SaveError(
        code: .unstable,
        message:
          "\(PrintableText.count(waiting.count, "object")), \(waiting[0].objectID) among them, still changed after "
          + "\(Self.mostRounds) "
          + "rounds of willSave; set values there only when they differ")
    }
    told = told.filter(\.isValid)
    for object in told { validate(object) }
    return told
  }

  /// How often `willSave` is called for the same object at most: as in Core Data.
  private static let mostRounds = 1000

  /// Tells objects that they were saved.
  func runDidSaveHooks(_ objects: [ManagedObject]) { for object in objects { object.didSave() } }

  /// The objects with changes whose classes may override hooks.
  private func changedHookedObjects() -> [ManagedObject] {
    let hasHooks = registry.link.classes.hasHooks
    var found: [ManagedObject] = []
    for buffer in allBuffers {
      let root = model.entities[buffer.rootEntity.index]
      guard !buffer.touchedRows.isEmpty, hasHooks[root.index...root.lastDescendantIndex].contains(true) else {
        continue
      }
      var seen = Set<Int32>()
      for row in buffer.touchedRows
      where RowState.isChange(buffer.states[Int(row)]) && hasHooks[Int(buffer.entities[Int(row)])]
        && seen.insert(row).inserted
      {
        found.append(object(buffer, row: Int(row)))
      }
    }
    for (table, key) in pendingLinks.changedObjects() {
      let buffer = buffer(table: table)
      guard let row = buffer.row(primaryKey: key), buffer.states[row] == RowState.clean,
        hasHooks[Int(buffer.entities[row])]
      else { continue }
      found.append(object(buffer, row: row))
    }
    return found
  }
}
