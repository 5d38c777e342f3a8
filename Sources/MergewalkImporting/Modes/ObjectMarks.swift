/// A set of primary keys of one table: one bit for each key, in pages that exist where a key was marked.
///
/// A store may hold any positive primary key, so memory goes by the keys that are marked and not by the greatest of them.
///
/// - Complexity: all operations but ``forEach(chunk:_:)`` are O(1). A million keys in a row take 125 KB; keys far from each
///   other take a page (4 KB) each, and those from ``denseEnd`` on an entry of a hash table.
final class ObjectMarks {
  /// Keys up to here have bits.
  private static let denseEnd: Int64 = 1 << 32
  /// Binary logarithms: keys a word, and words a page.
  private static let (wordBits, pageBits): (Int64, Int) = (6, 9)

  // Unchecked exclusivity: asked for each record, and no access to one of them runs other code.
  /// Where the page of each run of keys begins in ``words``, or -1 where none of them is marked.
  @exclusivity(unchecked) private var pages = UnsafeMutablePointer<Int32>.allocate(capacity: 0)
  @exclusivity(unchecked) private var pageCount = 0
  // Not an array, whose checks cost as much as what is asked.
  @exclusivity(unchecked) private var words = UnsafeMutablePointer<UInt64>.allocate(capacity: 0)
  @exclusivity(unchecked) private var wordCount = 0
  @exclusivity(unchecked) private var wordCapacity = 0
  private var far: Set<Int64> = []
  /// How many keys are marked.
  @exclusivity(unchecked) private(set) var count = 0

  /// Memory in use, in bytes.
  var bytesInUse: Int { wordCapacity * 8 + pageCount * 4 + far.capacity * 16 }

  deinit {
    pages.deallocate()
    words.deallocate()
  }

  /// Makes room for `capacity` elements behind the first `count`, which are kept; the others get a value.
  private static func grow<Element>(
    _ memory: inout UnsafeMutablePointer<Element>, count: Int, capacity: Int, with value: Element
  ) {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.initialize(from: memory, count: count)
    (larger + count).initialize(repeating: value, count: capacity - count)
    memory.deallocate()
    memory = larger
  }

  /// Where the word of a key is, or `nil` where its page does not exist.
  @inline(__always)
  private func place(_ key: Int64) -> Int? {
    let word = Int(key >> Self.wordBits)
    let page = word >> Self.pageBits
    guard page < pageCount, pages[page] >= 0 else { return nil }
    return Int(pages[page]) << Self.pageBits | word & (1 << Self.pageBits - 1)
  }

  /// Marks a key, which is positive.
  @inline(__always)
  func mark(_ key: Int64) { _ = insert(key) }

  /// Marks a key, which is positive; whether it was not marked before.
  @inline(__always)
  func insert(_ key: Int64) -> Bool {
    guard key < Self.denseEnd else {
      let isNew = far.insert(key).inserted
      if isNew { count += 1 }
      return isNew
    }
    let word = place(key) ?? makePage(key)
    let bit = UInt64(1) << UInt64(key & 63)
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    count += 1
    return true
  }

  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    guard key < Self.denseEnd else { return far.contains(key) }
    guard let word = place(key) else { return false }
    return words[word] >> UInt64(key & 63) & 1 == 1
  }

  /// Takes a mark away.
  func remove(_ key: Int64) {
    guard contains(key) else { return }
    count -= 1
    if let word = key < Self.denseEnd ? place(key) : nil {
      words[word] &= ~(1 << UInt64(key & 63))
    } else {
      far.remove(key)
    }
  }

  /// Hands out the marked keys in ascending order, `size` at a time.
  func forEach<Failure: Error>(
    chunk size: Int, _ body: (_ keys: ArraySlice<Int64>) throws(Failure) -> Void
  ) throws(Failure) {
    var keys: [Int64] = []
    for page in 0..<pageCount where pages[page] >= 0 {
      let first = Int(pages[page]) << Self.pageBits
      for index in 0..<1 << Self.pageBits where words[first + index] != 0 {
        var word = words[first + index]
        while word != 0 {
          keys.append(Int64((page << Self.pageBits | index) << 6 + word.trailingZeroBitCount))
          word &= word - 1
        }
        if keys.count >= size {
          try body(keys[...])
          keys.removeAll(keepingCapacity: true)
        }
      }
    }
    for key in far.sorted() {
      keys.append(key)
      if keys.count >= size {
        try body(keys[...])
        keys.removeAll(keepingCapacity: true)
      }
    }
    if !keys.isEmpty { try body(keys[...]) }
  }

  @inline(never)
  private func makePage(_ key: Int64) -> Int {
    let page = Int(key >> Self.wordBits) >> Self.pageBits
    if page >= pageCount {
      let larger = pageCount + max(page + 1 - pageCount, min(pageCount / 2, 1 << 17), 16)
      Self.grow(&pages, count: pageCount, capacity: larger, with: -1)
      pageCount = larger
    }
    pages[page] = Int32(wordCount >> Self.pageBits)
    wordCount += 1 << Self.pageBits
    if wordCount > wordCapacity {
      let larger = max(wordCount, 2 * wordCapacity)
      Self.grow(&words, count: wordCapacity, capacity: larger, with: 0)
      wordCapacity = larger
    }
    return Int(pages[page]) << Self.pageBits | Int(key >> Self.wordBits) & (1 << Self.pageBits - 1)
  }
}
