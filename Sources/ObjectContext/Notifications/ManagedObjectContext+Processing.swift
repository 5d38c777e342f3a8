extension ManagedObjectContext {
  /// Takes what was changed since the last time together: observers of `objectsDidChange` hear of it.
  ///
  /// Each save begins with this.
  public func processPendingChanges() { tellPendingChanges() }
}
