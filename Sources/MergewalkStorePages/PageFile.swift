import MergewalkSystem

/// A database file whose pages are written without SQLite: assigns page numbers and keeps the bookkeeping.
///
/// SQLite has created the file and its schema; pages are appended, so free pages stay on their list. While pages are
/// written, no connection may be inside a transaction on the file. ``finish()`` writes the pointer map and increments
/// the change counter, by which every connection notices that its cache is stale; an unfinished file has its old size
/// in its header and its old root pages. Source: [1.3 The Database
/// Header](https://sqlite.org/fileformat2.html#the_database_header).
package final class PageFile {
  private let descriptor: Int32
  let layout: PageLayout
  /// The first page that was never given out.
  private(set) var next: UInt32
  /// Nothing when the file is not made for vacuuming.
  private var map: PointerMap?
  private let work: BackgroundWork
  /// Pages that are not written yet: one block is filled while the others are written.
  private var blocks: [PageBlock] = []
  private var block: PageBlock
  private let blockSize: Int
  private var bufferedBytes = 0
  private var bufferedFirst: UInt32 = 0
  /// The pages that were there before.
  private let oldEnd: UInt32

  /// As many as SQLite allows by default.
  private static let mostPages: UInt32 = 1_073_741_823
  private static let headerSize = 100
  private static let mostBlocks = 3

  /// Takes over a file.
  ///
  /// - Parameters:
  ///   - descriptor: The file, open to read and to write. It stays open: to close it would drop the locks that
  ///     this process has on the file.
  ///   - work: Writes the pages; it has to go before the descriptor is closed.
  /// - Throws: ``PageError`` with `unsupportedFile` or `inputOutput`.
  init(descriptor: Int32, work: BackgroundWork) throws(PageError) {
    self.descriptor = descriptor
    self.work = work
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    try Self.read(descriptor, &header, at: 0)
    let (layout, pages) = try header.withUnsafeMutableBufferPointer { bytes throws(PageError) in
      try Self.check(bytes.baseAddress!)
    }
    guard let status = stat(descriptor: descriptor) else { throw Self.failure("look at") }
    guard Int(status.st_size) == Int(pages) * layout.pageSize else {
      throw PageError(.unsupportedFile, "the file has \(status.st_size) bytes, its header says \(pages) pages")
    }
    self.layout = layout
    next = pages + 1
    oldEnd = next
    blockSize = max(256 * 1024, 4 * layout.pageSize)
    block = PageBlock(descriptor: descriptor, capacity: blockSize)
    blocks.append(block)
    if header.withUnsafeMutableBufferPointer({ ($0.baseAddress! + 52).get32 }) != 0 { map = try readMap() }
  }

  /// Checks a header against what is written here and returns the pages that it names.
  private static func check(_ header: Bytes) throws(PageError) -> (PageLayout, UInt32) {
    func require(_ isSo: Bool, _ expected: String) throws(PageError) {
      if !isSo { throw PageError(.unsupportedFile, "the file's header does not say \(expected)") }
    }
    try require(memcmp(header, "SQLite format 3\0", 16) == 0, "that it is an SQLite database")
    let size = (header + 16).get16
    guard let layout = PageLayout(pageSize: size == 1 ? 65536 : size) else {
      throw PageError(.unsupportedFile, "the file's pages have \(size) bytes")
    }
    try require(header[18] == 1 && header[19] == 1, "journal mode rollback (1 and 1 at 18)")
    try require(header[20] == 0, "0 reserved bytes a page")
    try require((header + 44).get32 == 4, "schema format 4")
    try require((header + 56).get32 == 1, "UTF-8")
    try require((header + 24).get32 == (header + 92).get32, "a valid size (the numbers at 24 and 92 differ)")
    return (layout, (header + 28).get32)
  }

  // MARK: Page numbers

  /// Whether SQLite keeps a page for itself.
  private func isReserved(_ page: UInt32) -> Bool {
    page == layout.pendingPage || (map != nil && layout.mapPage(of: page) == page)
  }

  /// Gives out the next page number; pages must be written in the order of their numbers.
  func allocate() throws(PageError) -> UInt32 {
    while isReserved(next) { next += 1 }
    guard next < Self.mostPages else { throw PageError(.tooLarge, "the file has more than \(Self.mostPages) pages") }
    next += 1
    return next - 1
  }

  /// Frees all numbers from one on; nothing may refer to these pages.
  func rewind(to page: UInt32) throws(PageError) {
    try flush()
    next = page
    map?.remove(from: page)
  }

  func note(_ page: UInt32, _ kind: PointerMap.Kind, parent: UInt32) { map?.set(page, kind, parent: parent) }

  // MARK: Pages

  /// Writes a page that was given out.
  func append(_ page: UInt32, _ bytes: Bytes) throws(PageError) {
    let size = layout.pageSize
    let isNext = bufferedBytes > 0 && Int(page) == Int(bufferedFirst) + bufferedBytes / size
    if !isNext || bufferedBytes + size > blockSize {
      try flush()
      bufferedFirst = page
    }
    memcpy(block.bytes + bufferedBytes, bytes, size)
    bufferedBytes += size
  }

  /// Has the block in hand written and takes another one.
  private func flush() throws(PageError) {
    guard bufferedBytes > 0 else { return }
    block.count = bufferedBytes
    block.offset = Int(bufferedFirst - 1) * layout.pageSize
    bufferedBytes = 0
    block.job = try work.give(block)
    if blocks.count < Self.mostBlocks {
      block = PageBlock(descriptor: descriptor, capacity: blockSize)
    } else {
      block = blocks.removeFirst()
      try work.wait(for: block.job)
    }
    blocks.append(block)
  }

  func replace(_ page: UInt32, _ bytes: Bytes) throws(PageError) { try write(bytes, layout.pageSize, at: page) }

  func read(_ page: UInt32) throws(PageError) -> [UInt8] {
    guard page > 1, page < oldEnd else { throw PageError(.unsupportedFile, "there is no page \(page)") }
    var bytes = [UInt8](repeating: 0, count: layout.pageSize)
    try Self.read(descriptor, &bytes, at: Int(page - 1) * layout.pageSize)
    return bytes
  }

  // MARK: The pointer map and the end

  /// The pointer map pages up to the end of the file, each with the pages that it describes.
  private func mapPages() -> [(page: UInt32, count: Int)] {
    var result: [(page: UInt32, count: Int)] = []
    var first: UInt32 = 2
    while first < next {
      let page = layout.mapPage(of: first)
      let end = min(first + layout.mapSpan, next)
      if page < next { result.append((page, Int(end) - Int(page) - 1)) }
      first += layout.mapSpan
    }
    return result
  }

  private func readMap() throws(PageError) -> PointerMap {
    var map = PointerMap()
    for (page, count) in mapPages() where count > 0 {
      var bytes = try read(page)
      bytes.withUnsafeMutableBufferPointer { map.read($0.baseAddress!, first: page + 1, count: count) }
    }
    return map
  }

  /// Makes everything that was written part of the database.
  package func finish() throws(PageError) {
    try flush()
    try work.waitForAll()
    if let map {
      let bytes = Bytes.allocate(capacity: layout.pageSize)
      defer { bytes.deallocate() }
      for (page, count) in mapPages() {
        memset(bytes, 0, layout.pageSize)
        map.write(bytes, first: page + 1, count: count)
        try write(bytes, layout.pageSize, at: page)
      }
    }
    guard ftruncate(descriptor, Int(next - 1) * layout.pageSize) == 0 else { throw Self.failure("set the size of") }
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    try Self.read(descriptor, &header, at: 0)
    header.withUnsafeMutableBufferPointer { bytes in
      let header = bytes.baseAddress!
      // 1.3.6 File change counter, 1.3.7 In-header database size; the size counts while both counters are equal.
      (header + 24).put32((header + 24).get32 &+ 1)
      (header + 28).put32(next - 1)
      (header + 92).put32((header + 24).get32)
    }
    try header.withUnsafeMutableBufferPointer { bytes throws(PageError) in
      try Self.write(descriptor, bytes.baseAddress!, bytes.count, at: 0)
    }
  }

  // MARK: The system

  private func write(_ bytes: UnsafePointer<UInt8>, _ count: Int, at page: UInt32) throws(PageError) {
    if count > 0 { try Self.write(descriptor, bytes, count, at: Int(page - 1) * layout.pageSize) }
  }

  static func write(
    _ descriptor: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int, at offset: Int
  ) throws(PageError) {
    var done = 0
    while done < count {
      let written = pwrite(descriptor, bytes + done, count - done, off_t(offset + done))
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure("write") }
      done += written
    }
  }

  static func read(_ descriptor: Int32, _ bytes: inout [UInt8], at offset: Int) throws(PageError) {
    let count = bytes.count
    try bytes.withUnsafeMutableBufferPointer { buffer throws(PageError) in
      try read(descriptor, buffer.baseAddress!, count, at: offset)
    }
  }

  static func read(_ descriptor: Int32, _ bytes: Bytes, _ count: Int, at offset: Int) throws(PageError) {
    var done = 0
    while done < count {
      let got = pread(descriptor, bytes + done, count - done, off_t(offset + done))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw got == 0 ? PageError(.unsupportedFile, "the file ends at byte \(offset + done)") : failure("read")
      }
      done += got
    }
  }

  static func failure(_ action: String) -> PageError {
    let number = errno
    return PageError(.inputOutput, "cannot \(action) the file: \(String(cString: strerror(number)))")
  }
}

@available(*, unavailable, message: "pages are written by one task")
extension PageFile: Sendable {}
