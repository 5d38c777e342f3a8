import MergewalkSystem

/// The keys of a chunk in order.
///
/// They are sorted by their first bytes (radix, stable), then by comparison where these are equal. Keys arrive in the
/// order of their row IDs, and equal ones keep it. A list is used for one chunk after the other, so its memory is
/// allocated once.
struct KeyList {
  /// A key's prefix and its place.
  private struct Item: BitwiseCopyable {
    var prefix: UInt64
    var start: UInt32
    var length: UInt32
  }

  private var items: ContiguousArray<Item> = []
  /// Memory for another list of items.
  private var spare: ContiguousArray<Item> = []
  /// Whether equal prefixes of ``KeyOrder`` mean equal keys.
  private(set) var isExact = true
  private(set) var longest = 0

  mutating func sort(_ chunk: KeyChunk, _ order: KeyOrder) {
    let bytes = UnsafePointer(chunk.bytes)
    take(chunk, order)
    tellTextsApart(bytes)
    let isExact = isExact
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

  /// Writes the keys of the chunk that was sorted behind each other, each behind its length.
  func write(_ chunk: KeyChunk, to place: Bytes) {
    var place = place
    for item in items {
      let size = 4 + Int(item.length)
      memcpy(place, chunk.bytes + Int(item.start) - 4, size)
      place += size
    }
  }

  /// Finds the keys and their prefixes.
  private mutating func take(_ chunk: KeyChunk, _ order: KeyOrder) {
    items.removeAll(keepingCapacity: true)
    items.reserveCapacity(chunk.count)
    (isExact, longest) = (order.columns == 1, 0)
    var start = 0
    while start < chunk.used {
      let length = (chunk.bytes + start).get32
      let prefix = KeyOrder.prefix(chunk.bytes + start + 4)
      items.append(Item(prefix: prefix.value, start: UInt32(start + 4), length: length))
      longest = max(longest, Int(length))
      if !prefix.isExact { isExact = false }
      start += 4 + Int(length)
    }
    if spare.count < items.count {
      spare = ContiguousArray(repeating: Item(prefix: 0, start: 0, length: 0), count: items.count)
    }
  }

  /// Tells texts that all begin alike apart by what comes behind that.
  private mutating func tellTextsApart(_ bytes: UnsafePointer<UInt8>) {
    guard items.count > 1, items.allSatisfy({ $0.prefix >> 62 == 2 }) else { return }
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

  /// Sorts by the prefixes, 11 bits at a time from the lowest; bits that all have alike are skipped.
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
