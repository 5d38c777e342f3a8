import MergewalkSQLite

/// An SQLite file that is no store, for statements of one's own.
///
/// It is confined to one task. Without ``close()`` it is closed when it goes.
package final class DatabaseFile {
  /// The permitted access to the file.
  package enum Access: Sendable {
    /// It is there and is not changed.
    case read
    case readWrite
    /// It is made when it does not exist.
    case create
  }

  private let connection: Connection

  /// Opens a file.
  ///
  /// That it is no database shows at the first statement.
  package init(_ path: String, _ access: Access) throws(StoreError) {
    let mode: Connection.Mode =
      switch access {
      case .read: .readOnly
      case .readWrite: .readWrite
      case .create: .create
      }
    connection = try Connection.open(path, mode)
  }

  package func close() throws(StoreError) { try connection.close() }

  /// Runs all statements in a text.
  package func execute(_ sql: String) throws(StoreError) { try connection.execute(sql) }

  /// The first column of the first row; `nil` when there is no row or it is null.
  package func integer(_ sql: String) throws(StoreError) -> Int64? { try connection.integer(sql) }

  /// Compiles a statement, whose parameters have these values.
  package func rows(_ sql: String, _ values: [SQLBinding] = []) throws(StoreError) -> DatabaseRows {
    let rows = DatabaseRows(try connection.prepare(sql))
    rows.bind(values)
    return rows
  }
}

@available(*, unavailable, message: "a file is confined to one task")
extension DatabaseFile: Sendable {}
