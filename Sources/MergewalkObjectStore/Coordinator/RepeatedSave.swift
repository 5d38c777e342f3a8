import CMergewalkSQLite
package import MergewalkSQLite

/// Makes the changes of a save once more, in a store that lacks them.
///
/// SQLite makes them one after the other and tries those again that a unique value stands in the way of. Rows that exchange
/// such values are left: they are taken out, all of them, before they come in again.
package struct RepeatedSave {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Makes all changes, within a transaction of the caller's, who rolls back when they are not made.
  ///
  /// - Returns: Whether they were made; false when a row is not what it was before them, or another one has its value.
  package func run(_ changes: [UInt8]) throws(StoreError) -> Bool {
    try connection.withoutTriggers { () throws(StoreError) -> Bool in
      guard let held = try connection.mapped({ () throws(SQLiteError) in try connection.apply(changes) }) else {
        return false
      }
      do throws(StoreError) {
        var inserts: [Statement] = []
        for change in held { if let insert = try takeOut(change) { inserts.append(insert) } else { return false } }
        for insert in inserts { try insert.run() }
        return true
      } catch {
        // A row that the save did not know has the value.
        guard error.cause?.kind == .unique else { throw error }
        return false
      }
    }
  }

  /// Takes a row out, if it is there, and makes the statement that puts it back with its new values.
  ///
  /// - Returns: `nil` when the table or the row is not what it was.
  private func takeOut(_ change: HeldChange) throws(StoreError) -> Statement? {
    let columns = try TableColumns(change.table, connection)
    guard columns.names.count == change.keys.count else { return nil }
    let places = columns.names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insert = try connection.prepare(
      "INSERT INTO \(columns.table)(\(columns.list(withRow: false))) VALUES(\(places))")
    for column in change.keys.indices where change.isKnown(column) {
      change.bind(column, to: insert, Int32(column) + 1)
    }
    if change.isInsert { return insert }
    let keys = change.keys.indices.filter { change.keys[$0] }
    let condition = keys.enumerated().map { "\(SQLQuoting.name(columns.names[$1])) IS ?\($0 + 1)" }
      .joined(separator: " AND ")
    let find = try connection.prepare(
      "SELECT \(columns.list(withRow: false)) FROM \(columns.table) WHERE \(condition)")
    let delete = try connection.prepare("DELETE FROM \(columns.table) WHERE \(condition)")
    for (place, column) in keys.enumerated() {
      for statement in [find, delete] { change.bind(column, to: statement, Int32(place) + 1) }
    }
    guard try find.step() else { return nil }
    for column in change.keys.indices where !change.isKnown(column) {
      sqlite3_bind_value(insert.handle, Int32(column) + 1, sqlite3_column_value(find.handle, Int32(column)))
    }
    find.reset()
    try delete.run()
    return insert
  }
}
