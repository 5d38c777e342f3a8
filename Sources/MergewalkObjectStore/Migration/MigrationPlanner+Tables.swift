import MergewalkObjectModel

/// Where the rows of an entity table come from.
struct TableMove {
  var table: EntityTable
  /// The entities with rows in it, and what they were.
  var pairs: [MigrationPlanner.Pair]
  /// The old table; `nil` for a new one.
  var origin: EntityTable?
  /// For each column, its name in the old table, when that stays; `nil` for a new column.
  ///
  /// Empty when the table is written anew.
  var bases: [String?] = []
  /// Whether the old table stays and is changed where it is.
  var isKept = false

  /// For each pair, where the column's cells come from.
  func rules(_ column: ColumnDefinition, _ references: RowReferences) -> [CellRule?] {
    pairs.map { references.rule(column, entity: $0.new, was: $0.old) }
  }
}

extension MigrationPlanner {
  mutating func tableMove(_ table: EntityTable) -> TableMove {
    let pairs = pairs(table)
    guard let first = pairs.first else { return TableMove(table: table, pairs: [], origin: nil) }
    let origin = references.oldTable(first.old)
    goesOn(table.rootEntity, with: origin.rootEntity)
    var move = TableMove(table: table, pairs: pairs, origin: origin)
    let leaves = mapping.source.family(of: origin.rootEntity).contains { entity in
      guard let successor = mapping.destinationEntities[entity.index] else { return false }
      return mapping.destination.entities[successor].root != table.rootEntity
    }
    guard !leaves, !rebuilt.contains(origin.name.uppercased()), let bases = bases(move, origin) else { return move }
    move.bases = bases
    move.isKept = true
    return move
  }

  /// The old name of each column, if the table can stay as it is but for names and new columns.
  private func bases(_ move: TableMove, _ origin: EntityTable) -> [String?]? {
    var result: [String?] = []
    for column in move.table.columns {
      let rules = move.rules(column, references)
      let bases = Set(rules.compactMap { $0 }.map(\.base))
      guard bases.count <= 1 else { return nil }
      let base = bases.first ?? nil
      if let base {
        // Rows that had a value here and are to have none now.
        let isNarrower = zip(move.pairs, rules).contains { $1 == nil && references.had(base, $0.old) }
        guard !isNarrower, !result.contains(base) else { return nil }
      }
      result.append(base)
    }
    // A column that is not needed any more, or one of another declared type.
    let types = Dictionary(origin.columns.map { ($0.name, $0.declaredType) }) { first, _ in first }
    guard Set(result.compactMap { $0 }) == Set(origin.columns.map(\.name)),
      zip(result, move.table.columns).allSatisfy({ base, column in base.map { types[$0] == column.declaredType } ?? true
      })
    else { return nil }
    return result
  }

  /// The value of a column for the rows of all pairs.
  func value(
    _ column: ColumnDefinition, _ move: TableMove, otherwise: String = "NULL", name: (String) -> String = { $0 }
  ) -> String {
    let rules = move.rules(column, references)
    let known = rules.compactMap { $0 }
    guard let first = known.first else { return otherwise }
    let isCommon = known.allSatisfy { $0 == first }
    if isCommon {
      let isEmptyElsewhere = zip(move.pairs, rules).allSatisfy { pair, rule in
        rule != nil || first.base.map { !references.had($0, pair.old) } ?? false
      }
      if isEmptyElsewhere { return first.sql(name) }
    }
    var branches: [(sql: String, numbers: [Int])] = []
    for (pair, rule) in zip(move.pairs, rules) {
      guard let sql = rule?.sql(name) else { continue }
      let number = old.entityNumbers[pair.old.index]
      if let index = branches.firstIndex(where: { $0.sql == sql }) {
        branches[index].numbers.append(number)
      } else {
        branches.append((sql, [number]))
      }
    }
    let cases = branches.map { " WHEN Z_ENT IN (\(Self.list($0.numbers))) THEN \($0.sql)" }
    return "CASE\(cases.joined()) ELSE \(otherwise) END"
  }

  static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  // MARK: - Steps

  /// Writes a table anew, or makes the changes to one that stays.
  mutating func addTable(_ move: TableMove) {
    let name = move.table.name
    guard let origin = move.origin else {
      return addStep("create the table \(name)", [.run(move.table.createStatement)])
    }
    if move.isKept { return addUpdate(move) }
    let numbers = move.pairs.map { old.entityNumbers[$0.old.index] }
    addStep(
      "write the table \(name) with the rows of \(origin.name)",
      [
        .run(move.table.createStatement),
        .run(
          "INSERT INTO \(name) (\(move.table.columns.map(\.name).joined(separator: ", ")))"
            + " SELECT \(move.table.columns.map { value($0, move) }.joined(separator: ", "))"
            + " FROM \(present(origin.name)) WHERE +Z_ENT IN (\(Self.list(numbers))) ORDER BY Z_PK"),
      ])
  }

  /// The cells of a kept table that get other values.
  private mutating func addUpdate(_ move: TableMove) {
    var names: [String: String] = [:]
    for (column, base) in zip(move.table.columns, move.bases) { if let base { names[base] = column.name } }
    var changes: [String] = []
    var numbers = Set<Int>()
    for column in move.table.columns {
      let changed = zip(move.pairs, move.rules(column, references)).filter { _, rule in
        guard let rule else { return false }
        return !rule.isCopy && rule != .null
      }
      guard !changed.isEmpty else { continue }
      numbers.formUnion(changed.map { old.entityNumbers[$0.0.old.index] })
      changes.append("\(column.name) = \(value(column, move, otherwise: column.name) { names[$0] ?? $0 })")
    }
    guard !changes.isEmpty else { return }
    let isAll = numbers.count == move.pairs.count
    addStep(
      "update rows of \(move.table.name)",
      [
        .run(
          "UPDATE \(move.table.name) SET \(changes.joined(separator: ", "))"
            + (isAll ? "" : " WHERE Z_ENT IN (\(Self.list(numbers.sorted())))"))
      ])
  }

  /// Whether the update of a kept table changes a column.
  func updates(_ column: ColumnDefinition, _ move: TableMove) -> Bool {
    move.rules(column, references).contains { rule in rule.map { !$0.isCopy && $0 != .null } ?? false }
  }
}
