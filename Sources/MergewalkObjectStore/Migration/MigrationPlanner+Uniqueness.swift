import MergewalkObjectModel

/// Whether objects have different values where the new model demands it, asked of the old tables: a dry run says so too,
/// and nothing is rewritten in vain.
extension MigrationPlanner {
  /// The checks of a table's uniqueness constraints.
  ///
  /// What is settled later only, references and derived values, is left to the index.
  func uniquenessChecks(_ move: TableMove, _ origin: EntityTable) -> [MigrationPlan.Action] {
    let numbers = Self.list(move.pairs.map { old.entityNumbers[$0.old.index] })
    return new.indexes.filter { $0.isUnique && $0.table == move.table.name }.compactMap { index in
      let columns = index.columns.compactMap { name in move.table.columns.first { $0.name == name } }
      guard columns.count == index.columns.count, columns.allSatisfy({ isSettled($0, move) }),
        !isProven(columns, move, origin), let finding = MigrationFinding(duplicatesIn: index, of: new)
      else { return nil }
      let values = columns.enumerated().map { "\(value($1, move)) AS v\($0)" }.joined(separator: ", ")
      let names = columns.indices.map { "v\($0)" }
      return .check(
        "SELECT ifnull(sum(n), 0) FROM (SELECT count(*) AS n FROM"
          + " (SELECT \(values) FROM \(origin.name) WHERE +Z_ENT IN (\(numbers)))"
          // To SQLite, nulls differ from each other.
          + " WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))"
          + " GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1)", finding)
    }
  }

  /// Whether a column has values of attributes, which are known before the migration.
  private func isSettled(_ column: ColumnDefinition, _ move: TableMove) -> Bool {
    guard case .slot(let slot) = column.role else { return false }
    let attributes = move.pairs.compactMap { pair in pair.new.attributes.first { $0.slot == slot } }
    return !attributes.isEmpty && attributes.allSatisfy { !$0.isDerived }
  }

  /// Whether the values stay as they are, and a constraint of the old model covers them.
  private func isProven(_ columns: [ColumnDefinition], _ move: TableMove, _ origin: EntityTable) -> Bool {
    var bases: [String] = []
    for column in columns {
      let rules = Set(move.rules(column, references).compactMap { $0 })
      guard rules.count == 1, let rule = rules.first, rule.isCopy, let base = rule.base else { return false }
      bases.append(base)
    }
    return old.indexes.contains { $0.isUnique && $0.table == origin.name && $0.columns == bases && $0.condition == nil }
  }
}

extension MigrationFinding {
  /// Objects have equal values in a new uniqueness constraint; `nil` for other indexes.
  init?(duplicatesIn index: IndexDefinition, of schema: StoreSchema) {
    guard index.isUnique, let entity = index.entity else { return nil }
    let properties = schema.propertyNames(ofColumns: index.columns.map { "\(index.table).\($0)" })
    self.init(
      .duplicateValues, entity: schema.model.entities[entity].name,
      message: "its uniqueness constraint over \(properties.joined(separator: ", ")) is new, and objects have equal"
        + " values",
      hint: "delete or change one of the equal objects first")
  }
}
