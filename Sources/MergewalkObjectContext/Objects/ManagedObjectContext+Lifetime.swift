public import MergewalkObjectModel
import MergewalkObjectStore

/// Which objects the context keeps alive: those with changes until they are saved, rolled back or refreshed away, and
/// all of them when ``ManagedObjectContext/retainsRegisteredObjects`` is set.
extension ManagedObjectContext {
  /// The objects that are alive here.
  ///
  /// - Complexity: O(rows).
  public var registeredObjects: [ManagedObject] {
    var found: [ManagedObject] = []
    registry.forEachObject { found.append($0) }
    return found
  }

  /// The object with an ID if it is alive here; asks no store and makes none.
  public func registeredObject(with id: ManagedObjectID) -> ManagedObject? {
    guard let table = try? table(id), let row = buffer(table: table).row(primaryKey: id.primaryKey) else { return nil }
    return registry.object(table: table, row: row)?.takeUnretainedValue()
  }

  /// Takes note of an object that was made for a row.
  func objectCameUp(_ object: ManagedObject, _ buffer: RowBuffer) {
    if buffer.onFirstChange == nil {
      let table = buffer.table
      buffer.onFirstChange = { [unowned self] row in
        if let object = registry.object(table: table, row: row) { hold(object.takeUnretainedValue()) }
      }
    }
    if retainsRegisteredObjects { registry.retained.insert(object) }
    let state = buffer.states[object.row]
    if RowState.isChange(state) { hold(object) }
    if state != RowState.inserted, object.flags.contains(.hasHooks) { object.flags.insert(.needsAwakening) }
  }

  /// Keeps an object alive because it has changes.
  func hold(_ object: ManagedObject) {
    guard object.heldIndex < 0 else { return }
    if !registry.link.keepsTogether { object.keeper = nil }
    object.heldIndex = Int32(registry.held.count)
    registry.held.append(object)
  }

  /// Lets an object go that has no changes any more.
  func release(_ object: ManagedObject) {
    let index = Int(object.heldIndex)
    guard index >= 0 else { return }
    object.heldIndex = -1
    letKeep(object)
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
    for object in objects {
      object.heldIndex = -1
      letKeep(object)
    }
    // Objects that are not needed elsewhere free their rows as they go.
    objects.removeAll()
    for buffer in allBuffers where buffer.holdsNothing && buffer.touchedRows.isEmpty {
      buffer.removeAll()
      if buffer.table.index < registry.looseRows.count {
        registry.looseRows[buffer.table.index].removeAll(keepingCapacity: true)
      }
    }
  }

  /// Whether objects without changes keep the context alive: not when the context, or its undo manager, keeps them.
  var isKeptByObjects: Bool { recorder == nil && !retainsRegisteredObjects }

  /// Has an object that the context does not keep any more keep the context.
  private func letKeep(_ object: ManagedObject) {
    if isKeptByObjects, object.isValid, !object.flags.contains(.isMerged) { object.keeper = self }
  }

  /// Keeps objects that a merge brought, until the next merge.
  func keepMerged(_ objects: [ManagedObject]) {
    let old = registry.merged
    for object in objects {
      object.flags.insert(.isMerged)
      object.keeper = nil
    }
    registry.merged = objects
    let now = Set(objects)
    for object in old where !now.contains(object) {
      object.flags.remove(.isMerged)
      if object.heldIndex < 0 { letKeep(object) }
    }
  }

  /// Decides anew for all objects who keeps whom.
  func keepersChanged() {
    let keeper = isKeptByObjects ? self : nil
    registry.forEachObject { if $0.heldIndex < 0, !$0.flags.contains(.isMerged) { $0.keeper = keeper } }
  }

  /// Lets all objects go: the context was reset.
  func releaseAllObjects() {
    releaseHeldObjects()
    registry.merged = []
    var objects = Set<ManagedObject>()
    swap(&objects, &registry.retained)
  }

  /// Keeps all objects, or only those with changes.
  func retainObjects() {
    keepersChanged()
    if retainsRegisteredObjects {
      for object in registeredObjects { registry.retained.insert(object) }
    } else {
      var objects = Set<ManagedObject>()
      swap(&objects, &registry.retained)
    }
  }
}
