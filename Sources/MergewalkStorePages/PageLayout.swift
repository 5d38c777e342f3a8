/// The sizes that follow from the size of a file's pages.
///
/// No bytes are reserved at the ends of pages, so the usable size `U` is the page size.
/// Source: [Database File Format](https://sqlite.org/fileformat2.html).
struct PageLayout: Sendable, Hashable {
  /// The bytes of a page: a power of two from 512 to 65536.
  let pageSize: Int
  /// The most payload that a cell of a table's leaf has on its own page, `U-35` (1.6 B-tree Pages).
  let rowLimit: Int
  /// The most payload that a cell of an index has on its own page, `((U-12)*64/255)-23` (1.6).
  let keyLimit: Int
  /// The least number of bytes that a cell with overflow pages keeps, `((U-12)*32/255)-23` (1.6).
  let minimumLocal: Int
  /// The payload of an overflow page, behind the number of the next one (1.7 Cell Payload Overflow Pages).
  let overflowBytes: Int
  /// The page that holds the bytes that SQLite locks; it is never used (1.4 The Lock-Byte Page).
  let pendingPage: UInt32
  /// A pointer map page and the pages that it describes (1.8 Pointer Map or Ptrmap Pages).
  let mapSpan: UInt32

  /// - Parameter pageSize: A power of two from 512 to 65536.
  init?(pageSize: Int) {
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    self.pageSize = pageSize
    rowLimit = pageSize - 35
    keyLimit = (pageSize - 12) * 64 / 255 - 23
    minimumLocal = (pageSize - 12) * 32 / 255 - 23
    overflowBytes = pageSize - 4
    pendingPage = UInt32(0x4000_0000 / pageSize + 1)
    mapSpan = UInt32(pageSize / 5 + 1)
  }

  /// How much of a payload stays on the page of its cell (1.6: `K` if that is at most `X`, else `M`).
  func localSize(_ payload: Int, limit: Int) -> Int {
    if payload <= limit { return payload }
    let kept = minimumLocal + (payload - minimumLocal) % overflowBytes
    return kept <= limit ? kept : minimumLocal
  }

  /// The pointer map page that describes a page, or the page itself when it is one; pages count from 2.
  func mapPage(of page: UInt32) -> UInt32 {
    let first = (page - 2) / mapSpan * mapSpan + 2
    return first == pendingPage ? first + 1 : first
  }
}
