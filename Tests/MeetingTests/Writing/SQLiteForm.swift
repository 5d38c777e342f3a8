import MergewalkSQLite

/// Writes a table of a SQLite database.
enum SQLiteForm {
  static func write(_ items: [Item], _ scenario: Scenario, to path: String) throws -> WrittenFile {
    let connection = try Connection(path: path, mode: .create)
    let names = scenario.columnNames.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    try connection.execute("CREATE TABLE items (\(names.joined(separator: ", ")))")
    try connection.execute("BEGIN")
    let insert = try connection.prepare(
      "INSERT INTO items VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))")
    for case .record(let cell) in items {
      for (index, column) in scenario.columns.enumerated() {
        let place = Int32(index + 1)
        switch cell.get(scenario.path(column.name)[...]) {
        case .null, .absent: insert.bindNull(place)
        case let .list(elements): insert.bind(place, text: JSONForm.text(.list(elements)))
        case let value: insert.bind(place, text: value.spelling ?? "")
        }
      }
      try insert.run()
      insert.reset()
    }
    try connection.execute("COMMIT")
    try connection.close()
    return WrittenFile(bytes: [], records: FileWriter(scenario: scenario).records(items))
  }
}
