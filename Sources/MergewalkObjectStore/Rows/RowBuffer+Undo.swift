/// Hears of cells before they change, to be able to bring old values back.
package protocol RowRecorder: AnyObject {
  /// A cell is about to change; also called when it will change again, and for rows that are inserted here.
  func willChange(_ buffer: RowBuffer, row: Int, slot: Int)
}

/// Access for undo: values and states as they were, with the same change detection as any other change.
extension RowBuffer {
  /// Everything that a cell consists of; its bytes stay where they are.
  @inline(__always)
  package func snapshot(row: Int, slot: Int) -> CellSnapshot {
    CellSnapshot(
      row: Int32(row), slot: Int32(slot), payload: payloads[slot][row], orderKey: orderKeys[slot]?[row] ?? 0,
      destinationEntity: destinationEntities[slot]?[row] ?? -1, tag: tags[slot][row])
  }

  /// Sets everything that a cell consists of, as ``set(row:slot:tag:payload:arena:)`` and
  /// ``setReference(row:slot:primaryKey:destinationEntity:)`` do; the inverse is the caller's business.
  ///
  /// - Parameter bytes: Where the bytes of texts and blobs are.
  package func setBack(_ cell: CellSnapshot, bytes: UnsafeRawPointer) {
    let (row, slot) = (Int(cell.row), Int(cell.slot))
    let isSame = equals(row: row, slot: slot, tag: cell.tag, payload: cell.payload, arena: bytes)
    if isSame, (orderKeys[slot]?[row] ?? 0) == cell.orderKey { return }
    willChange(row: row, slot: slot)
    referenceStamp &+= 1
    destinationEntities[slot]?[row] = cell.destinationEntity
    orderKeys[slot]?[row] = cell.orderKey
    if isSame { return }
    if hasBytes(tags[slot][row]) { garbageBytes += ByteRange(payload: payloads[slot][row]).length }
    tags[slot][row] = cell.tag
    guard hasBytes(cell.tag) else {
      payloads[slot][row] = cell.payload
      return
    }
    let range = ByteRange(payload: cell.payload)
    let copy = UnsafeRawBufferPointer(start: bytes + range.offset, count: range.length)
    payloads[slot][row] = arena.append(copy).payload
  }

  /// Makes a row clean when all its changed cells are what they were, and forgets the snapshots of those that are.
  ///
  /// - Complexity: O(snapshots that are newer than the row's).
  package func settle(row: Int) {
    guard states[row] == RowState.updated else { return }
    var waiting = 0
    for word in 0..<dirtyWords { waiting += dirtyBits[row * dirtyWords + word].nonzeroBitCount }
    var isClean = true
    var i = snapshots.count
    while waiting > 0, i > 0 {
      i -= 1
      guard Int(snapshots[i].row) == row else { continue }
      waiting -= 1
      let slot = Int(snapshots[i].slot)
      if isReverted(snapshots[i]) {
        dirtyBits[row * dirtyWords + slot >> 6] &= ~(1 << (UInt64(slot) & 63))
        snapshots.remove(at: i)
      } else {
        isClean = false
      }
    }
    guard isClean else { return }
    markClean(row: row)
    // Changes are mostly undone in the order in which they came.
    if touchedRows.last == Int32(row) { touchedRows.removeLast() }
  }

  /// Takes the mark of ``markDeleted(row:)`` from a row; cells that were changed before still are.
  package func unmarkDeleted(row: Int) {
    let isDirty = (0..<dirtyWords).contains { dirtyBits[row * dirtyWords + $0] != 0 }
    states[row] = isDirty ? RowState.updated : RowState.clean
    referenceStamp &+= 1
  }

  /// Makes a fault, which refers to a record that the store does not have, the row of a new record.
  package func makeInserted(row: Int, entity: Int32) {
    countGarbage(row: row)
    clearCells(row: row)
    markClean(row: row)
    entities[row] = entity
    versions[row] = 1
    states[row] = RowState.inserted
    referenceStamp &+= 1
  }

  /// Whether a cell is what its snapshot says.
  func isReverted(_ snapshot: CellSnapshot) -> Bool {
    let (row, slot) = (Int(snapshot.row), Int(snapshot.slot))
    return equals(row: row, slot: slot, tag: snapshot.tag, payload: snapshot.payload, arena: arena.base)
      && (orderKeys[slot]?[row] ?? 0) == snapshot.orderKey
  }
}
