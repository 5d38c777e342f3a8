import CMergewalkSQLite
import MergewalkSQLite

/// What an app's addition to a store needs, and that only the app has: a function or a collation that it registers, or a
/// table of its own.
///
/// SQLite compiles triggers, expressions of indexes and checks with the statements that write their tables. Those then fail,
/// and SQLite names what is missing but not what needs it.
enum MissingPart {
  /// The words before the name, by which SQLite tells what its code, the general one, does not; `main` is the schema of
  /// what triggers name.
  private static let words = [
    "no such function: ", "unknown function: ", "no such collation sequence: ", "no such table: main.",
  ]

  /// The name of what is missing.
  fileprivate static func name(_ error: SQLiteError) -> String? {
    guard error.primaryCode == SQLITE_ERROR, let start = words.first(where: error.message.hasPrefix) else { return nil }
    let name = error.message.dropFirst(start.count)
    return String(name.hasSuffix("()") ? name.dropLast(2) : name)
  }
}

extension Connection {
  /// An error that names what needs a missing part, and the cure; another error as it is.
  func explained(_ error: SQLiteError) -> SQLiteError {
    guard let missing = MissingPart.name(error), let addition = try? addition(naming: missing) else { return error }
    return SQLiteError(
      code: error.code,
      message: "\(error.message); \(addition.name) in \(name) needs it, and only the app may have it: drop"
        + " \(addition.short) before, and create it again afterwards", sql: error.sql)
  }

  /// A trigger, an index or a table that names something.
  private func addition(naming missing: String) throws(SQLiteError) -> (name: String, short: String)? {
    let rows = try SQLiteCalls.prepare(
      self,
      "SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE type IN ('trigger', 'index', 'table')"
        + " AND name <> ?1 COLLATE NOCASE AND instr(lower(sql), lower(?1)) ORDER BY type DESC, name")
    rows.bind(1, text: missing)
    while try SQLiteCalls.step(rows) {
      let isNamed = rows.text(3).split { !($0.isLetter || $0.isNumber || $0 == "_") }
        .contains { $0.lowercased() == missing.lowercased() }
      guard isNamed else { continue }
      let (type, name) = (rows.text(0), rows.text(1))
      return type == "table"
        ? ("a check or a column of \(name)", "it")
        : ("the \(type) “\(name)” of \(rows.text(2))", "the \(type)")
    }
    return nil
  }
}
