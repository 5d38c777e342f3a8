public import MergewalkObjectStore

extension ManagedObjectContext {
  /// Brings the context's objects up to what a transaction of the store's history did; see ``mergeChanges(from:)-(BatchResult)``.
  ///
  /// The transaction must have been read with its changes. Transactions are merged in their order.
  ///
  /// - Throws: ``ObjectError`` with `otherContext` for a transaction of another store, `closed` or `database`.
  public func mergeChanges(from transaction: PersistentHistoryTransaction) throws(ObjectError) {
    try mergeChanges(from: transaction.batchResult)
  }
}
