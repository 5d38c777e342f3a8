package import MergewalkObjectModel
import MergewalkSQLite

extension StoreFile {
  /// Gives rows that a planned run has changed and changed back the versions that they had before it, so that they are
  /// not written.
  ///
  /// A store that keeps a history has the changes there, and its rows keep their new versions. Large values in files are
  /// compared by what they are: rows name the files again that they named before the run, and the others go. It has a
  /// transaction of its own; done once more, it does nothing.
  ///
  /// - Returns: The rows that are what they were before the run.
  package func takeBackVersions(root: RootIndex, primaryKeys: [Int64]) throws(StoreError) -> [Int64] {
    guard case .plannedFile(let file) = undo else { return [] }
    let keepsVersions = try connection.tracksHistory()
    try begin()
    let entity = schema.table(forRoot: root)
    let table = entity.name
    // What other objects have changed of a row is no record's work.
    let derived =
      schema.derivedAttributes.filter { $0.table == table && $0.value != nil }.map(\.column)
      + schema.countedAttributes.filter { $0.table == table }.map(\.column)
    let large = schema.model.family(of: root).flatMap(\.attributes).filter(\.allowsExternalBinaryDataStorage)
      .compactMap { entity.columnName(slot: $0.slot) }
    let taken = try file.takeBackVersions(
      table, primaryKeys, without: Set(derived), files: Set(large), keepsVersions: keepsVersions)
    try externalFiles.add(obsolete: taken.left)
    try commit()
    externalFiles.keep(taken.named)
    return taken.rows
  }

  /// What the objects have in common whose primary keys are kept with a plan.
  package enum KeptKeys {
    /// The records of a part have changed them, one entry a record.
    case updates(part: Int)
    /// They are of a hierarchy, and a list has let them go after another record of the run had named them.
    case named(root: RootIndex)

    /// Parts have the numbers from 0 on.
    fileprivate var number: Int {
      switch self {
      case .updates(let part): part
      case .named(let root): -1 - root.index
      }
    }
  }

  /// Keeps primary keys with a plan, in the open transaction.
  package func keep(_ primaryKeys: [Int64], as kind: KeptKeys) throws(StoreError) {
    guard case .plannedFile(let file) = undo, !primaryKeys.isEmpty else { return }
    try file.keep(primaryKeys, kind.number)
  }

  /// Calls `body` with each key that ``keep(_:as:)`` has kept of a kind.
  ///
  /// - Complexity: O(keys) time; the memory of one checkpoint's keys.
  package func forEachKept(_ kind: KeptKeys, _ body: (Int64) -> Void) throws(StoreError) {
    guard case .plannedFile(let file) = undo else { return }
    try file.forEachKept(kind.number, body)
  }
}

extension PlannedStoreFile {
  private static let updates = ChangedRows.updatesTable

  /// - Parameter files: The columns whose values may be in files.
  /// - Returns: The rows, the files that they named and no longer do, and those that they name again.
  fileprivate func takeBackVersions(
    _ table: String, _ primaryKeys: [Int64], without derived: Set<String>, files: Set<String>, keepsVersions: Bool
  ) throws(StoreError) -> (rows: [Int64], left: Set<String>, named: Set<String>) {
    let columns = try TableColumns(table, base)
    let own = columns.names.indices.filter { columns.names[$0] != "Z_OPT" && !derived.contains(columns.names[$0]) }
    let large = Set(own.filter { files.contains(columns.names[$0]) })
    guard let version = columns.names.firstIndex(of: "Z_OPT").map(Int32.init) else { return ([], [], []) }
    let select = "SELECT \(columns.list(withRow: false)) FROM \(columns.table) WHERE Z_PK = ?1"
    let (now, before) = (try overlay.prepare(select), try base.prepare(select))
    let update = try overlay.prepare("UPDATE \(columns.table) SET Z_OPT = ?2 WHERE Z_PK = ?1")
    // None of these rows waits: a row that waits was written once, and so differs.
    for statement in [now, update] { statement.use = .bookkeeping }
    var same: [Int64] = []
    var (left, named) = (Set<String>(), Set<String>())
    for key in primaryKeys {
      if waits(key, table) { continue }
      now.bind(1, key)
      before.bind(1, key)
      defer {
        now.reset()
        before.reset()
      }
      guard try now.step(), try before.step() else { continue }
      // The files are compared last, as they are read for it.
      let others = own.filter { !RowTransfer.areSame(now, before, Int32($0)) }
      guard others.allSatisfy(large.contains),
        others.allSatisfy({ haveSameValue(now.bytes(Int32($0)), before.bytes(Int32($0))) })
      else { continue }
      same.append(key)
      let isVersionKept = keepsVersions || RowTransfer.areSame(now, before, version)
      let former = others.map { (column: $0, now: Array(now.bytes(Int32($0))), before: Array(before.bytes(Int32($0)))) }
      let number = before.integer(version)
      now.reset()
      for cell in former {
        try set(columns, cell.column, of: key, to: cell.before)
        if let name = ExternalData.fileName(cell.now) { left.insert(name) }
        if let name = ExternalData.fileName(cell.before) { named.insert(name) }
      }
      if isVersionKept { continue }
      update.bind(1, key)
      update.bind(2, number)
      try update.run()
    }
    return (same, left, named)
  }

  /// Whether two cells of large values stand for the same bytes, in whatever files they are.
  private func haveSameValue(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard !left.isEmpty, !right.isEmpty else { return false }
    return ExternalData.bytes(Array(left), store: base.path).flatMap { bytes in
      ExternalData.bytes(Array(right), store: base.path).map { $0 == bytes }
    } ?? false
  }

  /// Replaces one cell of a planned row.
  private func set(_ columns: TableColumns, _ column: Int, of key: Int64, to cell: [UInt8]) throws(StoreError) {
    let update = try overlay.prepare(
      "UPDATE \(columns.table) SET \(TableColumns.quoted(columns.names[column])) = ?2 WHERE Z_PK = ?1")
    update.use = .bookkeeping
    update.bind(1, key)
    update.bind(2, copying: cell)
    try update.run()
  }

  fileprivate func keep(_ primaryKeys: [Int64], _ number: Int) throws(StoreError) {
    try overlay.execute("CREATE TABLE IF NOT EXISTS \(Self.updates)(part INTEGER, keys BLOB)", .bookkeeping)
    let insert = try overlay.prepare("INSERT INTO \(Self.updates) VALUES(?1, ?2)")
    insert.use = .bookkeeping
    insert.bind(1, Int64(number))
    insert.bind(2, copying: primaryKeys.withUnsafeBytes(Array.init))
    try insert.run()
  }

  fileprivate func forEachKept(_ number: Int, _ body: (Int64) -> Void) throws(StoreError) {
    guard try overlay.hasTable(Self.updates) else { return }
    let rows = try overlay.prepare("SELECT keys FROM \(Self.updates) WHERE part = ?1 ORDER BY rowid")
    rows.bind(1, Int64(number))
    while try rows.step() {
      let bytes = rows.bytes(0)
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        body(bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
      }
    }
  }
}
