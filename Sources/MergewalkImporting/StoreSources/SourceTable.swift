import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkRecordFormats

/// A table or a view of a database, and how its rows are selected.
struct SourceTable {
  /// The name as the database spells it.
  let name: String
  /// The names of the columns, generated ones among them.
  let columns: [String]
  /// Whether it is a view, which is a query.
  let isView: Bool
  /// The order of the rows; empty for a table or view without one.
  private let order: String

  /// Finds the requested table; without a name the only one.
  ///
  /// - Throws: `unknownTable`, and what reading the schema throws.
  init(named wanted: String?, in database: SourceDatabase) throws(ReadError) {
    let entries = try Self.entries(database)
    if wanted == nil, let entities = Self.entities(database, entries) {
      throw ReadError(
        .unknownTable, path: database.path,
        message: "this is a Core Data store; name one of its entities with “entity”: \(Self.list(entities))")
    }
    let entry = try Self.choose(wanted, entries, database.path)
    name = entry.name
    isView = entry.type == "view"
    var columns: [String] = []
    var keys: [(position: Int64, name: String)] = []
    do throws(StoreError) {
      let list = try database.reading.rows("SELECT name, hidden, pk FROM pragma_table_xinfo(?)")
      list.bind([.text(entry.name)])
      while try list.step() {
        // 1 is a hidden column of a virtual table; 2 and 3 are generated ones.
        if list.integer(1) != 1 { columns.append(list.text(0)) }
        if list.integer(2) > 0 { keys.append((list.integer(2), list.text(0))) }
      }
    } catch {
      throw database.failure(error)
    }
    self.columns = columns
    order =
      entry.type == "table" ? Self.order(columns, entry.hasRowIDs ? nil : keys.sorted { $0 < $1 }.map(\.name)) : ""
  }

  /// The statement that selects some columns of all rows, in the order of their keys.
  ///
  /// An order makes SQLite read the table itself, never an index that has all that is requested, so that what comes
  /// first does not depend on which columns are read.
  func query(_ columns: [String]) -> String {
    let list = columns.isEmpty ? "NULL" : columns.map(SQLQuoting.name).joined(separator: ", ")
    return "SELECT \(list) FROM main.\(SQLQuoting.name(name))\(order)"
  }

  // MARK: Choosing

  private struct Entry {
    var name: String
    var type: String
    var hasRowIDs: Bool
  }

  /// The tables and views that people made.
  private static func entries(_ database: SourceDatabase) throws(ReadError) -> [Entry] {
    var entries: [Entry] = []
    do throws(StoreError) {
      let list = try database.reading.rows(
        "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' ORDER BY name")
      while try list.step() {
        let entry = Entry(name: list.text(0), type: list.text(1), hasRowIDs: list.integer(2) == 0)
        if !entry.name.lowercased().hasPrefix("sqlite_") { entries.append(entry) }
      }
    } catch {
      throw database.failure(error)
    }
    return entries
  }

  /// The names of a Core Data store's entities; nil for any other database.
  private static func entities(_ database: SourceDatabase, _ entries: [Entry]) -> [String]? {
    let needed = ["Z_METADATA", "Z_PRIMARYKEY"]
    guard needed.allSatisfy({ name in entries.contains { $0.name == name } }),
      let list = try? database.reading.rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_NAME")
    else { return nil }
    var names: [String] = []
    while (try? list.step()) == true { names.append(list.text(0)) }
    return names.isEmpty ? nil : names
  }

  private static func choose(_ wanted: String?, _ entries: [Entry], _ path: String) throws(ReadError) -> Entry {
    if let wanted {
      if let entry = entries.first(where: { $0.name == wanted }) { return entry }
      // Names of SQLite have no case, as far as they are ASCII.
      if let entry = entries.first(where: { folded($0.name) == folded(wanted) }) { return entry }
      throw ReadError(
        .unknownTable, path: path,
        message: "the database has no table or view “\(wanted)”; \(hint(wanted, entries.map(\.name)))")
    }
    let tables = entries.filter { $0.type != "view" }
    if tables.count == 1 { return tables[0] }
    throw ReadError(
      .unknownTable, path: path,
      message: tables.isEmpty
        ? "the database has no table\(entries.isEmpty ? "" : "; name a view with “table”: \(names(entries))")"
        : "the database has \(tables.count) tables; name one with “table”: \(names(tables))")
  }

  /// The name that was probably meant by one that is not there.
  static func hint(_ wanted: String, _ names: [String]) -> String {
    if let nearest = NearestName.find(wanted, in: names) { return "did you mean “\(nearest)”?" }
    return names.isEmpty ? "it has none" : "it has \(list(names))"
  }

  private static func names(_ entries: [Entry]) -> String { list(entries.map(\.name)) }

  private static func list(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ") + (names.count > 12 ? " ..." : "")
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  // MARK: SQL

  private static func order(_ columns: [String], _ keys: [String]?) -> String {
    if let keys { return keys.isEmpty ? "" : " ORDER BY " + keys.map(SQLQuoting.name).joined(separator: ", ") }
    // Columns may take the names of the row's number.
    let taken = Set(columns.map(folded))
    let free = ["rowid", "_rowid_", "oid"].first { !taken.contains(Array($0.utf8)) }
    return free.map { " ORDER BY \($0)" } ?? ""
  }
}
