/// The two hash tables whose order Core Data's layout depends on, and the hashes of names in them.
///
/// For the next developer: nothing here can be improved. Stores depend on every constant, on linear probing and on the
/// order in which names are added, because where two names collide the earlier one comes first. Core Data has had tables
/// of its own for this since macOS 10.4, so that stores do not change with Foundation's dictionaries. Evidence:
/// `docs/coredata-layout.md`. Names are hashed as UTF-16; arithmetic is modulo 2^32.
enum NameHash {
  /// The hash of the growing table: of a long name its beginning, middle and end count.
  static func grown(_ name: String) -> UInt32 {
    let units = Array(name.utf16)
    let count = units.count
    if count <= 96 { return hash(units, length: count) }
    let middle = count / 2 - 16
    return hash(Array(units[..<32] + units[middle..<middle + 32] + units.suffix(32)), length: count)
  }

  /// The hash of the fixed table: of a long name the first 8 and the last 16 units count.
  static func fixed(_ name: String) -> UInt32 {
    let units = Array(name.utf16)
    return hash(units.count > 23 ? Array(units.prefix(8) + units.suffix(16)) : units, length: units.count)
  }

  private static func hash(_ units: [UInt16], length: Int) -> UInt32 {
    var result = UInt32(truncatingIfNeeded: length)
    var i = 0
    while i + 4 <= units.count {
      result = result &* 67_503_105
      result &+= UInt32(units[i]) &* 16_974_593
      result &+= UInt32(units[i + 1]) &* 66_049
      result &+= UInt32(units[i + 2]) &* 257
      result &+= UInt32(units[i + 3])
      i += 4
    }
    while i < units.count {
      result = result &* 257 &+ UInt32(units[i])
      i += 1
    }
    return result &+ result << UInt32(length & 31)
  }

  /// Spreads a hash over all bits (Jenkins' mix of a constant, the hash and a count).
  static func mixed(_ hash: UInt32) -> UInt32 {
    var a = (1_264_676_453 &- hash) ^ ((hash &- 1) << 8)
    var b = (2 &- hash &- a) ^ (a >> 13)
    var c = (hash &- 1 &- a &- b) ^ (b >> 12)
    a = (a &- b &- c) ^ (c << 16)
    b = (b &- c &- a) ^ (a >> 5)
    c = (c &- a &- b) ^ (b >> 3)
    a = (a &- b &- c) ^ (c << 10)
    b = (b &- c &- a) ^ (a >> 15)
    return b
  }
}

/// Names in a table that grows: a power of two of places, of which three quarters are filled at most.
struct GrowingNameTable {
  private var places: [String?] = []
  private var count = 0

  /// The names, place by place.
  var names: [String] { places.compactMap { $0 } }

  /// Adds a name that is not in the table.
  ///
  /// - Returns: Whether it was not.
  @discardableResult
  mutating func add(_ name: String) -> Bool {
    if !places.isEmpty, places[place(of: name)] != nil { return false }
    if count == places.count / 4 * 3 {
      let old = names
      places = Array(repeating: nil, count: max(4, 2 * places.count))
      for name in old { places[place(of: name)] = name }
    }
    places[place(of: name)] = name
    count += 1
    return true
  }

  /// The place of a name, or the free one that it would take.
  private func place(of name: String) -> Int {
    let mask = places.count - 1
    var place = Int(NameHash.mixed(NameHash.grown(name))) & mask
    while let other = places[place], other != name { place = (place + 1) & mask }
    return place
  }

  /// The order of names that are added to an empty table.
  static func order(_ names: [String]) -> [String] {
    var table = GrowingNameTable()
    for name in names { table.add(name) }
    return table.names
  }
}

/// A table that is made for as many names as there are.
enum FixedNameTable {
  /// How many names a table takes, and how many places it has.
  private static let sizes = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
    (843, 1361), (1364, 2207), (2207, 3571), (3571, 5779), (5778, 9349), (9349, 15121),
  ]

  /// The order of different names that are added in their order.
  ///
  /// More names than any known table takes stay as they are.
  static func order(_ names: [String]) -> [String] {
    guard let size = sizes.first(where: { $0.0 >= names.count })?.1 else { return names }
    var places = [String?](repeating: nil, count: size)
    for name in names {
      var place = Int(NameHash.fixed(name)) % size
      while places[place] != nil { place = (place + 1) % size }
      places[place] = name
    }
    return places.compactMap { $0 }
  }
}
