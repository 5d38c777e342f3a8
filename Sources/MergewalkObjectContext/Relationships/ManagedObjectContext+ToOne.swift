package import MergewalkObjectModel
package import MergewalkObjectStore

extension ManagedObjectContext {
  /// Sets a to-one relationship of a row and keeps its inverse: a to-one inverse is set and what it replaces is
  /// cleared, an ordered inverse gets the row at its end.
  ///
  /// - Parameters:
  ///   - table: The root entity of the row's buffer.
  ///   - target: The primary key of the destination, 0 for none.
  ///   - targetEntity: The index of the destination's own entity.
  /// - Returns: Whether anything changed.
  /// - Throws: `StoreError` when a row that has to be changed too cannot be fetched.
  @discardableResult
  package func setToOne(
    table: TableID, row: Int, relationship: RelationshipDescription, target: Int64, targetEntity: Int32
  ) throws(StoreError) -> Bool {
    let buffer = buffer(table: table)
    let slot = relationship.slot
    let old = buffer.tags[slot][row] == CellTag.null ? 0 : Int64(bitPattern: buffer.payloads[slot][row])
    guard buffer.setReference(row: row, slot: slot, primaryKey: target, destinationEntity: targetEntity) else {
      return false
    }
    if buffer.orderKeys[slot] != nil, target != 0 {
      buffer.orderKeys[slot]?[row] = try nextOrderKey(table: table, slot: slot, target: target)
    }
    if target != 0 { pendingReferences?.note(table: table, slot: slot, target: target, row: row) }
    guard relationship.inverseSlot >= 0, !relationship.isInverseToMany else { return true }

    let key = buffer.primaryKeys[row]
    let entity = buffer.entities[row]
    let targetTable = destinationTable(relationship, from: table)
    let inverse = relationship.inverseSlot
    let other = self.buffer(table: targetTable)
    func isSelf(_ target: Int64) -> Bool { targetTable == table && target == key }
    // Its own row, too, may have been fetched without the cell.
    if old != 0,
      let oldRow = try isSelf(old)
        ? rowForChange(table: table, primaryKey: key, slot: inverse) : partner(old, targetTable, inverse, of: key),
      other.reference(row: oldRow, slot: inverse) == key
    {
      other.setReference(row: oldRow, slot: inverse, primaryKey: 0, destinationEntity: -1)
    }
    guard target != 0, var targetRow = try rowForChange(table: targetTable, primaryKey: target, slot: inverse) else {
      return true
    }
    if registry.isInUse, !isSelf(target), other.reference(row: targetRow, slot: inverse) == key {
      guard let current = try currentRow(targetTable, target, inverse) else { return true }
      targetRow = current
    }
    let previous = other.reference(row: targetRow, slot: inverse)
    other.setReference(row: targetRow, slot: inverse, primaryKey: key, destinationEntity: entity)
    // Whoever had the target before has nothing now. In a relationship that is its own inverse the target may have had
    // itself, and has a new partner already.
    let hadItself = table == targetTable && previous == target
    if previous != 0, previous != key,
      let previousRow = try hadItself
        ? rowForChange(table: table, primaryKey: target, slot: slot) : partner(previous, table, slot, of: target),
      buffer.reference(row: previousRow, slot: slot) == target
    {
      buffer.setReference(row: previousRow, slot: slot, primaryKey: 0, destinationEntity: -1)
    }
    return true
  }

  /// The row of a record's partner, read again when it knows nothing of the partnership: two rows that were read at
  /// different moments may not know of each other.
  private func partner(
    _ partner: Int64, _ table: TableID, _ slot: Int, of key: Int64
  ) throws(StoreError) -> Int? {
    let row = try rowForChange(table: table, primaryKey: partner, slot: slot)
    guard registry.isInUse, let row, buffer(table: table).reference(row: row, slot: slot) != key else { return row }
    return try currentRow(table, partner, slot)
  }

  /// The row with a primary key, fetched with all its columns when the context does not hold it; `nil` when there is
  /// no such row, or when it is deleted here.
  ///
  /// - Parameter slot: the cell that matters; one that the row was fetched without is fetched now.
  package func rowForChange(table: TableID, primaryKey: Int64, slot: Int? = nil) throws(StoreError) -> Int? {
    let buffer = buffer(table: table)
    if let row = buffer.row(primaryKey: primaryKey), buffer.realize(row: row) {
      guard buffer.states[row] != RowState.deleted else { return nil }
      if let slot, parent == nil {
        try readStore(table: table).access(root: table.root).complete(buffer, row: row, slot: slot)
      }
      return row
    }
    if parent != nil {
      // The parent says why a row does not come when it is asked for.
      try? origin.bring([primaryKey], table: table)
      return buffer.row(primaryKey: primaryKey).flatMap { buffer.states[$0] == RowState.fault ? nil : $0 }
    }
    if primaryKey < 0 { return nil }
    let access = try readStore(table: table).access(root: table.root)
    if registry.isInUse {
      // No object of the row is held, so it has to be let go when nothing becomes of it.
      let found = try access.fetchRow(primaryKey: primaryKey, into: buffer)
      if let found { registry.looseRows[table.index].append(Int32(found)) }
      return found
    }
    let keys = [primaryKey]
    try keys.withUnsafeBufferPointer { keys throws(StoreError) in
      try access.fetch(primaryKeys: keys, slots: access.storedSlots, into: buffer)
    }
    return buffer.row(primaryKey: primaryKey)
  }

  /// Takes note of an order key that comes into use again.
  func giveOut(_ key: Int64, table: TableID, slot: Int, target: Int64) throws(StoreError) {
    let name = OrderedOwner(table: table, slot: slot, owner: target)
    var last = lastOrderKeys[name]
    if last == nil { last = try origin.lastOrderKey(table: table, slot: slot, target: target) }
    lastOrderKeys[name] = max(last ?? key, key)
  }

  /// The order key for an object that is appended to an ordered relationship: 1024 after the last one, from 2048 on,
  /// as Core Data gives them out.
  private func nextOrderKey(table: TableID, slot: Int, target: Int64) throws(StoreError) -> Int64 {
    let name = OrderedOwner(table: table, slot: slot, owner: target)
    var last = lastOrderKeys[name]
    if last == nil { last = try origin.lastOrderKey(table: table, slot: slot, target: target) }
    let next = OrderKey.next(after: last)
    lastOrderKeys[name] = next
    return next
  }
}

/// An object with an ordered relationship, for the order keys that the context has given out.
struct OrderedOwner: Hashable {
  /// The root entity and the slot of the to-one side.
  var table: TableID
  var slot: Int
  /// The primary key of the object with the ordered side.
  var owner: Int64
}
