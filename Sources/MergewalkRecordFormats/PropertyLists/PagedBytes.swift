/// The bytes of a file at any place, through a cache of pages of a fixed size.
///
/// The objects of a property list are near each other, except those that many share, and the table of their offsets is
/// elsewhere: a few hundred pages suffice.
final class PagedBytes {
  let file: any RandomAccessStream
  let size: Int
  private let memory: UnsafeMutableRawBufferPointer
  private var pages: [Int]
  /// Which page of a set goes next.
  private var victims: [UInt8]
  private var lastPage = -1
  private var lastBytes = UnsafeRawBufferPointer(start: nil, count: 0)

  static let pageSize = 1 << 14
  private static let ways = 4
  private static let sets = 64

  init(_ file: any RandomAccessStream) {
    self.file = file
    size = file.size
    memory = .allocate(byteCount: Self.pageSize * Self.ways * Self.sets, alignment: 16)
    pages = Array(repeating: -1, count: Self.ways * Self.sets)
    victims = Array(repeating: 0, count: Self.sets)
  }

  deinit { memory.deallocate() }

  /// The bytes from an offset inside the file to the end of its page; valid until the next call.
  func bytes(from offset: Int) throws(ReadError) -> UnsafeRawBufferPointer {
    let page = offset / Self.pageSize
    if page != lastPage {
      lastBytes = try load(page)
      lastPage = page
    }
    return UnsafeRawBufferPointer(rebasing: lastBytes[(offset - page * Self.pageSize)...])
  }

  /// The big-endian number of 1 to 8 bytes at an offset; all of them must be inside the file.
  func number(at offset: Int, size: Int) throws(ReadError) -> UInt64 {
    var value: UInt64 = 0
    let near = try bytes(from: offset)
    if near.count >= size {
      for i in 0..<size { value = value << 8 | UInt64(near[i]) }
      return value
    }
    for i in 0..<size {
      value = value << 8 | UInt64(try bytes(from: offset + i)[0])
    }
    return value
  }

  /// Appends a range of bytes, which must be inside the file.
  func append(_ range: Range<Int>, to output: inout [UInt8]) throws(ReadError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let piece = try bytes(from: offset).prefix(range.upperBound - offset)
      output.append(contentsOf: piece)
      offset += piece.count
    }
  }

  private func load(_ page: Int) throws(ReadError) -> UnsafeRawBufferPointer {
    let set = page % Self.sets
    let first = set * Self.ways
    for slot in first..<first + Self.ways where pages[slot] == page { return slotBytes(slot, page) }
    let slot = first + Int(victims[set])
    victims[set] = (victims[set] + 1) % UInt8(Self.ways)
    // Not valid while it is being filled.
    pages[slot] = -1
    lastPage = -1
    let target = slotBytes(slot, page)
    try file.read(at: page * Self.pageSize, into: UnsafeMutableRawBufferPointer(mutating: target))
    pages[slot] = page
    return target
  }

  private func slotBytes(_ slot: Int, _ page: Int) -> UnsafeRawBufferPointer {
    let count = min(Self.pageSize, size - page * Self.pageSize)
    let start = slot * Self.pageSize
    return UnsafeRawBufferPointer(rebasing: memory[start..<start + count])
  }
}
