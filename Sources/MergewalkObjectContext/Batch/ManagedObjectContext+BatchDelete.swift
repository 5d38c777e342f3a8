public import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Deletes the objects of a request from the store, in one transaction: all or nothing.
  ///
  /// The store is what the request works on: unsaved changes of this context do not count, and its objects know nothing
  /// of the result before ``mergeChanges(from:)``. Delete rules hold, over everything that they reach:
  ///
  /// | rule | what happens to the objects at the other end |
  /// |---|---|
  /// | nullify, no action, no inverse | what refers to an object that goes refers to nothing |
  /// | cascade | they go too, with their own rules |
  /// | deny | the request fails when one of them would stay |
  ///
  /// So nothing is left that refers to what is gone. (Core Data leaves references of rules other than "nullify" and
  /// "cascade" dangling.) A reference that must not be missing, and a to-many relationship that would have too few
  /// objects, fail the request.
  ///
  /// - Throws: ``BatchError``: `object` with `unknownEntity`, `otherContext`, `wrongEntity` for IDs below several root
  ///   entities, or `closed`; `predicate`; `save` with `validation` or `database`. The store is then as before.
  /// - Complexity: A number of statements that depends on the model only.
  public func execute(_ request: BatchDeleteRequest) throws(BatchError) -> BatchResult {
    guard hasOneStore else { return try executeInStores(request) }
    if let stores = request.affectedStores, !stores.contains(store.identifier) { return BatchResult() }
    let selection = try deleteSelection(request.selection)
    guard let selection else { return BatchResult() }
    let plan = BatchDeletePlan(schema: store.schema, entity: selection.entity)
    return try inBatchTransaction { () throws(BatchError) in
      try batchErrors { () throws(StoreError) in try store.prepareDeletion() }
      switch selection.source {
      case .fetch(var fetch):
        fetch.sql = plan.selection(fetch.sql, columnCount: fetch.columns.count)
        _ = try cursorErrors { () throws(FetchError) in try store.cursor(fetch).run() }
      case .keys(let keys): try select(keys, selection.entity, plan)
      }
      let failures = try failures(plan)
      guard failures.isEmpty else { throw .save(SaveError(failures)) }
      var result = BatchResult()
      let returnsIDs = request.resultType == .objectIDs
      let counts = try carryOut(plan, namesUpdated: returnsIDs, namesDeleted: returnsIDs) { isDeleted, entity, key in
        let id = ManagedObjectID(storeUUID: store.identifier, entity: model.entities[entity], primaryKey: key)
        if isDeleted { result.deletedObjectIDs.append(id) } else { result.updatedObjectIDs.append(id) }
      }
      if request.resultType != .status { (result.updatedCount, result.deletedCount) = counts }
      return result
    }
  }

  func select(_ keys: [Int64], _ entity: EntityDescription, _ plan: BatchDeletePlan) throws(BatchError) {
    try batchErrors { () throws(StoreError) in
      let access = try store.access(root: entity.root)
      let query = try access.primaryKeyQuery(entity)
      try access.run(plan.selection(query, columnCount: 1), primaryKeys: keys)
    }
  }

  /// Carries a deletion out that nothing is in the way of.
  ///
  /// - Parameter body: Is called with the entity's index and the key of each row that is written or goes, if it is
  ///   wanted.
  /// - Returns: How many rows are written and how many go.
  func carryOut(
    _ plan: BatchDeletePlan, namesUpdated: Bool, namesDeleted: Bool,
    _ body: (_ isDeleted: Bool, _ entity: Int, _ primaryKey: Int64) -> Void
  ) throws(BatchError) -> (updated: Int, deleted: Int) {
    var counts = (updated: 0, deleted: 0)
    try observed { () throws(BatchError) in
      try changes(plan)
    } writing: { () throws(BatchError) in
      for statement in plan.nullifications {
        counts.updated += try run(statement, isNamed: namesUpdated) { body(false, $0, $1) }
      }
      for sql in plan.unlinks { try run(sql) }
      for statement in plan.deletions {
        counts.deleted += try run(statement, isNamed: namesDeleted) { body(true, $0, $1) }
      }
      try batchErrors { () throws(StoreError) in try store.checkDeletion(plan, deleted: counts.deleted) }
    }
    try run(BatchDeletePlan.clear)
    return counts
  }

  /// Deletes in each of several stores what a request selects there.
  private func executeInStores(_ request: BatchDeleteRequest) throws(BatchError) -> BatchResult {
    switch request.selection {
    case .fetch(let fetch):
      return try inEachStore(fetch.entityName) { context throws(BatchError) in try context.execute(request) }
    case .objectIDs(let ids):
      guard let first = ids.first else { return BatchResult() }
      return try inEachStore(first.entity.name) { context throws(BatchError) in
        var part = request
        part.selection = .objectIDs(ids.filter { $0.storeUUID == context.store.identifier })
        return try context.execute(part)
      }
    }
  }

  /// The selection of a request, resolved.
  private struct DeleteSelection {
    enum Source {
      case fetch(CompiledFetch)
      case keys([Int64])
    }
    var entity: EntityDescription
    var source: Source
  }

  /// Resolves what a request selects; `nil` for none.
  private func deleteSelection(_ selection: BatchDeleteRequest.Selection) throws(BatchError) -> DeleteSelection? {
    switch selection {
    case .fetch(let fetch):
      let entity = try batchEntity(fetch.entityName)
      let uuid = store.identifier
      if let stores = fetch.affectedStores, !stores.contains(uuid) { return nil }
      let compiler = FetchCompiler(schema: store.schema, storeUUID: uuid)
      do {
        let compiled = try compiler.compile(fetch, selecting: .primaryKeys(withSortKeys: false))
        return DeleteSelection(entity: entity, source: .fetch(compiled))
      } catch {
        throw BatchError(error)
      }
    case .objectIDs(let ids):
      guard let first = ids.first else { return nil }
      var entity = first.entity
      for id in ids {
        do { _ = try table(id) } catch { throw .object(error) }
        guard id.storeUUID == store.identifier else {
          throw .object(ObjectError(.otherContext, "\(id) is the ID of another store"))
        }
        guard id.entity.root == entity.root else {
          throw .object(
            ObjectError(.wrongEntity, "\(first) and \(id) have no entity in common; make a request for each"))
        }
        if id.entity !== entity { entity = model.entities[entity.rootIndex] }
      }
      return DeleteSelection(entity: entity, source: .keys(Set(ids.map(\.primaryKey)).sorted()))
    }
  }

  /// The changes that a deletion makes to the store.
  private func changes(_ plan: BatchDeletePlan) throws(BatchError) -> BatchChanges {
    var changes = BatchChanges(store)
    for rows in plan.observedNullifications {
      try changes.add(.update, CompiledFetch(statement: rows.sql), slots: rows.slots, hasFlags: true)
    }
    for sql in plan.observedDeletions { try changes.add(.delete, CompiledFetch(statement: sql)) }
    return changes
  }

  /// The obstacles to a deletion, at most 1,000 of each kind.
  func failures(_ plan: BatchDeletePlan) throws(BatchError) -> [ObjectValidationFailure] {
    var failures: [ObjectValidationFailure] = []
    for sql in plan.checkStatements(limit: 1000) {
      try cursorErrors { () throws(FetchError) in
        let cursor = try store.cursor(CompiledFetch(statement: sql))
        while try cursor.step() {
          let check = plan.checks[Int(cursor.integer(0))]
          let code: ObjectFailureCode =
            switch check.kind {
            case .denied: .deletionDenied
            case .missing: .value(.missing)
            case .tooFew: .tooFewObjects
            }
          let entity = model.entities[cursor.entityIndex(2) ?? check.root.index]
          failures.append(
            ObjectValidationFailure(
              entity: entity.name, primaryKey: cursor.integer(1), property: check.property, code: code,
              table: TableID(root: check.root), row: -1))
        }
      }
    }
    return failures
  }

  /// Runs a statement on a table and returns how many rows it changed; names them if requested.
  private func run(
    _ statement: BatchDeletePlan.TableStatement, isNamed: Bool, _ body: (_ entity: Int, _ primaryKey: Int64) -> Void
  ) throws(BatchError) -> Int {
    guard isNamed else { return try run(statement.sql) }
    return try cursorErrors { () throws(FetchError) in
      let cursor = try store.cursor(CompiledFetch(statement: statement.returningIDs))
      var count = 0
      while try cursor.step() {
        count += 1
        body(cursor.entityIndex(1) ?? statement.root.index, cursor.integer(0))
      }
      return count
    }
  }

  @discardableResult
  func run(_ sql: String) throws(BatchError) -> Int {
    try cursorErrors { () throws(FetchError) in try store.cursor(CompiledFetch(statement: sql)).run() }
  }
}

extension SaveError {
  /// The error that reports what breaks the model.
  init(_ failures: [ObjectValidationFailure]) {
    self.init(
      code: .validation, message: failures.map(\.description).joined(separator: "\n"), failures: failures)
  }
}

/// Runs a piece of work on the database and wraps its error.
func cursorErrors<Value>(_ body: () throws(FetchError) -> Value) throws(BatchError) -> Value {
  do {
    return try body()
  } catch {
    switch error {
    case .predicate(let error): throw BatchError(error)
    case .store(let error): throw BatchError(error)
    }
  }
}
