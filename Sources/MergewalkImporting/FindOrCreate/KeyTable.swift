import CMergewalkScan
import MergewalkSystem
import MergewalkObjectStore

/// Every key of one entity in memory, with its primary key and the hash of its content: exact look-ups without SQL.
///
/// Keys are bytes: the UTF-8 of a text key, the payload of a numeric one, or the encoded parts of a composite one
/// (``KeyBytes``). An entry takes 32 bytes, its key bytes and about 6 bytes of places.
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
  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  /// Entry + 1, or 0 for an empty place.
  private var places: UnsafeMutablePointer<UInt32>
  private var mask: Int
  private let arena: ByteArena
  /// The number of entries at the last mark, and the content hashes that were replaced since.
  private var marked = 0
  private var replaced: [(entry: Int, content: UInt64)] = []

  init(expecting expected: Int = 0) {
    capacity = max(1024, expected + expected / 8)
    entries = Self.resize(nil, to: capacity)
    var size = 2048
    while size * 7 < capacity * 10 { size *= 2 }
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
    mask = size - 1
    arena = ByteArena(capacity: 1 << 16)
  }

  deinit {
    free(entries)
    places.deallocate()
  }

  /// Memory in use, in bytes; what was reserved and never touched takes none.
  var bytesInUse: Int { count * MemoryLayout<Entry>.stride + (mask + 1) * 4 + arena.count }

  func content(_ entry: Int) -> UInt64 { entries[entry].content }
  /// Replaces the entry's content hash.
  func setContent(_ entry: Int, _ content: UInt64) {
    replaced.append((entry, entries[entry].content))
    entries[entry].content = content
  }
  func primaryKey(_ entry: Int) -> Int64 { entries[entry].primaryKey }

  /// Makes entries look as if their content were unknown.
  func forgetContents(where isMeant: (_ primaryKey: Int64) -> Bool) {
    for entry in 0..<count where isMeant(entries[entry].primaryKey) { entries[entry].content = 0 }
  }

  /// Asks for the memory that tells where the entry of a hash is.
  @inline(__always)
  func willFind(_ hash: UInt64) { cscan_prefetch(places + (Int(truncatingIfNeeded: hash) & mask)) }

  /// Asks for the entry that is probably that of a hash, when the memory of ``willFind(_:)`` has come.
  @inline(__always)
  func willRead(_ hash: UInt64) {
    let found = Int(places[Int(truncatingIfNeeded: hash) & mask])
    if found > 0 { cscan_prefetch(entries + (found - 1)) }
  }

  /// The entry of a key, or -1.
  @inline(__always)
  func find(hash: UInt64, key: UnsafeRawBufferPointer) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    while true {
      let found = Int(places[place])
      if found == 0 { return -1 }
      let entry = entries + (found - 1)
      if entry.pointee.hash == hash, entry.pointee.key.length == key.count {
        guard let bytes = key.baseAddress, !key.isEmpty else { return found - 1 }
        if memcmp(arena.base + entry.pointee.key.offset, bytes, key.count) == 0 { return found - 1 }
      }
      place = (place + 1) & mask
    }
  }

  /// The entry whose hash and content hash are both the given ones, or -1.
  ///
  /// The content hash covers the key, so 128 seeded bits agree and the key's bytes are not compared: that saves the
  /// look-up's last cache miss for the many records whose object is as they say.
  @inline(__always)
  func findUnchanged(hash: UInt64, content: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    while true {
      let found = Int(places[place])
      if found == 0 { return -1 }
      let entry = entries + (found - 1)
      if entry.pointee.hash == hash, entry.pointee.content == content { return found - 1 }
      place = (place + 1) & mask
    }
  }

  /// Adds a key that is not in the table.
  @discardableResult
  func insert(hash: UInt64, key: UnsafeRawBufferPointer, primaryKey: Int64, content: UInt64) -> Int {
    if count == capacity { growEntries() }
    if (count + 1) * 10 > (mask + 1) * 7 { growPlaces() }
    (entries + count).initialize(
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
    for (entry, content) in replaced.reversed() { entries[entry].content = content }
    replaced.removeAll(keepingCapacity: true)
    // The last entry that was placed is the only one that no other entry's probing can depend on.
    while count > marked {
      count -= 1
      var place = Int(truncatingIfNeeded: entries[count].hash) & mask
      while places[place] != UInt32(count + 1) { place = (place + 1) & mask }
      places[place] = 0
    }
  }

  @inline(__always)
  private func place(_ hash: UInt64, entry: Int) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while places[place] != 0 { place = (place + 1) & mask }
    places[place] = UInt32(entry + 1)
  }

  private func growEntries() {
    capacity += capacity / 2
    entries = Self.resize(entries, to: capacity)
  }

  /// Large blocks are moved by the page tables, so that growing never holds the old and the new memory at once.
  private static func resize(_ old: UnsafeMutablePointer<Entry>?, to capacity: Int) -> UnsafeMutablePointer<Entry> {
    guard let memory = realloc(old, capacity * MemoryLayout<Entry>.stride) else {
      preconditionFailure("out of memory for \(capacity) keys")
    }
    return memory.assumingMemoryBound(to: Entry.self)
  }

  private func growPlaces() {
    let size = (mask + 1) * 2
    places.deallocate()
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
    mask = size - 1
    for i in 0..<count { place(entries[i].hash, entry: i) }
  }
}
