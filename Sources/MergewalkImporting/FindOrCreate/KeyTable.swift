import CMergewalkScan
import MergewalkSystem
import MergewalkObjectStore

/// Every key of one entity in memory, with its primary key and the hash of its content: exact look-ups without SQL.
///
/// Keys are bytes: the UTF-8 of a text key, the payload of a numeric one, or the encoded parts of a composite one
/// (``KeyBytes``). An entry takes 32 bytes, its key bytes and about 6 bytes of places.
///
/// A place has some bits of the hash beside its entry, so that a search hardly reads an entry but the one that it looks
/// for, which ``willRead(_:)`` has asked for: at a million keys each other read waits for the memory.
///
/// - Complexity: ``find(hash:key:)`` and ``insert(hash:key:primaryKey:content:)`` are O(1).
final class KeyTable {
  /// The state of one key.
  struct Entry {
    var hash: UInt64
    /// The hash of the content, 0 when unknown.
    var content: UInt64
    var primaryKey: Int64
    var key: ByteRange
  }

  private(set) var count = 0
  private var entries: EntryMemory
  /// Bits of the hash, and entry + 1 below them; 0 for an empty place.
  private var places: UnsafeMutablePointer<UInt32>
  /// The bits of a place that are its entry: all of them once there are more entries than 24 bits can tell.
  private var entryBits: UInt32
  private var mask: Int
  private let arena: ByteArena
  /// The number of entries at the last mark, and the content hashes that were replaced since.
  private var marked = 0
  private var replaced: [(entry: Int, content: UInt64)] = []

  /// - Parameter entryBits: The bits of a place that are its entry to begin with.
  init(expecting expected: Int = 0, entryBits: UInt32 = 0xFF_FFFF) {
    self.entryBits = entryBits
    entries = EntryMemory(capacity: max(1024, expected + expected / 8))
    var size = 2048
    while size * 7 < entries.capacity * 10 { size *= 2 }
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
    mask = size - 1
    arena = ByteArena(capacity: 1 << 16)
  }

  deinit {
    entries.deallocate()
    places.deallocate()
  }

  /// Memory in use, in bytes; what was reserved and never touched takes none.
  var bytesInUse: Int { count * MemoryLayout<Entry>.stride + (mask + 1) * 4 + arena.count }

  func content(_ entry: Int) -> UInt64 { entries.base[entry].content }
  /// Replaces the entry's content hash.
  func setContent(_ entry: Int, _ content: UInt64) {
    replaced.append((entry, entries.base[entry].content))
    entries.base[entry].content = content
  }
  func primaryKey(_ entry: Int) -> Int64 { entries.base[entry].primaryKey }

  /// Makes entries look as if their content were unknown.
  func forgetContents(where isMeant: (_ primaryKey: Int64) -> Bool) {
    for entry in 0..<count where isMeant(entries.base[entry].primaryKey) { entries.base[entry].content = 0 }
  }

  /// Asks for the memory that tells where the entry of a hash is.
  @inline(__always)
  func willFind(_ hash: UInt64) { cscan_prefetch(places + (Int(truncatingIfNeeded: hash) & mask)) }

  /// Asks for the entry that is probably that of a hash, when the memory of ``willFind(_:)`` has come.
  @inline(__always)
  func willRead(_ hash: UInt64) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 {
      if mayBe(places[place], hash) { return cscan_prefetch(entries.base + number(places[place])) }
      place = (place + 1) & mask
    }
  }

  @inline(__always) private func bits(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~entryBits }
  /// Whether a place that is not empty may be that of a hash.
  @inline(__always) private func mayBe(_ word: UInt32, _ hash: UInt64) -> Bool { word & ~entryBits == bits(hash) }
  @inline(__always) private func number(_ word: UInt32) -> Int { Int(word & entryBits) - 1 }

  /// The entry of a key, or -1.
  @inline(__always)
  func find(hash: UInt64, key: UnsafeRawBufferPointer) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 {
      if mayBe(places[place], hash) {
        let found = number(places[place])
        let entry = entries.base + found
        if entry.pointee.hash == hash, entry.pointee.key.length == key.count {
          guard let bytes = key.baseAddress, !key.isEmpty else { return found }
          if memcmp(arena.base + entry.pointee.key.offset, bytes, key.count) == 0 { return found }
        }
      }
      place = (place + 1) & mask
    }
    return -1
  }

  /// The entry whose hash and content hash are both the given ones, or -1.
  ///
  /// The content hash covers the key, so 128 seeded bits agree and the key's bytes are not compared: that saves the
  /// look-up's last cache miss for the many records whose object is as they say.
  @inline(__always)
  func findUnchanged(hash: UInt64, content: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 {
      if mayBe(places[place], hash) {
        let found = number(places[place])
        let entry = entries.base + found
        if entry.pointee.hash == hash, entry.pointee.content == content { return found }
      }
      place = (place + 1) & mask
    }
    return -1
  }

  /// Adds a key that is not in the table.
  @discardableResult
  func insert(hash: UInt64, key: UnsafeRawBufferPointer, primaryKey: Int64, content: UInt64) -> Int {
    if count == entries.capacity { entries = entries.resized(to: count + count / 2, count: count) }
    if (count + 1) * 10 > (mask + 1) * 7 { makePlaces((mask + 1) * 2) }
    if count + 1 == entryBits {
      entryBits = .max
      makePlaces(mask + 1)
    }
    (entries.base + count).initialize(
      to: Entry(hash: hash, content: content, primaryKey: primaryKey, key: arena.append(key)))
    place(hash, entry: count)
    count += 1
    return count - 1
  }

  /// Remembers what the table holds for ``undo()``.
  func mark() {
    marked = count
    replaced.removeAll(keepingCapacity: true)
  }

  /// Forgets what was added and sets back what was replaced since ``mark()``.
  func undo() {
    for (entry, content) in replaced.reversed() { entries.base[entry].content = content }
    replaced.removeAll(keepingCapacity: true)
    // The last entry that was placed is the only one that no other entry's probing can depend on.
    while count > marked {
      count -= 1
      var place = Int(truncatingIfNeeded: entries.base[count].hash) & mask
      while number(places[place]) != count { place = (place + 1) & mask }
      places[place] = 0
    }
  }

  @inline(__always)
  private func place(_ hash: UInt64, entry: Int) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 { place = (place + 1) & mask }
    places[place] = bits(hash) | UInt32(truncatingIfNeeded: entry + 1)
  }

  private func makePlaces(_ size: Int) {
    places.deallocate()
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
    mask = size - 1
    for i in 0..<count { place(entries.base[i].hash, entry: i) }
  }
}

/// Memory for entries, none of which is on two lines of the processor's cache.
private struct EntryMemory {
  let base: UnsafeMutablePointer<KeyTable.Entry>
  let capacity: Int
  private let block: UnsafeMutableRawPointer

  private static let line = 64

  init(capacity: Int) { self.init(block: nil, capacity: capacity) }

  private init(block old: UnsafeMutableRawPointer?, capacity: Int) {
    guard let block = realloc(old, capacity * MemoryLayout<KeyTable.Entry>.stride + Self.line) else {
      preconditionFailure("out of memory for \(capacity) keys")
    }
    (self.block, self.capacity) = (block, capacity)
    base = block.alignedUp(toMultipleOf: Self.line).assumingMemoryBound(to: KeyTable.Entry.self)
  }

  func deallocate() { free(block) }

  /// The same entries in other memory, which takes the place of this one.
  ///
  /// Large blocks are moved by the page tables, so that the old and the new memory are never held at once.
  func resized(to capacity: Int, count: Int) -> EntryMemory {
    let start = UnsafeRawPointer(base) - UnsafeRawPointer(block)
    let moved = EntryMemory(block: block, capacity: capacity)
    let old = UnsafeRawPointer(moved.block + start)
    if old != UnsafeRawPointer(moved.base) { memmove(moved.base, old, count * MemoryLayout<KeyTable.Entry>.stride) }
    return moved
  }
}
