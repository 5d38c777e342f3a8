import MergewalkSystem

extension RowBuffer {
  /// Whether a cell holds the same value as another cell whose bytes are in `arena`; equal bytes are equal values.
  @inline(__always)
  package func equals(row: Int, slot: Int, tag: UInt8, payload: UInt64, arena other: UnsafeRawPointer) -> Bool {
    guard tags[slot][row] == tag else { return false }
    let own = payloads[slot][row]
    switch tag {
    case CellTag.text, CellTag.blob:
      let left = ByteRange(payload: own)
      let right = ByteRange(payload: payload)
      return left.length == right.length && memcmp(arena.base + left.offset, other + right.offset, left.length) == 0
    case CellTag.null: return true
    case CellTag.real:
      // -0 and 0 are one value to SQLite.
      return own == payload || Double(bitPattern: own) == Double(bitPattern: payload)
    default: return own == payload
    }
  }

  /// Sets a cell from a cell whose bytes are in another arena, and returns whether that changed anything.
  ///
  /// The first change of a cell of a row that is in the store keeps the old value as a snapshot.
  @discardableResult
  package func set(row: Int, slot: Int, tag: UInt8, payload: UInt64, arena other: UnsafeRawPointer) -> Bool {
    if equals(row: row, slot: slot, tag: tag, payload: payload, arena: other) { return false }
    willChange(row: row, slot: slot)
    let old = tags[slot][row]
    // A snapshot may keep the old bytes alive until the save; they are garbage soon enough.
    if old == CellTag.text || old == CellTag.blob {
      garbageBytes += ByteRange(payload: payloads[slot][row]).length
    }
    tags[slot][row] = tag
    if tag == CellTag.text || tag == CellTag.blob {
      let range = ByteRange(payload: payload)
      payloads[slot][row] =
        arena.append(UnsafeRawBufferPointer(start: other + range.offset, count: range.length)).payload
    } else {
      payloads[slot][row] = payload
    }
    return true
  }

  /// Sets a cell as ``set(row:slot:tag:payload:arena:)`` does, without making that a change of the row.
  package func overwrite(row: Int, slot: Int, tag: UInt8, payload: UInt64, arena other: UnsafeRawPointer) {
    if equals(row: row, slot: slot, tag: tag, payload: payload, arena: other) { return }
    if hasBytes(tags[slot][row]) { garbageBytes += ByteRange(payload: payloads[slot][row]).length }
    tags[slot][row] = tag
    payloads[slot][row] = payload
    if hasBytes(tag) {
      let range = ByteRange(payload: payload)
      payloads[slot][row] =
        arena.append(UnsafeRawBufferPointer(start: other + range.offset, count: range.length)).payload
    }
  }

  /// Takes a row that was clean a moment ago, and whose values were set since then, for what is in the store.
  ///
  /// - Parameter count: The number of ``snapshots`` a moment ago.
  package func takeForClean(row: Int, snapshotsFrom count: Int) {
    for i in (count..<max(count, snapshots.count)).reversed() where Int(snapshots[i].row) == row {
      snapshots.remove(at: i)
    }
    if let place = touchedRows.lastIndex(of: Int32(row)) { touchedRows.remove(at: place) }
    markClean(row: row)
  }

  /// Sets a to-one relationship's cell to a primary key, 0 for none, and returns whether that changed anything.
  ///
  /// The inverse is the caller's business.
  @discardableResult
  package func setReference(row: Int, slot: Int, primaryKey: Int64, destinationEntity: Int32) -> Bool {
    let tag = primaryKey == 0 ? CellTag.null : CellTag.integer
    let payload = UInt64(bitPattern: primaryKey)
    if tags[slot][row] == tag, tag == CellTag.null || payloads[slot][row] == payload { return false }
    willChange(row: row, slot: slot)
    referenceStamp &+= 1
    tags[slot][row] = tag
    payloads[slot][row] = payload
    destinationEntities[slot]?[row] = primaryKey == 0 ? -1 : destinationEntity
    if primaryKey == 0 { orderKeys[slot]?[row] = 0 }
    return true
  }

  /// Moves a row within the ordered relationship that its to-one relationship at `slot` belongs to.
  ///
  /// - Returns: Whether that changed anything.
  @discardableResult
  package func setOrderKey(row: Int, slot: Int, _ key: Int64) -> Bool {
    guard let keys = orderKeys[slot], keys[row] != key else { return false }
    willChange(row: row, slot: slot)
    referenceStamp &+= 1
    keys[row] = key
    return true
  }

  /// Whether a cell was set since its row was fetched or saved.
  package func isDirty(row: Int, slot: Int) -> Bool {
    dirtyBits[row * dirtyWords + slot >> 6] >> (UInt64(slot) & 63) & 1 == 1
  }

  /// Keeps the cell's value before its first change and moves the row to the state `updated`.
  package func willChange(row: Int, slot: Int) {
    if let recorder { recorder.willChange(self, row: row, slot: slot) }
    let state = states[row]
    if state == RowState.inserted { return }
    // A row that is to be deleted is set for whoever still reads it; nothing of that is written.
    precondition(
      state == RowState.clean || state == RowState.updated || state == RowState.deleted,
      "only existing rows can be changed")
    if state == RowState.clean {
      states[row] = RowState.updated
      touchedRows.append(Int32(row))
      onFirstChange?(row)
    }
    if isDirty(row: row, slot: slot) { return }
    dirtyBits[row * dirtyWords + slot >> 6] |= 1 << (UInt64(slot) & 63)
    snapshots.append(snapshot(row: row, slot: slot))
  }

  /// Clears the dirty bits of cells that were set back to what they were, and forgets their snapshots.
  package func dropRevertedChanges() {
    snapshots.removeAll { snapshot in
      guard isReverted(snapshot) else { return false }
      let (row, slot) = (Int(snapshot.row), Int(snapshot.slot))
      dirtyBits[row * dirtyWords + slot >> 6] &= ~(1 << (UInt64(slot) & 63))
      return true
    }
  }

  /// Sets every changed cell back to its snapshot and forgets inserted rows.
  package func rollBack() {
    for snapshot in snapshots.reversed() {
      if states[Int(snapshot.row)] != RowState.free { restore(snapshot) }
    }
    for touched in touchedRows {
      let row = Int(touched)
      switch states[row] {
      case RowState.inserted: free(row: row)
      case RowState.updated, RowState.deleted: markClean(row: row)
      default: break
      }
    }
    snapshots.removeAll(keepingCapacity: true)
    touchedRows.removeAll(keepingCapacity: true)
  }

  /// Takes a row for what is in the store.
  @inline(__always)
  package func markClean(row: Int) {
    states[row] = RowState.clean
    for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = 0 }
  }
}
