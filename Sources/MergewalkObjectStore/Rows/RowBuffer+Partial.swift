/// Rows of which only some columns were fetched.
///
/// An import fetches the columns it compares. What else a change needs, such as the other end of a one-to-one
/// relationship, is fetched when it is requested: a cell that was not fetched is null and must not be read as "none".
extension RowBuffer {
  /// Rows that came with one fetch, and the slots that it left out.
  struct PartialRows {
    var rows: Range<Int>
    var missing: [Int]
  }

  /// Notes which of the stored slots a fetch left out.
  func notePartial(_ rows: Range<Int>, fetched: [Int], stored: [Int]) {
    guard !rows.isEmpty, fetched.count < stored.count else { return }
    let missing = stored.filter { !fetched.contains($0) }
    if !missing.isEmpty { partialRows.append(PartialRows(rows: rows, missing: missing)) }
  }

  /// The stored slots of a row that were not fetched.
  func missingSlots(row: Int) -> [Int] {
    guard !partialRows.isEmpty, !completedRows.contains(row) else { return [] }
    return partialRows.last { $0.rows.contains(row) }?.missing ?? []
  }
}

extension TableAccess {
  /// Fetches what a row lacks, when it lacks a slot; cells that were set meanwhile keep their values.
  ///
  /// - Complexity: One fetch by primary key for a row that lacks the slot.
  package func complete(_ buffer: RowBuffer, row: Int, slot: Int) throws(StoreError) {
    let missing = buffer.missingSlots(row: row)
    guard missing.contains(slot), buffer.states[row] != RowState.inserted else { return }
    let fetched = buffer.count
    try withUnsafePointer(to: buffer.primaryKeys[row]) { key throws(StoreError) in
      try fetch(primaryKeys: UnsafeBufferPointer(start: key, count: 1), slots: missing, into: buffer)
    }
    guard buffer.count > fetched else { return }
    for slot in missing where !buffer.isDirty(row: row, slot: slot) {
      buffer.tags[slot][row] = buffer.tags[slot][fetched]
      buffer.payloads[slot][row] = buffer.payloads[slot][fetched]
      if let column = buffer.destinationEntities[slot] { column[row] = column[fetched] }
      if let column = buffer.orderKeys[slot] { column[row] = column[fetched] }
    }
    buffer.dropLastRows(1)
    buffer.completedRows.insert(row)
  }
}
