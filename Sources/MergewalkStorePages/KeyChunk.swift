import Glibc

/// Keys in memory, which are sorted together.
///
/// Sorted by the bytes in which they begin (radix, stable), then by comparison where these are equal. Keys come in the
/// order of their row IDs, and equal ones keep it.
struct KeyChunk {
  /// A key's prefix and its place.
  struct Item: BitwiseCopyable {
    var prefix: UInt64
    var start: UInt32
    var length: UInt32
  }

  private(set) var bytes: Bytes
  private var capacity: Int
  /// The bytes of the keys.
  private(set) var used = 0
  private(set) var items: ContiguousArray<Item> = []
  /// Whether equal prefixes of ``KeyOrder`` mean equal keys.
  private(set) var isExact = true
  /// The length of the longest key, when they are sorted.
  private(set) var longest = 0

  init(capacity: Int) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity + 8)
  }

  /// Frees the memory.
  func deallocate() { bytes.deallocate() }

  /// Makes room for a key that the caller writes at once.
  @inline(__always) mutating func place(_ count: Int) -> Bytes {
    if used + count > capacity { grow(used + count) }
    items.append(Item(prefix: 0, start: UInt32(used), length: UInt32(count)))
    used += count
    return bytes + (used - count)
  }

  private mutating func grow(_ needed: Int) {
    let larger = max(needed, 2 * capacity)
    let moved = Bytes.allocate(capacity: larger + 8)
    memcpy(moved, bytes, used)
    bytes.deallocate()
    (bytes, capacity) = (moved, larger)
  }

  mutating func clear() {
    items.removeAll(keepingCapacity: true)
    used = 0
    isExact = true
    longest = 0
  }

  /// Sorts the keys.
  ///
  /// - Parameter spare: Memory for another list of items, which several chunks share.
  mutating func sort(_ order: KeyOrder, spare: inout ContiguousArray<Item>) {
    setPrefixes(order)
    if spare.count < items.count {
      spare = ContiguousArray(repeating: Item(prefix: 0, start: 0, length: 0), count: items.count)
    }
    let isExact = isExact
    let bytes = UnsafePointer(bytes)
    items.withUnsafeMutableBufferPointer { items in
      spare.withUnsafeMutableBufferPointer { spare in
        Self.radix(items, UnsafeMutableBufferPointer(rebasing: spare[..<items.count]))
      }
      if isExact { return }
      var start = 0
      while start < items.count {
        var end = start + 1
        while end < items.count, items[end].prefix == items[start].prefix { end += 1 }
        if end - start > 1 {
          var group = UnsafeMutableBufferPointer(rebasing: items[start..<end])
          group.sort { left, right in
            let difference = order.compare(bytes + Int(left.start), bytes + Int(right.start))
            return difference != 0 ? difference < 0 : left.start < right.start
          }
        }
        start = end
      }
    }
  }

  /// Finds the prefixes; texts that all begin alike are told apart behind that.
  private mutating func setPrefixes(_ order: KeyOrder) {
    var allTexts = true
    isExact = order.columns == 1
    for i in items.indices {
      let prefix = KeyOrder.prefix(bytes + Int(items[i].start))
      items[i].prefix = prefix.value
      longest = max(longest, Int(items[i].length))
      if !prefix.isExact { isExact = false }
      if prefix.value >> 62 != 2 { allTexts = false }
    }
    guard allTexts, items.count > 1 else { return }
    let (firstSerial, first) = KeyOrder.first(bytes + Int(items[0].start))
    var common = StoredValue.size(firstSerial)
    for item in items {
      let (serial, text) = KeyOrder.first(bytes + Int(item.start))
      common = min(common, StoredValue.size(serial))
      var equal = 0
      while equal < common, text[equal] == first[equal] { equal += 1 }
      common = equal
      if common == 0 { return }
    }
    for i in items.indices {
      let (serial, text) = KeyOrder.first(bytes + Int(items[i].start))
      items[i].prefix = KeyOrder.beginning(text + common, StoredValue.size(serial) - common)
    }
  }

  /// Sorts by the prefixes, 11 bits at a time from the lowest; bits that all have alike are passed over.
  private static func radix(_ items: UnsafeMutableBufferPointer<Item>, _ spare: UnsafeMutableBufferPointer<Item>) {
    guard items.count > 1 else { return }
    var different: UInt64 = 0
    for item in items { different |= item.prefix ^ items[0].prefix }
    var (from, to) = (items, spare)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2048) { starts in
      for shift in stride(from: UInt64(0), to: 64, by: 11) where different >> shift & 2047 != 0 {
        starts.initialize(repeating: 0)
        for item in from { starts[Int(item.prefix >> shift & 2047)] += 1 }
        var place: UInt32 = 0
        for digit in 0..<2048 { (starts[digit], place) = (place, place + starts[digit]) }
        for item in from {
          let digit = Int(item.prefix >> shift & 2047)
          to[Int(starts[digit])] = item
          starts[digit] += 1
        }
        swap(&from, &to)
      }
    }
    if from.baseAddress != items.baseAddress { _ = items.update(fromContentsOf: from) }
  }
}
