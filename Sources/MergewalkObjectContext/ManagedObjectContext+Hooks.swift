/// Notifications to other parts of the context.
extension ManagedObjectContext {
  /// Records have other keys now: they were saved for the first time, or a save failed and they have their temporary ones
  /// again.
  func keysWereReplaced(_ keys: AssignedKeys) {
    events?.ledger.replace(keys)
    recorder?.keysWereReplaced(keys)
    for child in children { child.context?.replaceKeys(keys) }
  }
}
