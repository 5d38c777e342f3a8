/// Changes to single cells and rows when a conflict is resolved.
extension RowBuffer {
  /// The cell's value when its row was fetched or saved, whatever was set since.
  package func committed(row: Int, slot: Int) -> (tag: UInt8, payload: UInt64, destinationEntity: Int32) {
    if isDirty(row: row, slot: slot),
      let snapshot = snapshots.first(where: { Int($0.row) == row && Int($0.slot) == slot })
    {
      return (snapshot.tag, snapshot.payload, snapshot.destinationEntity)
    }
    return (tags[slot][row], payloads[slot][row], destinationEntities[slot]?[row] ?? -1)
  }

  /// Whether the next save writes a row: one whose cells were all set back to what they were is not written.
  ///
  /// Dirty bits of cells that were set back must have been dropped; see ``dropRevertedChanges()``.
  package func isWritten(row: Int) -> Bool {
    switch states[row] {
    case RowState.inserted: true
    case RowState.updated: (0..<dirtyWords).contains { dirtyBits[row * dirtyWords + $0] != 0 }
    default: false
    }
  }

  /// Sets one cell of a row that is in the store back to its snapshot.
  package func revert(row: Int, slot: Int) {
    guard isDirty(row: row, slot: slot) else { return }
    for snapshot in snapshots.reversed() where Int(snapshot.row) == row && Int(snapshot.slot) == slot {
      restore(snapshot)
    }
    snapshots.removeAll { Int($0.row) == row && Int($0.slot) == slot }
    dirtyBits[row * dirtyWords + slot >> 6] &= ~(1 << (UInt64(slot) & 63))
  }

  /// Whether a cell of a row holds what a cell of another buffer's row holds.
  package func equals(row: Int, slot: Int, _ other: RowBuffer, row otherRow: Int) -> Bool {
    equals(
      row: row, slot: slot, tag: other.tags[slot][otherRow], payload: other.payloads[slot][otherRow],
      arena: UnsafeRawPointer(other.arena.base))
  }

  /// Makes a row whose record another context or process deleted one that the next save inserts, with the key that it
  /// had.
  package func insertAgain(row: Int) {
    snapshots.removeAll { Int($0.row) == row }
    markClean(row: row)
    versions[row] = 1
    states[row] = RowState.inserted
  }

  /// Makes a row that was to be inserted one of a record that is in the store, with changes where cells differ from what
  /// another buffer's row has.
  ///
  /// - Parameter slots: The cells that may be changes; what the store has is not taken over yet.
  package func makeUpdated(row: Int, differingFrom other: RowBuffer, _ otherRow: Int, slots: [Int]) {
    markClean(row: row)
    for slot in slots where !equals(row: row, slot: slot, other, row: otherRow) { willChange(row: row, slot: slot) }
  }
}
