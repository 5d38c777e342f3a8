import MergewalkSQLite

/// The tables that stores mirrored to CloudKit have beside those of the model.
///
/// Which record of CloudKit an object is stands in them by entity number and key. Core Data looks through the persistent
/// history for what it has to send, and makes rows for new objects itself; so an import that records history leaves these
/// tables alone. That is what is published; no such store is at hand.
enum CloudTables {
  /// The columns with entity numbers.
  private static let numberColumns: Set<String> = ["ZENTITYID"]

  /// What `store info`, `store verify` and runs say.
  static let note =
    "the store is mirrored to CloudKit; its own tables are left alone, and Core Data sends what the history records"

  /// The names of the tables.
  static func names(_ connection: Connection) throws(StoreError) -> [String] {
    let rows = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(name) GLOB 'ANSCK*' ORDER BY name")
    var names: [String] = []
    while try rows.step() { names.append(rows.text(0)) }
    return names
  }

  /// Gives the rows the new numbers of their entities, in one statement a column.
  ///
  /// - Parameter numbers: For each number before, the number afterwards; `nil` when the entity is gone, whose rows stay as
  ///   they are for no entity.
  static func renumber(_ numbers: [Int: Int?], _ connection: Connection) throws(StoreError) {
    let moved = numbers.filter { $0.value != $0.key }.sorted { $0.key < $1.key }
    guard !moved.isEmpty else { return }
    let cases = moved.map { " WHEN \($0.key) THEN \($0.value ?? 0)" }.joined()
    for name in try names(connection) {
      for column in try TableColumns(name, connection).names where numberColumns.contains(column.uppercased()) {
        let column = TableColumns.quoted(column)
        try connection.execute(
          "UPDATE \(TableColumns.quoted(name)) SET \(column) = CASE \(column)\(cases) ELSE \(column) END")
      }
    }
  }
}
