import MergewalkSQLite

/// The tables that stores mirrored to CloudKit have beside those of the model.
///
/// Which record of CloudKit an object is stands in them by entity number and key. Core Data looks through the persistent
/// history for what it has to send, and makes rows for new objects itself; so an import that records history leaves these
/// tables alone. That is what is published, statements of the tables included; no such store is at hand.
enum CloudTables {
  private static let numberColumns: Set<String> = ["ZENTITYID"]
  /// The table that has a row for each record.
  private static let records = "ANSCKRECORDMETADATA"
  /// The columns of ``records`` that refer to a row of their own in another table.
  private static let assets = [
    ("ZENCODEDRECORDASSET", "ANSCKRECORDMETADATAENCODEDRECORDASSET"),
    ("ZSYSTEMFIELDSASSET", "ANSCKRECORDMETADATASYSTEMFIELDSASSET"),
  ]
  /// The table with the pairs of many-to-many relationships, by the names of entities and relationships.
  private static let pairs = "ANSCKMIRROREDRELATIONSHIP"

  /// A relationship as the table of pairs names it.
  struct Relationship: Hashable, Sendable {
    let entity: String
    let name: String
  }

  /// The note of `store info` and `store verify` on a mirrored store; `nil` for others.
  static func note(_ connection: Connection) throws(StoreError) -> String? {
    guard try !names(connection).isEmpty else { return nil }
    guard try connection.tracksHistory() else { return StoreWarning.cloudWithoutHistory.description }
    return
      "the store is mirrored to CloudKit; its own tables are left alone, and Core Data sends what the history records"
  }

  static func names(_ connection: Connection) throws(StoreError) -> [String] {
    try connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(name) GLOB 'ANSCK*' ORDER BY name")
  }

  /// How many rows are about entities that the store does not have.
  static func strayRows(_ connection: Connection) throws(StoreError) -> Int64 {
    guard try columns(records, connection).contains("ZENTITYID") else { return 0 }
    return try connection.integer(
      "SELECT count(*) FROM \(records) WHERE ZENTITYID NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY)") ?? 0
  }

  /// Makes the tables fit another version of the model.
  ///
  /// Rows get the new numbers of their entities. Those of entities that are gone go, as apps remove them that were seen to
  /// repair such stores: a number that is free today is another entity's tomorrow.
  ///
  /// - Parameter numbers: For each number before, the number afterwards; `nil` when the entity is gone.
  static func migrate(
    _ numbers: [Int: Int?], without gone: Set<Relationship>, _ connection: Connection
  ) throws(StoreError) {
    let names = try names(connection)
    if names.isEmpty { return }
    let kept = numbers.compactMap { old, new in new.map { (old: old, new: $0) } }.sorted { $0.old < $1.old }
    let isStray = "ZENTITYID NOT IN (\(MigrationPlanner.list(kept.map(\.old))))"
    for (column, table) in assets where try columns(records, connection).isSuperset(of: [column, "ZENTITYID"]) {
      guard try connection.hasTable(table) else { continue }
      try connection.execute("DELETE FROM \(table) WHERE Z_PK IN (SELECT \(column) FROM \(records) WHERE \(isStray))")
    }
    let moved = kept.filter { $0.old != $0.new }
    for name in names {
      let table = SQLQuoting.name(name)
      for column in try columns(name, connection) where numberColumns.contains(column) {
        try connection.execute("DELETE FROM \(table) WHERE \(isStray)")
        guard !moved.isEmpty else { continue }
        // Number and key are unique together, and SQLite checks that row by row: so by way of numbers that no one has.
        let cases = moved.map { " WHEN \($0.old) THEN -\($0.new)" }.joined()
        try connection.execute("UPDATE \(table) SET \(column) = CASE \(column)\(cases) ELSE \(column) END")
        try connection.execute("UPDATE \(table) SET \(column) = -\(column) WHERE \(column) < 0")
      }
    }
    guard try columns(pairs, connection).isSuperset(of: ["ZCDENTITYNAME", "ZRELATIONSHIPNAME"]) else { return }
    let delete = try connection.prepare("DELETE FROM \(pairs) WHERE ZCDENTITYNAME = ?1 AND ZRELATIONSHIPNAME = ?2")
    for relationship in gone {
      delete.reset()
      delete.bind(1, text: relationship.entity)
      delete.bind(2, text: relationship.name)
      try delete.run()
    }
  }

  /// The names of a table's columns in upper case; none when there is no such table.
  private static func columns(_ table: String, _ connection: Connection) throws(StoreError) -> Set<String> {
    Set(try TableColumns(table, connection).names.map { $0.uppercased() })
  }
}
