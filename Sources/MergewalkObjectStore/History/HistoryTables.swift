import MergewalkSQLite

/// The tables of persistent history, as Core Data makes them.
///
/// Source: `docs/coredata-layout.md`, "History".
enum HistoryTables {
  /// One row a record that a transaction inserted, updated or deleted.
  static let changes = "ACHANGE"
  /// One row a transaction.
  static let transactions = "ATRANSACTION"
  /// Authors, contexts and processes, each once; stores of old systems have no such table.
  static let strings = "ATRANSACTIONSTRING"

  /// The numbers of the tables' rows in `Z_PRIMARYKEY`, and what `Z_ENT` says in the tables.
  enum Number {
    static let change: Int64 = 16001
    static let transaction: Int64 = 16002
    static let string: Int64 = 16003
  }

  /// The columns that say who made a transaction: the number of a text in ``strings``, and the text itself beside it.
  enum Origin: Int, CaseIterable {
    case author, bundleID, contextName, processID

    var textColumn: String {
      switch self {
      case .author: "ZAUTHOR"
      case .bundleID: "ZBUNDLEID"
      case .contextName: "ZCONTEXTNAME"
      case .processID: "ZPROCESSID"
      }
    }

    var numberColumn: String { textColumn + "TS" }
  }

  /// The column of the `n`-th value that is kept of a deleted record.
  static func tombstoneColumn(_ n: Int) -> String { "ZTOMBSTONE\(n)" }

  /// The statements that make a table, its indexes included.
  static func createStatements(table: String, tombstones: Int) -> [String] {
    let fixed = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    switch table {
    case changes:
      let kept = (0..<tombstones).map { ", \(tombstoneColumn($0)) BLOB" }.joined()
      return [
        "CREATE TABLE ACHANGE ( \(fixed), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, "
          + "ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(kept) )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      ]
    case transactions:
      let numbers = Origin.allCases.map { "\($0.numberColumn) INTEGER" }.joined(separator: ", ")
      let texts = Origin.allCases.map { "\($0.textColumn) VARCHAR" }.joined(separator: ", ")
      let indexes = Origin.allCases.map { origin in
        "CREATE INDEX ATRANSACTION_\(origin.numberColumn)_INDEX ON ATRANSACTION (\(origin.numberColumn))"
      }
      return ["CREATE TABLE ATRANSACTION ( \(fixed), \(numbers), ZTIMESTAMP FLOAT, \(texts), ZQUERYGEN BLOB )"]
        + indexes
        + [
          "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
          "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
        ]
    default:
      return [
        "CREATE TABLE ATRANSACTIONSTRING ( \(fixed), ZNAME VARCHAR )",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
      ]
    }
  }
}

/// Which of the columns of history a store really has: the framework has added some over time.
struct HistoryLayout {
  /// The columns of ``HistoryTables/changes`` in upper case; empty when there is no such table.
  let changes: Set<String>
  /// The columns of ``HistoryTables/transactions``.
  let transactions: Set<String>
  /// The columns of ``HistoryTables/strings``.
  let strings: Set<String>
  /// How many values of a deleted record fit.
  let tombstones: Int

  /// Looks at the tables; views by their names do not count.
  init(_ connection: Connection) throws(StoreError) {
    let list = try connection.prepare(
      "SELECT c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name = ?")
    func columns(_ table: String) throws(StoreError) -> Set<String> {
      list.bind(1, text: table)
      defer { list.reset() }
      var names = Set<String>()
      while try list.step() { names.insert(list.text(0).uppercased()) }
      return names
    }
    changes = try columns(HistoryTables.changes)
    transactions = try columns(HistoryTables.transactions)
    strings = try columns(HistoryTables.strings)
    var count = 0
    while changes.contains(HistoryTables.tombstoneColumn(count)) { count += 1 }
    tombstones = count
  }

  /// A column without which there is no history, and that is not there; `nil` when nothing is missing.
  var missingColumn: String? {
    for name in ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"] where !changes.contains(name) {
      return "\(HistoryTables.changes).\(name)"
    }
    return transactions.contains("Z_PK") ? nil : "\(HistoryTables.transactions).Z_PK"
  }

  /// Whether the texts of an origin are looked up in the table of strings.
  func isInterned(_ origin: HistoryTables.Origin) -> Bool {
    strings.contains("Z_PK") && strings.contains("ZNAME") && transactions.contains(origin.numberColumn)
  }
}
