extension TableAccess {
  /// Sets columns of rows to null; their versions stay.
  package func clear(slots: [Int], primaryKeys: [Int64]) throws(StoreError) {
    guard !primaryKeys.isEmpty else { return }
    let source = try keySource(columnCount: 1)
    let assignments = slots.map { "\(column($0)) = NULL" }.joined(separator: ", ")
    try run(
      "UPDATE \(table.name) SET \(assignments) WHERE Z_PK IN (SELECT c0 FROM \(source.name))", primaryKeys: primaryKeys)
  }
}
