import MergewalkSystem

/// Growing memory for text and bytes; cells refer to it by ``ByteRange``.
///
/// Bytes are only ever appended; ``removeAll()`` forgets them all and keeps the memory. An arena holds less than 4 GiB,
/// and whoever fills it sees to that before, with an error of its own: chunks of batches and imports are written long before,
/// a context reads no row and takes no value beyond ``RowBuffer/byteLimit`` (SQLite's rows have less than 1 GiB), and the
/// results of dictionary fetches count their bytes.
@usableFromInline package final class ByteArena {
  // Unchecked exclusivity: they are touched for each text in the hot loops, and the class is confined to one thread.

  /// The first byte; moves when the arena grows.
  @exclusivity(unchecked) @usableFromInline package private(set) var base: UnsafeMutableRawPointer
  /// How many bytes are in use.
  @exclusivity(unchecked) @usableFromInline package private(set) var count = 0
  @exclusivity(unchecked) private var capacity: Int

  /// Creates an empty arena with room for `capacity` bytes.
  package init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    base = Self.resize(nil, to: self.capacity)
  }

  deinit { free(base) }

  /// Large blocks are moved by the page tables, so that growing never holds the old and the new memory at once.
  private static func resize(_ old: UnsafeMutableRawPointer?, to capacity: Int) -> UnsafeMutableRawPointer {
    guard let memory = realloc(old, capacity) else { preconditionFailure("out of memory for \(capacity) bytes") }
    return memory
  }

  /// Copies bytes to the end and returns where they are.
  @discardableResult
  package func append(_ bytes: UnsafeRawBufferPointer) -> ByteRange {
    let start = reserve(bytes.count)
    if let source = bytes.baseAddress { memcpy(base + start, source, bytes.count) }
    count = start + bytes.count
    return ByteRange(offset: start, length: bytes.count)
  }

  /// The bytes of a range; valid until the arena changes.
  @inlinable package func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.offset, count: range.length)
  }

  /// Forgets all bytes and keeps the memory, unless it is far more than what was used lately.
  package func removeAll() {
    count = 0
  }

  /// Makes room for `length` more bytes and returns the offset at which they start.
  private func reserve(_ length: Int) -> Int {
    let needed = count + length
    precondition(needed < 1 << 32, "an arena holds less than 4 GiB; use smaller batches")
    if needed > capacity {
      capacity = max(needed, capacity + capacity / 2)
      base = Self.resize(base, to: capacity)
    }
    return count
  }
}

@available(*, unavailable, message: "an arena belongs to one context")
extension ByteArena: Sendable {}
