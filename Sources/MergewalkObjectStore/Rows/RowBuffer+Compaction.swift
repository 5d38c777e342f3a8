extension RowBuffer {
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
  /// - Complexity: O(rows × columns with bytes + live bytes); the live bytes are in memory twice meanwhile.
  package func compact() {
    if keepsBytes { return }
    let live = ByteArena(capacity: max(arena.count - garbageBytes, 64))
    for row in 0..<count where states[row] != RowState.free {
      for slot in byteSlots where hasBytes(tags[slot][row]) {
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

  /// Arenas below this size in bytes are left alone.
  private static let smallestCompaction = 64 * 1024
}
