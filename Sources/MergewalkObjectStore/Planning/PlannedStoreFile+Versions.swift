import MergewalkSQLite

extension StoreFile {
  /// Gives rows that a planned run has changed and changed back the versions that they had before it, so that they are
  /// not written.
  ///
  /// A store that keeps a history has the changes there, and its rows keep their new versions. Ends the open transaction
  /// of none: it has one of its own.
  ///
  /// - Returns: The rows that are what they were before the run.
  package func takeBackVersions(root: Int, primaryKeys: [Int64]) throws(StoreError) -> [Int64] {
    guard case .plannedFile(let file) = undo, try !connection.tracksHistory() else { return [] }
    try begin()
    let same = try file.takeBackVersions(schema.table(forRoot: root).name, primaryKeys)
    try commit()
    return same
  }
}

extension PlannedStoreFile {
  fileprivate func takeBackVersions(_ table: String, _ primaryKeys: [Int64]) throws(StoreError) -> [Int64] {
    let columns = try TableColumns(table, base)
    guard let version = columns.names.firstIndex(of: "Z_OPT").map(Int32.init) else { return [] }
    let select = "SELECT \(columns.list(withRow: false)) FROM \(columns.table) WHERE Z_PK = ?1"
    let (now, before) = (try overlay.prepare(select), try base.prepare(select))
    let update = try overlay.prepare("UPDATE \(columns.table) SET Z_OPT = ?2 WHERE Z_PK = ?1")
    var same: [Int64] = []
    for key in primaryKeys {
      now.bind(1, key)
      before.bind(1, key)
      defer {
        now.reset()
        before.reset()
      }
      guard try now.step(), try before.step() else { continue }
      let isSame = (0..<Int32(columns.names.count)).allSatisfy { $0 == version || RowTransfer.areSame(now, before, $0) }
      guard isSame else { continue }
      same.append(key)
      if RowTransfer.areSame(now, before, version) { continue }
      update.bind(1, key)
      update.bind(2, before.integer(version))
      now.reset()
      try update.run()
    }
    return same
  }
}
