import CMergewalkSQLite

/// Why a text is not taken as a query.
package enum QueryRefusal: Error, Hashable, Sendable {
  /// SQLite cannot compile it.
  case sqlite(SQLiteError)
  /// It is no single statement that only reads; in words that follow "the query".
  case refused(String)
}

/// Compiles queries from somewhere else on a connection that only reads.
///
/// As long as the guard lives, statements of the connection can read the file's own tables and call functions; attaching
/// files, pragmas, transactions, changes of the schema, and functions that reach outside the database are denied.
/// Source: [Compile-Time Authorization Callbacks](https://sqlite.org/c3ref/set_authorizer.html).
package final class QueryGuard {
  private let connection: Connection
  /// The action that was denied last.
  private var denied: String?
  /// Whether a statement that was compiled is recursive, so that it need not end.
  package private(set) var isRecursive = false

  package init(_ connection: Connection) {
    self.connection = connection
    mergewalk_db_config(connection.handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nil)
    sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_set_authorizer(
      connection.handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let queryGuard = Unmanaged<QueryGuard>.fromOpaque(context).takeUnretainedValue()
        if action == SQLITE_RECURSIVE { queryGuard.isRecursive = true }
        let denial = QueryGuard.denial(action, first, second)
        guard let denial else { return SQLITE_OK }
        queryGuard.denied = denial
        return SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { if !connection.isClosed { sqlite3_set_authorizer(connection.handle, nil, nil) } }

  /// Functions of SQLite, its extensions and its shell that load code, change how code runs, or touch files.
  private static let deniedFunctions = [
    "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "lsmode", "fsdir",
  ]

  /// The name of an action in a denial; `nil` when it is permitted.
  private static func denial(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> String? {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return nil
    // Virtual tables compile such statements for themselves; a query that writes is told by what it compiles to, and
    // nothing can be written through the connection.
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: return nil
    case SQLITE_FUNCTION:
      guard let name = second.map({ String(cString: $0).lowercased() }) else { return "calls a function" }
      return deniedFunctions.contains(name) ? "calls the function \(name)()" : nil
    case SQLITE_PRAGMA:
      let name = first.map { String(cString: $0).lowercased() } ?? ""
      // Full-text tables ask these for themselves.
      if second == nil, name == "data_version" || name == "page_size" { return nil }
      return "has a PRAGMA"
    case SQLITE_ATTACH: return "attaches a database"
    case SQLITE_DETACH: return "detaches a database"
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return "begins or ends a transaction"
    default: return "changes the database"
    }
  }

  /// Compiles a text that must be one statement that only reads and gives rows, without parameters.
  package func prepare(_ sql: String) throws(QueryRefusal) -> Statement {
    if sql.utf8.contains(0) { throw .refused("contains a NUL character") }
    var text = Array(sql.utf8CString)
    denied = nil
    var statement: OpaquePointer?
    var failure: QueryRefusal?
    text.withUnsafeMutableBufferPointer { buffer in
      var rest = UnsafePointer(buffer.baseAddress)
      // Comments and empty statements before it, and behind it, are none.
      while failure == nil, let start = rest, start.pointee != 0 {
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(
          connection.handle, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, &rest)
        if code != SQLITE_OK {
          failure = statement == nil ? refusal(code) : .refused("is more than one statement")
        } else if let compiled, statement != nil {
          sqlite3_finalize(compiled)
          failure = .refused("is more than one statement")
        } else if let compiled {
          statement = compiled
        }
      }
    }
    if failure == nil { failure = check(statement) }
    if let failure {
      sqlite3_finalize(statement)
      throw failure
    }
    guard let statement else { throw .refused("is empty") }
    return Statement(handle: statement, sql: sql, connection: connection)
  }

  private func check(_ statement: OpaquePointer?) -> QueryRefusal? {
    guard let statement else { return .refused("is empty") }
    if sqlite3_stmt_readonly(statement) == 0 { return .refused("changes the database") }
    if sqlite3_column_count(statement) == 0 { return .refused("gives no rows") }
    if sqlite3_bind_parameter_count(statement) > 0 {
      return .refused("has parameters (?, :name), for which there are no values")
    }
    return nil
  }

  private func refusal(_ code: Int32) -> QueryRefusal {
    if let denied { return .refused(denied) }
    return .sqlite(SQLiteError(handle: connection.handle, fallback: code))
  }
}
