import MergewalkObjectStore

/// The rows of a batch insert that were filled and not written yet: columns of cells in memory that is used again.
final class BatchStage {
  /// How many rows are written together.
  let capacity: Int
  /// How many bytes of text and blobs are enough to write what is there, in bytes.
  static let byteLimit = 4 * 1024 * 1024

  let columnCount: Int
  /// Text and bytes of the cells.
  let arena = ByteArena(capacity: 64 * 1024)
  /// How many rows are complete.
  private(set) var count = 0
  /// Cell tags, one column after the other.
  private let tags: UnsafeMutablePointer<UInt8>
  private let payloads: UnsafeMutablePointer<UInt64>
  private let entities: UnsafeMutablePointer<Int32>

  init(columnCount: Int, capacity: Int) {
    self.capacity = capacity
    self.columnCount = columnCount
    let cells = max(columnCount, 1) * capacity
    tags = .allocate(capacity: cells)
    payloads = .allocate(capacity: cells)
    entities = .allocate(capacity: cells)
    tags.initialize(repeating: CellTag.absent, count: cells)
    payloads.initialize(repeating: 0, count: cells)
    entities.initialize(repeating: -1, count: cells)
  }

  deinit {
    tags.deallocate()
    payloads.deallocate()
    entities.deallocate()
  }

  /// Whether the rows should be written before the next one is filled.
  var isFull: Bool { count == capacity || arena.count >= Self.byteLimit }

  /// Sees to it that there is room for so many more bytes of the row that is being filled.
  ///
  /// - Throws: ``ObjectError`` with `notStorable`.
  func requireRoom(_ bytes: Int) throws(ObjectError) {
    // A chunk is written long before; this is about one row of values that no row of SQLite's can have.
    if arena.count + bytes < 1 << 31 { return }
    throw ObjectError(.notStorable, "a row with more than 2 GiB of texts and bytes; SQLite keeps less than 1 GB")
  }

  /// Makes all cells of the row that is filled next absent.
  func beginRow() {
    for column in 0..<columnCount { tags[column * capacity + count] = CellTag.absent }
  }

  /// Takes the row that was filled into the chunk.
  func endRow() { count += 1 }

  /// Forgets all rows and keeps the memory.
  func removeAll() {
    count = 0
    arena.removeAll()
  }

  /// The tags of a column, one a row.
  func tags(_ column: Int) -> UnsafeMutablePointer<UInt8> { tags + column * capacity }
  /// The payloads of a column, one a row.
  func payloads(_ column: Int) -> UnsafeMutablePointer<UInt64> { payloads + column * capacity }
  /// The entity indexes that a relationship's column refers to, one a row, once they are known.
  func entities(_ column: Int) -> UnsafeMutablePointer<Int32> { entities + column * capacity }

  /// Sets a cell of the row that is being filled.
  @inline(__always)
  func set(_ column: Int, _ tag: UInt8, _ payload: UInt64) {
    tags[column * capacity + count] = tag
    payloads[column * capacity + count] = payload
  }

  /// Copies bytes and sets a cell of the row that is being filled.
  func set(_ column: Int, _ tag: UInt8, bytes: UnsafeRawBufferPointer) { set(column, tag, arena.append(bytes).payload) }
}
