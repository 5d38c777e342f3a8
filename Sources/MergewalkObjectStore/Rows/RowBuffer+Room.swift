extension RowBuffer {
  /// What is said when there is no room.
  package static let fullMessage =
    "the texts and bytes of the objects that the context holds take more than 3 GiB"

  /// Whether so many more bytes have room below ``byteLimit``, if need be after a compaction.
  ///
  /// Pointers into the arena may be invalid afterwards.
  package func makeRoom(_ count: Int) -> Bool {
    if arena.count + count <= byteLimit { return true }
    if garbageBytes > 0 { compact() }
    return arena.count + count <= byteLimit
  }

  /// How many bytes the texts and blobs of a row take.
  ///
  /// - Parameter slots: Those that count; `nil` for all.
  package func byteCount(row: Int, slots: [Int]? = nil) -> Int {
    (slots ?? Array(0..<columnCount)).reduce(0) { sum, slot in
      hasBytes(tags[slot][row]) ? sum + ByteRange(payload: payloads[slot][row]).length : sum
    }
  }
}
