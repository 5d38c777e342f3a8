/// The keys of an index in transit into chunks, which are sorted and spilled.
///
/// A value behind a pointer: each row has its keys, and nothing is counted or checked for one.
struct KeyIntake {
  fileprivate let order: KeyOrder
  fileprivate let memory: SortMemory
  fileprivate var chunk: KeyChunk
  fileprivate var spilled: [SpilledKeys] = []

  /// Makes room for a key that the caller writes at once; keys come in ascending order of their row IDs.
  ///
  /// Eight bytes behind it may be written too, before the next one comes.
  @inline(__always) mutating func place(_ count: Int) throws(PageError) -> Bytes {
    if chunk.used + 4 + count > memory.chunkBytes, chunk.used > 0 { try spillChunk() }
    return chunk.place(count)
  }

  /// The keys in their order, when all have come; they are given out once.
  fileprivate mutating func batches(findsEqual: Bool) throws(PageError) -> KeyBatches {
    let (order, memory) = (order, memory)
    if spilled.isEmpty {
      let merge = KeyMerge(chunk, order, memory, findsEqual: findsEqual)
      chunk.clear()
      return KeyBatches([0 ... .max], capacity: capacity(memory.list.longest), memory.merging) { _ in merge }
    }
    if chunk.used > 0 { try spillChunk() }
    let spilled = spilled
    let longest = spilled.reduce(0) { max($0, $1.longest) }
    return KeyBatches(SpilledKeys.slices(of: spilled), capacity: capacity(longest), memory.merging) { prefixes in
      KeyMerge(spilled, prefixes, order, memory.spill, findsEqual: findsEqual)
    }
  }

  /// The bytes of a batch: it mostly holds a slice.
  private func capacity(_ longest: Int) -> Int { max(memory.chunkBytes / 4 * 3, longest + 4) }

  private mutating func spillChunk() throws(PageError) {
    spilled.append(try memory.spill(chunk, order))
    chunk.clear()
  }
}

/// Sorts the keys of an index in bounded memory.
final class KeySorter {
  /// Where keys go until they are merged.
  let intake: UnsafeMutablePointer<KeyIntake>
  private var hasBegun = false

  /// - Parameter columns: The columns of the index, without the row ID behind them.
  init(columns: Int, memory: SortMemory) {
    intake = .allocate(capacity: 1)
    intake.initialize(
      to: KeyIntake(
        order: KeyOrder(columns: columns), memory: memory,
        chunk: KeyChunk(capacity: min(memory.chunkBytes, 64 * 1024))))
  }

  deinit {
    intake.pointee.chunk.deallocate()
    intake.deinitialize(count: 1)
    intake.deallocate()
  }

  /// Gives the body each key in order, until it says that it has enough.
  ///
  /// All sorters have their keys by then. When the body has enough, batches that were begun may still be filled: they
  /// refer to nothing but the spill file, to which other sorters only append.
  ///
  /// - Parameters:
  ///   - findsEqual: Whether equal keys are looked for.
  ///   - body: Gets a key, its length, and whether its columns are those of the key before, none of them NULL.
  func forEach(
    findsEqual: Bool, _ body: (_ key: UnsafePointer<UInt8>, _ length: Int, _ isEqual: Bool) throws(PageError) -> Bool
  ) throws(PageError) {
    precondition(!hasBegun, "keys are merged once")
    hasBegun = true
    var batches = try intake.pointee.batches(findsEqual: findsEqual)
    while let batch = try batches.next() {
      var place = batch.bytes
      let end = place + batch.used
      while place < end {
        let head = place.get32
        let length = Int(head >> 1)
        guard try body(place + 4, length, head & 1 == 1) else { return }
        place += 4 + length
      }
    }
  }
}
