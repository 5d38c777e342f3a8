import CMergewalkSQLite
import MergewalkSQLite

/// What an app has added to a store's file: columns and indexes in the model's tables, triggers, views, and tables of its own.
///
/// A migration keeps what still fits, and names the rest. SQLite drops the indexes of a table with it, and refuses to rename
/// tables and columns while there is a view or a trigger that it cannot read. So these are taken out for the time being,
/// and what is missing in the end is made again.
struct AddedObjects {
  struct Object {
    let kind: MigrationLoss.Kind
    let name: String
    let table: String
    let sql: String
    /// Whether it is a virtual table, which has its rows in tables of its own.
    let isVirtual: Bool
    /// Whether SQLite could read it, if it is a view: it may need functions of the app.
    var isReadable = false
    /// What SQLite made of it, if it is a trigger of a table.
    var reading: TriggerReading?
  }

  let connection: Connection
  private(set) var objects: [Object] = []
  /// The names of the model's tables, in upper case.
  let tables: Set<String>
  /// The columns, which are lost in any case: a table that has some is written anew.
  let columns: [MigrationLoss]

  /// Looks at a store before its tables change.
  ///
  /// - Parameters:
  ///   - schema: The store's own.
  ///   - hasTables: Whether the app's own tables count, with their indexes: the migration makes a new file.
  init(_ connection: Connection, _ schema: StoreSchema, hasTables: Bool = false) throws(StoreError) {
    self.connection = connection
    columns = try SchemaCatalog(connection).addedColumns(schema).map {
      MigrationLoss(
        kind: .column, name: "\($0.table).\($0.column)",
        message: "is not kept, nor are its values: the model does not have it")
    }
    tables = Set((schema.tables.map(\.name) + schema.joinTables.map(\.name)).map { $0.uppercased() })
    let known = Set(schema.indexes.map { $0.name.uppercased() })
    let ownTriggers = OwnTriggers(schema)
    let rows = try connection.prepare(
      "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master WHERE sql IS NOT NULL"
        + " ORDER BY type = 'trigger', type <> 'table', rowid")
    var found: [Object] = []
    while try rows.step() {
      let (name, table) = (rows.text(1), rows.text(2))
      guard let kind = MigrationLoss.Kind(rawValue: rows.text(0)), !known.contains(name.uppercased()) else { continue }
      let isOfModel = tables.contains(table.uppercased())
      switch kind {
      case .table where !hasTables || isOfModel || Self.isCoreDatas(table: name): continue
      case .index where isOfModel ? Self.isUsual(index: name, of: table) : !hasTables || Self.isCoreDatas(table: table):
        continue
      case .trigger where ownTriggers.contains(name): continue
      default: break
      }
      found.append(
        Object(
          kind: kind, name: name, table: table, sql: rows.text(3), isVirtual: kind == .table && rows.integer(4) == 0))
    }
    rows.reset()
    let views = Set(found.filter { $0.kind == .view }.map { $0.name.uppercased() })
    for i in found.indices {
      let (name, isOfView) = (found[i].name, views.contains(found[i].table.uppercased()))
      if found[i].kind == .view { found[i].isReadable = (try? connection.prepare(Self.reading(name))) != nil }
      if found[i].kind == .trigger, !isOfView { found[i].reading = try connection.reading(of: name, found[i].sql) }
    }
    // Triggers of tables come after those of views, which they may need. Those that SQLite cannot read come last, because
    // with them it cannot read the triggers that run them.
    objects = found.filter { $0.reading == nil }
    for isKnown in [true, false] { objects += found.filter { $0.reading?.isKnown == isKnown } }
  }

  /// Whether an index has a name as Core Data gives it: the migration makes those of the new version in its place.
  static func isCoreDatas(index name: String, of table: String) -> Bool {
    name.uppercased().hasPrefix("Z_") || isUsual(index: name, of: table)
  }

  /// Whether a table is one of Core Data's own, for bookkeeping, history, R-trees and CloudKit.
  private static func isCoreDatas(table name: String) -> Bool {
    let name = name.uppercased()
    return ownTables.contains(name) || ["Z_RT_", "ANSCK", "SQLITE_"].contains { name.hasPrefix($0) }
  }

  private static let ownTables = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", HistoryTables.changes, HistoryTables.transactions,
    HistoryTables.strings,
  ]

  /// Whether an index has the name of one over a column, as each version of Core Data has had some.
  private static func isUsual(index name: String, of table: String) -> Bool {
    name.uppercased().hasPrefix(table.uppercased() + "_") && name.uppercased().hasSuffix("_INDEX")
  }

  static func reading(_ view: String) -> String { "SELECT * FROM \(SQLQuoting.name(view))" }

  /// The step of the migration that this is, in words; none when there is nothing to keep.
  var steps: [String] {
    if objects.isEmpty { return [] }
    let names = objects.map { "\($0.kind.rawValue) \($0.name)" }.joined(separator: ", ")
    return ["keep what is not of the model, where it still fits: \(names)"]
  }

  /// Takes the triggers and views out.
  func takeOut() throws(StoreError) {
    // Where a run leaves the file's own triggers alone it has copies of them.
    for name in try connection.texts("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'") {
      try connection.execute("DROP TRIGGER temp.\(SQLQuoting.name(name))")
    }
    for object in objects where object.reading != nil {
      try connection.execute("DROP TRIGGER main.\(SQLQuoting.name(object.name))")
    }
    // Their triggers go with them.
    for view in objects where view.kind == .view {
      try connection.execute("DROP VIEW \(SQLQuoting.name(view.name))")
    }
  }
}

extension SchemaCatalog {
  /// The columns of a schema's tables that are not of the model; a table that has some is written anew without them.
  func addedColumns(_ schema: StoreSchema) -> [(table: String, column: String)] {
    var added: [(table: String, column: String)] = []
    func add(_ table: String, _ columns: [String]) {
      let names = Set(columns.map { $0.uppercased() })
      for column in tables[table.uppercased()] ?? [] where !names.contains(column) { added.append((table, column)) }
    }
    for table in schema.tables { add(table.name, table.columns.map(\.name)) }
    for join in schema.joinTables { add(join.name, join.keyColumns + join.orderColumns) }
    return added
  }
}

extension StoreError {
  /// Why SQLite does not take a statement that the tables do not fit; any other error is thrown on.
  func refusal() throws(StoreError) -> String {
    guard let cause, [.statement, .tooLarge].contains(cause.kind) || cause.kind.isConstraint else { throw self }
    return cause.message
  }
}
