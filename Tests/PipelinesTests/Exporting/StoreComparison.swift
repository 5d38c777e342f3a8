import MergewalkSQLite
import Testing

/// Compares two stores table by table with SQL; versions of rows (`Z_OPT`) apart.
enum StoreComparison {
  /// Returns what is different: nothing for equal stores.
  static func differences(_ left: String, _ right: String) throws -> [String] {
    let connection = try Connection(path: left, mode: .readWrite)
    try connection.execute("ATTACH '\(right)' AS other")
    var result: [String] = []
    let tables = try names(connection, "main")
    if try tables != names(connection, "other") { result.append("other tables: \(tables)") }
    for table in tables {
      let columns = try texts(connection, "SELECT name FROM pragma_table_info('\(table)') WHERE name <> 'Z_OPT'")
      // The storage class too: SQL takes 1 and 1.0 for equal.
      let list = columns.map { "\($0), typeof(\($0))" }.joined(separator: ", ")
      for (one, two) in [("main", "other"), ("other", "main")] {
        let count = try connection.integer(
          "SELECT count(*) FROM (SELECT \(list) FROM \(one).\(table) EXCEPT SELECT \(list) FROM \(two).\(table))")
        if count != 0 { result.append("\(table): \(count ?? -1) rows only in \(one)") }
      }
    }
    try connection.close()
    return result
  }

  private static func names(_ connection: Connection, _ schema: String) throws -> [String] {
    try texts(
      connection,
      "SELECT name FROM \(schema).sqlite_master WHERE type = 'table' AND name LIKE 'Z%'"
        + " AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'Z_PRIMARYKEY') ORDER BY name")
  }

  private static func texts(_ connection: Connection, _ sql: String) throws -> [String] {
    let select = try connection.prepare(sql)
    var result: [String] = []
    while try select.step() { result.append(select.text(0)) }
    return result
  }
}
