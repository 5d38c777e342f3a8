import Glibc
import ObjectStore

/// What one sequential scan of a table leaves in memory: for each row the hashes of its key and of its content, and
/// its primary key; 20 bytes a row at 80 % load.
///
/// A key that is not found is certainly not in the store. A key that is found with an equal content hash is taken as
/// unchanged: both 64-bit hashes, seeded for this run, agree. A key that is found with another content hash is fetched
/// and its bytes are compared before anything is written.
final class ScanTable {
  private struct Place {
    /// 0 for an empty place.
    var key: UInt64
    var content: UInt64
  }

  private let places: UnsafeMutablePointer<Place>
  private let primaryKeys: UnsafeMutablePointer<UInt32>
  private let capacity: Int
  private(set) var count = 0

  /// Bytes that a table for `rows` rows takes.
  static func bytes(rows: Int) -> Int { capacity(rows: rows) * 20 }

  private static func capacity(rows: Int) -> Int { max(1024, rows + rows / 4 + 64) }

  /// Creates a table with room for `rows` rows, not more.
  init(rows: Int) {
    capacity = Self.capacity(rows: rows)
    // calloc leaves pages untouched until they are used.
    let memory = calloc(capacity, MemoryLayout<Place>.stride)
    let keys = calloc(capacity, MemoryLayout<UInt32>.stride)
    guard let memory, let keys else { preconditionFailure("out of memory for a scan of \(rows) rows") }
    places = memory.bindMemory(to: Place.self, capacity: capacity)
    primaryKeys = keys.bindMemory(to: UInt32.self, capacity: capacity)
  }

  deinit {
    free(places)
    free(primaryKeys)
  }

  /// The number of places, which is one more than the greatest place.
  var placeCount: Int { capacity }

  /// Whether another row fits without slow probing.
  var isFull: Bool { count * 10 >= capacity * 9 }

  /// The place of a key, or -1.
  @inline(__always)
  func find(_ hash: UInt64) -> Int {
    let key = hash == 0 ? 1 : hash
    var place = Int(truncatingIfNeeded: key.multipliedFullWidth(by: UInt64(capacity)).high)
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
    precondition(count < capacity - 1, "a scan table must not be filled up: looking for a key would never end")
    let key = hash == 0 ? 1 : hash
    var place = Int(truncatingIfNeeded: key.multipliedFullWidth(by: UInt64(capacity)).high)
    while places[place].key != 0 {
      place += 1
      if place == capacity { place = 0 }
    }
    places[place] = Place(key: key, content: content)
    primaryKeys[place] = UInt32(truncatingIfNeeded: primaryKey)
    count += 1
  }

  /// The content hash at a place.
  @inline(__always) func content(_ place: Int) -> UInt64 { places[place].content }
  /// Replaces the content hash at a place.
  @inline(__always) func setContent(_ place: Int, _ content: UInt64) { places[place].content = content }
  /// The primary key at a place.
  @inline(__always) func primaryKey(_ place: Int) -> Int64 { Int64(primaryKeys[place]) }
  /// Replaces the primary key at a place.
  @inline(__always) func setPrimaryKey(_ place: Int, _ key: Int64) {
    primaryKeys[place] = UInt32(truncatingIfNeeded: key)
  }
}
