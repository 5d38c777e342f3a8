/// A set of primary keys of one table: one bit for each key up to the greatest that was marked.
///
/// - Complexity: 125 KB for a million keys, however many of them are marked; all operations but ``forEach(_:)`` are O(1).
final class ObjectMarks {
  private var words: ContiguousArray<UInt64> = []
  /// How many keys are marked.
  private(set) var count = 0

  /// Memory in use, in bytes.
  var bytesInUse: Int { words.count * 8 }

  /// Marks a key, which is positive.
  @inline(__always)
  func mark(_ key: Int64) {
    let word = Int(key >> 6)
    if word >= words.count { grow(word) }
    let bit = UInt64(1) << UInt64(key & 63)
    if words[word] & bit == 0 {
      words[word] |= bit
      count += 1
    }
  }

  /// Whether a key is marked.
  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    let word = Int(key >> 6)
    return word < words.count && words[word] >> UInt64(key & 63) & 1 == 1
  }

  /// Takes a mark away.
  func remove(_ key: Int64) {
    guard contains(key) else { return }
    words[Int(key >> 6)] &= ~(1 << UInt64(key & 63))
    count -= 1
  }

  /// Hands out the marked keys in ascending order, `size` at a time.
  func forEach<Failure: Error>(
    chunk size: Int, _ body: (_ keys: ArraySlice<Int64>) throws(Failure) -> Void
  ) throws(Failure) {
    var keys: [Int64] = []
    for index in words.indices where words[index] != 0 {
      var word = words[index]
      while word != 0 {
        keys.append(Int64(index << 6 + word.trailingZeroBitCount))
        word &= word - 1
      }
      if keys.count >= size {
        try body(keys[...])
        keys.removeAll(keepingCapacity: true)
      }
    }
    if !keys.isEmpty { try body(keys[...]) }
  }

  @inline(never)
  private func grow(_ word: Int) {
    let missing = word + 1 - words.count
    words.append(contentsOf: repeatElement(0, count: max(missing, words.count / 2, 64)))
  }
}
