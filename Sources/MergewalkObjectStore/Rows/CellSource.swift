import CMergewalkSQLite
import MergewalkSystem
import MergewalkSQLite

/// A view of columns in memory that SQL reads as a table: how rows get into statements without binding them one by one.
///
/// A source is registered on a connection under a name and is then an eponymous virtual table with the columns
/// `c0`, `c1` ... Before a statement runs, ``fill(rows:columns:arena:)`` points it at memory; the memory must stay in
/// place until the statement ends. One statement then moves a whole batch, without a crossing between languages for
/// each value.
///
/// Source: [The virtual table mechanism of SQLite](https://sqlite.org/vtab.html).
///
/// - Note: The callbacks run for every value of every row written. They use plain memory only: no classes, no arrays.
final class CellSource {
  /// Where the values of one column of a source come from.
  enum Column {
    /// Cells: tags and payloads, indexed by row.
    case cells(UnsafePointer<UInt8>, UnsafePointer<UInt64>)
    /// 64-bit integers, indexed by row.
    case integers(UnsafePointer<Int64>)
    /// Entity indexes, which are written as the numbers that the store gives entities; -1 is written as null.
    case entityNumbers(UnsafePointer<Int32>, numbers: UnsafePointer<Int32>)
    /// Order keys: integers that are null where the cell they belong to is null.
    case orderKeys(UnsafePointer<Int64>, UnsafePointer<UInt8>)

    /// The value of a row; text and bytes stay in the arena.
    @inline(__always) func value(_ row: Int, _ arena: UnsafeRawPointer) -> Value {
      switch self {
      case .cells(let tags, let payloads):
        let payload = payloads[row]
        switch tags[row] {
        case CellTag.integer: return .integer(Int64(bitPattern: payload))
        case CellTag.real: return .real(Double(bitPattern: payload))
        case CellTag.text:
          let range = ByteRange(payload: payload)
          return .text(UnsafeRawBufferPointer(start: arena + range.offset, count: range.length))
        case CellTag.blob:
          let range = ByteRange(payload: payload)
          return .blob(UnsafeRawBufferPointer(start: arena + range.offset, count: range.length))
        default: return .null
        }
      case .integers(let values): return .integer(values[row])
      case .entityNumbers(let values, let numbers):
        return values[row] < 0 ? .null : .integer(Int64(numbers[Int(values[row])]))
      case .orderKeys(let values, let tags):
        return tags[row] == CellTag.null ? .null : .integer(values[row])
      }
    }
  }

  /// A value as SQLite takes it.
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  /// The name under which statements use the source.
  let name: String
  private let state: UnsafeMutablePointer<CellSourceState>
  private let columnCount: Int
  private let columns: UnsafeMutablePointer<Column>

  /// Registers a source with `columnCount` columns on a connection.
  init(name: String, columnCount: Int, connection: Connection) throws(StoreError) {
    self.name = name
    self.columnCount = columnCount
    state = .allocate(capacity: 1)
    columns = .allocate(capacity: max(columnCount, 1))
    state.initialize(
      to: CellSourceState(
        columnCount: Int32(columnCount), rowCount: 0, rows: nil, columns: UnsafePointer(columns), arena: nil))
    try connection.check(
      sqlite3_create_module_v2(connection.handle, name, cellSourceModule, state, nil), "the row source \(name)")
  }

  // The connection is closed before the store lets go of its sources, so nothing can refer to the state any more.
  deinit {
    state.deallocate()
    columns.deallocate()
  }

  /// Points the source at rows; the order of `rows` is the order in which SQL sees them.
  func fill(rows: UnsafeBufferPointer<Int32>, columns newColumns: [Column], arena: UnsafeRawPointer) {
    precondition(newColumns.count == columnCount, "a row source gets as many columns as it was made with")
    for (i, column) in newColumns.enumerated() { columns[i] = column }
    state.pointee.rows = rows.baseAddress
    state.pointee.rowCount = rows.count
    state.pointee.arena = arena
  }

  /// Makes the source empty.
  func clear() {
    state.pointee.rowCount = 0
    state.pointee.rows = nil
  }
}

/// The target of a source's pointer; plain memory that the callbacks read.
struct CellSourceState {
  var columnCount: Int32
  var rowCount: Int
  var rows: UnsafePointer<Int32>?
  var columns: UnsafePointer<CellSource.Column>
  var arena: UnsafeRawPointer?
}

/// SQLite's table object, followed by what is ours.
private struct CellTable {
  var base: sqlite3_vtab
  var state: UnsafeMutablePointer<CellSourceState>
}

/// SQLite's cursor object, followed by what is ours.
private struct CellCursor {
  var base: sqlite3_vtab_cursor
  var state: UnsafeMutablePointer<CellSourceState>
  var position: Int
}

/// The module's table of functions; SQLite keeps the pointer as long as a connection lives, so it is never freed.
nonisolated(unsafe) private let cellSourceModule: UnsafePointer<sqlite3_module> = {
  var module = sqlite3_module()
  module.iVersion = 1
  // Without xCreate the table is eponymous: it exists under the module's name and cannot be created.
  module.xCreate = nil
  module.xConnect = { handle, context, _, _, result, _ in
    guard let context, let result else { return SQLITE_MISUSE }
    let state = context.assumingMemoryBound(to: CellSourceState.self)
    let names = (0..<state.pointee.columnCount).map { "c\($0)" }.joined(separator: ",")
    let code = sqlite3_declare_vtab(handle, "CREATE TABLE x(\(names.isEmpty ? "c0" : names))")
    guard code == SQLITE_OK else { return code }
    let table = UnsafeMutablePointer<CellTable>.allocate(capacity: 1)
    table.initialize(to: CellTable(base: sqlite3_vtab(), state: state))
    result.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
    return SQLITE_OK
  }
  module.xDisconnect = { table in
    UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: CellTable.self).deallocate()
    return SQLITE_OK
  }
  module.xBestIndex = { table, info in
    guard let table, let info else { return SQLITE_MISUSE }
    let state = UnsafeMutableRawPointer(table).assumingMemoryBound(to: CellTable.self).pointee.state
    info.pointee.estimatedCost = Double(max(state.pointee.rowCount, 1))
    info.pointee.estimatedRows = Int64(max(state.pointee.rowCount, 1))
    return SQLITE_OK
  }
  module.xOpen = { table, result in
    guard let table, let result else { return SQLITE_MISUSE }
    let state = UnsafeMutableRawPointer(table).assumingMemoryBound(to: CellTable.self).pointee.state
    let cursor = UnsafeMutablePointer<CellCursor>.allocate(capacity: 1)
    cursor.initialize(to: CellCursor(base: sqlite3_vtab_cursor(), state: state, position: 0))
    result.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }
  module.xClose = { cursor in
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self).deallocate()
    return SQLITE_OK
  }
  module.xFilter = { cursor, _, _, _, _ in
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self).pointee.position = 0
    return SQLITE_OK
  }
  module.xNext = { cursor in
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self).pointee.position += 1
    return SQLITE_OK
  }
  module.xEof = { cursor in
    guard let own = UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self) else { return 1 }
    return own.pointee.position >= own.pointee.state.pointee.rowCount ? 1 : 0
  }
  module.xRowid = { cursor, result in
    guard let own = UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self) else {
      return SQLITE_MISUSE
    }
    result?.pointee = Int64(own.pointee.position)
    return SQLITE_OK
  }
  module.xColumn = { cursor, context, number in
    guard let own = UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CellCursor.self) else {
      return SQLITE_MISUSE
    }
    let state = own.pointee.state
    guard let rows = state.pointee.rows, let arena = state.pointee.arena else { return SQLITE_MISUSE }
    let row = Int(rows[own.pointee.position])
    switch state.pointee.columns[Int(number)].value(row, arena) {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let bytes):
      // Static: the arena stays in place while the statement runs, and the record is built from it at once.
      // SQLite refuses what is longer than it can store.
      sqlite3_result_text64(
        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    case .blob(let bytes): sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
    }
    return SQLITE_OK
  }
  let memory = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  memory.initialize(to: module)
  return UnsafePointer(memory)
}()
