import MergewalkSystem

/// Sorted keys, each behind its length: in the spill file, or the last ones in memory.
struct KeyRun {
  private let buffer: Bytes
  private var capacity: Int
  private var start = 0
  private var end = 0
  /// The bytes of the spill file that are not read yet.
  private var unread: Range<Int>
  /// The greatest prefix whose keys are wanted.
  private let most: UInt64
  /// The prefix of the key that comes next.
  private(set) var prefix: UInt64 = 0
  /// Whether all keys are through.
  private(set) var isAtEnd = false

  private init(buffer: Bytes, capacity: Int, end: Int, unread: Range<Int>, most: UInt64) {
    self.buffer = buffer
    self.capacity = capacity
    self.end = end
    self.unread = unread
    self.most = most
  }

  /// Keys in the spill file with prefixes of a range; ``skip(to:_:)`` goes to the first one.
  ///
  /// - Parameter bufferSize: The most bytes that are read at once, if the longest key takes no more.
  init(_ keys: SpilledKeys, _ prefixes: ClosedRange<UInt64>, bufferSize: Int) {
    let part = keys.part(prefixes)
    let capacity = min(max(bufferSize, keys.longest + 4), part.count)
    self.init(
      buffer: .allocate(capacity: capacity + 8), capacity: capacity, end: 0, unread: part, most: prefixes.upperBound)
  }

  /// The keys of a chunk in memory, sorted.
  init(_ chunk: KeyChunk, _ list: KeyList) {
    self.init(
      buffer: .allocate(capacity: chunk.used + 8), capacity: chunk.used, end: chunk.used, unread: 0..<0,
      most: .max)
    list.write(chunk, to: buffer)
  }

  func deallocate() { buffer.deallocate() }

  /// The key that comes next.
  @inline(__always) var key: UnsafePointer<UInt8> { UnsafePointer(buffer + start + 4) }
  @inline(__always) var length: Int { Int((buffer + start).get32) }

  /// Goes behind the key that came.
  @inline(__always) mutating func advance(_ spill: SpillFile) throws(PageError) {
    start += 4 + length
    try look(spill)
  }

  /// Goes to the first key with a prefix that is not below one.
  mutating func skip(to least: UInt64, _ spill: SpillFile) throws(PageError) {
    try look(spill)
    while !isAtEnd, prefix < least { try advance(spill) }
  }

  /// Looks at the key that comes next.
  @inline(__always) private mutating func look(_ spill: SpillFile) throws(PageError) {
    if end - start < 4 || end - start < 4 + length {
      try fill(spill)
      if isAtEnd { return }
    }
    prefix = KeyOrder.prefix(key).value
    if prefix > most { isAtEnd = true }
  }

  private mutating func fill(_ spill: SpillFile) throws(PageError) {
    let kept = end - start
    memmove(buffer, buffer + start, kept)
    let taken = min(unread.count, capacity - kept)
    if taken > 0 { try spill.read(buffer + kept, taken, at: unread.lowerBound) }
    unread = unread.lowerBound + taken..<unread.upperBound
    (start, end) = (0, kept + taken)
    isAtEnd = end == 0
  }
}
