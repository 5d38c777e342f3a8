import CMergewalkSQLite
import MergewalkSQLite

/// A list of constants that SQL reads as a table: `SELECT value FROM mergewalk_list(?)`.
///
/// A long IN list is one parameter this way: the text does not depend on its length, and no limit of parameters is met.
/// The list goes through the parameter as a pointer, so each statement has its own.
/// Source: [The carray() table-valued function](https://sqlite.org/carray.html),
/// [pointer passing](https://sqlite.org/bindptr.html).
enum ListSource {
  static let name = "mergewalk_list"

  static func register(_ connection: Connection) throws(StoreError) {
    try connection.check(sqlite3_create_module_v2(connection.handle, name, module, nil, nil), "the table \(name)")
  }

  /// Binds a list to a parameter; the statement keeps it until the parameter is bound again.
  static func bind(_ values: [SQLBinding], to statement: Statement, _ index: Int32) {
    let list = Unmanaged.passRetained(ListValues(values)).toOpaque()
    // SQLite calls the destructor also when it refuses.
    sqlite3_bind_pointer(statement.handle, index, list, pointerType) { list in
      list.map { Unmanaged<ListValues>.fromOpaque($0).release() }
    }
  }

  /// SQLite compares the word behind the pointer, which must stay in place.
  fileprivate static var pointerType: UnsafePointer<CChar> {
    UnsafeRawPointer(("mergewalk_list" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

private final class ListValues {
  let values: [SQLBinding]
  init(_ values: [SQLBinding]) { self.values = values }
}

/// SQLite's cursor object, followed by what is ours.
private struct ListCursor {
  var base: sqlite3_vtab_cursor
  var list: Unmanaged<ListValues>?
  var position: Int
}

extension UnsafeMutablePointer<sqlite3_vtab_cursor> {
  fileprivate var own: UnsafeMutablePointer<ListCursor> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: ListCursor.self)
  }
}

/// The module's table of functions; SQLite keeps the pointer as long as a connection lives, so it is never freed.
nonisolated(unsafe) private let module: UnsafePointer<sqlite3_module> = {
  var module = sqlite3_module()
  module.iVersion = 1
  // Without xCreate the table exists under the module's name and cannot be created.
  module.xCreate = nil
  module.xConnect = { handle, _, _, _, result, _ in
    let code = sqlite3_declare_vtab(handle, "CREATE TABLE x(value, list HIDDEN)")
    guard code == SQLITE_OK else { return code }
    let table = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
    table.initialize(to: sqlite3_vtab())
    result?.pointee = table
    return SQLITE_OK
  }
  module.xDisconnect = { table in
    table?.deallocate()
    return SQLITE_OK
  }
  module.xBestIndex = { _, info in
    guard let info, let constraints = info.pointee.aConstraint, let usage = info.pointee.aConstraintUsage else {
      return SQLITE_MISUSE
    }
    for i in 0..<Int(info.pointee.nConstraint) {
      let constraint = constraints[i]
      guard constraint.iColumn == 1, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ), constraint.usable != 0 else {
        continue
      }
      usage[i].argvIndex = 1
      usage[i].omit = 1
      info.pointee.estimatedCost = 1
      info.pointee.estimatedRows = 100
      return SQLITE_OK
    }
    // Without its list there is no table.
    return SQLITE_CONSTRAINT
  }
  module.xOpen = { _, result in
    let cursor = UnsafeMutablePointer<ListCursor>.allocate(capacity: 1)
    cursor.initialize(to: ListCursor(base: sqlite3_vtab_cursor(), list: nil, position: 0))
    result?.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }
  module.xClose = { cursor in
    cursor?.own.deallocate()
    return SQLITE_OK
  }
  module.xFilter = { cursor, _, _, count, arguments in
    guard let cursor, count == 1, let argument = arguments?[0] else { return SQLITE_MISUSE }
    let list = sqlite3_value_pointer(argument, ListSource.pointerType)
    cursor.own.pointee.list = list.map { Unmanaged<ListValues>.fromOpaque($0) }
    cursor.own.pointee.position = 0
    return SQLITE_OK
  }
  module.xNext = { cursor in
    cursor?.own.pointee.position += 1
    return SQLITE_OK
  }
  module.xEof = { cursor in
    guard let own = cursor?.own, let list = own.pointee.list else { return 1 }
    return own.pointee.position >= list.takeUnretainedValue().values.count ? 1 : 0
  }
  module.xRowid = { cursor, result in
    result?.pointee = Int64(cursor?.own.pointee.position ?? 0)
    return SQLITE_OK
  }
  module.xColumn = { cursor, context, number in
    guard let own = cursor?.own, let context, number == 0, let list = own.pointee.list else { return SQLITE_OK }
    switch list.takeUnretainedValue().values[own.pointee.position] {
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let value): FunctionCall.return(value, to: context)
    case .blob(let value): FunctionCall.return(value, to: context)
    case .null, .now, .list: sqlite3_result_null(context)
    }
    return SQLITE_OK
  }
  let memory = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  memory.initialize(to: module)
  return UnsafePointer(memory)
}()
