import MergewalkObjectModel
import MergewalkObjectStore

/// The second attempt of a save whose first one met conflicts, so that saves without any cost nothing more.
extension ManagedObjectContext {
  /// How often a policy may change what there is to write before the save is given up.
  private static let roundLimit = 8

  /// Finds out what is in the way of a save that failed, lets the policy resolve it, and writes, all in one
  /// transaction.
  ///
  /// - Returns: What was written.
  func writeResolving(_ planned: SavePlan, after first: SaveError) throws(SaveError) -> SavePlan {
    guard first.code == .conflict || first.code == .constraint else { throw first }
    let numbers = try changedStores(planned)
    // In another owner's transaction the first attempt cannot be rolled back.
    guard numbers.allSatisfy({ !(storeList.store($0)?.isInTransaction ?? true) }) else { throw first }
    let run = SaveRun(planned)
    var moment: ContextMoment?
    defer { if let moment { letGo(moment) } }
    do throws(SaveError) {
      try write(run, to: numbers) { () throws(SaveError) in
        run.plan = try resolved(planned, first, &moment)
        guard Set(numbers).isSuperset(of: try changedStores(run.plan)) else {
          throw SaveError(
            code: .conflict, message: "the merge policy changed objects of a store that the save did not write to")
        }
        try clearUniqueValues(run.plan)
      }
    } catch {
      // What some of several stores have committed already stays.
      if let moment { if run.committed.isEmpty { goBack(to: moment) } else { forgetUndo() } }
      var last = error
      if last.code == .constraint, last.databaseFailure == nil { last.databaseFailure = first.databaseFailure }
      throw last
    }
    // Steps of undo know what objects were before others changed them.
    if moment != nil { forgetUndo() }
    return run.plan
  }

  /// The changes to write when the policy has resolved everything.
  ///
  /// - Parameter moment: Becomes what the context's changes were before the policy acted.
  private func resolved(
    _ first: SavePlan, _ error: SaveError, _ moment: inout ContextMoment?
  ) throws(SaveError) -> SavePlan {
    var plan = first
    var last = error
    for _ in 0..<Self.roundLimit {
      let changed = try mergeConflicts(plan)
      if !changed.isEmpty {
        last = SaveError(changed)
        if moment == nil { moment = holdChanges() }
        try mergePolicy.resolve(optimisticLockingConflicts: changed, in: self)
      } else {
        let repeated = try constraintConflicts(plan)
        // What SQLite refused although nothing will be there twice are values that move from one record to another.
        if repeated.isEmpty { return plan }
        last = SaveError(repeated)
        if moment == nil { moment = holdChanges() }
        try mergePolicy.resolve(constraintConflicts: repeated, in: self)
      }
      plan = try prepare(order: nil, checksObjects: true)
    }
    throw last
  }

  /// Takes values that must be unique away from the records that get others, as SQLite looks at one row after the
  /// other.
  private func clearUniqueValues(_ plan: SavePlan) throws(SaveError) {
    for changes in plan.roots {
      let buffer = changes.buffer
      let slots = uniqueSlots(below: buffer.rootEntity)
      guard !slots.isEmpty else { continue }
      let store = store(table: buffer.table)
      for (mask, rows) in changes.updated.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        let cleared = slots.filter { mask[$0 >> 6] >> (UInt64($0) & 63) & 1 == 1 }
        guard !cleared.isEmpty else { continue }
        try saveErrors { () throws(StoreError) in
          let access = try store.access(root: buffer.rootEntity)
          try access.clear(slots: cleared, primaryKeys: rows.map { buffer.primaryKeys[Int($0)] })
        }
      }
    }
  }

  /// The slots of properties that must be unique, of an entity and everything below it.
  func uniqueSlots(below root: RootIndex) -> [Int] {
    var slots = Set<Int>()
    for entity in model.family(of: root) {
      for constraint in entity.uniquenessConstraints {
        for name in constraint {
          if let slot = entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot {
            slots.insert(slot)
          }
        }
      }
    }
    return slots.sorted()
  }

  /// The stored attributes and to-one relationships of a row.
  ///
  /// - Parameters:
  ///   - table: The number of the table in this context; `buffer` may be another one with rows of the same root entity.
  ///   - isCommitted: Whether changes that were not saved are left out.
  func snapshot(_ buffer: RowBuffer, table: TableID, row: Int, isCommitted: Bool = false) -> [String: ConstantValue] {
    let entity = model.entities[Int(buffer.entities[row])]
    var values: [String: ConstantValue] = [:]
    for attribute in entity.attributes where !attribute.isTransient {
      let cell = cell(buffer, row, attribute.slot, isCommitted)
      var value = attribute.type.value(tag: cell.tag, payload: cell.payload, buffer.arena)
      if attribute.allowsExternalBinaryDataStorage, case .binary(let bytes) = value {
        value = .binary(ExternalData.value(bytes, store: store(table: table).path))
      }
      values[attribute.name] = .attribute(value)
    }
    for relationship in entity.relationships where !relationship.isToMany && !relationship.isTransient {
      let cell = cell(buffer, row, relationship.slot, isCommitted)
      guard cell.tag == CellTag.integer else {
        values[relationship.name] = .null
        continue
      }
      let target = cell.destinationEntity >= 0 ? Int(cell.destinationEntity) : relationship.destinationEntity
      values[relationship.name] = .objectID(
        objectID(
          table: destinationTable(relationship, from: table), entity: target,
          primaryKey: Int64(bitPattern: cell.payload)))
    }
    return values
  }

  private func cell(
    _ buffer: RowBuffer, _ row: Int, _ slot: Int, _ isCommitted: Bool
  ) -> (tag: UInt8, payload: UInt64, destinationEntity: Int32) {
    isCommitted
      ? buffer.committed(row: row, slot: slot)
      : (buffer.tags[slot][row], buffer.payloads[slot][row], buffer.destinationEntities[slot]?[row] ?? -1)
  }

  /// The rows of a table as the store has them, fetched in one statement beside those of the context.
  func storedRows(table: TableID, primaryKeys: [Int64]) throws(SaveError) -> RowBuffer {
    let fresh = RowBuffer(model: model, root: model.entities[table.root.index])
    let store = store(table: table)
    try saveErrors { () throws(StoreError) in
      try store.access(root: table.root).fetchRows(primaryKeys: primaryKeys.sorted(), into: fresh)
    }
    return fresh
  }

  /// Runs a piece of work on objects as a part of a save.
  func saving<Value>(_ body: () throws(ObjectError) -> Value) throws(SaveError) -> Value {
    do { return try body() } catch { throw SaveError(error) }
  }
}
