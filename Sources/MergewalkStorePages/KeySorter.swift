import Glibc

/// What the sorters of a file share.
final class SortMemory {
  let spill: SpillFile
  /// The bytes of keys that a sorter keeps before it spills them.
  let chunkBytes: Int
  var items: ContiguousArray<KeyChunk.Item> = []

  init(folder: String, chunkBytes: Int) {
    spill = SpillFile(folder: folder)
    self.chunkBytes = chunkBytes
  }
}

/// Sorts the keys of an index in bounded memory: chunks are sorted and spilled, then merged.
final class KeySorter {
  let order: KeyOrder
  private let memory: SortMemory
  private var chunk: KeyChunk
  private var spilled: [Range<Int>] = []
  private var longest = 0
  private var runs: [KeyRun] = []
  /// The tournament of the runs: at each place the one that lost there.
  private var losers: [Int] = []
  private var winner = 0
  private var isExact = true
  private var hasBegun = false

  /// - Parameter columns: The columns of the index, without the row ID behind them.
  init(columns: Int, memory: SortMemory) {
    order = KeyOrder(columns: columns)
    self.memory = memory
    chunk = KeyChunk(capacity: min(memory.chunkBytes, 64 * 1024))
  }

  deinit {
    chunk.deallocate()
    for run in runs { run.deallocate() }
  }

  /// Makes room for a key that the caller writes at once; keys come in ascending order of their row IDs.
  @inline(__always) func place(_ count: Int) throws(PageError) -> Bytes {
    if chunk.used + count > memory.chunkBytes, chunk.used > 0 { try spillChunk() }
    return chunk.place(count)
  }

  private func sortChunk() {
    chunk.sort(order, spare: &memory.items)
    isExact = isExact && chunk.isExact
    for item in chunk.items { longest = max(longest, Int(item.length)) }
  }

  private func spillChunk() throws(PageError) {
    sortChunk()
    let size = chunk.used + 4 * chunk.items.count
    let bytes = Bytes.allocate(capacity: size)
    defer { bytes.deallocate() }
    KeyRun.write(chunk, to: bytes)
    let start = memory.spill.size
    try memory.spill.append(bytes, size)
    spilled.append(start..<memory.spill.size)
    chunk.clear()
  }

  // MARK: Merging

  /// Calls `body` with each key in order, until it says that it has enough.
  ///
  /// - Parameter body: Gets a key, its length, and whether its columns are those of the key before, none of them NULL.
  func forEach(
    _ body: (_ key: UnsafePointer<UInt8>, _ length: Int, _ isEqual: Bool) throws(PageError) -> Bool
  ) throws(PageError) {
    try begin()
    var last: [UInt8] = []
    var lastPrefix: UInt64 = 0
    while !runs.isEmpty, !runs[winner].isAtEnd {
      let (key, length, prefix) = (runs[winner].key, runs[winner].length, runs[winner].prefix)
      var isEqual = false
      if prefix == lastPrefix, !last.isEmpty {
        isEqual =
          !order.hasNull(key) && last.withUnsafeBufferPointer { order.compare($0.baseAddress!, key) == 0 }
      }
      guard try body(key, length, isEqual) else { return }
      last.removeAll(keepingCapacity: true)
      last.append(contentsOf: UnsafeBufferPointer(start: key, count: length))
      lastPrefix = prefix
      try runs[winner].advance(memory.spill)
      replay()
    }
  }

  /// The bytes of memory that all runs of one index are read with.
  private static let mergeBytes = 4 << 20

  private func begin() throws(PageError) {
    precondition(!hasBegun, "keys are merged once")
    hasBegun = true
    sortChunk()
    let size = max(4096, min(64 * 1024, Self.mergeBytes / max(spilled.count, 1)))
    runs = spilled.map { KeyRun($0, bufferSize: size, longest: longest) }
    runs.append(KeyRun(chunk))
    chunk.clear()
    for i in runs.indices { try runs[i].look(memory.spill) }
    losers = Array(repeating: 0, count: runs.count)
    winner = runs.count > 1 ? play(1) : 0
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    if runs[left].isAtEnd || runs[right].isAtEnd { return !runs[left].isAtEnd }
    let (leftPrefix, rightPrefix) = (runs[left].prefix, runs[right].prefix)
    if leftPrefix != rightPrefix { return leftPrefix < rightPrefix }
    if isExact { return left < right }
    let difference = order.compare(runs[left].key, runs[right].key)
    return difference != 0 ? difference < 0 : left < right
  }

  /// Plays the matches below a place and returns who wins there.
  private func play(_ place: Int) -> Int {
    if place >= runs.count { return place - runs.count }
    let (left, right) = (play(2 * place), play(2 * place + 1))
    let isLeft = isBefore(left, right)
    losers[place] = isLeft ? right : left
    return isLeft ? left : right
  }

  /// Plays the matches of the last winner again.
  private func replay() {
    var place = (winner + runs.count) / 2
    while place > 0 {
      if isBefore(losers[place], winner) { swap(&losers[place], &winner) }
      place /= 2
    }
  }
}
