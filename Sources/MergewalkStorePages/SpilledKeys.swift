/// Sorted keys in the spill file.
struct SpilledKeys {
  /// The place of a key.
  struct Mark {
    /// The key's prefix (``KeyOrder``).
    var prefix: UInt64
    /// The first byte in the spill file.
    var start: Int
  }

  let range: Range<Int>
  /// The length of the longest one.
  let longest: Int
  /// Whether equal prefixes of ``KeyOrder`` mean equal keys.
  let isExact: Bool
  /// Some of the keys, in their order.
  let marks: [Mark]

  /// Marks some of the keys that lie behind each other, each behind its length.
  ///
  /// - Parameters:
  ///   - start: Where the first one is in the spill file.
  ///   - stride: So many bytes lie between two marks, or a key more.
  static func marks(_ bytes: Bytes, _ count: Int, at start: Int, stride: Int) -> [Mark] {
    var marks: [Mark] = []
    var (place, next) = (0, 0)
    while place < count {
      if place >= next {
        marks.append(Mark(prefix: KeyOrder.prefix(bytes + place + 4).value, start: start + place))
        next = place + stride
      }
      place += 4 + Int((bytes + place).get32)
    }
    return marks
  }

  /// Where all keys with these prefixes are; it begins and ends with a key, and others may come before and behind them.
  func part(_ prefixes: ClosedRange<UInt64>) -> Range<Int> {
    // The keys of one prefix may begin before the first mark that has it.
    let first = markCount { $0.prefix < prefixes.lowerBound }
    let end = markCount { $0.prefix <= prefixes.upperBound }
    let start = first == 0 ? range.lowerBound : marks[first - 1].start
    return start..<(end == marks.count ? range.upperBound : marks[end].start)
  }

  /// How many marks are before the first one that is not so.
  private func markCount(_ isSo: (Mark) -> Bool) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if isSo(marks[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Divides all prefixes into ranges whose keys take about as many bytes.
  static func slices(of runs: [SpilledKeys]) -> [ClosedRange<UInt64>] {
    let prefixes = runs.flatMap { $0.marks.map(\.prefix) }.sorted()
    var slices: [ClosedRange<UInt64>] = []
    var start: UInt64 = 0
    for i in stride(from: 0, to: prefixes.count, by: max(marksPerSlice, 2 * runs.count))
    where prefixes[i] > start {
      slices.append(start...prefixes[i] - 1)
      start = prefixes[i]
    }
    return slices + [start ... .max]
  }

  /// Half a chunk: many slices keep two threads busy, and each of a few runs has several marks in one.
  private static let marksPerSlice = marksPerChunk / 2
  static let marksPerChunk = 256
}
