package import MergewalkObjectModel
import MergewalkSQLite

/// Questions that batch requests ask about many rows at once, one statement each.
extension TableAccess {
  /// Finds the rows with given keys.
  ///
  /// - Parameters:
  ///   - keySlots: The slots of the key; empty for the primary key.
  ///   - keys: One column for each slot, or that of the primary keys.
  ///   - positions: Positions in the key columns; keys there have no nulls.
  ///   - body: Is called with the position, the primary key and the number (`Z_ENT`) of every row that is found.
  /// - Complexity: One index seek a key when an index covers the key.
  package func findRows(
    keySlots: [Int], keys: [CellColumnView], positions: UnsafeBufferPointer<Int32>, arena: UnsafeRawPointer,
    body: (_ position: Int, _ primaryKey: Int64, _ entityNumber: Int64) -> Void
  ) throws(StoreError) {
    guard !positions.isEmpty else { return }
    let source = try keySource(columnCount: keys.count)
    let columns = keySlots.isEmpty ? ["Z_PK"] : keySlots.map { column($0) }
    let conditions = columns.enumerated().map { "t.\($1) = k.c\($0)" }.joined(separator: " AND ")
    let statement = try objectStatement(
      "SELECT k.rowid, t.Z_PK, t.Z_ENT FROM \(source.name) AS k CROSS JOIN \(table.name) AS t ON \(conditions)")
    source.fill(rows: positions, columns: keys.map { .cells($0.tags, $0.payloads) }, arena: arena)
    defer { source.clear() }
    defer { statement.reset() }
    while try statement.step() {
      body(Int(positions[Int(statement.integer(0))]), statement.integer(1), statement.integer(2))
    }
  }

  /// The greatest order keys among the rows whose to-one relationship at `slot` refers to the targets at positions of a
  /// column; targets that no row refers to are left out.
  package func lastOrderKeys(
    slot: Int, targets: CellColumnView, positions: UnsafeBufferPointer<Int32>, arena: UnsafeRawPointer,
    body: (_ target: Int64, _ orderKey: Int64) -> Void
  ) throws(StoreError) {
    guard !positions.isEmpty, let order = table.orderKeyColumn(slot: slot) else { return }
    let source = try keySource(columnCount: 1)
    let statement = try objectStatement(
      "SELECT k.c0, max(t.\(order)) FROM \(source.name) AS k CROSS JOIN \(table.name) AS t "
        + "ON t.\(column(slot)) = k.c0 GROUP BY k.rowid")
    source.fill(rows: positions, columns: [.cells(targets.tags, targets.payloads)], arena: arena)
    defer { source.clear() }
    defer { statement.reset() }
    while try statement.step() { body(statement.integer(0), statement.integer(1)) }
  }

  /// Selects the primary keys, of those given to ``run(_:primaryKeys:)``, of rows of an entity and everything below it.
  package func primaryKeyQuery(_ entity: EntityDescription) throws(StoreError) -> String {
    let condition = entityCondition(entity, alias: "t").map { " WHERE \($0)" } ?? ""
    return "SELECT t.Z_PK FROM \(try keySource(columnCount: 1).name) AS k CROSS JOIN \(table.name) AS t "
      + "ON t.Z_PK = k.c0\(condition)"
  }

  /// Runs a statement around ``primaryKeyQuery(_:)``.
  package func run(_ sql: String, primaryKeys: [Int64]) throws(StoreError) {
    let source = try keySource(columnCount: 1)
    let statement = try objectStatement(sql)
    let positions = ContiguousArray(0..<Int32(primaryKeys.count))
    try primaryKeys.withUnsafeBufferPointer { keys throws(StoreError) in
      try positions.withUnsafeBufferPointer { positions throws(StoreError) in
        guard let start = keys.baseAddress else { return }
        source.fill(rows: positions, columns: [.integers(start)], arena: noBytes)
        defer { source.clear() }
        try statement.run()
      }
    }
  }
}
