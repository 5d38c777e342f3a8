import CMergewalkSQLite

/// A call of SQLite that failed.
///
/// Source: [Result and Error Codes](https://sqlite.org/rescode.html).
@usableFromInline package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
  package let code: Int32
  /// SQLite's own words.
  package let message: String
  /// The statement that failed, without its values, or `nil`.
  package let sql: String?

  package init(code: Int32, message: String, sql: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// Takes the last error of a connection's handle; `fallback` is the code when there is no handle.
  init(handle: OpaquePointer?, fallback: Int32, sql: String? = nil) {
    guard let handle else {
      self.init(code: fallback, message: String(cString: sqlite3_errstr(fallback)), sql: sql)
      return
    }
    // Misuse is reported without touching the handle, so the handle's own code would be that of an older call.
    let code = fallback == SQLITE_MISUSE ? fallback : sqlite3_extended_errcode(handle)
    let known = code & 0xFF == fallback & 0xFF
    self.init(
      code: known ? code : fallback,
      message: String(cString: known ? sqlite3_errmsg(handle) : sqlite3_errstr(fallback)), sql: sql)
  }

  /// That the connection was closed, with which its statements ended.
  static func closed(_ sql: String) -> SQLiteError {
    SQLiteError(code: SQLITE_MISUSE, message: "the connection was closed", sql: sql)
  }

  /// The primary result code: the low eight bits of ``code``.
  package var primaryCode: Int32 { code & 0xFF }

  /// `SQLite error CODE: message (statement)`; a long statement is cut.
  @usableFromInline package var description: String {
    let longest = 1000
    let shown = sql.map { $0.utf8.count > longest ? "\($0.prefix(longest))… (\($0.utf8.count) bytes)" : $0 }
    return "SQLite error \(code): \(message)\(shown.map { " (\($0))" } ?? "")"
  }
}
