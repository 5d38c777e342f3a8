package import ObjectModel
import ObjectStore

extension ManagedObjectContext {
  /// Deletes objects, and what delete rules take along, within the transaction that is open: as ``execute(_:)`` does for
  /// a ``BatchDeleteRequest``, for a run that is taken back as a whole.
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
    try batchErrors { () throws(StoreError) in
      try store.prepareDeletion()
      let access = try store.access(root: entity.rootIndex)
      let query = try access.primaryKeyQuery(entity)
      try access.run(plan.selection(query, columnCount: 1), primaryKeys: primaryKeys)
    }
    let failures = try failures(plan)
    guard failures.isEmpty else {
      try run(BatchDeletePlan.clear)
      return failures
    }
    try observed { () throws(BatchError) in
      try changes(plan)
    } writing: { () throws(BatchError) in
      for statement in plan.nullifications { try run(statement.sql) }
      for sql in plan.unlinks { try run(sql) }
      for statement in plan.deletions { try delete(statement, body) }
    }
    try run(BatchDeletePlan.clear)
    return []
  }

  private func delete(_ statement: BatchDeletePlan.TableStatement, _ body: (Int) -> Void) throws(BatchError) {
    try cursorErrors { () throws(FetchError) in
      let cursor = try store.cursor(CompiledFetch(statement: statement.returningIDs))
      while try cursor.step() { body(cursor.entityIndex(1) ?? statement.root) }
    }
  }
}
