import MergewalkObjectModel
package import MergewalkObjectStore

extension ManagedObjectContext {
  /// Deletes records by their keys, as the delete rules of their entities say; the next write removes them.
  ///
  /// - Parameters:
  ///   - primaryKeys: Those that are not there, or are deleted already, are skipped.
  ///   - overrulesDenials: Whether the rule "deny" means "nullify": for records that have to be removed.
  ///   - body: is called with the entity's index and the primary key of each record that goes.
  ///   - cascading: Whether the rule "cascade" of a to-many relationship takes a record along; else, and of to-one
  ///     relationships always, the rule means "nullify". `nil` when it means what it says.
  /// - Returns: Relationships with the rule "deny" that keep the records, or others that would go with them. Then the
  ///   context holds deletions that must not be written: it has to be reset.
  /// - Throws: ``ObjectError`` when the store cannot be read.
  /// - Complexity: One statement when nothing depends on the records, else those that their relationships need.
  package func deleteRecords(
    table: TableID, primaryKeys: [Int64], overrulesDenials: Bool = false,
    each body: (_ entity: Int, _ primaryKey: Int64) -> Void = { _, _ in },
    cascading: ((_ entity: Int, _ primaryKey: Int64) -> Bool)? = nil
  ) throws(ObjectError) -> [ObjectValidationFailure] {
    guard !primaryKeys.isEmpty else { return [] }
    let buffer = buffer(table: table)
    if !hasDependents(table.root) {
      try fetchMissing(buffer, primaryKeys)
      for key in primaryKeys {
        guard let row = buffer.row(primaryKey: key), RowState.isPresent(buffer.states[row]) else { continue }
        body(Int(buffer.entities[row]), key)
        if buffer.states[row] == RowState.inserted { buffer.release(row: row) } else { buffer.markDeleted(row: row) }
      }
      return []
    }
    let objects = try objects(table: table, primaryKeys: primaryKeys)
    if let cascading {
      try deleteNow(objects, tellsObjects: false, cascadesToOne: false) { cascading($0.entityIndex, $0.primaryKey) }
    } else {
      try deleteNow(objects, tellsObjects: false)
    }
    // Those that went along too.
    let deleted = allBuffers.compactMap { buffer -> (buffer: RowBuffer, rows: ContiguousArray<Int32>)? in
      let rows = ContiguousArray(buffer.touchedRows.filter { buffer.states[Int($0)] == RowState.deleted })
      return rows.isEmpty ? nil : (buffer, rows)
    }
    var denied: [ObjectValidationFailure] = []
    for (buffer, rows) in deleted { denied += try deniedDeletions(buffer, rows) }
    if overrulesDenials {
      for denial in denied { try overrule(denial) }
    } else if !denied.isEmpty {
      return denied
    }
    for (buffer, rows) in deleted {
      try unlinkDenied(buffer, rows)
      for row in Set(rows) { body(Int(buffer.entities[Int(row)]), buffer.primaryKeys[Int(row)]) }
    }
    return []
  }

  /// Whether anything but its own row belongs to a record of a hierarchy, or refers to it in a way that its deletion
  /// has to roll back.
  private func hasDependents(_ root: RootIndex) -> Bool {
    model.family(of: root).contains { entity in
      !unpairedReferences(to: entity).isEmpty
        || entity.relationships.contains { relationship in
          guard !relationship.isTransient else { return false }
          if relationship.isToMany || relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
            return true
          }
          return relationship.inverseSlot >= 0 && !relationship.isInverseToMany
        }
    }
  }
}

extension RowState {
  /// Whether a row in this state is an existing record.
  fileprivate static func isPresent(_ state: UInt8) -> Bool {
    state == clean || state == updated || state == inserted
  }
}
