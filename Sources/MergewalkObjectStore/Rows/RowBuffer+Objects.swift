package import MergewalkObjectModel

/// Single cells and rows, as objects ask for them.
///
/// Functions, because the compiler checks each access to a stored property of another module's class for exclusivity,
/// whatever the property says; that takes longer than what is done here.
extension RowBuffer {
  /// The state of a row.
  package func state(of row: Int) -> UInt8 { states[row] }
  /// The entity's index of a row.
  package func entity(of row: Int) -> Int { Int(entities[row]) }
  /// The primary key of a row.
  package func key(of row: Int) -> Int64 { primaryKeys[row] }
  /// The number of rows, free places included.
  package var rowCount: Int { count }
  /// Whether the context hears of first changes.
  package var isWatched: Bool { onFirstChange != nil }

  /// Frees a row that has no changes and that no collection holds.
  package func releaseUnchanged(row: Int) {
    let state = states[row]
    if state == RowState.clean || state == RowState.fault, !isPinned(row: row) { release(row: row) }
  }

  /// The value of an attribute's cell, if it takes no store and no file to tell it.
  package func knownValue(row: Int, _ access: EntityDescription.AttributeAccess) -> AttributeValue? {
    guard realize(row: row) || isKnown(row: row, slot: access.slot) else { return nil }
    let tag = tags[access.slot][row]
    if access.isExternal, tag == CellTag.blob { return nil }
    return access.type.value(tag: tag, payload: payloads[access.slot][row], arena)
  }

  /// Whether a row has values and is not to be deleted.
  package func isLive(row: Int) -> Bool {
    let state = states[row]
    return state == RowState.clean || state == RowState.updated || state == RowState.inserted
  }

  /// The primary key that a to-one relationship's cell refers to; 0 for none.
  package func reference(row: Int, slot: Int) -> Int64 {
    tags[slot][row] == CellTag.integer ? Int64(bitPattern: payloads[slot][row]) : 0
  }
}
