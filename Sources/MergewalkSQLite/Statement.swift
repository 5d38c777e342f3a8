public import CMergewalkSQLite

/// A compiled statement, confined like its connection.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Binding never throws: what SQLite refuses to bind is
/// thrown by the next ``step()``.
@usableFromInline package final class Statement {
  @usableFromInline package let handle: OpaquePointer
  /// The statement's text.
  package let sql: String

  package let connection: Connection
  /// Whether the next step is the first one after a reset, or something was refused before it.
  ///
  /// Unchecked exclusivity: touched at every step; the class is confined to one thread.
  @exclusivity(unchecked) @usableFromInline var needsStart = true
  private var refusedCode = SQLITE_OK
  /// The purpose; a statement counts as touching all rows unless this says that it does not.
  package var use = Connection.Use.rows

  init(handle: OpaquePointer, sql: String, connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
    connection.register(handle)
  }

  deinit { connection.finalize(handle) }

  // MARK: - Running

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is a row; `false` when the statement is done.
  @inlinable
  package func step() throws(SQLiteError) -> Bool {
    if needsStart { try start() }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs the statement to its end and resets it, also when it fails.
  @inlinable
  package func run() throws(SQLiteError) {
    if needsStart { try start() }
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    if code != SQLITE_DONE { throw failure(code) }
    reset()
  }

  /// Makes the statement ready to run again; the bound values stay.
  @inlinable
  package func reset() {
    // The code repeats the last step's error, which step() has thrown already.
    sqlite3_reset(handle)
    needsStart = true
  }

  /// Sets all parameters to null.
  package func clearBindings() { sqlite3_clear_bindings(handle) }

  @usableFromInline
  func start() throws(SQLiteError) {
    if connection.isClosed { throw SQLiteError.closed(sql) }
    try connection.willUseFile?(use)
    connection.countStatement()
    if refusedCode != SQLITE_OK {
      let code = refusedCode
      refusedCode = SQLITE_OK
      throw SQLiteError(handle: nil, fallback: code, sql: sql)
    }
    needsStart = false
  }

  @usableFromInline
  func failure(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(handle: connection.handle, fallback: code, sql: sql)
    reset()
    return error
  }

  @usableFromInline
  func check(_ code: Int32) {
    if code != SQLITE_OK { refuse(code) }
  }

  private func refuse(_ code: Int32) {
    refusedCode = code
    needsStart = true
  }

  // MARK: - Parameters

  package var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  @inlinable
  package func bind(_ index: Int32, _ value: Int64) { check(sqlite3_bind_int64(handle, index, value)) }

  /// Binds a floating-point number; SQLite turns NaN into null.
  @inlinable
  package func bind(_ index: Int32, _ value: Double) { check(sqlite3_bind_double(handle, index, value)) }

  @inlinable
  package func bindNull(_ index: Int32) { check(sqlite3_bind_null(handle, index)) }

  /// Binds text; SQLite keeps a copy.
  package func bind(_ index: Int32, text: String) {
    var text = text
    let code = text.withUTF8 { bytes in
      sqlite3_bind_text64(
        handle, index, bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) } ?? emptyText,
        UInt64(bytes.count), sqliteTransient, UInt8(SQLITE_UTF8))
    }
    check(code)
  }

  /// Binds UTF-8 text without a copy.
  ///
  /// The bytes must stay in place until the parameter is bound again or the statement ends.
  @inlinable
  package func bind(_ index: Int32, textBytes bytes: UnsafeRawBufferPointer) {
    check(
      sqlite3_bind_text64(
        handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText, UInt64(bytes.count), nil,
        UInt8(SQLITE_UTF8)))
  }

  /// Binds bytes without a copy.
  ///
  /// The bytes must stay in place until the parameter is bound again or the statement ends.
  @inlinable
  package func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) {
    check(
      sqlite3_bind_blob64(
        handle, index, bytes.baseAddress ?? UnsafeRawPointer(emptyText), UInt64(bytes.count), nil))
  }

  /// Binds bytes; SQLite keeps a copy.
  package func bind(_ index: Int32, copying bytes: [UInt8]) {
    let code = bytes.withUnsafeBytes { bytes in
      sqlite3_bind_blob64(
        handle, index, bytes.baseAddress ?? UnsafeRawPointer(emptyText), UInt64(bytes.count), sqliteTransient)
    }
    check(code)
  }

  // MARK: - Columns

  package var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The name of a column as the statement gives it.
  package func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  /// The storage class of the value: `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
  ///
  /// Ask before the value is read as another type, which converts it.
  @inlinable
  package func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  /// Whether the value is null.
  @inlinable
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The value as an integer, 0 for null.
  @inlinable
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The value as a floating-point number, 0 for null.
  @inlinable
  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The value as text, empty for null; bytes that are no UTF-8 are repaired.
  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The bytes of a text or a blob, valid until the next step, reset or read of the same column as another type.
  @inlinable
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start =
      sqlite3_column_type(handle, column) == SQLITE_BLOB
      ? sqlite3_column_blob(handle, column) : sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }
}

/// Bound in place of a null pointer, which SQLite would take for a null value.
@usableFromInline
var emptyText: UnsafePointer<CChar> {
  UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
}

/// SQLite's `SQLITE_TRANSIENT`: a pointer of all ones that tells it to copy the bytes.
var sqliteTransient: sqlite3_destructor_type {
  unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

@available(*, unavailable, message: "a statement is confined to the task of its connection")
extension Statement: Sendable {}
