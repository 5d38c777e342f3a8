/// The hashes of keys that a run has named, for the policies and modes that treat a key's later records differently.
///
/// - Complexity: 8 bytes a key at 50 to 70 % load; it grows with the number of distinct keys.
final class SeenKeys {
  private var places: ContiguousArray<UInt64> = ContiguousArray(repeating: 0, count: 4096)
  private var count = 0
  private var added: [UInt64] = []

  /// Notes a key; returns whether it is the first time.
  @discardableResult
  func noteFirst(_ hash: UInt64) -> Bool {
    if count * 10 > places.count * 7 { grow() }
    let key = hash == 0 ? 1 : hash
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: key) & mask
    while places[place] != 0 {
      if places[place] == key { return false }
      place = (place + 1) & mask
    }
    places[place] = key
    count += 1
    added.append(key)
    return true
  }

  /// Whether a key was noted.
  func contains(_ hash: UInt64) -> Bool {
    let key = hash == 0 ? 1 : hash
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: key) & mask
    while places[place] != 0 {
      if places[place] == key { return true }
      place = (place + 1) & mask
    }
    return false
  }

  /// Remembers what was noted for ``undo()``.
  func mark() { added.removeAll(keepingCapacity: true) }

  /// Forgets what was noted since ``mark()``.
  func undo() {
    let mask = places.count - 1
    for key in added {
      var place = Int(truncatingIfNeeded: key) & mask
      while places[place] != key { place = (place + 1) & mask }
      // Those behind the place that had to give way to it move up.
      var hole = place
      while true {
        place = (place + 1) & mask
        if places[place] == 0 { break }
        let home = Int(truncatingIfNeeded: places[place]) & mask
        if (place - home) & mask < (place - hole) & mask { continue }
        places[hole] = places[place]
        hole = place
      }
      places[hole] = 0
      count -= 1
    }
    mark()
  }

  private func grow() {
    let old = places
    places = ContiguousArray(repeating: 0, count: old.count * 2)
    let mask = places.count - 1
    for key in old where key != 0 {
      var place = Int(truncatingIfNeeded: key) & mask
      while places[place] != 0 { place = (place + 1) & mask }
      places[place] = key
    }
  }
}
