import MergewalkSystem

/// Keys in memory, which are sorted together.
///
/// Each follows a word with its length, as in the spill file: while keys arrive, they take little more than their
/// bytes. Memory for sorting is allocated afterwards (``KeyList``).
struct KeyChunk {
  private(set) var bytes: Bytes
  private var capacity: Int
  /// The bytes that the keys and their lengths take.
  private(set) var used = 0
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity + 8)
  }

  /// Frees the memory.
  func deallocate() { bytes.deallocate() }

  /// Makes room for a key that the caller writes at once.
  @inline(__always) mutating func place(_ length: Int) -> Bytes {
    if used + 4 + length > capacity { grow(used + 4 + length) }
    let place = bytes + used
    place.put32(UInt32(length))
    used += 4 + length
    count += 1
    return place + 4
  }

  private mutating func grow(_ needed: Int) {
    let larger = max(needed, 2 * capacity)
    let moved = Bytes.allocate(capacity: larger + 8)
    memcpy(moved, bytes, used)
    bytes.deallocate()
    (bytes, capacity) = (moved, larger)
  }

  mutating func clear() { (used, count) = (0, 0) }
}
