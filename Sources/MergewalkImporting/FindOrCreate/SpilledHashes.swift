/// Hashes of rows or records in temporary files, one for each piece of a ``PartitionedScan``.
///
/// Entries go to their files in blocks. All blocks are in one allocation: nothing is counted or checked for an entry, of
/// which there are millions.
final class SpilledHashes {
  /// The hashes of a row or record, and its primary key or number.
  struct Entry: BitwiseCopyable {
    var key: UInt64
    var content: UInt64
    var number: UInt64
  }

  private let files: [TemporaryFile]
  /// The bits of a key's hash that tell its piece.
  private let mask: UInt64
  private let blocks: UnsafeMutablePointer<Entry>
  /// How many entries each piece's block has.
  private let used: UnsafeMutablePointer<Int>
  /// The entries in each file.
  private var written: [Int]

  private static let blockSize = 2048

  /// Makes the files of 2^`bits` pieces.
  init(bits: Int, folder: String) throws(ImportError) {
    let count = 1 << bits
    var files: [TemporaryFile] = []
    for _ in 0..<count { files.append(try TemporaryFile(folder: folder)) }
    self.files = files
    mask = UInt64(count - 1)
    blocks = .allocate(capacity: count * Self.blockSize)
    used = .allocate(capacity: count)
    used.initialize(repeating: 0, count: count)
    written = Array(repeating: 0, count: count)
  }

  deinit {
    blocks.deallocate()
    used.deallocate()
  }

  var pieces: Int { files.count }

  /// The number of entries of a piece.
  func count(_ piece: Int) -> Int { written[piece] + used[piece] }

  /// Adds an entry to the piece that its key's hash tells.
  @inline(__always)
  func append(_ entry: Entry) throws(ImportError) {
    let piece = Int(truncatingIfNeeded: entry.key & mask)
    let place = used[piece]
    blocks[piece * Self.blockSize + place] = entry
    used[piece] = place + 1
    if place + 1 == Self.blockSize { try flush(piece) }
  }

  /// Hands out all entries of a piece in their order, in blocks.
  func replay(_ piece: Int, _ body: (UnsafeBufferPointer<Entry>) -> Void) throws(ImportError) {
    try flush(piece)
    try files[piece].seek(to: 0)
    let block = blocks + piece * Self.blockSize
    var left = written[piece]
    while left > 0 {
      let count = min(left, Self.blockSize)
      try files[piece].read(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: block, count: count)))
      body(UnsafeBufferPointer(start: block, count: count))
      left -= count
    }
  }

  private func flush(_ piece: Int) throws(ImportError) {
    let block = UnsafeBufferPointer(start: blocks + piece * Self.blockSize, count: used[piece])
    try files[piece].write(UnsafeRawBufferPointer(block))
    written[piece] += block.count
    used[piece] = 0
  }
}

@available(*, unavailable, message: "hashes are spilled by one task")
extension SpilledHashes: Sendable {}
