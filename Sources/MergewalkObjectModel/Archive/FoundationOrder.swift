/// The order in which Foundation's dictionaries give out texts that are their keys.
///
/// Property lists that Foundation writes have their keys in this order. The hash is that of `CFString`, a table's size
/// the least of a list of primes that has room, and a place that is taken moves a key on by one.
/// Source: Apple, [CFString.c and CFBasicHash.c](https://github.com/apple-oss-distributions/CF); it explains the order of
/// all dictionaries without collisions in the 12 model caches and 4 compiled models at hand.
package enum FoundationOrder {
  /// For each size of a table how many keys it takes.
  private static let sizes: [(buckets: Int, capacity: Int)] = [
    (3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118), (251, 155), (383, 237), (631, 390),
    (1087, 672), (1723, 1065), (2803, 1732), (4523, 2795), (7351, 4543), (11959, 7391), (19447, 12019), (31231, 19302),
  ]

  /// The hash of a text as Foundation computes it with 64 bits.
  package static func hash(_ text: String) -> UInt64 {
    let units = Array(text.utf16)
    var result = UInt64(units.count)
    func add(_ part: ArraySlice<UInt16>) {
      var rest = part
      while rest.count >= 4 {
        let start = rest.startIndex
        result = result &* 67_503_105 &+ UInt64(rest[start]) &* 16_974_593
        result = result &+ UInt64(rest[start + 1]) &* 66_049
        result = result &+ UInt64(rest[start + 2]) &* 257 &+ UInt64(rest[start + 3])
        rest = rest.dropFirst(4)
      }
      for unit in rest { result = result &* 257 &+ UInt64(unit) }
    }
    if units.count <= 96 {
      add(units[...])
    } else {
      // Of long texts only the beginning, the middle and the end count.
      add(units[..<32])
      let middle = units.count / 2 - 16
      add(units[middle..<(middle + 32)])
      add(units[(units.count - 32)...])
    }
    return result &+ (result << UInt64(units.count & 31))
  }

  /// The texts in the order in which a dictionary that they were put into, one by one, gives them out.
  ///
  /// - Precondition: the texts differ.
  /// - Complexity: O(texts), unless hashes collide.
  package static func sorted(_ texts: [String]) -> [String] {
    guard let size = sizes.first(where: { $0.capacity >= texts.count })?.buckets else { return texts }
    var table = [String?](repeating: nil, count: size)
    for text in texts {
      var place = Int(hash(text) % UInt64(size))
      while table[place] != nil { place = (place + 1) % size }
      table[place] = text
    }
    return table.compactMap { $0 }
  }
}
