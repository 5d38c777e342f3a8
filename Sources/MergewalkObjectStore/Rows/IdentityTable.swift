/// An open-addressing table from primary key to row; the keys themselves stay in the row buffer's column.
struct IdentityTable {
  /// Row + 1, or 0 for an empty place, or -1 for a removed one.
  private var places: [Int32] = []
  private var used = 0
  private var mask = 0

  mutating func removeAll() {
    for i in places.indices { places[i] = 0 }
    used = 0
  }

  func find(_ key: Int64, in keys: UnsafePointer<Int64>) -> Int32? {
    guard !places.isEmpty else { return nil }
    var place = Self.hash(key) & mask
    while places[place] != 0 {
      let row = places[place] - 1
      if row >= 0, keys[Int(row)] == key { return row }
      place = (place + 1) & mask
    }
    return nil
  }

  mutating func insert(_ row: Int32, in keys: UnsafePointer<Int64>) {
    if (used + 1) * 4 > places.count * 3 { grow(keys) }
    var place = Self.hash(keys[Int(row)]) & mask
    while places[place] > 0 { place = (place + 1) & mask }
    if places[place] == 0 { used += 1 }
    places[place] = row + 1
  }

  mutating func remove(_ key: Int64, in keys: UnsafePointer<Int64>) {
    guard !places.isEmpty else { return }
    var place = Self.hash(key) & mask
    while places[place] != 0 {
      let row = places[place] - 1
      if row >= 0, keys[Int(row)] == key {
        places[place] = -1
        return
      }
      place = (place + 1) & mask
    }
  }

  private mutating func grow(_ keys: UnsafePointer<Int64>) {
    let old = places
    let live = old.reduce(into: 0) { $0 += $1 > 0 ? 1 : 0 }
    var size = 64
    while size * 3 < (live + 1) * 8 { size *= 2 }
    places = Array(repeating: 0, count: size)
    mask = size - 1
    used = live
    for entry in old where entry > 0 {
      var place = Self.hash(keys[Int(entry) - 1]) & mask
      while places[place] != 0 { place = (place + 1) & mask }
      places[place] = entry
    }
  }

  private static func hash(_ key: Int64) -> Int {
    let product = UInt64(bitPattern: key).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: (product.high ^ product.low) & 0x7FFF_FFFF_FFFF_FFFF)
  }
}
