/// Rows that collections hold: they stay in their places although no object refers to them.
extension RowBuffer {
  /// Holds rows; a row may be held several times.
  package func pin(_ rows: ContiguousArray<Int32>) {
    let missing = count - pins.count
    if missing > 0 { pins.append(contentsOf: repeatElement(0, count: missing)) }
    pins.withUnsafeMutableBufferPointer { pins in for row in rows { pins[Int(row)] += 1 } }
    pinCount += rows.count
  }

  /// Lets rows go again, each as often as it was held; those that are in use stay.
  package func unpin(_ rows: ContiguousArray<Int32>) {
    pins.withUnsafeMutableBufferPointer { pins in
      for row in rows {
        let place = Int(row)
        pins[place] -= 1
        if pins[place] == 0, states[place] == RowState.free { freeRows.append(row) }
      }
    }
    pinCount -= rows.count
  }

  /// Whether a collection holds a row.
  @inline(__always)
  package func isPinned(row: Int) -> Bool { row < pins.count && pins[row] > 0 }
}

/// Faults that know something: values that came with a fetch and were not asked for yet.
extension RowBuffer {
  /// Whether the cell of a fault holds what the store said.
  package func isKnown(row: Int, slot: Int) -> Bool { isDirty(row: row, slot: slot) }

  /// Notes that the cells of a fault hold what the store said: those of a mask with a bit for each slot, or all.
  @inline(__always)
  package func setKnown(row: Int, _ mask: [UInt64]?) {
    for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = mask.map { $0[word] } ?? ~0 }
  }

  /// Makes a fault of which everything is known an ordinary row.
  ///
  /// - Returns: Whether the row is no fault now; `false` when the store has to be asked.
  @discardableResult @inline(__always)
  package func realize(row: Int) -> Bool {
    guard states[row] == RowState.fault else { return true }
    guard knowsEverything(row: row) else { return false }
    markClean(row: row)
    return true
  }

  /// Whether a fault knows all its values.
  @inline(__always)
  package func knowsEverything(row: Int) -> Bool {
    for word in 0..<dirtyWords where dirtyBits[row * dirtyWords + word] != ~0 { return false }
    return true
  }

  /// Forgets the values of a row that has no changes, so that it is a fault that knows nothing.
  package func makeFault(row: Int) {
    countGarbage(row: row)
    clearCells(row: row)
    for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = 0 }
    states[row] = RowState.fault
    referenceStamp &+= 1
  }
}
