public import MergewalkObjectModel
import MergewalkObjectStore

/// Which objects the context keeps alive: those with changes until they are saved, rolled back or refreshed away, and
/// all of them when ``ManagedObjectContext/retainsRegisteredObjects`` is set.
extension ManagedObjectContext {
  /// The objects of the context that are alive.
  ///
  /// - Complexity: O(rows).
  public var registeredObjects: [ManagedObject] {
    var found: [ManagedObject] = []
    registry.forEachObject { found.append($0) }
    return found
  }

  /// The object with an ID if it is alive in the context, or has changes here, such as one that a child context saved;
  /// queries no store.
  public func registeredObject(with id: ManagedObjectID) -> ManagedObject? {
    guard let table = try? table(id) else { return nil }
    let buffer = buffer(table: table)
    guard let row = buffer.row(primaryKey: id.primaryKey) else { return nil }
    if let known = registry.object(table: table, row: row) { return known.takeUnretainedValue() }
    return RowState.isChange(buffer.states[row]) ? makeObject(buffer, row: row) : nil
  }

  /// Takes note of an object that was made for a row.
  @inline(__always)
  func objectCameUp(_ object: ManagedObject, _ buffer: RowBuffer) {
    // Only now: an initializer of one's own may have set values.
    let (state, isWatched) = buffer.watch(row: object.row)
    if !isWatched { watchFirstChanges(buffer) }
    if isKeptByObjects { object.keeper = self }
    if retainsRegisteredObjects { registry.retained.insert(object) }
    if RowState.isChange(state) { hold(object) }
    if state != RowState.inserted, object.flags.contains(.hasHooks) { object.flags.insert(.needsAwakening) }
  }

  /// Ensures that the object of a row is held from the row's first change on.
  func watchFirstChanges(_ buffer: RowBuffer) {
    let table = buffer.table
    buffer.onFirstChange = { [unowned self] row in
      if let object = registry.object(table: table, row: row) { hold(object.takeUnretainedValue()) }
    }
  }

  /// Keeps an object alive because it has changes; not where objects keep the context.
  func hold(_ object: ManagedObject) {
    guard object.heldIndex < 0, !isKeptByObjects else { return }
    object.heldIndex = Int32(registry.held.count)
    registry.held.append(object)
  }

  /// Lets an object go that has no changes any more.
  func release(_ object: ManagedObject) {
    let index = Int(object.heldIndex)
    guard index >= 0 else { return }
    object.heldIndex = -1
    let last = registry.held.removeLast()
    if last !== object {
      registry.held[index] = last
      last.heldIndex = Int32(index)
    }
  }

  /// Lets all objects go that were kept because of their changes.
  func releaseHeldObjects() {
    if registry.held.isEmpty { return }
    var objects = ContiguousArray<ManagedObject>()
    swap(&objects, &registry.held)
    for object in objects { object.heldIndex = -1 }
    // Objects that are not needed elsewhere free their rows as they go.
    objects.removeAll()
    for buffer in allBuffers where buffer.holdsNothing && buffer.touchedRows.isEmpty {
      buffer.removeAll()
      if buffer.table.index < registry.looseRows.count {
        registry.looseRows[buffer.table.index].removeAll(keepingCapacity: true)
      }
    }
  }

  /// Keeps objects that a merge brought, until the next merge; not where objects keep the context.
  func keepMerged(_ objects: [ManagedObject]) {
    var merged = isKeptByObjects ? [] : objects
    // The former ones go when this returns: not while the registry is being changed, which they change too.
    swap(&merged, &registry.merged)
  }

  /// Lets all objects go: the context was reset, or goes away.
  func releaseAllObjects() {
    releaseHeldObjects()
    keepMerged([])
    var objects = Set<ManagedObject>()
    swap(&objects, &registry.retained)
  }

  /// Keeps all objects, or only those with changes.
  func retainObjects() {
    if retainsRegisteredObjects {
      for object in registeredObjects { registry.retained.insert(object) }
    } else {
      var objects = Set<ManagedObject>()
      swap(&objects, &registry.retained)
    }
  }
}
