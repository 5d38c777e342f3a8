package import MergewalkObjectModel

/// Puts the UPDATE of a batch request together: one statement around the SELECT that computes the new values.
///
/// All values are computed before the first row is written, so they are made of the old ones.
package struct BatchUpdateStatement {
  /// The new value of a property.
  package enum Value {
    /// The same value for all rows.
    case constant(SQLBinding)
    /// The value at an index of the SELECT's columns, passed through ``BatchValueCheck`` under a number.
    case computed(column: Int, number: Int)
    /// An object, or none: its primary key, the number (`Z_ENT`) of its entity and, for ordered inverses, the last
    /// position among its members.
    case reference(primaryKey: Int64, entityNumber: Int64, lastPosition: Int64)
  }

  private let table: EntityTable
  private var assignments: [String] = []
  private var bindings: [SQLBinding] = []
  /// Columns that number the rows that come to an ordered relationship.
  private var counters: [String] = []
  private var counterBindings: [SQLBinding] = []

  /// The slots of the properties that are set.
  package private(set) var slots: [Int] = []

  /// Starts the UPDATE of the table of a root entity.
  package init(schema: StoreSchema, root: RootIndex) { table = schema.table(forRoot: root) }

  package mutating func set(slot: Int, _ value: Value) {
    guard let column = table.columnName(slot: slot) else {
      preconditionFailure("slot \(slot) of \(table.name) has no column")
    }
    slots.append(slot)
    switch value {
    case .constant(let binding):
      assignments.append("\(column) = ?")
      bindings.append(binding)
    case .computed(let index, let number):
      assignments.append("\(column) = \(BatchValueCheck.functionName)(\(number), s.v0, s.v\(index))")
    case .reference(let key, let number, let last):
      let target: SQLBinding = key == 0 ? .null : .integer(key)
      assignments.append("\(column) = ?")
      bindings.append(target)
      if let name = table.destinationEntityColumn(slot: slot) {
        assignments.append("\(name) = ?")
        bindings.append(key == 0 ? .null : .integer(number))
      }
      guard let order = table.orderKeyColumn(slot: slot) else { return }
      if key == 0 {
        assignments.append("\(order) = NULL")
        return
      }
      // Rows that are there already keep their positions, the others come behind them by primary key.
      let counter = "n\(counters.count)"
      counters.append("sum(t.\(column) IS NOT ?) OVER (ORDER BY s.v0) AS \(counter)")
      counterBindings.append(target)
      assignments.append(
        "\(order) = CASE WHEN \(table.name).\(column) IS ? THEN \(table.name).\(order) ELSE ? + 1024 * s.\(counter) END"
      )
      bindings += [target, .integer(last)]
    }
  }

  /// Selects primary key and number (`Z_ENT`) of the rows that a SELECT finds whose first column is the primary key.
  package func affected(_ select: CompiledFetch, columnCount: Int) -> CompiledFetch {
    let names = (0..<columnCount).map { "v\($0)" }.joined(separator: ", ")
    return CompiledFetch(
      sql: "WITH s(\(names)) AS (\(select.sql)) SELECT t.Z_PK, t.Z_ENT FROM s CROSS JOIN \(table.name) AS t "
        + "ON t.Z_PK = s.v0", bindings: select.bindings, columns: [], firstSortKey: 0, entity: select.entity)
  }

  /// The statement around a SELECT whose first column is the primary key.
  package func around(_ select: CompiledFetch, columnCount: Int, returningIDs: Bool) -> CompiledFetch {
    let names = (0..<columnCount).map { "v\($0)" }.joined(separator: ", ")
    var sql = "WITH s(\(names)) AS (\(select.sql)) UPDATE \(table.name) "
    sql += "SET \((assignments + ["Z_OPT = ifnull(\(table.name).Z_OPT, 0) + 1"]).joined(separator: ", ")) FROM "
    // The counters stand behind the assignments in the text, and so do their parameters.
    sql +=
      counters.isEmpty
      ? "s"
      : "(SELECT s.*, \(counters.joined(separator: ", ")) FROM s CROSS JOIN \(table.name) AS t ON t.Z_PK = s.v0) AS s"
    sql += " WHERE \(table.name).Z_PK = s.v0"
    if returningIDs { sql += " RETURNING Z_PK, Z_ENT" }
    return CompiledFetch(
      sql: sql, bindings: select.bindings + bindings + counterBindings, columns: [], firstSortKey: 0,
      entity: select.entity)
  }
}

extension CompiledFetch {
  /// A statement without parameters.
  package init(statement: String) {
    self.init(sql: statement, bindings: [], columns: [], firstSortKey: 0, entity: 0)
  }
}
