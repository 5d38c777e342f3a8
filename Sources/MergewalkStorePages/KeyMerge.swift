import MergewalkSystem

/// Merges the sorted runs of an index by a tournament of losers.
///
/// `@unchecked Sendable`: it belongs to the background thread once a ``KeyBatch`` has been given.
final class KeyMerge: @unchecked Sendable {
  private var tournament: Tournament
  let longest: Int

  /// The bytes of memory that all runs of one index are read with.
  private static let readBytes = 4 << 20

  /// - Parameters:
  ///   - chunk: The last keys; its bytes are copied.
  ///   - findsEqual: Whether equal keys are noted.
  init(
    _ spilled: [SpilledKeys], _ chunk: KeyChunk, _ order: KeyOrder, _ memory: SortMemory, findsEqual: Bool
  ) throws(PageError) {
    memory.sort(chunk, order)
    longest = spilled.reduce(memory.list.longest) { max($0, $1.longest) }
    let size = max(4096, min(64 * 1024, Self.readBytes / max(spilled.count, 1)))
    let longest = longest
    var runs = spilled.map { KeyRun($0.range, bufferSize: size, longest: longest) }
    runs.append(KeyRun(chunk, memory.list))
    tournament = Tournament(
      runs, order, memory.spill, isExact: spilled.allSatisfy(\.isExact) && memory.list.isExact, longest: longest,
      findsEqual: findsEqual)
    try tournament.begin()
  }

  deinit { tournament.deallocate() }

  /// Writes the next keys that fit, each behind a word: twice its length, and 1 if it equals the key before.
  ///
  /// - Returns: How many bytes they take; 0 when all keys are through.
  func fill(_ bytes: Bytes, _ capacity: Int) throws(PageError) -> Int { try tournament.fill(bytes, capacity) }
}

/// Merged keys, on their way to the thread that makes pages of them.
///
/// `@unchecked Sendable`: it belongs to the background thread from when it is given until the job is waited for.
final class KeyBatch: BackgroundJob, @unchecked Sendable {
  private let merge: KeyMerge
  let bytes: Bytes
  private let capacity: Int
  /// The bytes of keys; 0 when all are through.
  private(set) var used = 0
  /// The job that fills it.
  private(set) var job = 0

  init(_ merge: KeyMerge) {
    self.merge = merge
    capacity = max(256 << 10, merge.longest + 4)
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// Has the batch filled.
  func begin(_ work: BackgroundWork) throws(PageError) { job = try work.give(self) }

  func run() throws(PageError) { used = try merge.fill(bytes, capacity) }
}

/// The state of a merge: a value, so that the compiler sees that nothing else changes it meanwhile.
private struct Tournament {
  private let runs: UnsafeMutableBufferPointer<KeyRun>
  /// At each place the run that lost there.
  private let losers: UnsafeMutableBufferPointer<Int>
  private var winner = 0
  private let order: KeyOrder
  private let spill: SpillFile
  private let isExact: Bool
  private let findsEqual: Bool
  /// The last key of the last batch.
  private let last: Bytes
  private var hasLast = false
  private var lastPrefix: UInt64 = 0

  init(
    _ list: [KeyRun], _ order: KeyOrder, _ spill: SpillFile, isExact: Bool, longest: Int, findsEqual: Bool
  ) {
    runs = .allocate(capacity: list.count)
    _ = runs.initialize(from: list)
    losers = .allocate(capacity: list.count)
    losers.initialize(repeating: 0)
    last = .allocate(capacity: longest + 8)
    self.order = order
    self.spill = spill
    self.isExact = isExact
    self.findsEqual = findsEqual
  }

  func deallocate() {
    for run in runs { run.deallocate() }
    runs.deallocate()
    losers.deallocate()
    last.deallocate()
  }

  mutating func begin() throws(PageError) {
    for i in runs.indices { try runs[i].look(spill) }
    winner = runs.count > 1 ? play(1) : 0
  }

  mutating func fill(_ bytes: Bytes, _ capacity: Int) throws(PageError) -> Int {
    var used = 0
    var (previous, previousLength) = (UnsafePointer(last), 0)
    while !runs[winner].isAtEnd {
      let (key, length) = (runs[winner].key, runs[winner].length)
      if used + 4 + length > capacity { break }
      var isEqual = false
      if findsEqual {
        let prefix = runs[winner].prefix
        isEqual = hasLast && prefix == lastPrefix && !order.hasNull(key) && order.compare(previous, key) == 0
        (hasLast, lastPrefix) = (true, prefix)
      }
      let place = bytes + used
      place.put32(UInt32(length) << 1 | (isEqual ? 1 : 0))
      memcpy(place + 4, key, length)
      (previous, previousLength) = (UnsafePointer(place + 4), length)
      used += 4 + length
      try runs[winner].advance(spill)
      replay()
    }
    if findsEqual, previousLength > 0 { memcpy(last, previous, previousLength) }
    return used
  }

  @inline(__always) private func isBefore(_ left: Int, _ right: Int) -> Bool {
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
  private mutating func replay() {
    var place = (winner + runs.count) / 2
    var best = winner
    while place > 0 {
      let other = losers[place]
      if isBefore(other, best) {
        losers[place] = best
        best = other
      }
      place /= 2
    }
    winner = best
  }
}
