import MergewalkSystem

/// Fills the b-tree of an empty table or index with sorted rows or keys, from the leaves up.
///
/// A full leaf of a table is written, and its last row ID goes to the page above. An index entry that does not fit its
/// leaf goes itself to the page above. The root page, whose number the schema knows, is written last: until then the
/// tree is empty. Source: [1.6 B-tree Pages](https://sqlite.org/fileformat2.html#b_tree_pages).
final class TreeWriter {
  private let file: PageFile
  private let layout: PageLayout
  private let root: UInt32
  private let isIndex: Bool
  /// The pages in hand, leaves first.
  private var levels: [TreePage]
  private let leaf: TreePage
  /// The greatest row ID; nothing while the table is empty.
  var lastRowID: Int64? { last.pointee }
  /// Behind a pointer, as each use of a class's own variable is checked.
  private let last: UnsafeMutablePointer<Int64?>
  private var overflowPage: Bytes?

  /// - Parameter root: A root page that SQLite has made and that is still empty.
  /// - Throws: ``PageError`` with `rootNotEmpty` or `inputOutput`.
  init(_ file: PageFile, root: UInt32, isIndex: Bool) throws(PageError) {
    self.file = file
    layout = file.layout
    self.root = root
    self.isIndex = isIndex
    let kind: TreePage.Kind = isIndex ? .indexLeaf : .tableLeaf
    let bytes = try file.read(root)
    guard bytes[0] == kind.rawValue, bytes[3] == 0, bytes[4] == 0 else {
      throw PageError(.rootNotEmpty, "page \(root) is not an empty root page of \(isIndex ? "an index" : "a table")")
    }
    last = .allocate(capacity: 1)
    last.initialize(to: nil)
    leaf = TreePage(kind, layout: layout)
    levels = [leaf]
  }

  deinit {
    last.deallocate()
    overflowPage?.deallocate()
  }

  // MARK: Rows

  /// Makes room for a row whose record fits a page; `nil` when it needs overflow pages.
  ///
  /// - Returns: Where the record's bytes go.
  /// - Throws: ``PageError`` with `outOfOrder` when the row ID is not above the last one.
  @inline(__always) func place(rowID: Int64, count: Int) throws(PageError) -> Bytes? {
    if count > layout.rowLimit { return nil }
    let length = Varint.size(UInt64(count)) + Varint.size(UInt64(bitPattern: rowID)) + count
    return try placeCell(rowID, payload: count, length)
  }

  private func placeCell(_ rowID: Int64, payload: Int, _ length: Int) throws(PageError) -> Bytes {
    if let lastRowID, rowID <= lastRowID {
      throw PageError(.outOfOrder, "row \(rowID) comes after row \(lastRowID)")
    }
    var place = leaf.place(length)
    if place == nil {
      try endLeaf()
      place = leaf.place(length)
    }
    guard let place else { preconditionFailure("a cell of \(length) bytes fits an empty page") }
    last.pointee = rowID
    return Varint.put(UInt64(bitPattern: rowID), Varint.put(UInt64(payload), place))
  }

  /// Adds a row whose record does not fit a page.
  func add(rowID: Int64, long record: UnsafePointer<UInt8>, count: Int) throws(PageError) {
    let local = layout.localSize(count, limit: layout.rowLimit)
    let overflow = try writeOverflow(record + local, count - local)
    let length = Varint.size(UInt64(count)) + Varint.size(UInt64(bitPattern: rowID)) + local + 4
    let place = try placeCell(rowID, payload: count, length)
    memcpy(place, record, local)
    (place + local).put32(overflow)
    leaf.setOverflow(overflow)
  }

  private func endLeaf() throws(PageError) {
    guard let lastRowID else { preconditionFailure("an empty leaf has room") }
    var bytes = [UInt8](repeating: 0, count: 9)
    let count = bytes.withUnsafeMutableBufferPointer { buffer in
      Varint.put(UInt64(bitPattern: lastRowID), buffer.baseAddress!) - buffer.baseAddress!
    }
    let page = try write(leaf, right: 0)
    try add(TreePage.Cell(child: page, bytes: bytes, count: count), level: 1)
  }

  // MARK: Keys

  /// Adds an entry of an index, which is not below the last one.
  func add(key record: UnsafePointer<UInt8>, count: Int) throws(PageError) {
    if leaf.hasWaiting, let waiting = leaf.waiting { try raise(waiting, from: 0) }
    let head = Varint.size(UInt64(count))
    if count <= layout.keyLimit, let place = leaf.place(head + count) {
      memcpy(Varint.put(UInt64(count), place), record, count)
      return
    }
    let local = layout.localSize(count, limit: layout.keyLimit)
    let isLong = local < count
    let overflow = isLong ? try writeOverflow(record + local, count - local) : 0
    let length = head + local + (isLong ? 4 : 0)
    var cell = TreePage.Cell(bytes: [UInt8](repeating: 0, count: max(length, 4)), count: max(length, 4))
    cell.overflow = overflow
    cell.bytes.withUnsafeMutableBufferPointer { buffer in
      let place = Varint.put(UInt64(count), buffer.baseAddress!)
      memcpy(place, record, local)
      if isLong { (place + local).put32(overflow) }
    }
    if !leaf.add(cell) { leaf.waiting = cell }
  }

  // MARK: Overflow

  /// Writes what does not fit a cell's page and returns the first page of the chain.
  ///
  /// Source: [1.7 Cell Payload Overflow Pages](https://sqlite.org/fileformat2.html#cell_payload_overflow_pages).
  private func writeOverflow(_ payload: UnsafePointer<UInt8>, _ count: Int) throws(PageError) -> UInt32 {
    let page = overflowPage ?? .allocate(capacity: layout.pageSize)
    overflowPage = page
    let first = try file.allocate()
    var (number, done) = (first, 0)
    while true {
      let taken = min(count - done, layout.overflowBytes)
      let isLast = done + taken == count
      let next = isLast ? 0 : try file.allocate()
      page.put32(next)
      memcpy(page + 4, payload + done, taken)
      memset(page + 4 + taken, 0, layout.overflowBytes - taken)
      try file.append(number, page)
      if isLast { return first }
      file.note(next, .laterOverflow, parent: number)
      done += taken
      number = next
    }
  }

  // MARK: Pages above the leaves

  /// Writes a page that is full and empties it.
  private func write(_ page: TreePage, right: UInt32) throws(PageError) -> UInt32 {
    let number = try file.allocate()
    page.end(number: number, right: right, in: file)
    try file.append(number, page.bytes)
    page.clear()
    return number
  }

  /// Writes a full page and puts the cell that waits behind it on the page above, as the divider to what comes.
  private func raise(_ waiting: TreePage.Cell, from level: Int) throws(PageError) {
    levels[level].waiting = nil
    var cell = waiting
    cell.child = try write(levels[level], right: waiting.child)
    try add(cell, level: level + 1)
  }

  /// Adds a cell to a page above the leaves.
  private func add(_ cell: TreePage.Cell, level: Int) throws(PageError) {
    if level == levels.count {
      levels.append(TreePage(isIndex ? .indexInterior : .tableInterior, layout: layout))
    }
    if let waiting = levels[level].waiting { try raise(waiting, from: level) }
    if !levels[level].add(cell) { levels[level].waiting = cell }
  }

  /// Writes what is in hand, the root page last.
  func finish() throws(PageError) {
    var right: UInt32 = 0
    var level = 0
    while true {
      let page = levels[level]
      if let waiting = page.waiting {
        // Two pages are needed and nothing more comes: the last cell of the full one divides them.
        page.waiting = nil
        var divider = page.removeLast()
        divider.child = try write(page, right: divider.child)
        try add(divider, level: level + 1)
        guard page.add(waiting) else { preconditionFailure("a cell fits an empty page") }
      }
      if level == levels.count - 1 {
        page.end(number: root, right: right, in: file)
        return try file.replace(root, page.bytes)
      }
      right = try write(page, right: right)
      level += 1
    }
  }
}

@available(*, unavailable, message: "pages are written by one task")
extension TreeWriter: Sendable {}
