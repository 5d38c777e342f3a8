import MergewalkObjectModel
import MergewalkObjectStore

/// The partner that a record had by a one-to-one relationship before others, or this context, gave it another one.
struct FormerPartner {
  var buffer: RowBuffer
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

  /// Makes both ends of a row's one-to-one relationships agree after the row has taken over what the store or the parent
  /// has: what was set here, at either end, stays.
  ///
  /// - Parameter before: What the relationships referred to until then, as ``partners(_:row:)`` says.
  func agreeOneToOne(_ buffer: RowBuffer, row: Int, before: [Int64]) throws(StoreError) {
    for (relationship, before) in zip(oneToOnes(of: buffer, row), before) {
      let slot = relationship.slot
      if buffer.isDirty(row: row, slot: slot) {
        let former = committedReference(buffer, row, slot)
        try agree(FormerPartner(buffer: buffer, row: row, relationship: relationship, key: former))
        continue
      }
      let (now, key) = (buffer.reference(row: row, slot: slot), buffer.primaryKeys[row])
      let others = self.buffer(table: destinationTable(relationship, from: buffer.table))
      if now != before, let other = rowSetHere(others, before, relationship),
        others.reference(row: other, slot: relationship.inverseSlot) == key
      {
        buffer.setReference(row: row, slot: slot, primaryKey: before, destinationEntity: others.entities[other])
        try agree(FormerPartner(buffer: buffer, row: row, relationship: relationship, key: now))
      } else if let other = rowSetHere(others, now, relationship),
        others.reference(row: other, slot: relationship.inverseSlot) != key
      {
        buffer.setReference(row: row, slot: slot, primaryKey: 0, destinationEntity: -1)
      }
    }
  }

  /// What the one-to-one relationships of a row refer to.
  func partners(_ buffer: RowBuffer, row: Int) -> [Int64] {
    oneToOnes(of: buffer, row).map { buffer.reference(row: row, slot: $0.slot) }
  }

  /// The row of a record whose end of a one-to-one relationship was set here.
  private func rowSetHere(_ others: RowBuffer, _ key: Int64, _ relationship: RelationshipDescription) -> Int? {
    let inverse = relationship.inverseSlot
    guard key != 0, let other = others.row(primaryKey: key), others.states[other] == RowState.updated,
      committedReference(others, other, inverse) != others.reference(row: other, slot: inverse)
    else { return nil }
    return other
  }

  func committedReference(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Int64 {
    let committed = buffer.committed(row: row, slot: slot)
    return committed.tag == CellTag.integer ? Int64(bitPattern: committed.payload) : 0
  }

  /// The one-to-one relationships of a row's entity that have an inverse.
  func oneToOnes(of buffer: RowBuffer, _ row: Int) -> [RelationshipDescription] {
    model.entities[Int(buffer.entities[row])].relationships.filter {
      !$0.isToMany && $0.inverseSlot >= 0 && !$0.isInverseToMany && !$0.isTransient
    }
  }

  /// Makes the other ends agree with the partners that records have now, and all changed records that name them.
  ///
  /// - Complexity: O(partners + changed records), and one SELECT and a look at all changed records for each partner whose
  ///   ends do not agree yet.
  func agree(_ partners: [FormerPartner]) throws(StoreError) {
    /// How many changed records refer to each one, by the table and the slot of the reference.
    var referrers: [TableID: [Int: [Int64: Int]]] = [:]
    for partner in partners {
      let table = destinationTable(partner.relationship, from: partner.buffer.table)
      let inverse = partner.relationship.inverseSlot
      if referrers[table]?[inverse] == nil {
        referrers[table, default: [:]][inverse] = changedReferrers(buffer(table: table), inverse)
      }
      let (others, row) = (buffer(table: table), partner.row)
      let target =
        isInUse(partner.buffer, row) ? partner.buffer.reference(row: row, slot: partner.relationship.slot) : 0
      // A partner whose end was not set here may be another one's in the store.
      let isKnown = target == 0 || others.row(primaryKey: target).map { isSetOrGone(others, $0, inverse) } ?? false
      let count = referrers[table]?[inverse]?[partner.buffer.primaryKeys[row]] ?? 0
      if !isKnown || count != (target == 0 ? 0 : 1) || !isAgreed(partner) { try agree(partner) }
    }
  }

  /// How many changed rows refer to each record by a slot.
  private func changedReferrers(_ buffer: RowBuffer, _ slot: Int) -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    // A place that was freed and taken again was touched twice.
    for row in Set(buffer.touchedRows) where isInUse(buffer, Int(row)) {
      let key = buffer.reference(row: Int(row), slot: slot)
      if key != 0 { counts[key, default: 0] += 1 }
    }
    return counts
  }

  /// Makes the other ends agree with the partner that a record has now, and all changed records that name it.
  func agree(_ partner: FormerPartner) throws(StoreError) {
    let (buffer, row, relationship) = (partner.buffer, partner.row, partner.relationship)
    let (key, inverse) = (buffer.primaryKeys[row], relationship.inverseSlot)
    let target = isInUse(buffer, row) ? buffer.reference(row: row, slot: relationship.slot) : 0
    let others = self.buffer(table: destinationTable(relationship, from: buffer.table))
    for touched in others.touchedRows {
      let other = Int(touched)
      guard others.primaryKeys[other] != target, isInUse(others, other),
        others.reference(row: other, slot: inverse) == key
      else {
        continue
      }
      others.setReference(row: other, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    guard try !agreeEnds(partner) else { return }
    buffer.setReference(row: row, slot: relationship.slot, primaryKey: 0, destinationEntity: -1)
  }

  /// Makes the ends of the partner that a record had, and of the one that it has now, agree with it.
  ///
  /// - Returns: `false` when the partner that it has now is not there.
  func agreeEnds(_ partner: FormerPartner) throws(StoreError) -> Bool {
    let (buffer, row, relationship, former) = (partner.buffer, partner.row, partner.relationship, partner.key)
    let (slot, inverse) = (relationship.slot, relationship.inverseSlot)
    let key = buffer.primaryKeys[row]
    let target = isInUse(buffer, row) ? buffer.reference(row: row, slot: slot) : 0
    let table = destinationTable(relationship, from: buffer.table)
    let others = self.buffer(table: table)
    if former != 0, former != target, let partner = try currentRow(table, former, inverse),
      others.reference(row: partner, slot: inverse) == key
    {
      others.setReference(row: partner, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    guard target != 0 else { return true }
    guard let partner = try currentRow(table, target, inverse) else { return false }
    let rival = others.reference(row: partner, slot: inverse)
    if rival == key { return true }
    if rival != 0, let rivalRow = try currentRow(buffer.table, rival, slot),
      buffer.reference(row: rivalRow, slot: slot) == target
    {
      buffer.setReference(row: rivalRow, slot: slot, primaryKey: 0, destinationEntity: -1)
    }
    others.setReference(row: partner, slot: inverse, primaryKey: key, destinationEntity: buffer.entities[row])
    return true
  }

  /// Whether the ends of both partners agree with a record by what is known here; those that were not set may be old.
  func isAgreed(_ partner: FormerPartner) -> Bool {
    let (buffer, row, relationship, former) = (partner.buffer, partner.row, partner.relationship, partner.key)
    let key = buffer.primaryKeys[row]
    let target = isInUse(buffer, row) ? buffer.reference(row: row, slot: relationship.slot) : 0
    let others = self.buffer(table: destinationTable(relationship, from: buffer.table))
    func refers(_ other: Int) -> Bool { others.reference(row: other, slot: relationship.inverseSlot) == key }
    if former != 0, former != target {
      guard let other = others.row(primaryKey: former), isSetOrGone(others, other, partner.relationship.inverseSlot),
        !isInUse(others, other) || !refers(other)
      else { return false }
    }
    if target == 0 { return true }
    guard let other = others.row(primaryKey: target) else { return false }
    return isInUse(others, other) && refers(other)
  }

  /// Whether a row is deleted here, or one of its cells was set here.
  private func isSetOrGone(_ buffer: RowBuffer, _ row: Int, _ slot: Int) -> Bool {
    switch buffer.states[row] {
    case RowState.inserted, RowState.deleted: true
    case RowState.updated: buffer.isDirty(row: row, slot: slot)
    default: false
    }
  }

  /// The row of a record as the store has it now, with what was changed here; `nil` when it is deleted.
  ///
  /// - Parameter slot: The cell that matters. A row with other changes keeps the rest, and its version, so that what others
  ///   wrote there is a conflict as before.
  /// - Complexity: One SELECT.
  func currentRow(_ table: TableID, _ key: Int64, _ slot: Int) throws(StoreError) -> Int? {
    let buffer = buffer(table: table)
    if let row = buffer.row(primaryKey: key) {
      buffer.settle(row: row)
      switch buffer.states[row] {
      case RowState.updated where buffer.isWritten(row: row): try takeStored(buffer, row, slot)
      case RowState.updated:
        buffer.rollBack(row: row)
        buffer.makeFault(row: row)
      case RowState.clean: buffer.makeFault(row: row)
      default: break
      }
    }
    return try rowForChange(table: table, primaryKey: key)
  }

  /// Takes over what the store, or the parent, has in one cell of a changed row; what was set there stays on top.
  private func takeStored(_ buffer: RowBuffer, _ row: Int, _ slot: Int) throws(StoreError) {
    let (table, key, version) = (buffer.table, buffer.primaryKeys[row], buffer.versions[row])
    let source: RowBuffer
    let found: Int?
    if let parent {
      source = parent.buffer(table: table)
      found = try parent.rowForChange(table: table, primaryKey: key)
    } else {
      source = RowBuffer(model: model, root: model.entities[table.root.index])
      found = try readStore(table: table).access(root: table.root).fetchRow(primaryKey: key, into: source)
    }
    // A record that is gone is a conflict of the save.
    guard let found else { return }
    buffer.takeStored(row: row, from: source, row: found, slots: [slot])
    buffer.versions[row] = version
  }

  private func isInUse(_ buffer: RowBuffer, _ row: Int) -> Bool {
    switch buffer.states[row] {
    case RowState.clean, RowState.updated, RowState.inserted: true
    default: false
    }
  }
}
