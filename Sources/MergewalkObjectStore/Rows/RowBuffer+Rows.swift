/// Single rows, as the object layer needs them: places are used again, and changes of one row can be rolled back.
extension RowBuffer {
  /// Takes a place for one row, a free one if there is one; all its cells are null.
  ///
  /// - Complexity: O(columns), amortised.
  package func takeRow(entity: Int32, state: UInt8, primaryKey: Int64) -> Int {
    guard let free = freeRows.popLast() else {
      return appendRow(entity: entity, state: state, primaryKey: primaryKey)
    }
    let row = Int(free)
    primaryKeys[row] = primaryKey
    entities[row] = entity
    versions[row] = 1
    states[row] = state
    for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = 0 }
    clearCells(row: row)
    if row < indexedCount { identity.insert(free, in: primaryKeys) }
    return row
  }

  /// Frees a row and counts its bytes as garbage.
  package func release(row: Int) {
    countGarbage(row: row)
    free(row: row)
  }

  /// Counts the bytes of a row's cells as garbage.
  @inline(__always)
  package func countGarbage(row: Int) {
    let (tags, payloads) = (tags, payloads)
    for slot in byteSlots where hasBytes(tags[slot][row]) {
      garbageBytes += ByteRange(payload: payloads[slot][row]).length
    }
  }

  /// Whether every place is free, so that ``removeAll()`` loses nothing.
  package var holdsNothing: Bool { count > 0 && freeRows.count == count }

  /// Sets every changed cell of one row back to its snapshot.
  package func rollBack(row: Int) {
    for snapshot in snapshots.reversed() where Int(snapshot.row) == row { restore(snapshot) }
    snapshots.removeAll { Int($0.row) == row }
    markClean(row: row)
  }

  /// Sets all cells of a row to null.
  package func clearCells(row: Int) {
    let (tags, payloads, entities, orders) = (tags, payloads, destinationEntities, orderKeys)
    for slot in 0..<columnCount {
      tags[slot][row] = CellTag.null
      payloads[slot][row] = 0
      entities[slot]?[row] = -1
      orders[slot]?[row] = 0
    }
  }

  /// Takes the stored values of a row over from another buffer of the same root; cells that were set here keep their
  /// values and get new snapshots.
  ///
  /// - Parameter slots: Those that the other row has; `nil` for all.
  package func takeStored(row: Int, from other: RowBuffer, row otherRow: Int, slots: [Int]? = nil) {
    versions[row] = other.versions[otherRow]
    referenceStamp &+= 1
    for slot in slots ?? Array(0..<columnCount) {
      var payload = other.payloads[slot][otherRow]
      let tag = other.tags[slot][otherRow]
      if hasBytes(tag) { payload = arena.append(other.arena.bytes(ByteRange(payload: payload))).payload }
      if isDirty(row: row, slot: slot) {
        guard let i = snapshots.firstIndex(where: { Int($0.row) == row && Int($0.slot) == slot }) else { continue }
        snapshots[i].tag = tag
        snapshots[i].payload = payload
        snapshots[i].destinationEntity = other.destinationEntities[slot]?[otherRow] ?? -1
        snapshots[i].orderKey = other.orderKeys[slot]?[otherRow] ?? 0
      } else {
        if hasBytes(tags[slot][row]) { garbageBytes += ByteRange(payload: payloads[slot][row]).length }
        tags[slot][row] = tag
        payloads[slot][row] = payload
        destinationEntities[slot]?[row] = other.destinationEntities[slot]?[otherRow] ?? -1
        orderKeys[slot]?[row] = other.orderKeys[slot]?[otherRow] ?? 0
      }
    }
  }

  /// Marks a row for deletion by the next save.
  package func markDeleted(row: Int) {
    if states[row] == RowState.clean {
      touchedRows.append(Int32(row))
      onFirstChange?(row)
    }
    states[row] = RowState.deleted
    referenceStamp &+= 1
  }

  /// Leaves every row in ``touchedRows`` once, in the order in which it first came.
  ///
  /// - Complexity: O(touched rows + rows / 8).
  package func deduplicateTouchedRows() {
    var seen = [UInt64](repeating: 0, count: (count + 63) / 64)
    touchedRows.removeAll { row in
      let (word, bit) = (Int(row) >> 6, UInt64(1) << (UInt64(row) & 63))
      defer { seen[word] |= bit }
      return seen[word] & bit != 0
    }
  }

  /// Whether cells with this tag have bytes in the arena.
  @inline(__always)
  func hasBytes(_ tag: UInt8) -> Bool { tag == CellTag.text || tag == CellTag.blob }

  /// Sets a cell back to what it was.
  func restore(_ snapshot: CellSnapshot) {
    let (row, slot) = (Int(snapshot.row), Int(snapshot.slot))
    referenceStamp &+= 1
    tags[slot][row] = snapshot.tag
    payloads[slot][row] = snapshot.payload
    destinationEntities[slot]?[row] = snapshot.destinationEntity
    orderKeys[slot]?[row] = snapshot.orderKey
  }
}
