package import MergewalkObjectModel

/// Single cells and rows, as objects ask for them.
///
/// Functions, because the compiler checks each access to a stored property of another module's class for exclusivity,
/// whatever the property says; that takes longer than what is done here.
extension RowBuffer {
  package func state(of row: Int) -> UInt8 { states[row] }
  package func entity(of row: Int) -> Int { Int(entities[row]) }
  /// The primary key and the entity's index of a row.
  package func identity(of row: Int) -> (key: Int64, entity: Int) { (primaryKeys[row], Int(entities[row])) }
  /// The number of rows, free places included.
  package var rowCount: Int { count }
  /// The state of a row, and whether the context hears of first changes.
  package func watch(row: Int) -> (state: UInt8, isWatched: Bool) { (states[row], onFirstChange != nil) }

  /// Frees a row that has no changes and that no collection holds.
  package func releaseUnchanged(row: Int) {
    let state = states[row]
    guard state == RowState.clean || state == RowState.fault, !isPinned(row: row) else { return }
    countGarbage(row: row)
    leave(row: row)
    freeRows.append(Int32(truncatingIfNeeded: row))
  }

  /// The value of an attribute's cell, if it takes no store and no file to tell it.
  package func knownValue(row: Int, _ access: EntityDescription.AttributeAccess) -> AttributeValue? {
    if states[row] == RowState.fault {
      guard realize(row: row) || isKnown(row: row, slot: access.slot) else { return nil }
    }
    let tag = tags[access.slot][row]
    if access.isExternal, tag == CellTag.blob { return nil }
    return access.type.value(tag: tag, payload: payloads[access.slot][row], arena)
  }

  /// Whether a row has values and is not to be deleted.
  package func isLive(row: Int) -> Bool {
    let state = states[row]
    return state == RowState.clean || state == RowState.updated || state == RowState.inserted
  }

  /// Whether a row has values, is not to be deleted, and refers to a record by its to-one relationship at `slot`.
  package func refers(row: Int, slot: Int, to target: Int64) -> Bool {
    isLive(row: row) && reference(row: row, slot: slot) == target
  }

  /// The primary key that a to-one relationship's cell refers to; 0 for none.
  package func reference(row: Int, slot: Int) -> Int64 {
    tags[slot][row] == CellTag.integer ? Int64(bitPattern: payloads[slot][row]) : 0
  }
}
