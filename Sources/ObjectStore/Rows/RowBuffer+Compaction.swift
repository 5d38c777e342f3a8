import Glibc

extension RowBuffer {
  /// Takes a place for one row: a free one if there is one, else a new one. All its cells are null.
  ///
  /// - Complexity: O(columns), amortised.
  package func takeRow(entity: Int32, state: UInt8, primaryKey: Int64) -> Int {
    guard let free = freeRows.popLast() else {
      let row = appendRows(1, entity: entity, state: state)
      primaryKeys[row] = primaryKey
      return row
    }
    let row = Int(free)
    primaryKeys[row] = primaryKey
    entities[row] = entity
    versions[row] = 1
    states[row] = state
    for word in 0..<dirtyWords { dirtyBits[row * dirtyWords + word] = 0 }
    for slot in 0..<columnCount {
      tags[slot][row] = CellTag.null
      payloads[slot][row] = 0
      destinationEntities[slot]?[row] = -1
      orderKeys[slot]?[row] = 0
    }
    // Freed places are always below the indexed part of the buffer, so the table has to be told.
    identity.insert(free, in: primaryKeys)
    return row
  }

  /// Frees a row and counts its bytes as garbage.
  package func release(row: Int) {
    countGarbage(row: row)
    free(row: row)
  }

  /// Counts the bytes of a row's cells as garbage.
  package func countGarbage(row: Int) {
    for slot in 0..<columnCount where hasBytes(tags[slot][row]) {
      garbageBytes += ByteRange(payload: payloads[slot][row]).length
    }
  }

  /// Moves the bytes that are in use together when more than half of the arena is garbage.
  ///
  /// Pointers into the arena are invalid afterwards.
  package func compactIfWorthwhile() {
    if arena.count > Self.smallestCompaction, garbageBytes > arena.count - garbageBytes { compact() }
  }

  /// Moves the bytes that cells and snapshots refer to together and forgets all others.
  ///
  /// Pointers into the arena are invalid afterwards. Cells that share bytes get bytes of their own.
  ///
  /// - Complexity: O(rows × columns + live bytes); the live bytes are in memory twice meanwhile.
  package func compact() {
    let live = ByteArena(capacity: max(arena.count - garbageBytes, 64))
    for row in 0..<count where states[row] != RowState.free {
      for slot in 0..<columnCount where hasBytes(tags[slot][row]) {
        payloads[slot][row] = live.append(arena.bytes(ByteRange(payload: payloads[slot][row]))).payload
      }
    }
    for i in snapshots.indices where hasBytes(snapshots[i].tag) {
      snapshots[i].payload = live.append(arena.bytes(ByteRange(payload: snapshots[i].payload))).payload
    }
    arena.removeAll()
    arena.append(UnsafeRawBufferPointer(start: live.base, count: live.count))
    garbageBytes = 0
  }

  /// Whether every place is free, so that ``removeAll()`` loses nothing.
  package var holdsNothing: Bool { count > 0 && freeRows.count == count }

  /// Arenas below this size in bytes are left alone.
  private static let smallestCompaction = 64 * 1024

  private func hasBytes(_ tag: UInt8) -> Bool { tag == CellTag.text || tag == CellTag.blob }
}
