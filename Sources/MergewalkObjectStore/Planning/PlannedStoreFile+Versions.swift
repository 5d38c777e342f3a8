import MergewalkSQLite

extension StoreFile {
  /// Gives rows that a planned run has changed and changed back the versions that they had before it, so that they are
  /// not written.
  ///
  /// A store that keeps a history has the changes there, and its rows keep their new versions. It has a transaction of its
  /// own; done once more, it does nothing.
  ///
  /// - Returns: The rows that are what they were before the run.
  package func takeBackVersions(root: Int, primaryKeys: [Int64]) throws(StoreError) -> [Int64] {
    guard case .plannedFile(let file) = undo else { return [] }
    let keepsVersions = try connection.tracksHistory()
    try begin()
    let table = schema.table(forRoot: root).name
    // What other objects have changed of a row is no record's work.
    let derived =
      schema.derivedAttributes.filter { $0.table == table && $0.value != nil }.map(\.column)
      + schema.countedAttributes.filter { $0.table == table }.map(\.column)
    let same = try file.takeBackVersions(table, primaryKeys, without: Set(derived), keepsVersions: keepsVersions)
    try commit()
    return same
  }

  /// Keeps with a plan, in the open transaction, which objects the records of a part have changed, one entry a record.
  package func keepUpdates(_ primaryKeys: [Int64], part: Int) throws(StoreError) {
    guard case .plannedFile(let file) = undo, !primaryKeys.isEmpty else { return }
    try file.keepUpdates(primaryKeys, part)
  }

  /// Calls `body` with each key that ``keepUpdates(_:part:)`` has kept of a part.
  ///
  /// - Complexity: O(keys) time; the memory of one checkpoint's keys.
  package func forEachKeptUpdate(part: Int, _ body: (Int64) -> Void) throws(StoreError) {
    guard case .plannedFile(let file) = undo else { return }
    try file.forEachKeptUpdate(part, body)
  }
}

extension PlannedStoreFile {
  private static let updates = ChangedRows.updatesTable

  fileprivate func takeBackVersions(
    _ table: String, _ primaryKeys: [Int64], without derived: Set<String>, keepsVersions: Bool
  ) throws(StoreError) -> [Int64] {
    let columns = try TableColumns(table, base)
    let own = columns.names.indices.filter { columns.names[$0] != "Z_OPT" && !derived.contains(columns.names[$0]) }
    guard let version = columns.names.firstIndex(of: "Z_OPT").map(Int32.init) else { return [] }
    let select = "SELECT \(columns.list(withRow: false)) FROM \(columns.table) WHERE Z_PK = ?1"
    let (now, before) = (try overlay.prepare(select), try base.prepare(select))
    let update = try overlay.prepare("UPDATE \(columns.table) SET Z_OPT = ?2 WHERE Z_PK = ?1")
    // None of these rows waits: a row that waits was written once, and so differs.
    for statement in [now, update] { statement.use = .bookkeeping }
    var same: [Int64] = []
    for key in primaryKeys {
      if waits(key, table) { continue }
      now.bind(1, key)
      before.bind(1, key)
      defer {
        now.reset()
        before.reset()
      }
      guard try now.step(), try before.step() else { continue }
      let isSame = own.allSatisfy { RowTransfer.areSame(now, before, Int32($0)) }
      guard isSame else { continue }
      same.append(key)
      if keepsVersions || RowTransfer.areSame(now, before, version) { continue }
      update.bind(1, key)
      update.bind(2, before.integer(version))
      now.reset()
      try update.run()
    }
    return same
  }

  fileprivate func keepUpdates(_ primaryKeys: [Int64], _ part: Int) throws(StoreError) {
    try overlay.execute("CREATE TABLE IF NOT EXISTS \(Self.updates)(part INTEGER, keys BLOB)", .bookkeeping)
    let insert = try overlay.prepare("INSERT INTO \(Self.updates) VALUES(?1, ?2)")
    insert.use = .bookkeeping
    insert.bind(1, Int64(part))
    insert.bind(2, copying: primaryKeys.withUnsafeBytes(Array.init))
    try insert.run()
  }

  fileprivate func forEachKeptUpdate(_ part: Int, _ body: (Int64) -> Void) throws(StoreError) {
    guard try overlay.hasTable(Self.updates) else { return }
    let rows = try overlay.prepare("SELECT keys FROM \(Self.updates) WHERE part = ?1 ORDER BY rowid")
    rows.bind(1, Int64(part))
    while try rows.step() {
      let bytes = rows.bytes(0)
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        body(bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
      }
    }
  }
}
