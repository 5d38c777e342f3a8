package import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Deletes objects, and what delete rules take along, within the transaction that is open: as ``execute(_:)`` does
  /// for a ``BatchDeleteRequest``, for a run that is rolled back as a whole.
  ///
  /// Rows that the context holds must not be those of objects that go.
  ///
  /// - Parameters:
  ///   - entity: The objects' entity, or an ancestor of it.
  ///   - primaryKeys: Ascending; keys that are not there do not matter.
  ///   - body: Is called with the entity's index of each object that goes.
  /// - Returns: What is in the way; nothing was deleted then.
  /// - Complexity: A number of statements that depends on the model only.
  package func deleteRows(
    _ entity: EntityDescription, primaryKeys: [Int64], each body: (_ entity: Int) -> Void
  ) throws(BatchError) -> [ObjectValidationFailure] {
    let plan = BatchDeletePlan(schema: store.schema, entity: entity)
    try batchErrors { () throws(StoreError) in try store.prepareDeletion() }
    try select(primaryKeys, entity, plan)
    let failures = try failures(plan)
    guard failures.isEmpty else {
      try run(BatchDeletePlan.clear)
      return failures
    }
    _ = try carryOut(plan, namesUpdated: false, namesDeleted: true) { _, entity, _ in body(entity) }
    return []
  }
}
