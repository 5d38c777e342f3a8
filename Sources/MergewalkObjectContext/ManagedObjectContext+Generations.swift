public import MergewalkObjectStore

/// Reading the stores as they were at one moment.
extension ManagedObjectContext {
  /// Pins the context to a snapshot of its stores, or lets it read the current state again.
  ///
  /// Fetches, faults and relationships then show the state committed when the token was made, with the changes of this
  /// context, whatever others save in the meantime. Rows that are already loaded keep their values; refresh or reset
  /// for those of the snapshot. Saves always go to the current stores: changing a record that another context or
  /// process has changed since is a conflict. After its own save, the context is pinned to the state after it. Children
  /// read through their parents.
  ///
  /// Source: Apple's `setQueryGenerationFrom(_:)`.
  public func setQueryGeneration(from token: QueryGenerationToken?) {
    checkThread()
    queryGeneration = token
    // Members that objects know are those of another moment.
    storedVersion &+= 1
  }

  /// Pins a context that is pinned to what the stores have now.
  ///
  /// - Throws: `StoreError` as `PersistentStoreCoordinator.currentQueryGeneration` does.
  func advanceQueryGeneration() throws(StoreError) {
    guard queryGeneration != nil, let coordinator else { return }
    setQueryGeneration(from: try coordinator.currentQueryGeneration())
  }
}
