/// Texts that a step makes, to be appended to a batch's bytes.
///
/// A step reads from the batch's bytes while it writes here; its texts are appended to the batch when it is done, so
/// that nothing moves in between.
struct TextBuffer: ~Copyable {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The number of bytes written.
  private(set) var count = 0
  /// Where the first byte will be in the batch.
  private(set) var base = 0

  /// One value is no longer than this.
  static let greatestValue = 16 << 20
  /// A batch's bytes stay below this.
  static let greatestBatch = 3 << 30

  init() {
    capacity = 1 << 12
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  /// Begins anew, for a batch that holds `base` bytes.
  mutating func start(base: Int) {
    self.base = base
    count = 0
  }

  /// The place of the next byte in the batch.
  var position: Int { base + count }

  /// Makes room for so many bytes and returns where to write them; nil when a value or the batch becomes too long.
  @inline(__always)
  mutating func reserve(_ bytes: Int) -> UnsafeMutablePointer<UInt8>? {
    if count + bytes > capacity, !grow(bytes) { return nil }
    return memory + count
  }

  @inline(never)
  private mutating func grow(_ bytes: Int) -> Bool {
    guard bytes <= Self.greatestValue, base + count + bytes < Self.greatestBatch else { return false }
    while capacity < count + bytes { capacity *= 2 }
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: memory, count: count)
    memory.deallocate()
    memory = larger
    return true
  }

  /// Takes bytes that were written into use.
  @inline(__always)
  mutating func take(_ bytes: Int) { count += bytes }

  /// Writes bytes; false when they are too many.
  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
    guard let target = reserve(bytes.count) else { return false }
    target.update(from: start, count: bytes.count)
    count += bytes.count
    return true
  }

  /// Writes one byte; false when there is no room.
  @inline(__always)
  mutating func append(_ byte: UInt8) -> Bool {
    guard let target = reserve(1) else { return false }
    target.pointee = byte
    count += 1
    return true
  }

  /// Forgets what was written behind a place.
  mutating func cut(to position: Int) { count = position - base }

  /// The bytes that were written.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: memory, count: count))
  }
}
