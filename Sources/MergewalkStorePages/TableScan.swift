import MergewalkSystem

/// Reads the rows of a table from the pages of a file, in the order of their numbers, without SQLite.
///
/// For the next developer:
/// - It only reads. Whoever lends the pages ensures that they stay as they are while the scan runs.
/// - Nothing in a page is believed: each number is checked against the bounds of its page or record, and what does not fit
///   ends the scan with `false`. Then SQLite is asked, which says what is wrong, or knows better.
/// - The tree is walked from its root; each page counts, so that a tree that bites its own tail ends.
/// - Rows are values in place: nothing is allocated for a row that is on one page.
///
/// Source: [Database File Format, 1.6 B-tree Pages and 2.1 Record Format](https://sqlite.org/fileformat2.html).
package final class TableScan {
  /// A value of a row as it is stored.
  package enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  /// Fills a buffer with whole pages, the first of which has this number; says whether they could be read.
  package typealias Pages = (_ first: UInt32, _ buffer: UnsafeMutableRawBufferPointer) -> Bool

  private let layout: PageLayout
  private let pageCount: UInt32
  private let pages: Pages
  /// The place of a record's column among the values, or -1.
  private let places: [Int]
  private let values: UnsafeMutableBufferPointer<Value>
  /// Some pages that follow each other, and room behind them that may be read.
  private let window: UnsafeMutableRawBufferPointer
  private var windowPages: Range<UInt32> = 0..<0
  private var next: UInt32 = 0
  private var visited: UInt32 = 0
  /// A record that is on several pages.
  private var record = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)

  private static let pagesInWindow = 16
  private static let deepest = 20
  /// As many parts as are enough to share a table.
  private static let fewParts = 16
  /// A varint that begins within a page or record ends within this many bytes behind it.
  private static let slack = 16

  /// - Parameters:
  ///   - pageSize: The bytes of a page, all of which are used.
  ///   - columns: The columns of a record that are wanted, from 0; values come in this order.
  package convenience init?(pageSize: Int, pageCount: Int, columns: [Int], pages: @escaping Pages) {
    guard let layout = PageLayout(pageSize: pageSize), let count = UInt32(exactly: pageCount) else { return nil }
    var places = Array(repeating: -1, count: (columns.max() ?? -1) + 1)
    for (place, column) in columns.enumerated() { places[column] = place }
    self.init(layout, count, places, columns.count, pages)
  }

  private init(_ layout: PageLayout, _ pageCount: UInt32, _ places: [Int], _ width: Int, _ pages: @escaping Pages) {
    self.layout = layout
    self.pageCount = pageCount
    self.pages = pages
    self.places = places
    values = .allocate(capacity: width)
    values.initialize(repeating: .null)
    window = .allocate(byteCount: Self.pagesInWindow * layout.pageSize + Self.slack, alignment: 4096)
    if let start = window.baseAddress { memset(start, 0, window.count) }
  }

  deinit {
    values.deallocate()
    window.deallocate()
    record.deallocate()
  }

  /// The pages below a root that have all rows of the table among them, in order: many for a large table, so that several
  /// scans can share it; `nil` when a page cannot be read.
  package func parts(root: UInt32) -> [UInt32]? {
    visited = 0
    var parts = [root]
    for _ in 0..<Self.deepest where parts.count < Self.fewParts {
      var below: [UInt32] = []
      for number in parts {
        visited += 1
        guard visited <= pageCount, let page = page(number) else { return nil }
        // All leaves of a tree are equally deep.
        if page[0] == 13 { return parts }
        guard page[0] == 5, let children = children(page) else { return nil }
        below += children
      }
      parts = below
    }
    return parts
  }

  /// Reads the rows below one of the ``parts(root:)``, of this scan or of a ``twin()``.
  ///
  /// - Parameter body: Is called with each row's number and its values, which are valid until it returns; says whether to
  ///   go on.
  /// - Returns: Whether all were read; a scan that has met more pages than the file has reads no more.
  package func run(part: UInt32, _ body: (Int64, UnsafeMutableBufferPointer<Value>) -> Bool) -> Bool {
    visit(part, depth: 1) { row, record in readRecord(record) && body(row, values) }
  }

  /// Another scan of the same pages, for another thread; their reader has to bear that.
  package func twin() -> TableScan { TableScan(layout, pageCount, places, values.count, pages) }

  /// Reads all records below a root page as they are stored.
  ///
  /// - Parameter body: Is called with each row's number and its record (2.1), which is valid until it returns; says
  ///   whether to go on.
  /// - Returns: Whether all rows were read.
  package func records(root: UInt32, _ body: (Int64, UnsafeRawBufferPointer) -> Bool) -> Bool {
    visited = 0
    return visit(root, depth: 0, body)
  }

  /// How many entries the tree of a table or of an index has; `nil` when a page cannot be read.
  package func count(root: UInt32) -> Int? {
    visited = 0
    return count(root, depth: 0)
  }

  private func count(_ number: UInt32, depth: Int) -> Int? {
    visited += 1
    guard depth < Self.deepest, visited <= pageCount, let page = page(number) else { return nil }
    let kind = page[0]
    let cells = Self.number16(page + 3)
    if kind == 10 || kind == 13 { return cells }
    guard kind == 2 || kind == 5, let children = children(page) else { return nil }
    // The entries of an index are on all levels.
    var entries = kind == 2 ? cells : 0
    for child in children {
      guard let below = count(child, depth: depth + 1) else { return nil }
      entries += below
    }
    return entries
  }

  // MARK: Pages

  private func visit(
    _ number: UInt32, depth: Int, _ body: (Int64, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    visited += 1
    guard depth < Self.deepest, visited <= pageCount, let page = page(number) else { return false }
    switch page[0] {
    case 13: return readLeaf(number, page, body)
    case 5:
      guard let children = children(page) else { return false }
      for child in children { if !visit(child, depth: depth + 1, body) { return false } }
      return true
    default: return false
    }
  }

  /// A page; it stays until the next one is read.
  ///
  /// Pages that are read in their order come several at a time.
  private func page(_ number: UInt32) -> UnsafePointer<UInt8>? {
    guard number > 1, number <= pageCount else { return nil }
    if !windowPages.contains(number) {
      let count = number == next ? min(UInt32(Self.pagesInWindow), pageCount - number + 1) : 1
      windowPages = 0..<0
      let bytes = Int(count) * layout.pageSize
      guard pages(number, UnsafeMutableRawBufferPointer(rebasing: window[..<bytes])) else { return nil }
      windowPages = number..<number + count
    }
    next = number + 1
    guard let base = window.baseAddress else { return nil }
    return UnsafePointer(
      (base + Int(number - windowPages.lowerBound) * layout.pageSize).assumingMemoryBound(to: UInt8.self))
  }

  /// The pages below an interior page, in the order of their entries.
  private func children(_ page: UnsafePointer<UInt8>) -> [UInt32]? {
    let count = Self.number16(page + 3)
    guard 12 + 2 * count <= layout.pageSize else { return nil }
    var children: [UInt32] = []
    children.reserveCapacity(count + 1)
    for cell in 0..<count {
      let place = Self.number16(page + 12 + 2 * cell)
      guard place >= 12 + 2 * count, place + 4 <= layout.pageSize else { return nil }
      children.append(Self.number32(page + place))
    }
    children.append(Self.number32(page + 8))
    return children
  }

  private func readLeaf(
    _ number: UInt32, _ page: UnsafePointer<UInt8>, _ body: (Int64, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    let count = Self.number16(page + 3)
    guard 8 + 2 * count <= layout.pageSize else { return false }
    var page = page
    for cell in 0..<count {
      let start = Self.number16(page + 8 + 2 * cell)
      guard start >= 8 + 2 * count, start < layout.pageSize else { return false }
      var place = page + start
      let length = Varint.take(&place)
      let row = Int64(bitPattern: Varint.take(&place))
      guard length <= UInt64(Int32.max) else { return false }
      let offset = place - page
      let local = localLength(Int(length))
      if local == Int(length) {
        guard offset + local <= layout.pageSize else { return false }
        guard body(row, UnsafeRawBufferPointer(start: place, count: local)) else { return false }
      } else {
        guard offset + local + 4 <= layout.pageSize else { return false }
        guard assemble(UnsafeRawBufferPointer(start: place, count: local), Int(length), Self.number32(place + local)),
          body(row, UnsafeRawBufferPointer(start: record.baseAddress, count: Int(length)))
        else { return false }
        // Overflow pages are read into the same window.
        guard let again = self.page(number) else { return false }
        page = again
      }
    }
    return true
  }

  /// How many bytes of a record are on its own page (1.6).
  private func localLength(_ length: Int) -> Int {
    if length <= layout.rowLimit { return length }
    let least = layout.minimumLocal
    let local = least + (length - least) % layout.overflowBytes
    return local <= layout.rowLimit ? local : least
  }

  /// Puts a record together from its page and its overflow pages (1.7).
  private func assemble(_ local: UnsafeRawBufferPointer, _ length: Int, _ first: UInt32) -> Bool {
    guard length <= Int(pageCount) * layout.pageSize else { return false }
    if record.count < length + Self.slack {
      record.deallocate()
      record = .allocate(byteCount: length + Self.slack, alignment: 8)
    }
    record.copyMemory(from: local)
    var done = local.count
    var number = first
    while done < length {
      visited += 1
      guard visited <= pageCount, let page = page(number) else { return false }
      let count = min(length - done, layout.overflowBytes)
      UnsafeMutableRawBufferPointer(rebasing: record[done..<done + count]).copyMemory(
        from: UnsafeRawBufferPointer(start: page + 4, count: count))
      done += count
      number = Self.number32(page)
    }
    return number == 0
  }

  // MARK: Records

  /// Takes the wanted values of a record; those that it lacks at its end are null.
  private func readRecord(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else { return false }
    var header = base
    let headerLength = Varint.take(&header)
    guard headerLength <= UInt64(bytes.count), headerLength > 0 else { return false }
    let end = base + Int(headerLength)
    var offset = Int(headerLength)
    for place in places {
      var value = Value.null
      if header < end {
        let type = Varint.take(&header)
        guard header <= end else { return false }
        let length = Self.length(type)
        guard length <= bytes.count - offset else { return false }
        if place >= 0 { value = Self.value(type, base + offset, length) }
        offset += length
      }
      if place >= 0 { values[place] = value }
    }
    return true
  }

  /// The bytes of a value of a serial type (2.1); more than there are for types that are not used.
  @inline(__always) private static func length(_ type: UInt64) -> Int {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 10, 11: Int.max
    default: Int(min((type - 12) / 2, UInt64(Int32.max)))
    }
  }

  @inline(__always) private static func value(_ type: UInt64, _ place: UnsafePointer<UInt8>, _ length: Int) -> Value {
    switch type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 7:
      let number = Double(bitPattern: number64(place))
      // SQLite has no such number.
      return number.isNaN ? .null : .real(number)
    case 1...6:
      // Sign and all: the bytes at the upper end, moved down.
      var bits: UInt64 = 0
      for i in 0..<length { bits = bits << 8 | UInt64(place[i]) }
      let shift = UInt64(64 - 8 * length)
      return .integer(Int64(bitPattern: bits << shift) >> Int64(shift))
    default:
      let bytes = UnsafeRawBufferPointer(start: place, count: length)
      return type & 1 == 1 ? .text(bytes) : .blob(bytes)
    }
  }

  @inline(__always) private static func number16(_ place: UnsafePointer<UInt8>) -> Int {
    Int(place[0]) << 8 | Int(place[1])
  }

  @inline(__always) private static func number32(_ place: UnsafePointer<UInt8>) -> UInt32 {
    UInt32(bigEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt32.self))
  }

  @inline(__always) private static func number64(_ place: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(bigEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
  }
}

@available(*, unavailable, message: "a scan belongs to whoever lends its pages")
extension TableScan: Sendable {}
