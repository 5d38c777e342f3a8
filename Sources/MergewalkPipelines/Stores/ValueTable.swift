import MergewalkObjectStore
import MergewalkSystem

/// The different values of a column, numbered in the order in which they come.
struct ValueTable {
  private var slots: [Int32] = Array(repeating: -1, count: 1024)
  private var hashes: [UInt64] = []
  private var ranges: [Range<Int>] = []
  private var bytes: [UInt8] = []
  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The hash of a value, the same in every process.
  func hash(_ number: Int) -> UInt64 { hashes[number] }

  func text(_ number: Int) -> String { String(decoding: bytes[ranges[number]], as: UTF8.self) }

  /// The number of a value; a new one is one more than those before.
  mutating func number(of value: UnsafeRawBufferPointer) -> Int {
    guard let base = value.baseAddress else { return 0 }
    let hash = CellHash.bytes(base, value.count, seed: Self.seed)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if hashes[number] == hash, isEqual(number, value) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = Int32(ranges.count)
    hashes.append(hash)
    ranges.append(bytes.count..<bytes.count + value.count)
    bytes.append(contentsOf: value)
    if ranges.count * 2 > slots.count { grow() }
    return ranges.count - 1
  }

  private func isEqual(_ number: Int, _ value: UnsafeRawBufferPointer) -> Bool {
    let range = ranges[number]
    guard range.count == value.count, let base = value.baseAddress else { return value.isEmpty && range.isEmpty }
    return bytes.withUnsafeBytes { all in
      all.baseAddress.map { memcmp($0 + range.lowerBound, base, range.count) == 0 } ?? range.isEmpty
    }
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for number in hashes.indices {
      var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number)
    }
  }
}
