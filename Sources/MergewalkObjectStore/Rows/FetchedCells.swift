import CMergewalkSQLite
import MergewalkSystem
package import MergewalkObjectModel
import MergewalkSQLite

/// The values that a fetch selected: cells in rows of one width, their text and bytes in one arena.
///
/// Nothing is made for a row or a value before it is requested. The table is filled by one task and never changes
/// after that, so it may go to others.
package final class FetchedCells: @unchecked Sendable {
  /// Cells a row: one for each SQL column.
  package let width: Int
  /// How many rows there are.
  ///
  /// Unchecked exclusivity, here and below: touched for each row while one task fills the table.
  @exclusivity(unchecked) package private(set) var count = 0

  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private var tags: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var payloads: UnsafeMutablePointer<UInt64>
  private let arena = ByteArena()
  /// The SQL columns that are read.
  private let columns: ContiguousArray<Column>
  private let storeUUID: String
  private let entities: EntityNumbers
  private let model: ManagedObjectModel

  /// A SQL column that is read.
  private struct Column {
    var position: Int32
    /// Whether as binary64, also where the row holds a whole number.
    var isReal = false
  }

  /// Creates an empty table for the columns of a fetch.
  ///
  /// - Parameter columns: Those of them that are kept; the others' cells stay null.
  package init(columns: some Sequence<FetchedColumn>, width: Int, schema: StoreSchema, storeUUID: String) {
    self.width = max(width, 1)
    model = schema.model
    self.storeUUID = storeUUID
    entities = EntityNumbers(schema, root: RootIndex(0))
    var read: ContiguousArray<Column> = []
    for column in columns {
      switch column.kind {
      case .value(.date), .value(.double), .value(.float): read.append(Column(position: column.position, isReal: true))
      case .objectID(_, let hasEntityColumn):
        read.append(Column(position: column.position))
        if hasEntityColumn { read.append(Column(position: column.position + 1)) }
      default: read.append(Column(position: column.position))
      }
    }
    self.columns = read
    tags = Self.resized(nil, count: capacity * self.width)
    payloads = Self.resized(nil, count: capacity * self.width)
    memset(tags, Int32(CellTag.null), capacity * self.width)
  }

  deinit {
    free(tags)
    free(payloads)
  }

  // MARK: Filling

  /// Reads all rows that a cursor has left.
  ///
  /// - Throws: ``FetchError``; `tooLarge` when the text and bytes of all rows take 4 GiB.
  package func read(_ cursor: FetchCursor) throws(FetchError) {
    let handle = cursor.statement.handle
    try columns.withUnsafeBufferPointer { columns throws(FetchError) in
      while try cursor.step() {
        if count == capacity { grow() }
        try readCells(handle, columns, tags + count * width, payloads + count * width)
        count += 1
      }
    }
  }

  package func readRow(_ cursor: FetchCursor) throws(FetchError) {
    if count == capacity { grow() }
    let handle = cursor.statement.handle
    try columns.withUnsafeBufferPointer { columns throws(FetchError) in
      try readCells(handle, columns, tags + count * width, payloads + count * width)
    }
    count += 1
  }

  @inline(__always)
  private func readCells(
    _ handle: OpaquePointer, _ columns: UnsafeBufferPointer<Column>, _ tags: UnsafeMutablePointer<UInt8>,
    _ payloads: UnsafeMutablePointer<UInt64>
  ) throws(FetchError) {
    for column in columns {
      let place = Int(column.position)
      switch CellReader.read(handle, column.position) {
      case .cell(CellTag.integer, let payload) where column.isReal:
        tags[place] = CellTag.real
        payloads[place] = Double(Int64(bitPattern: payload)).bitPattern
      case .cell(let tag, let payload):
        tags[place] = tag
        payloads[place] = payload
      case .bytes(let tag, let start, let count):
        payloads[place] = try keep(start, count)
        tags[place] = tag
      }
    }
  }

  @inline(__always)
  private func keep(_ bytes: UnsafeRawPointer, _ length: Int) throws(FetchError) -> UInt64 {
    guard arena.count + length < 1 << 32 else {
      throw .predicate(
        PredicateError(
          .tooLarge, "the values of the result take more than 4 GiB",
          hint: "fetch fewer properties, or set a limit and fetch in portions"))
    }
    return arena.append(UnsafeRawBufferPointer(start: bytes, count: length)).payload
  }

  private func grow() {
    let larger = capacity * 2
    tags = Self.resized(tags, count: larger * width)
    payloads = Self.resized(payloads, count: larger * width)
    memset(tags + capacity * width, Int32(CellTag.null), (larger - capacity) * width)
    capacity = larger
  }

  /// Large blocks are moved by the page tables, so that growing copies little.
  private static func resized<T>(_ old: UnsafeMutablePointer<T>?, count: Int) -> UnsafeMutablePointer<T> {
    let size = count * MemoryLayout<T>.stride
    guard let memory = realloc(old, size) else { preconditionFailure("out of memory for \(size) bytes") }
    return memory.bindMemory(to: T.self, capacity: count)
  }

  // MARK: Reading

  /// The ``CellTag`` of a cell.
  @inline(__always)
  package func tag(row: Int, _ position: Int32) -> UInt8 { tags[row * width + Int(position)] }

  @inline(__always)
  package func payload(row: Int, _ position: Int32) -> UInt64 { payloads[row * width + Int(position)] }

  /// The value of a column: an attribute's value or an object's ID.
  package func value(row: Int, _ column: FetchedColumn) -> ConstantValue {
    let tag = tag(row: row, column.position)
    let payload = payload(row: row, column.position)
    if tag == CellTag.null { return .null }
    switch column.kind {
    case .objectID(let entity, let hasEntityColumn):
      var own: Int32 = -1
      if hasEntityColumn, self.tag(row: row, column.position + 1) == CellTag.integer {
        own = entities.destination(Int64(bitPattern: self.payload(row: row, column.position + 1)))
      }
      return .objectID(
        ManagedObjectID(
          storeUUID: storeUUID, entity: model.entities[own < 0 ? entity : Int(own)],
          primaryKey: Int64(bitPattern: payload)))
    case .value(let type): return .attribute(type.value(tag: tag, payload: payload, arena))
    default: return .attribute(AttributeType.undefined.value(tag: tag, payload: payload, arena))
    }
  }
}

extension AttributeType {
  /// The value of a cell as an attribute of the type holds it; what the type cannot hold stays what it is.
  @inline(__always)
  package func value(tag: UInt8, payload: UInt64, _ arena: ByteArena) -> AttributeValue {
    switch tag {
    case CellTag.integer: AttributeValue(stored: Int64(bitPattern: payload), self)
    case CellTag.real: AttributeValue(stored: Double(bitPattern: payload), self)
    case CellTag.text:
      AttributeValue(stored: String(decoding: arena.bytes(ByteRange(payload: payload)), as: UTF8.self), self)
    case CellTag.blob: AttributeValue(stored: arena.bytes(ByteRange(payload: payload)), self)
    default: .null
    }
  }
}

extension DecimalNumber {
  /// The decimal number with the fewest digits that is stored as `number`; `nil` when it is not finite.
  package init?(stored number: Double) {
    guard number.isFinite else { return nil }
    // Fewer digits would be another integer, and stored as that.
    if number.magnitude >= 0x1p53, let integer = Int64(exactly: number) {
      self.init(significand: Int128(integer), exponent: 0)
      return
    }
    // A number of at most 15 digits has one decimal spelling of so many, and the quotient of two exact numbers is
    // rounded correctly: so the first power of ten that gives the number back is that of the spelling.
    var power = 1.0
    for places in 0...6 {
      let digits = (number * power).rounded()
      if abs(digits) >= 1e15 { break }
      if digits / power == number {
        self.init(significand: Int128(Int64(digits)), exponent: -places)
        return
      }
      power *= 10
    }
    self.init(number.description.utf8)
  }
}
