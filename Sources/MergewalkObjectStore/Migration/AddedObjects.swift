import CMergewalkSQLite
import MergewalkSQLite

/// What an app has added to a store's file: indexes and columns of its own in the model's tables, triggers, and views.
///
/// A migration keeps what still fits, and names the rest. SQLite drops the indexes of a table with it, and refuses to rename
/// tables and columns while there is a view that it cannot read. So views are taken out for the time being, and what is
/// missing in the end is made again.
struct AddedObjects {
  private struct Object {
    let kind: MigrationLoss.Kind
    let name: String
    let table: String
    let sql: String
    /// Whether SQLite could read it, if it is a view: it may need functions of the app.
    let isReadable: Bool
  }

  private let connection: Connection
  private var objects: [Object] = []
  /// The columns, which are lost in any case: a table that has some is written anew.
  let columns: [MigrationLoss]

  /// Looks at a store before its tables change.
  ///
  /// - Parameters:
  ///   - schema: The store's own.
  ///   - hasTables: Whether tables count, which only a new file leaves behind.
  init(_ connection: Connection, _ schema: StoreSchema, hasTables: Bool = false) throws(StoreError) {
    self.connection = connection
    columns = try SchemaCatalog(connection).addedColumns(schema).map {
      MigrationLoss(
        kind: .column, name: "\($0.table).\($0.column)",
        message: "is not kept, nor are its values: the model does not have it")
    }
    let tables = Set((schema.tables.map(\.name) + schema.joinTables.map(\.name)).map { $0.uppercased() })
    let known = Set((schema.indexes.map(\.name) + schema.triggers.map(\.name)).map { $0.uppercased() })
    let derived = schema.derivedAttributes
    let rows = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'trigger', rowid")
    while try rows.step() {
      let (name, table) = (rows.text(1), rows.text(2))
      guard let kind = MigrationLoss.Kind(rawValue: rows.text(0)), !known.contains(name.uppercased()) else { continue }
      switch kind {
      case .table where !hasTables || tables.contains(name.uppercased()) || Self.isCoreDatas(table: name): continue
      case .index where !tables.contains(table.uppercased()) || Self.isUsual(index: name, of: table): continue
      case .trigger where derived.contains(where: { $0.owns(trigger: name) }): continue
      default: break
      }
      let isReadable = kind == .view && (try? connection.prepare(Self.reading(name))) != nil
      objects.append(Object(kind: kind, name: name, table: table, sql: rows.text(3), isReadable: isReadable))
    }
  }

  /// Whether an index has a name as Core Data gives it: the migration makes those of the new version in its place.
  static func isCoreDatas(index name: String, of table: String) -> Bool {
    name.uppercased().hasPrefix("Z_") || isUsual(index: name, of: table)
  }

  /// Whether a table has a name as Core Data's own have, for bookkeeping, history and CloudKit.
  private static func isCoreDatas(table name: String) -> Bool {
    let name = name.uppercased()
    return [HistoryTables.changes, HistoryTables.transactions, HistoryTables.strings].contains(name)
      || ["Z_", "ANSCK", "SQLITE_"].contains { name.hasPrefix($0) }
  }

  /// Whether an index has the name of one over a column, as each version of Core Data has had some.
  private static func isUsual(index name: String, of table: String) -> Bool {
    name.uppercased().hasPrefix(table.uppercased() + "_") && name.uppercased().hasSuffix("_INDEX")
  }

  private static func reading(_ view: String) -> String { "SELECT * FROM \(SQLQuoting.name(view))" }

  /// The step of the migration that this is, in words; none when there is nothing to keep.
  var steps: [String] {
    if objects.isEmpty { return [] }
    let names = objects.map { "\($0.kind.rawValue) \($0.name)" }.joined(separator: ", ")
    return ["keep what is not of the model, where it still fits: \(names)"]
  }

  /// Everything, for a migration that makes a new file.
  var all: [MigrationLoss] {
    let message = "is not kept: a mapping model makes a new file"
    return columns + objects.map { MigrationLoss(kind: $0.kind, name: $0.name, message: message) }
  }

  /// Takes the views out, and their triggers with them.
  func takeOut() throws(StoreError) {
    for view in objects where view.kind == .view {
      try connection.execute("DROP VIEW \(SQLQuoting.name(view.name))")
    }
  }

  /// Makes again what is missing now that the tables are those of the new version.
  ///
  /// - Returns: What does not fit any more.
  func putBack() throws(StoreError) -> [MigrationLoss] {
    // Else a column that is gone would be taken for a text where an index has its name in double quotes.
    let takesTexts = connection.option(SQLITE_DBCONFIG_DQS_DDL)
    connection.setOption(SQLITE_DBCONFIG_DQS_DDL, false)
    defer { connection.setOption(SQLITE_DBCONFIG_DQS_DDL, takesTexts) }
    var refusals: [String?] = []
    let find = try connection.prepare("SELECT count(*) FROM sqlite_master WHERE type = ?1 AND name = ?2 COLLATE NOCASE")
    for object in objects {
      find.bind(1, text: object.kind.rawValue)
      find.bind(2, text: object.name)
      let isThere = try find.step() && find.integer(0) > 0
      find.reset()
      refusals.append(try isThere ? nil : putBack(object))
    }
    var lost = columns
    for (object, refusal) in zip(objects, refusals) {
      var message = refusal
      // Only now, because a view may read one that comes after it.
      if message == nil, object.isReadable { message = try reasonNotToRead(object.name) }
      if let message { lost.append(MigrationLoss(kind: object.kind, name: object.name, message: message)) }
    }
    return lost
  }

  /// Makes an object again; returns what is to be said of it if it does not fit.
  private func putBack(_ object: Object) throws(StoreError) -> String? {
    if object.kind == .index, Self.isCoreDatas(index: object.name, of: object.table) {
      return "is not kept: it has a name as Core Data gives it, and the new model has no index of this name"
    }
    let isOfView = objects.contains { $0.kind == .view && $0.name.uppercased() == object.table.uppercased() }
    if object.kind == .trigger, !isOfView {
      return try RemovedTriggers.bringBack((object.name, object.sql), connection).map { "is not kept: \($0)" }
    }
    do throws(StoreError) { try connection.execute(object.sql) } catch {
      return try "is not kept: " + error.refusal()
    }
    return nil
  }

  /// What is to be said of a view that could be read before, if it cannot be now.
  private func reasonNotToRead(_ view: String) throws(StoreError) -> String? {
    do throws(StoreError) { _ = try connection.prepare(Self.reading(view)) } catch {
      return try "is kept, but can no longer be read: " + error.refusal()
    }
    return nil
  }
}

extension PersistentStore {
  /// What an app has added to the store's file, all of which a migration that makes a new file leaves behind.
  package func additions() throws(StoreError) -> [MigrationLoss] {
    try AddedObjects(connection, schema, hasTables: true).all
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
