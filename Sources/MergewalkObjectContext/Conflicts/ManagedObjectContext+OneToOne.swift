import MergewalkObjectModel
import MergewalkObjectStore

/// One-to-one relationships have two ends in two rows, of which a resolved conflict may have changed one.
extension ManagedObjectContext {
  /// Makes the other ends of records' one-to-one relationships agree with what these records have now.
  ///
  /// - Parameter stored: The rows of the records as the store has them; without those that it does not have.
  func agreeOneToOne(table: TableID, primaryKeys: [Int64], stored: RowBuffer) throws(SaveError) {
    let buffer = buffer(table: table)
    for key in primaryKeys {
      guard let row = buffer.row(primaryKey: key), isInUse(buffer, row) || buffer.states[row] == RowState.deleted
      else { continue }
      for relationship in model.entities[Int(buffer.entities[row])].relationships
      where !relationship.isToMany && relationship.inverseSlot >= 0 && !relationship.isInverseToMany {
        let former = stored.row(primaryKey: key).map { reference(stored, $0, relationship.slot) } ?? 0
        try saveErrors { () throws(StoreError) in try agree(buffer, row, relationship, former: former) }
      }
    }
  }

  private func agree(
    _ buffer: RowBuffer, _ row: Int, _ relationship: RelationshipDescription, former: Int64
  ) throws(StoreError) {
    let (slot, inverse) = (relationship.slot, relationship.inverseSlot)
    let key = buffer.primaryKeys[row]
    let target = isInUse(buffer, row) ? reference(buffer, row, slot) : 0
    let table = destinationTable(relationship, from: buffer.table)
    let others = self.buffer(table: table)
    if former != 0, former != target, let partner = try currentRow(table, former),
      reference(others, partner, inverse) == key
    {
      others.setReference(row: partner, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    for touched in others.touchedRows {
      let other = Int(touched)
      guard others.primaryKeys[other] != target, isInUse(others, other), reference(others, other, inverse) == key else {
        continue
      }
      others.setReference(row: other, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    guard target != 0 else { return }
    guard let partner = try currentRow(table, target) else {
      buffer.setReference(row: row, slot: slot, primaryKey: 0, destinationEntity: -1)
      return
    }
    let rival = reference(others, partner, inverse)
    if rival == key { return }
    if rival != 0, let rivalRow = try currentRow(buffer.table, rival), reference(buffer, rivalRow, slot) == target {
      buffer.setReference(row: rivalRow, slot: slot, primaryKey: 0, destinationEntity: -1)
    }
    others.setReference(row: partner, slot: inverse, primaryKey: key, destinationEntity: buffer.entities[row])
  }

  /// The row of a record as the store has it now, with what was changed here; `nil` when it is deleted.
  private func currentRow(_ table: TableID, _ key: Int64) throws(StoreError) -> Int? {
    let buffer = buffer(table: table)
    if let row = buffer.row(primaryKey: key) {
      if buffer.states[row] == RowState.updated, !buffer.isWritten(row: row) { buffer.rollBack(row: row) }
      if buffer.states[row] == RowState.clean { buffer.makeFault(row: row) }
    }
    return try rowForChange(table: table, primaryKey: key)
  }

  private func isInUse(_ buffer: RowBuffer, _ row: Int) -> Bool {
    switch buffer.states[row] {
    case RowState.clean, RowState.updated, RowState.inserted: true
    default: false
    }
  }

  private func reference(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Int64 {
    buffer.tags[slot][row] == CellTag.integer ? Int64(bitPattern: buffer.payloads[slot][row]) : 0
  }
}
