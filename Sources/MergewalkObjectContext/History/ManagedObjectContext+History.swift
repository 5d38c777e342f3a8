public import MergewalkObjectStore

extension ManagedObjectContext {
  /// Updates the context's objects with a transaction of the store's history; see
  /// ``mergeChanges(from:)-(BatchResult)``.
  ///
  /// The transaction must have been read with its changes. Merge transactions in their order.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for a transaction of another store, `closed` or `database`.
  public func mergeChanges(from transaction: PersistentHistoryTransaction) throws(ObjectError) {
    try mergeChanges(from: transaction.batchResult)
  }
}
