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

  /// Finds the objects that cannot go, because delete rules would take along others that have to stay.
  ///
  /// - Parameters:
  ///   - entity: The objects' entity, or an ancestor of it.
  ///   - primaryKeys: Ascending; keys that are not there do not matter.
  ///   - keeps: Whether an object has to stay, by its entity's index and primary key; asked of all that would go.
  /// - Returns: For each that cannot go, one that would go with it at once: it has to stay if there is such a one, else it
  ///   cannot go either.
  /// - Complexity: A number of statements that depends on the model only, and memory for the keys that are given.
  package func heldDeletions(
    _ entity: EntityDescription, primaryKeys: [Int64], keeps: (_ entity: Int, _ primaryKey: Int64) -> Bool
  ) throws(BatchError) -> [Int64: (entity: Int, primaryKey: Int64)] {
    let plan = BatchDeletePlan(schema: store.schema, entity: entity)
    guard plan.takesAlong else { return [:] }
    try batchErrors { () throws(StoreError) in try store.prepareDeletion() }
    try run(BatchDeletePlan.createKept)
    try select(primaryKeys, entity, plan)
    var isAnyKept = false
    for (table, rows) in zip(plan.deletions, plan.observedDeletions) {
      if try keep(table.root, rows, keeps) { isAnyKept = true }
    }
    var held: [Int64: (entity: Int, primaryKey: Int64)] = [:]
    if isAnyKept {
      try run(plan.keepingOwners)
      let keys = Set(primaryKeys)
      try cursorErrors { () throws(FetchError) in
        let cursor = try store.cursor(CompiledFetch(statement: plan.reasonsToKeep))
        while try cursor.step() {
          let key = cursor.integer(0)
          guard keys.contains(key) else { continue }
          let other = (entity: cursor.entityIndex(1) ?? entity.index, primaryKey: cursor.integer(2))
          // The same one, whatever the order of the rows; rather one that has to stay.
          func rank(_ entity: Int, _ key: Int64) -> (Int, Int, Int64) { (keeps(entity, key) ? 0 : 1, entity, key) }
          guard let known = held[key], rank(known.entity, known.primaryKey) <= rank(other.entity, other.primaryKey)
          else {
            held[key] = other
            continue
          }
        }
      }
      try run(BatchDeletePlan.clearKept)
    }
    try run(BatchDeletePlan.clear)
    return held
  }

  /// Notes which of the objects that would go from a table have to stay.
  ///
  /// - Parameter rows: Selects primary keys and numbers (`Z_ENT`) of the objects.
  /// - Returns: Whether any has to.
  private func keep(
    _ root: RootIndex, _ rows: String, _ keeps: (_ entity: Int, _ primaryKey: Int64) -> Bool
  ) throws(BatchError) -> Bool {
    var keys: [Int64] = []
    var isAnyKept = false
    let cursor = try cursorErrors { () throws(FetchError) in try store.cursor(CompiledFetch(statement: rows)) }
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = try cursorErrors { () throws(FetchError) in try !cursor.step() }
      if !isAtEnd, keeps(cursor.entityIndex(1) ?? root.index, cursor.integer(0)) { keys.append(cursor.integer(0)) }
      guard isAtEnd ? !keys.isEmpty : keys.count == 20_000 else { continue }
      try batchErrors { () throws(StoreError) in
        let access = try store.access(root: root)
        let query = try access.primaryKeyQuery(model.entities[root.index])
        try access.run(BatchDeletePlan.keeping(root, query), primaryKeys: keys)
      }
      keys.removeAll(keepingCapacity: true)
      isAnyKept = true
    }
    return isAnyKept
  }
}
