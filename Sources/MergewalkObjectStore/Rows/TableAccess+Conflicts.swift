import MergewalkSQLite

extension TableAccess {
  /// Sets columns of rows to null; their versions stay.
  package func clear(slots: [Int], primaryKeys: [Int64]) throws(StoreError) {
    guard !primaryKeys.isEmpty else { return }
    let source = try keySource(columnCount: 1)
    let assignments = slots.map { "\(column($0)) = NULL" }.joined(separator: ", ")
    try run(
      "UPDATE \(table.name) SET \(assignments) WHERE Z_PK IN (SELECT c0 FROM \(source.name))", primaryKeys: primaryKeys)
  }

  /// Calls `body` with each row whose to-one relationship at a slot refers to one of some records in the table now.
  ///
  /// - Complexity: One statement for each of the records.
  package func forEachReference(
    slot: Int, to targets: [Int64], _ body: (_ primaryKey: Int64, _ target: Int64) -> Void
  ) throws(StoreError) {
    try backing?.willRead(root: table.rootEntity, referringBy: slot, to: targets)
    let statement = try objectStatement("SELECT t.Z_PK FROM \(table.name) AS t WHERE t.\(column(slot)) = ?")
    defer { statement.reset() }
    for target in targets {
      statement.reset()
      statement.bind(1, target)
      while try statement.step() { body(statement.integer(0), target) }
    }
  }
}
