public import MergewalkObjectStore

/// Reading the stores as they were at one moment.
extension ManagedObjectContext {
  /// Pins the context to a moment of its stores, or lets it read what is there again.
  ///
  /// Fetches, faults and relationships then show what was committed when the token was made, with the changes of this
  /// context, whatever others save meanwhile. Rows that are here already keep their values; refresh or reset for those
  /// of the moment. Saves always go to the stores as they are: who changes a record that another context or process
  /// changed since has a conflict. After a save of its own the context is pinned to the moment after it. Children read
  /// through their parents.
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
