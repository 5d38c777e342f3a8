/// The calls that throw, as functions.
///
/// A module whose own methods of the same names throw errors of its own hides these here, and reaches them so.
public enum SQLiteCalls {
  /// ``Connection/init(path:mode:)``.
  public static func open(_ path: String, _ mode: Connection.Mode) throws(SQLiteError) -> Connection {
    try Connection(path: path, mode: mode)
  }
  /// ``Connection/close()``.
  public static func close(_ connection: Connection) throws(SQLiteError) { try connection.close() }
  /// ``Connection/execute(_:_:)``.
  public static func execute(
    _ connection: Connection, _ sql: String, _ use: Connection.Use = .rows
  ) throws(SQLiteError) {
    try connection.execute(sql, use)
  }
  /// ``Connection/prepare(_:)``.
  public static func prepare(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Statement {
    try connection.prepare(sql)
  }
  /// ``Connection/integer(_:)``.
  public static func integer(_ connection: Connection, _ sql: String) throws(SQLiteError) -> Int64? {
    try connection.integer(sql)
  }
  /// ``Connection/text(_:)``.
  public static func text(_ connection: Connection, _ sql: String) throws(SQLiteError) -> String? {
    try connection.text(sql)
  }
  /// ``Connection/backUp(to:)``.
  public static func backUp(_ connection: Connection, to path: String) throws(SQLiteError) {
    try connection.backUp(to: path)
  }
  /// ``Statement/step()``.
  @inlinable
  public static func step(_ statement: Statement) throws(SQLiteError) -> Bool { try statement.step() }
  /// ``Statement/run()``.
  @inlinable
  public static func run(_ statement: Statement) throws(SQLiteError) { try statement.run() }
}
