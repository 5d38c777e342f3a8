/// Encoded rows in transit to the thread that makes pages and keys of them.
///
/// Each follows its row ID and the length of its record, in the machine's byte order.
///
/// `@unchecked Sendable`: like a ``PageBlock``, it is filled by one thread, given away and waited for before it is
/// filled again; only jobs use its filler, until all of them have ended.
final class RowBlock: BackgroundJob, @unchecked Sendable {
  /// The bytes before a record.
  static let head = 12

  let bytes: Bytes
  let capacity: Int
  fileprivate var used = 0
  /// Whom the rows belong to: it lives as long as the writer, which lets no job begin after it.
  fileprivate unowned var filler: TableFiller?
  /// The job that adds the rows.
  fileprivate var job = 0

  fileprivate init(capacity: Int) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity + 8)
  }

  deinit { bytes.deallocate() }

  func run() throws(PageError) { try filler?.add(bytes, used) }
}

/// The blocks that the tables of a file take in turn.
final class RowBlocks {
  private let work: BackgroundWork
  /// Blocks that were given and not taken again.
  private var given: [RowBlock] = []

  private static let size = 128 << 10
  private static let mostGiven = 3

  init(work: BackgroundWork) { self.work = work }

  func give(_ block: RowBlock, _ used: Int, to filler: TableFiller) throws(PageError) {
    block.used = used
    block.filler = filler
    block.job = try work.give(block)
    // The memory of a row that is larger than a block is not kept.
    if block.capacity > Self.size { try work.wait(for: block.job) } else { given.append(block) }
  }

  /// An empty block with room for a row.
  func take(room: Int) throws(PageError) -> RowBlock {
    if room > Self.size { return RowBlock(capacity: room) }
    guard given.count > Self.mostGiven else { return RowBlock(capacity: Self.size) }
    let first = given.removeFirst()
    try work.wait(for: first.job)
    return first
  }
}

/// The rows of a table in transit into blocks.
///
/// A value behind a pointer, so that nothing is counted or checked for a row.
struct RowIntake {
  private let blocks: RowBlocks
  private let filler: TableFiller
  private var block: RowBlock
  private var bytes: Bytes
  private var used = 0
  private var capacity: Int
  private(set) var count = 0
  private(set) var lastRowID: Int64?

  init(_ blocks: RowBlocks, _ filler: TableFiller) throws(PageError) {
    self.blocks = blocks
    self.filler = filler
    block = try blocks.take(room: 0)
    (bytes, capacity) = (block.bytes, block.capacity)
  }

  /// Makes room for a record that the caller writes at once.
  ///
  /// - Throws: ``PageError`` with `outOfOrder` when the row ID is not above the last one, or that of an earlier job.
  @inline(__always) mutating func place(rowID: Int64, _ size: Int) throws(PageError) -> Bytes {
    if let lastRowID, rowID <= lastRowID { throw Self.outOfOrder(rowID, lastRowID) }
    if used + RowBlock.head + size > capacity { try change(room: RowBlock.head + size) }
    let place = UnsafeMutableRawPointer(bytes + used)
    place.storeBytes(of: rowID, as: Int64.self)
    place.storeBytes(of: UInt32(size), toByteOffset: 8, as: UInt32.self)
    used += RowBlock.head + size
    count += 1
    lastRowID = rowID
    return bytes + (used - size)
  }

  private mutating func change(room: Int) throws(PageError) {
    try give()
    block = try blocks.take(room: room)
    (bytes, capacity) = (block.bytes, block.capacity)
  }

  /// Has the rows added that are in hand; a block is taken for those that come.
  mutating func give() throws(PageError) {
    guard used > 0 else { return }
    let full = used
    used = 0
    capacity = 0
    try blocks.give(block, full, to: filler)
  }

  private static func outOfOrder(_ rowID: Int64, _ last: Int64) -> PageError {
    PageError(.outOfOrder, "row \(rowID) comes after row \(last)")
  }
}
