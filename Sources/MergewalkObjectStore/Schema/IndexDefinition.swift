package struct IndexDefinition: Sendable, Hashable {
  /// Why an index is there.
  package enum Origin: Sendable, Hashable {
    /// The column of a to-one relationship.
    case foreignKey
    /// `Z_ENT` of a table that several entities share.
    case entity
    /// The second column of a join table.
    case joinTable
    /// An attribute marked as indexed, or the only attribute of a fetch index.
    case attribute
    /// A fetch index of the model.
    case fetchIndex
    /// An old compound index of the model.
    case compound
    /// A uniqueness constraint.
    case unique
  }

  package var name: String
  package var table: String
  /// The columns' names in order; of a fetch index also expressions, in brackets.
  package var columns: [String]
  /// For each column, whether it is in descending order.
  package var descending: [Bool]
  /// Why it is there.
  package var origin: Origin
  /// The index in the model of the entity it belongs to; `nil` for join tables.
  package var entity: Int?

  /// The condition in SQL that rows of a partial index satisfy; `nil` when it has all rows.
  package var condition: String?

  /// Whether it has an entry for each row, made of columns only, so that others can write and use it in place of SQLite.
  package var isPlain: Bool { condition == nil && !columns.contains { $0 == "Z_PK" || $0.contains("(") } }

  /// Whether another index does what this one does, whatever their names are.
  func worksLike(_ other: IndexDefinition) -> Bool {
    // One column can be walked through in both directions.
    table == other.table && columns == other.columns && (columns.count == 1 || descending == other.descending)
      && condition == other.condition && isUnique == other.isUnique
  }

  /// Whether the model names it, and searches without it are only slower.
  package var isOfModel: Bool {
    switch origin {
    case .attribute, .fetchIndex, .compound: true
    case .foreignKey, .entity, .joinTable, .unique: false
    }
  }

  /// Whether it refuses equal rows.
  package var isUnique: Bool { origin == .unique }

  /// The `CREATE INDEX` statement as Core Data words it.
  package var sql: String {
    let list: [String] =
      switch origin {
      case .foreignKey, .entity, .joinTable: columns
      default: zip(columns, descending).map { "\($0) COLLATE BINARY \($1 ? "DESC" : "ASC")" }
      }
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(list.joined(separator: ", ")))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}
