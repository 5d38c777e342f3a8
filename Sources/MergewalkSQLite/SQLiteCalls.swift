/// The calls that throw, as functions.
///
/// A module whose own methods of the same names throw errors of its own hides these here, and reaches them so.
@usableFromInline package enum SQLiteCalls {
  /// ``Connection/init(path:mode:)``.
  package static func open(_ path: String, _ mode: Connection.Mode) throws(SQLiteError) -> Connection {
    try Connection(path: path, mode: mode)
  }
  /// ``Connection/close()``.
  package static func close(_ connection: Connection) throws(SQLiteError) { try connection.close() }
  /// ``Connection/execute(_:_:)``.
  package static func execute(
    _ connection: Connection, _ sql: String, _ use: Connection.Use = .rows
  ) throws(SQLiteError) {
    try connection.execute(sql, use)
  }
  /// ``Connection/prepare(_:)``.
  package static func prepare(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Statement {
    try connection.prepare(sql)
  }
  /// ``Connection/integer(_:)``.
  package static func integer(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Int64? {
    try connection.integer(sql)
  }
  /// ``Connection/text(_:)``.
  package static func text(_ connection: Connection, _ sql: String) throws(SQLiteError) -> String? {
    try connection.text(sql)
  }
  /// ``Connection/backUp(to:)``.
  package static func backUp(_ connection: Connection, to path: String) throws(SQLiteError) {
    try connection.backUp(to: path)
  }
  /// ``Statement/step()``.
  @inlinable
  package static func step(_ statement: Statement) throws(SQLiteError) -> Bool { try statement.step() }
  /// ``Statement/run()``.
  @inlinable
  package static func run(_ statement: Statement) throws(SQLiteError) { try statement.run() }
}
