import CMergewalkSQLite
import MergewalkSQLite

/// The shape of rows that wait: which columns of which table, and whether the rows are new.
struct DeferredShape: Hashable, Comparable {
  let table: String
  /// The columns; those of rows that are not new begin with the version.
  let columns: [String]
  let isNew: Bool

  init(table: String, columns: [String], isNew: Bool) {
    self.table = table
    self.columns = columns
    self.isNew = isNew
  }

  /// Takes what ``columnList`` gives.
  init(table: String, columnList: String, isNew: Bool) {
    self.init(table: table, columns: columnList.split(separator: "\n").map(String.init), isNew: isNew)
  }

  /// The columns, one a line.
  var columnList: String { columns.joined(separator: "\n") }

  /// The statement that writes a row: its parameters are the columns, and last the number of an existing row.
  ///
  /// Such a row has to have the version before the one that is written.
  var sql: String {
    let names = columns.map(SQLQuoting.name)
    let table = SQLQuoting.name(table)
    if isNew {
      let places = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
      return "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES(\(places))"
    }
    let list = names.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    return "UPDATE \(table) SET \(list) WHERE _rowid_ = ?\(columns.count + 1) AND ifnull(\(names[0]), 0) = ?1 - 1"
  }

  static func < (left: DeferredShape, right: DeferredShape) -> Bool {
    if left.table != right.table { return left.table < right.table }
    if left.isNew != right.isNew { return left.isNew }
    return left.columns.lexicographicallyPrecedes(right.columns)
  }
}

/// Rows of one shape as bytes: for each the number (8), the length of what follows (4), and the values: a storage class (1)
/// with 8 bytes of a number, or a length (4) and the bytes of text or blob.
final class DeferredBatch {
  private var memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
  private var capacity = 4096
  private var count = 0
  /// The number and the place of each row.
  private var places: [(key: Int64, offset: Int)] = []

  static let headLength = 12

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  func append(_ key: Int64, row: Int, _ columns: [CellSource.Column], _ arena: UnsafeRawPointer) {
    let start = count
    places.append((key, start))
    add(key)
    add(UInt32(0))
    for column in columns {
      switch column.value(row, arena) {
      case .null: add(UInt8(SQLITE_NULL))
      case .integer(let value):
        add(UInt8(SQLITE_INTEGER))
        add(value)
      case .real(let value):
        add(UInt8(SQLITE_FLOAT))
        add(value.bitPattern)
      case .text(let bytes): add(UInt8(SQLITE3_TEXT), bytes)
      case .blob(let bytes): add(UInt8(SQLITE_BLOB), bytes)
      }
    }
    memory.storeBytes(of: UInt32(count - start - Self.headLength), toByteOffset: start + 8, as: UInt32.self)
  }

  private func add(_ type: UInt8, _ bytes: UnsafeRawBufferPointer) {
    add(type)
    add(UInt32(bytes.count))
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: memory + count, count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  private func add<Value>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    memory.storeBytes(of: value, toByteOffset: count, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  private func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(2 * capacity, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = larger
  }

  /// Puts the rows into the order of their numbers.
  func sort() {
    guard zip(places, places.dropFirst()).contains(where: { $0.key > $1.key }) else { return }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    var done = 0
    for place in places.sorted(by: { $0.key < $1.key }) {
      let length = Self.headLength + Int(memory.loadUnaligned(fromByteOffset: place.offset + 8, as: UInt32.self))
      (larger + done).copyMemory(from: memory + place.offset, byteCount: length)
      done += length
    }
    memory.deallocate()
    memory = larger
  }
}

/// The rows of one batch as they are kept, read from the first to the last.
final class DeferredRun {
  let shape: DeferredShape
  /// The number of the row.
  private(set) var key: Int64 = 0

  private let path: String
  private var blob: OpaquePointer?
  private let length: Int
  /// How much of it was read.
  private var offset = 0
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
  private var (start, end) = (0, 0)
  /// The values of the row, in the buffer.
  private var values = 0..<0

  init(_ overlay: Connection, id: Int64, _ shape: DeferredShape) throws(StoreError) {
    self.shape = shape
    path = overlay.name
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(overlay.handle, "main", DeferredRows.table, "rows", id, 0, &blob)
    guard code == SQLITE_OK, let blob else {
      sqlite3_blob_close(blob)
      throw StoreError(SQLiteError(code: code, message: "cannot read the plan of the run"), path: overlay.name)
    }
    self.blob = blob
    length = Int(sqlite3_blob_bytes(blob))
  }

  deinit {
    sqlite3_blob_close(blob)
    buffer.deallocate()
  }

  /// Goes to the next row; says whether there is one.
  func next() throws(StoreError) -> Bool {
    start = values.upperBound
    guard start < end || offset < length else {
      sqlite3_blob_close(blob)
      blob = nil
      return false
    }
    try fill(DeferredBatch.headLength)
    key = buffer.loadUnaligned(fromByteOffset: start, as: Int64.self)
    let count = Int(buffer.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
    try fill(DeferredBatch.headLength + count)
    values = start + DeferredBatch.headLength..<start + DeferredBatch.headLength + count
    return true
  }

  /// Ensures that the buffer has so many bytes of the row.
  private func fill(_ count: Int) throws(StoreError) {
    guard end - start < count else { return }
    guard count <= end - start + length - offset else { throw damage() }
    let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    if count > buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 2 * buffer.count), alignment: 8)
      larger.copyMemory(from: rest)
      buffer.deallocate()
      buffer = larger
    } else {
      // A copy that may overlap.
      buffer.copyMemory(from: rest)
    }
    (start, end) = (0, rest.count)
    let more = min(buffer.count - end, length - offset)
    let code = sqlite3_blob_read(blob, buffer.baseAddress.map { $0 + end }, Int32(more), Int32(offset))
    guard code == SQLITE_OK else {
      throw StoreError(SQLiteError(code: code, message: "cannot read the plan of the run"), path: path)
    }
    end += more
    offset += more
  }

  /// Binds the row to a statement of its shape; it must run before the next row.
  func bind(to statement: Statement) throws(StoreError) {
    var place = values.lowerBound
    for index in 1...Int32(shape.columns.count) {
      guard place < values.upperBound else { throw damage() }
      let type = Int32(buffer[place])
      place += 1
      switch type {
      case SQLITE_INTEGER, SQLITE_FLOAT:
        guard place + 8 <= values.upperBound else { throw damage() }
        let value = buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        place += 8
        if type == SQLITE_INTEGER {
          statement.bind(index, Int64(bitPattern: value))
        } else {
          statement.bind(index, Double(bitPattern: value))
        }
      case SQLITE3_TEXT, SQLITE_BLOB:
        guard place + 4 <= values.upperBound else { throw damage() }
        let count = Int(buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        place += 4
        guard place + count <= values.upperBound else { throw damage() }
        // The buffer stays as it is until the next row.
        let value = UnsafeRawBufferPointer(rebasing: buffer[place..<place + count])
        if type == SQLITE3_TEXT { statement.bind(index, textBytes: value) } else { statement.bind(index, blob: value) }
        place += count
      default: statement.bindNull(index)
      }
    }
    guard place == values.upperBound else { throw damage() }
    if !shape.isNew { statement.bind(Int32(shape.columns.count) + 1, key) }
  }

  private func damage() -> StoreError {
    StoreError(.damagedFile, path: path, message: "the plan of the run was not written by this program")
  }
}

/// Batches that are read together, the least number first.
struct DeferredMerge {
  private var heap: [DeferredRun] = []

  /// - Parameter runs: Each at its first row.
  init(_ runs: [DeferredRun]) {
    heap = runs.sorted { $0.key < $1.key }
  }

  /// The run whose row comes next; `nil` at the end.
  var first: DeferredRun? { heap.first }

  /// Goes on behind the row of ``first``.
  mutating func advance() throws(StoreError) {
    guard let first = heap.first else { return }
    if try !first.next() {
      let last = heap.removeLast()
      guard !heap.isEmpty else { return }
      heap[0] = last
    }
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].key < heap[least].key {
        least = child
      }
      guard least != place else { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
