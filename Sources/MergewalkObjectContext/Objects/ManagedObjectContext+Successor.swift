/// The successor of a context that is no longer referred to while objects of it are held.
///
/// A context keeps objects with changes. If these kept their context too, neither would ever go, and no reference count
/// may be asked whether a third has one of them. So objects do not keep a context that is referred to. When the last
/// reference goes, a successor takes rows, changes and settings over; the objects that are still held keep the
/// successor, and it keeps none of them, so that it goes with the last one.
extension ManagedObjectContext {
  /// Ends what concerned those who had this context, and hands the rest to a successor where objects need one; for
  /// `deinit`, so nothing here may keep a reference to `self`.
  func handOver() {
    // Observers may be the last to hold objects, whose end must not meet a change of what holds the observers.
    var observers: ContextEvents?
    swap(&observers, &events)
    observers = nil
    undoManager = nil
    releaseAllObjects()
    do {
      let failures = typedFailures
      typedFailures = failures.withoutObjects
    }
    let heirs = heirs()
    guard !heirs.isEmpty else {
      registry.link.end()
      return
    }
    let successor = ManagedObjectContext(model: model, stores: storeList, coordinator: coordinator)
    successor.takeOver(self)
    for object in heirs { object.keeper = successor }
  }

  /// The objects that others hold; those whose delete rules wait are held by the context, and go with it.
  private func heirs() -> [ManagedObject] {
    guard registry.isInUse else { return [] }
    let waiting = Set(waitingDeletions)
    return registeredObjects.filter { !waiting.contains($0) }
  }

  /// Makes a successor a context as every other, for as long as it is referred to: it keeps objects with changes.
  func takeHold() {
    guard isKeptByObjects else { return }
    isKeptByObjects = false
    for object in registeredObjects {
      object.keeper = nil
      if object.hasChanges { hold(object) }
    }
  }

  /// Whether the results of fetches keep the context: not where it keeps objects that may have results of their own.
  var isKeptByResults: Bool { recorder == nil && !retainsRegisteredObjects }
}
