import MergewalkSystem

/// A page of a b-tree that is being filled: cells come in order and lie without gaps from the page's end downwards.
///
/// Source: [1.6 B-tree Pages](https://sqlite.org/fileformat2.html#b_tree_pages).
final class TreePage {
  /// The kinds of pages with the format's numbers.
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    /// Whether cells begin with the number of a page below.
    var isInterior: Bool { self == .indexInterior || self == .tableInterior }
  }

  /// A cell that has not found its place: its bytes behind the number of the page below, and its overflow.
  struct Cell {
    var child: UInt32 = 0
    var bytes: [UInt8] = []
    var count = 0
    var overflow: UInt32 = 0
  }

  let kind: Kind
  let bytes: Bytes
  private let size: Int
  private let headerSize: Int
  private let fill: UnsafeMutablePointer<Fill>

  /// The contents of the page; behind a pointer, because each use of a class's own variable is checked.
  private struct Fill {
    var count = 0
    var top: Int
    /// The first overflow page of each cell, or 0; empty while no cell has one.
    var overflows: ContiguousArray<UInt32> = []
    var waiting: Cell?
  }

  /// A cell that did not fit: the page stays in hand until it is certain that more will come, as what is behind this
  /// cell must not be empty.
  var waiting: Cell? {
    get { fill.pointee.waiting }
    set { fill.pointee.waiting = newValue }
  }
  /// Whether a cell waits.
  @inline(__always) var hasWaiting: Bool { fill.pointee.waiting != nil }

  init(_ kind: Kind, layout: PageLayout) {
    self.kind = kind
    size = layout.pageSize
    headerSize = kind.isInterior ? 12 : 8
    bytes = .allocate(capacity: size)
    fill = .allocate(capacity: 1)
    fill.initialize(to: Fill(top: size))
  }

  deinit {
    bytes.deallocate()
    fill.deinitialize(count: 1)
    fill.deallocate()
  }

  func clear() {
    fill.pointee.count = 0
    fill.pointee.top = size
    fill.pointee.overflows.removeAll(keepingCapacity: true)
  }

  /// The place of a new last cell; `nil` when it does not fit.
  @inline(__always) func place(_ length: Int) -> Bytes? {
    // 1.6: a cell has at least four bytes, so that a freed one can be a freeblock.
    let length = max(length, 4)
    let pointer = headerSize + 2 * fill.pointee.count
    let top = fill.pointee.top - length
    guard pointer + 2 <= top else { return nil }
    fill.pointee.top = top
    (bytes + pointer).put16(top)
    fill.pointee.count += 1
    if !fill.pointee.overflows.isEmpty { fill.pointee.overflows.append(0) }
    return bytes + top
  }

  /// Notes that the last cell has overflow pages.
  func setOverflow(_ page: UInt32) {
    let count = fill.pointee.count
    if fill.pointee.overflows.isEmpty { fill.pointee.overflows = ContiguousArray(repeating: 0, count: count) }
    fill.pointee.overflows[count - 1] = page
  }

  /// Adds a cell; says whether it fitted.
  func add(_ cell: Cell) -> Bool {
    let link = kind.isInterior ? 4 : 0
    guard let place = place(link + cell.count) else { return false }
    if kind.isInterior { place.put32(cell.child) }
    cell.bytes.withUnsafeBufferPointer { source in
      if cell.count > 0 { memcpy(place + link, source.baseAddress!, cell.count) }
    }
    if cell.overflow != 0 { setOverflow(cell.overflow) }
    return true
  }

  /// Takes the last cell off again.
  func removeLast() -> Cell {
    let start = fill.pointee.top
    fill.pointee.count -= 1
    let count = fill.pointee.count
    let top = count > 0 ? (bytes + headerSize + 2 * (count - 1)).get16 : size
    fill.pointee.top = top
    let overflow = fill.pointee.overflows.popLast() ?? 0
    let link = kind.isInterior ? 4 : 0
    let rest = UnsafeBufferPointer(start: bytes + start + link, count: top - start - link)
    return Cell(
      child: kind.isInterior ? (bytes + start).get32 : 0, bytes: Array(rest), count: rest.count, overflow: overflow)
  }

  /// Writes the page's header and notes what the page refers to.
  func end(number: UInt32, right: UInt32, in file: PageFile) {
    let (count, top) = (fill.pointee.count, fill.pointee.top)
    bytes[0] = kind.rawValue
    (bytes + 1).put16(0)
    (bytes + 3).put16(count)
    // 1.6: 0 stands for 65536.
    (bytes + 5).put16(top & 0xFFFF)
    bytes[7] = 0
    if kind.isInterior { (bytes + 8).put32(right) }
    let pointers = headerSize + 2 * count
    memset(bytes + pointers, 0, top - pointers)
    for page in fill.pointee.overflows where page != 0 { file.note(page, .firstOverflow, parent: number) }
    guard kind.isInterior else { return }
    for i in 0..<count {
      file.note((bytes + (bytes + headerSize + 2 * i).get16).get32, .tree, parent: number)
    }
    file.note(right, .tree, parent: number)
  }
}
