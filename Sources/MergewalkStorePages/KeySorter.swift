import Glibc

/// Sorts the keys of an index in bounded memory: chunks are sorted and spilled in the background, then merged.
final class KeySorter {
  private let order: KeyOrder
  private let memory: SortMemory
  private var chunk: KeyChunk
  private var spilled: [SpilledChunk] = []
  private var hasBegun = false

  /// - Parameter columns: The columns of the index, without the row ID behind them.
  init(columns: Int, memory: SortMemory) {
    order = KeyOrder(columns: columns)
    self.memory = memory
    chunk = KeyChunk(capacity: min(memory.chunkBytes, 64 * 1024))
  }

  deinit { chunk.deallocate() }

  /// Makes room for a key that the caller writes at once; keys come in ascending order of their row IDs.
  @inline(__always) func place(_ count: Int) throws(PageError) -> Bytes {
    if chunk.used + count > memory.chunkBytes, chunk.used > 0 { try spillChunk() }
    return chunk.place(count)
  }

  private func spillChunk() throws(PageError) {
    let full = SpilledChunk(chunk, order, memory.space)
    chunk = KeyChunk(capacity: 0)
    spilled.append(full)
    let empty = try memory.spill(full)
    chunk.deallocate()
    chunk = empty
  }

  /// Gives the body each key in order, until it says that it has enough.
  ///
  /// All sorters have their keys by then.
  ///
  /// - Parameters:
  ///   - findsEqual: Whether equal keys are looked for.
  ///   - body: Gets a key, its length, and whether its columns are those of the key before, none of them NULL.
  func forEach(
    findsEqual: Bool, _ body: (_ key: UnsafePointer<UInt8>, _ length: Int, _ isEqual: Bool) throws(PageError) -> Bool
  ) throws(PageError) {
    precondition(!hasBegun, "keys are merged once")
    hasBegun = true
    try memory.settle()
    chunk.sort(order, spare: &memory.space.items)
    let merge = try KeyMerge(spilled, chunk, order, memory.space.spill, findsEqual: findsEqual)
    chunk.clear()
    // One batch is merged while the other one is used.
    var (batch, next) = (KeyBatch(merge), KeyBatch(merge))
    try batch.begin(memory.work)
    while true {
      try next.begin(memory.work)
      try memory.work.wait(for: batch.job)
      if batch.used == 0 { break }
      var place = batch.bytes
      let end = place + batch.used
      while place < end {
        let head = place.get32
        let length = Int(head >> 1)
        guard try body(place + 4, length, head & 1 == 1) else { return }
        place += 4 + length
      }
      swap(&batch, &next)
    }
  }
}
