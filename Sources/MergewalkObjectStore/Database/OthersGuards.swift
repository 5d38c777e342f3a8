import MergewalkSQLite

extension StoreSchema {
  /// The names, in upper case, of the tables of which something may refuse rows that others have added to the file: a
  /// trigger, a unique index, a check, or a column that has to have a value.
  func tablesGuardedByOthers(_ connection: Connection) throws(StoreError) -> Set<String> {
    let ours = OwnTriggers(self)
    let names = Set((tables.map(\.name) + joinTables.map(\.name)).map { $0.uppercased() })
    let known = Set(indexes.map { $0.name.uppercased() })
    var result: Set<String> = []
    let rows = try connection.prepare(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'trigger') UNION ALL \
      SELECT 'index', i.name, m.name, '' FROM sqlite_master m, pragma_index_list(m.name) i \
      WHERE m.type = 'table' AND m.rootpage > 0 AND i."unique" AND i.origin <> 'pk' UNION ALL \
      SELECT 'column', c.name, m.name, '' FROM sqlite_master m, pragma_table_info(m.name) c \
      WHERE m.type = 'table' AND m.rootpage > 0 AND c."notnull" AND NOT c.pk
      """)
    while try rows.step() {
      let (name, table) = (rows.text(1), rows.text(2).uppercased())
      guard names.contains(table) else { continue }
      let isGuard =
        switch rows.text(0) {
        case "trigger": !ours.contains(name)
        case "index": !known.contains(name.uppercased())
        case "table": rows.text(3).uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains("CHECK")
        default: true
        }
      if isGuard { result.insert(table) }
    }
    return result
  }
}

/// The triggers that stores have by themselves: of R-trees, counts and derived attributes.
struct OwnTriggers {
  private let names: Set<String>
  private let derived: [DerivedAttribute]

  init(_ schema: StoreSchema) {
    names = Set(schema.triggers.map { $0.name.uppercased() })
    derived = schema.derivedAttributes
  }

  func contains(_ name: String) -> Bool {
    names.contains(name.uppercased()) || derived.contains { $0.owns(trigger: name) }
  }
}

extension StoreError {
  /// That SQLite has not written rows and does not say so: a trigger or a constraint of others wants them left out.
  static func leftOut(_ table: String, _ connection: Connection) -> StoreError {
    StoreError(
      // SQLITE_CONSTRAINT_TRIGGER
      SQLiteError(
        code: 1811,
        message: "rows of \(table) were left out by a trigger or a constraint that was added to the store (IGNORE)"),
      path: connection.name)
  }
}
