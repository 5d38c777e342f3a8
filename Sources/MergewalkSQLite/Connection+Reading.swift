import CMergewalkSQLite

extension Connection {
  /// How many pages were read from the file, or its log, so far.
  ///
  /// Source: [Status Parameters for database connections](https://sqlite.org/c3ref/c_dbstatus_options.html).
  package var pagesRead: Int {
    var current: Int32 = 0
    var highest: Int32 = 0
    guard !isClosed, sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &current, &highest, 0) == SQLITE_OK
    else { return 0 }
    return Int(current)
  }

  /// The database as the bytes of a file, without what is not committed.
  ///
  /// Source: [sqlite3_serialize](https://sqlite.org/c3ref/serialize.html).
  package func serialized() throws(SQLiteError) -> [UInt8] {
    if isClosed { throw SQLiteError.closed("sqlite3_serialize") }
    var count: sqlite3_int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else {
      throw SQLiteError(handle: handle, fallback: SQLITE_NOMEM)
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

extension Statement {
  /// The UTF-16 code units of a text in the machine's byte order, valid as ``bytes(_:)``.
  package func utf16(_ column: Int32) -> UnsafeBufferPointer<UInt16> {
    let start = sqlite3_column_text16(handle, column)
    let count = Int(sqlite3_column_bytes16(handle, column)) / 2
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt16.self), count: start == nil ? 0 : count)
  }
}
