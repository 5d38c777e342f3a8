import MergewalkObjectModel
import MergewalkObjectStore

/// The partner that a record had by a one-to-one relationship before others, or this context, gave it another one.
struct FormerPartner {
  var buffer: RowBuffer
  /// The row of the record.
  var row: Int
  var relationship: RelationshipDescription
  /// The partner's key, 0 for none.
  var key: Int64
}

/// One-to-one relationships have two ends in two rows, of which a resolved conflict, a merge or a child's save may have
/// changed one.
extension ManagedObjectContext {
  /// Makes the other ends of records' one-to-one relationships agree with what these records have now.
  ///
  /// - Parameter stored: The rows of the records as the store has them; without those that it does not have.
  func agreeOneToOne(table: TableID, primaryKeys: [Int64], stored: RowBuffer) throws(SaveError) {
    let buffer = buffer(table: table)
    for key in primaryKeys {
      guard let row = buffer.row(primaryKey: key), isInUse(buffer, row) || buffer.states[row] == RowState.deleted
      else { continue }
      for relationship in oneToOnes(of: buffer, row) {
        let former = stored.row(primaryKey: key).map { stored.reference(row: $0, slot: relationship.slot) } ?? 0
        try saveErrors { () throws(StoreError) in
          try agree(FormerPartner(buffer: buffer, row: row, relationship: relationship, key: former))
        }
      }
    }
  }

  /// Makes the other ends of what was set here in a row's one-to-one relationships agree with it, after the row has taken
  /// over what the store or the parent has.
  func agreeOneToOne(_ buffer: RowBuffer, row: Int) throws(StoreError) {
    for relationship in oneToOnes(of: buffer, row) where buffer.isDirty(row: row, slot: relationship.slot) {
      let committed = buffer.committed(row: row, slot: relationship.slot)
      let former = committed.tag == CellTag.integer ? Int64(bitPattern: committed.payload) : 0
      try agree(FormerPartner(buffer: buffer, row: row, relationship: relationship, key: former))
    }
  }

  /// The one-to-one relationships of a row's entity that have an inverse.
  func oneToOnes(of buffer: RowBuffer, _ row: Int) -> [RelationshipDescription] {
    model.entities[Int(buffer.entities[row])].relationships.filter {
      !$0.isToMany && $0.inverseSlot >= 0 && !$0.isInverseToMany && !$0.isTransient
    }
  }

  /// Makes the other ends agree with the partner that a record has now.
  func agree(_ partner: FormerPartner) throws(StoreError) {
    let (buffer, row, relationship, former) = (partner.buffer, partner.row, partner.relationship, partner.key)
    let (slot, inverse) = (relationship.slot, relationship.inverseSlot)
    let key = buffer.primaryKeys[row]
    let target = isInUse(buffer, row) ? buffer.reference(row: row, slot: slot) : 0
    let table = destinationTable(relationship, from: buffer.table)
    let others = self.buffer(table: table)
    if former != 0, former != target, let partner = try currentRow(table, former),
      others.reference(row: partner, slot: inverse) == key
    {
      others.setReference(row: partner, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    for touched in others.touchedRows {
      let other = Int(touched)
      guard others.primaryKeys[other] != target, isInUse(others, other),
        others.reference(row: other, slot: inverse) == key
      else {
        continue
      }
      others.setReference(row: other, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    guard target != 0 else { return }
    guard let partner = try currentRow(table, target) else {
      buffer.setReference(row: row, slot: slot, primaryKey: 0, destinationEntity: -1)
      return
    }
    let rival = others.reference(row: partner, slot: inverse)
    if rival == key { return }
    if rival != 0, let rivalRow = try currentRow(buffer.table, rival),
      buffer.reference(row: rivalRow, slot: slot) == target
    {
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
}
