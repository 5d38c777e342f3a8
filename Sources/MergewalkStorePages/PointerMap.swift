/// The page that refers to each page, for files that can be vacuumed a few pages at a time.
///
/// Source: [1.8 Pointer Map or Ptrmap Pages](https://sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages).
struct PointerMap {
  /// Why a page is there, with the format's numbers.
  enum Kind: UInt8 {
    /// The first page of a payload's overflow; the parent is the page of the cell.
    case firstOverflow = 3
    /// Another page of an overflow; the parent is the one before it.
    case laterOverflow = 4
    /// A page of a tree that is no root; the parent is the page above it.
    case tree = 5
  }

  /// By page number, from 0 on.
  private var kinds: ContiguousArray<UInt8> = []
  private var parents: ContiguousArray<UInt32> = []

  /// Notes what refers to a page.
  mutating func set(_ page: UInt32, _ kind: Kind, parent: UInt32) { set(page, kind.rawValue, parent) }

  private mutating func set(_ page: UInt32, _ kind: UInt8, _ parent: UInt32) {
    let at = Int(page)
    if at >= kinds.count {
      kinds.append(contentsOf: repeatElement(0, count: at + 1 - kinds.count))
      parents.append(contentsOf: repeatElement(0, count: at + 1 - parents.count))
    }
    kinds[at] = kind
    parents[at] = parent
  }

  /// Forgets the pages from one on.
  mutating func remove(from page: UInt32) {
    guard Int(page) < kinds.count else { return }
    kinds.removeSubrange(Int(page)...)
    parents.removeSubrange(Int(page)...)
  }

  /// Takes over the entries of a pointer map page that is there: five bytes for each page behind `first`.
  mutating func read(_ bytes: Bytes, first: UInt32, count: Int) {
    for i in 0..<count { set(first + UInt32(i), bytes[5 * i], (bytes + 5 * i + 1).get32) }
  }

  /// Writes the entries of `count` pages.
  func write(_ bytes: Bytes, first: UInt32, count: Int) {
    for i in 0..<count where Int(first) + i < kinds.count {
      bytes[5 * i] = kinds[Int(first) + i]
      (bytes + 5 * i + 1).put32(parents[Int(first) + i])
    }
  }
}
