import CMergewalkScan
import MergewalkSystem

/// The rows that one sequential scan of a table leaves in memory: for each row the hashes of its key and of its
/// content, and its primary key; 20 bytes a row at 80 % load.
///
/// A key that is not found is certainly not in the store. A key with an equal content hash counts as unchanged: both
/// 64-bit hashes, seeded for this run, agree. A row with another content hash is fetched, and its bytes are compared
/// before anything is written.
final class ScanTable {
  private struct Place {
    /// 0 for an empty place.
    var key: UInt64
    var content: UInt64
  }

  private var places: UnsafeMutablePointer<Place>
  private var primaryKeys: UnsafeMutablePointer<UInt32>
  private var capacity: Int
  private(set) var count = 0
  /// The last rows of ``insertSoon(_:content:primaryKey:)``, and how many came so.
  private static let waitingRows = 16
  private let waiting = UnsafeMutablePointer<(hash: UInt64, content: UInt64, primaryKey: Int64)>.allocate(
    capacity: waitingRows)
  private var waitingCount = 0
  /// The hashes that were added, and the content hashes that were replaced, since the last mark.
  private var added: [UInt64] = []
  private var replaced: [(key: UInt64, content: UInt64)] = []

  /// Bytes that a table for `rows` rows takes.
  static func bytes(rows: Int) -> Int { capacity(rows: rows) * 20 }

  private static func capacity(rows: Int) -> Int { max(1024, rows + rows / 4 + 64) }

  /// Creates a table with room for `rows` rows and some more; it grows when that is not enough.
  init(rows: Int) {
    capacity = Self.capacity(rows: rows)
    firstBytes = Self.bytes(rows: rows)
    (places, primaryKeys) = Self.allocate(capacity)
  }

  private static func allocate(_ capacity: Int) -> (UnsafeMutablePointer<Place>, UnsafeMutablePointer<UInt32>) {
    (pages(capacity, of: Place.self), pages(capacity, of: UInt32.self))
  }

  /// Zeroed memory straight from the system, which takes pages when they are touched and gets them back when the table
  /// goes; what is freed to the C library may stay with the process.
  private static func pages<Element>(_ count: Int, of type: Element.Type) -> UnsafeMutablePointer<Element> {
    let memory = mmap(
      nil, count * MemoryLayout<Element>.stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else {
      preconditionFailure("out of memory for a scan table of \(count) places")
    }
    return memory.bindMemory(to: type, capacity: count)
  }

  private static func free(
    _ places: UnsafeMutablePointer<Place>, _ keys: UnsafeMutablePointer<UInt32>, _ capacity: Int
  ) {
    munmap(places, capacity * MemoryLayout<Place>.stride)
    munmap(keys, capacity * MemoryLayout<UInt32>.stride)
  }

  deinit {
    Self.free(places, primaryKeys, capacity)
    waiting.deallocate()
  }

  /// Memory in use, in bytes.
  var bytesInUse: Int { capacity * 20 }
  /// Memory in use before the table grew, in bytes.
  let firstBytes: Int
  /// The number of places, which is one more than the greatest place.
  var placeCount: Int { capacity }

  /// Where the search for a hash begins.
  @inline(__always)
  private func home(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: key.multipliedFullWidth(by: UInt64(capacity)).high)
  }

  /// Asks for the memory that ``find(_:)`` reads first.
  @inline(__always)
  func willFind(_ hash: UInt64) {
    let home = home(hash)
    cscan_prefetch(places + home)
    cscan_prefetch(primaryKeys + home)
  }

  /// The place of a key, or -1.
  @inline(__always)
  func find(_ hash: UInt64) -> Int {
    let key = hash == 0 ? 1 : hash
    var place = home(key)
    while true {
      let found = places[place].key
      if found == key { return place }
      if found == 0 { return -1 }
      place += 1
      if place == capacity { place = 0 }
    }
  }

  /// Adds a key that is not in the table.
  @inline(__always)
  func insert(_ hash: UInt64, content: UInt64, primaryKey: Int64) {
    if count * 10 >= capacity * 9 { grow() }
    let key = hash == 0 ? 1 : hash
    var place = home(key)
    while places[place].key != 0 {
      place += 1
      if place == capacity { place = 0 }
    }
    places[place] = Place(key: key, content: content)
    primaryKeys[place] = UInt32(truncatingIfNeeded: primaryKey)
    count += 1
  }

  /// Adds a row in a while, unless another row with a lower primary key has its key; ``insertRest()`` belongs behind the last one.
  ///
  /// Meanwhile its memory comes: a table of a million rows is larger than the processor's caches.
  @inline(__always)
  func insertSoon(_ hash: UInt64, content: UInt64, primaryKey: Int64) {
    willFind(hash)
    let place = waitingCount & (Self.waitingRows - 1)
    if waitingCount >= Self.waitingRows { insertNew(waiting[place]) }
    waiting[place] = (hash, content, primaryKey)
    waitingCount += 1
  }

  /// Adds the rows that ``insertSoon(_:content:primaryKey:)`` has not added yet.
  func insertRest() {
    for number in max(0, waitingCount - Self.waitingRows)..<waitingCount {
      insertNew(waiting[number & (Self.waitingRows - 1)])
    }
    waitingCount = 0
  }

  @inline(__always)
  private func insertNew(_ row: (hash: UInt64, content: UInt64, primaryKey: Int64)) {
    let place = find(row.hash)
    if place < 0 { return insert(row.hash, content: row.content, primaryKey: row.primaryKey) }
    // Rows come in any order: of several with one key the first one of the table counts.
    if row.primaryKey < primaryKey(place) {
      places[place].content = row.content
      setPrimaryKey(place, row.primaryKey)
    }
  }

  /// Adds a key that is not in the table and that ``undo()`` may take away again.
  func add(_ hash: UInt64, content: UInt64, primaryKey: Int64) {
    added.append(hash)
    insert(hash, content: content, primaryKey: primaryKey)
  }

  /// Makes the table empty.
  func removeAll() {
    Self.free(places, primaryKeys, capacity)
    (places, primaryKeys) = Self.allocate(capacity)
    (count, waitingCount) = (0, 0)
    mark()
  }

  /// Remembers what the table holds for ``undo()``.
  func mark() {
    added.removeAll(keepingCapacity: true)
    replaced.removeAll(keepingCapacity: true)
  }

  /// Forgets what was added and sets back what was replaced since ``mark()``.
  func undo() {
    for (key, content) in replaced.reversed() {
      let place = find(key)
      if place >= 0 { places[place].content = content }
    }
    for hash in added {
      let place = find(hash)
      if place >= 0 { remove(place) }
    }
    mark()
  }

  /// Empties a place and moves those behind it that had to give way to it.
  private func remove(_ removed: Int) {
    var hole = removed
    var place = removed
    while true {
      place = place + 1 == capacity ? 0 : place + 1
      if places[place].key == 0 { break }
      let home = home(places[place].key)
      // It stays where it is when its home lies between the hole and it.
      let isBehind = hole < place ? hole < home && home <= place : hole < home || home <= place
      if isBehind { continue }
      places[hole] = places[place]
      primaryKeys[hole] = primaryKeys[place]
      hole = place
    }
    places[hole] = Place(key: 0, content: 0)
    count -= 1
  }

  /// Makes room for half as many rows again.
  private func grow() {
    let (oldPlaces, oldKeys, oldCapacity) = (places, primaryKeys, capacity)
    capacity += capacity / 2
    (places, primaryKeys) = Self.allocate(capacity)
    count = 0
    for place in 0..<oldCapacity where oldPlaces[place].key != 0 {
      insert(oldPlaces[place].key, content: oldPlaces[place].content, primaryKey: Int64(oldKeys[place]))
    }
    Self.free(oldPlaces, oldKeys, oldCapacity)
  }

  /// Makes rows look as if their content were unknown.
  func forgetContents(where isMeant: (_ primaryKey: Int64) -> Bool) {
    for place in 0..<capacity where places[place].key != 0 && isMeant(Int64(primaryKeys[place])) {
      places[place].content = 0
    }
  }

  @inline(__always) func content(_ place: Int) -> UInt64 { places[place].content }
  /// Replaces the content hash at a place.
  func setContent(_ place: Int, _ content: UInt64) {
    replaced.append((places[place].key, places[place].content))
    places[place].content = content
  }
  @inline(__always) func primaryKey(_ place: Int) -> Int64 { Int64(primaryKeys[place]) }
  @inline(__always) func setPrimaryKey(_ place: Int, _ key: Int64) {
    primaryKeys[place] = UInt32(truncatingIfNeeded: key)
  }
}
