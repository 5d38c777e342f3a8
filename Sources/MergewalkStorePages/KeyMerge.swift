import MergewalkSystem

/// Merges the sorted runs of an index, or those of their keys that have prefixes of a range, by a tournament of losers.
///
/// `@unchecked Sendable`: it belongs to the thread that fills a ``KeyBatch`` of it.
final class KeyMerge: @unchecked Sendable {
  private var tournament: Tournament
  private let least: UInt64
  private var hasBegun = false
  /// Whether all keys are through.
  private(set) var isAtEnd = false

  /// The bytes of memory that all runs of one merge are read with.
  private static let readBytes = 1 << 20

  /// - Parameter findsEqual: Whether equal keys are noted.
  init(
    _ spilled: [SpilledKeys], _ prefixes: ClosedRange<UInt64>, _ order: KeyOrder, _ spill: SpillFile, findsEqual: Bool
  ) {
    let size = max(4096, min(64 * 1024, Self.readBytes / max(spilled.count, 1)))
    least = prefixes.lowerBound
    tournament = Tournament(
      spilled.map { KeyRun($0, prefixes, bufferSize: size) }, order, spill, isExact: spilled.allSatisfy(\.isExact),
      longest: spilled.reduce(0) { max($0, $1.longest) }, findsEqual: findsEqual)
  }

  /// Keys that were not spilled; their bytes are copied.
  init(_ chunk: KeyChunk, _ order: KeyOrder, _ memory: SortMemory, findsEqual: Bool) {
    memory.sort(chunk, order)
    least = 0
    tournament = Tournament(
      [KeyRun(chunk, memory.list)], order, memory.spill, isExact: memory.list.isExact, longest: memory.list.longest,
      findsEqual: findsEqual)
  }

  deinit { tournament.deallocate() }

  /// Writes the next keys that fit, each behind a word: twice its length, and 1 if it equals the key before.
  ///
  /// - Returns: How many bytes they take.
  func fill(_ bytes: Bytes, _ capacity: Int) throws(PageError) -> Int {
    if !hasBegun { try tournament.begin(least) }
    hasBegun = true
    let used = try tournament.fill(bytes, capacity)
    isAtEnd = tournament.isAtEnd
    return used
  }
}

/// The next key of a run as it plays: by its prefix, then by the number of its run, as equal keys keep their order.
private struct Contender: BitwiseCopyable {
  var prefix: UInt64
  var run: UInt64

  /// A run whose keys are all through: behind every key, also behind those of the greatest prefix.
  private static let ended: UInt64 = 1 << 63

  @inline(__always) init(_ run: Int, _ keys: KeyRun) {
    self.run = UInt64(run) | (keys.isAtEnd ? Self.ended : 0)
    prefix = keys.isAtEnd ? .max : keys.prefix
  }

  @inline(__always) var isAtEnd: Bool { run & Self.ended != 0 }
  @inline(__always) var number: Int { Int(run & ~Self.ended) }

  /// All bits when this one is before another, else none: who wins cannot be predicted, so nothing branches on it.
  @inline(__always) func isBefore(_ other: Contender) -> UInt64 {
    let less: UInt64 = prefix < other.prefix ? 1 : 0
    let equal: UInt64 = prefix == other.prefix ? 1 : 0
    let first: UInt64 = run < other.run ? 1 : 0
    return 0 &- (less | (equal & first))
  }

  /// Takes the other's place where the mask has bits, and gives it its own.
  @inline(__always) mutating func swap(_ other: inout Contender, _ mask: UInt64) {
    let (changedPrefix, changedRun) = ((prefix ^ other.prefix) & mask, (run ^ other.run) & mask)
    (prefix, run) = (prefix ^ changedPrefix, run ^ changedRun)
    (other.prefix, other.run) = (other.prefix ^ changedPrefix, other.run ^ changedRun)
  }
}

/// The state of a merge: a value, so that the compiler sees that nothing else changes it meanwhile.
private struct Tournament {
  private let runs: UnsafeMutableBufferPointer<KeyRun>
  /// At each place the run that lost there.
  private let losers: UnsafeMutableBufferPointer<Contender>
  private var best: Contender
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
    best = Contender(0, runs[0])
    losers = .allocate(capacity: list.count)
    losers.initialize(repeating: best)
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

  var isAtEnd: Bool { best.isAtEnd }

  mutating func begin(_ least: UInt64) throws(PageError) {
    for i in runs.indices { try runs[i].skip(to: least, spill) }
    best = play(1)
  }

  mutating func fill(_ bytes: Bytes, _ capacity: Int) throws(PageError) -> Int {
    var used = 0
    var (previous, previousLength) = (UnsafePointer(last), 0)
    while !best.isAtEnd {
      let run = runs.baseAddress! + best.number
      let (key, length) = (run.pointee.key, run.pointee.length)
      if used + 4 + length > capacity { break }
      var isEqual = false
      if findsEqual {
        isEqual = hasLast && best.prefix == lastPrefix && !order.hasNull(key) && order.compare(previous, key) == 0
        (hasLast, lastPrefix) = (true, best.prefix)
      }
      let place = bytes + used
      place.put32(UInt32(length) << 1 | (isEqual ? 1 : 0))
      memcpy(place + 4, key, length)
      (previous, previousLength) = (UnsafePointer(place + 4), length)
      used += 4 + length
      try run.pointee.advance(spill)
      best = Contender(best.number, run.pointee)
      replay()
    }
    if findsEqual, previousLength > 0 { memcpy(last, previous, previousLength) }
    return used
  }

  /// As ``Contender/isBefore(_:)``, where prefixes do not tell: by the keys themselves.
  private func isBeforeByKey(_ left: Contender, _ right: Contender) -> UInt64 {
    if left.isAtEnd || right.isAtEnd { return left.isBefore(right) }
    let difference = order.compare(runs[left.number].key, runs[right.number].key)
    return difference == 0 ? left.isBefore(right) : difference < 0 ? .max : 0
  }

  @inline(__always) private func isBefore(_ left: Contender, _ right: Contender) -> UInt64 {
    !isExact && left.prefix == right.prefix ? isBeforeByKey(left, right) : left.isBefore(right)
  }

  /// Plays the matches below a place and returns who wins there.
  private func play(_ place: Int) -> Contender {
    if place >= runs.count { return Contender(place - runs.count, runs[place - runs.count]) }
    var (winner, loser) = (play(2 * place), play(2 * place + 1))
    let mask = isBefore(loser, winner)
    winner.swap(&loser, mask)
    losers[place] = loser
    return winner
  }

  /// Plays the matches of the last winner again, with its next key.
  @inline(__always) private mutating func replay() {
    var place = (best.number + runs.count) / 2
    while place > 0 {
      let mask = isBefore(losers[place], best)
      best.swap(&losers[place], mask)
      place /= 2
    }
  }
}
