import MergewalkStorePages
import MergewalkThreads

/// A scan of a large table that two threads share: each reads and hashes parts of it, and the caller's keeps all rows.
///
/// So a run that has to know what is stored before it begins does not leave a processor idle meanwhile. Rows come in no
/// order. Rows of the other thread come in blocks, of which there are a few: it waits while they are full.
final class SharedScan: Sendable {
  /// A row that was hashed.
  struct Row {
    var primaryKey: Int64
    var key: UInt64
    var content: UInt64
  }

  /// Rows on their way to the caller's thread.
  ///
  /// `@unchecked Sendable`: whoever has taken it out of the state has it alone.
  private final class Block: @unchecked Sendable {
    let rows = UnsafeMutablePointer<Row>.allocate(capacity: SharedScan.blockRows)
    var count = 0
    deinit { rows.deallocate() }
  }

  /// The data that the other thread works with.
  ///
  /// `@unchecked Sendable`: the caller makes it, and touches it no more before that thread has ended.
  private struct Lent: @unchecked Sendable {
    let scan: TableScan
    let hashes: (@escaping (Int64, UInt64, UInt64) -> Void) -> HashScan
  }

  private struct State {
    /// The parts that no thread has begun.
    var parts: ArraySlice<UInt32>
    var full: [Block] = []
    var empty: [Block]
    /// Whether the other thread may still bring rows.
    var isHelped = true
    /// Whether something could not be read.
    var hasFailed = false
  }

  private let shared: Monitor<State>
  /// How many parts are begun at a time: neighbours, as pages that follow each other are read together.
  private let share: Int

  private static let blockRows = 4096
  private static let blocks = 4
  /// As many parts as are worth a thread.
  private static let leastParts = 16

  private init(_ parts: [UInt32]) {
    shared = Monitor(State(parts: parts[...], empty: (0..<Self.blocks).map { _ in Block() }))
    share = max(1, parts.count / 64)
  }

  /// Reads all rows of a table.
  ///
  /// - Parameters:
  ///   - hashes: Makes what hashes rows and gives them on; called for each thread.
  ///   - keep: Gets each row once, in any order, on the thread of the caller.
  /// - Returns: Whether all rows were read.
  static func run(
    _ scan: TableScan, root: UInt32, hashes: @escaping (@escaping (Int64, UInt64, UInt64) -> Void) -> HashScan,
    keep: @escaping (Int64, UInt64, UInt64) -> Void
  ) -> Bool {
    let own = hashes(keep)
    guard let parts = scan.parts(root: root) else { return false }
    let shared = SharedScan(parts)
    let lent = Lent(scan: scan.twin(), hashes: hashes)
    let worker = parts.count < leastParts ? nil : Worker { shared.help(lent) }
    // A system without a thread to give leaves all of it to this one.
    if worker == nil { shared.shared.change { $0.isHelped = false } }
    defer { worker?.join() }
    return shared.readAll(scan, own, keep)
  }

  // MARK: The caller's thread

  private enum Step {
    case rows(Block)
    case parts(ArraySlice<UInt32>)
    case end(Bool)
  }

  private func readAll(_ scan: TableScan, _ hashes: HashScan, _ keep: (Int64, UInt64, UInt64) -> Void) -> Bool {
    while true {
      switch next() {
      case .rows(let block):
        for row in UnsafeBufferPointer(start: block.rows, count: block.count) {
          keep(row.primaryKey, row.key, row.content)
        }
        block.count = 0
        shared.change { $0.empty.append(block) }
      case .parts(let parts):
        if !read(parts, scan, hashes) { shared.change { $0.hasFailed = true } }
      case .end(let isRead): return isRead
      }
    }
  }

  private func next() -> Step {
    shared.wait(until: { !$0.full.isEmpty || !$0.parts.isEmpty || !$0.isHelped || $0.hasFailed }) { state in
      if state.hasFailed { return .end(false) }
      if !state.full.isEmpty { return .rows(state.full.removeFirst()) }
      return state.parts.isEmpty ? .end(true) : .parts(take(&state))
    }
  }

  private func take(_ state: inout State) -> ArraySlice<UInt32> {
    defer { state.parts = state.parts.dropFirst(share) }
    return state.parts.prefix(share)
  }

  private func read(_ parts: ArraySlice<UInt32>, _ scan: TableScan, _ hashes: HashScan) -> Bool {
    parts.allSatisfy { scan.run(part: $0) { hashes.add($0, $1) } }
  }

  // MARK: The other thread

  private func help(_ lent: Lent) {
    var block: Block?
    let hashes = lent.hashes { primaryKey, key, content in
      if block == nil || block?.count == Self.blockRows {
        self.give(block)
        block = self.shared.wait(until: { !$0.empty.isEmpty || $0.hasFailed }) { $0.empty.popLast() }
      }
      guard let block else { return }
      block.rows[block.count] = Row(primaryKey: primaryKey, key: key, content: content)
      block.count += 1
    }
    while true {
      let parts = shared.withLock { $0.hasFailed ? [] : take(&$0) }
      if parts.isEmpty { break }
      if !read(parts, lent.scan, hashes) { shared.change { $0.hasFailed = true } }
    }
    give(block)
    shared.change { $0.isHelped = false }
  }

  private func give(_ block: Block?) { if let block { shared.change { $0.full.append(block) } } }
}
