import Glibc

/// What the sorters of a file share.
final class SortMemory {
  let space: SortSpace
  let work: BackgroundWork
  /// The bytes of keys that a sorter keeps before it spills them.
  let chunkBytes: Int
  /// Chunks that are on their way to the spill file.
  private var waiting: [SpilledChunk] = []
  private static let mostWaiting = 2

  init(folder: String, chunkBytes: Int, work: BackgroundWork) {
    space = SortSpace(folder: folder)
    self.chunkBytes = chunkBytes
    self.work = work
  }

  /// Has a full chunk sorted and written, and returns an empty one.
  func spill(_ full: SpilledChunk) throws(PageError) -> KeyChunk {
    full.job = try work.give(full)
    waiting.append(full)
    guard waiting.count > Self.mostWaiting else { return KeyChunk(capacity: chunkBytes) }
    let first = waiting.removeFirst()
    try work.wait(for: first.job)
    return first.takeChunk()
  }

  /// Waits until everything is spilled, and frees the memory that it took.
  func settle() throws(PageError) {
    try work.waitForAll()
    for chunk in waiting { chunk.takeChunk().deallocate() }
    waiting.removeAll()
  }
}

/// Where chunks are sorted and go to.
///
/// `@unchecked Sendable`: it belongs to the background thread until ``SortMemory/settle()``, then to the writer's.
final class SortSpace: @unchecked Sendable {
  let spill: SpillFile
  var items: ContiguousArray<KeyChunk.Item> = []

  init(folder: String) { spill = SpillFile(folder: folder) }
}

/// A full chunk of keys, which is sorted and goes to the spill file.
///
/// `@unchecked Sendable`: it belongs to the background thread from when it is given until the job is waited for.
final class SpilledChunk: BackgroundJob, @unchecked Sendable {
  private var chunk: KeyChunk?
  private let order: KeyOrder
  private let space: SortSpace
  /// The job that spills it.
  var job = 0
  /// Where the keys are.
  private(set) var range = 0..<0
  /// The length of the longest key.
  private(set) var longest = 0
  /// Whether equal prefixes of ``KeyOrder`` mean equal keys.
  private(set) var isExact = true

  init(_ chunk: KeyChunk, _ order: KeyOrder, _ space: SortSpace) {
    self.chunk = chunk
    self.order = order
    self.space = space
  }

  deinit { chunk?.deallocate() }

  /// The memory of the keys, which are in the file now.
  func takeChunk() -> KeyChunk {
    guard var taken = chunk else { preconditionFailure("a chunk is taken once") }
    chunk = nil
    taken.clear()
    return taken
  }

  func run() throws(PageError) {
    chunk?.sort(order, spare: &space.items)
    guard let chunk else { return }
    (isExact, longest) = (chunk.isExact, chunk.longest)
    let size = chunk.used + 4 * chunk.items.count
    let bytes = Bytes.allocate(capacity: size)
    defer { bytes.deallocate() }
    KeyRun.write(chunk, to: bytes)
    let start = space.spill.size
    try space.spill.append(bytes, size)
    range = start..<space.spill.size
  }
}
