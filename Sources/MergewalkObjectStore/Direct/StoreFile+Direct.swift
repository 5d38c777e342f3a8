import MergewalkDiagnostics
import MergewalkSQLite

/// The rows that went into a new store past SQLite.
struct DirectRecord {
  /// The tables that were filled so.
  var tables: Set<String> = []
  /// How many rows they got so.
  var rows = 0
  /// How many rows SQLite had written when the load ended, and how many of all that it writes are bookkeeping.
  var (written, bookkeeping) = (0, 0)
  var isBookkeeping = false
}

extension StoreFile {
  /// From here on rows of empty tables go into the file past SQLite, until SQLite is needed.
  ///
  /// Indexes whose columns ascend are made now, while they are empty. Whatever uses the connection next, for whatever
  /// reason, first gets a file with all rows: without the indexes, which ``finish()`` builds, or with them after
  /// ``endDirectLoad(buildsIndexes:)``. A store that keeps batches, or that exists, continues with SQLite.
  ///
  /// - Complexity: A look at each table; the rows of those that have some go through SQLite.
  package func loadDirectly() throws(StoreError) {
    guard direct == nil, !keepsBatches, let descriptor = hiddenDescriptor else { return }
    var tables: [EntityTable] = []
    for table in schema.tables
    where try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table.name))") == 0 { tables.append(table) }
    let names = Set(tables.map(\.name))
    let wanted = pendingIndexes.filter { names.contains($0.table) && !$0.descending.contains(true) && $0.isPlain }
    for index in wanted { try connection.execute(index.sql) }
    pendingIndexes.removeAll { wanted.contains($0) }
    if !connection.isAutocommit { try connection.execute("COMMIT") }
    // Without its lock the connection looks at the file's change counter before it believes its cache.
    // Source: https://sqlite.org/pragma.html#pragma_locking_mode
    try connection.execute("PRAGMA locking_mode=NORMAL; SELECT count(*) FROM sqlite_schema")
    let roots = try connection.rootPages()
    let present = schema.indexes.filter { roots[$0.name] != nil }
    direct = DirectLoad(
      path: path, descriptor: descriptor, tables: tables, indexes: present, made: Set(wanted.map(\.name)), roots: roots)
    connection.willUseFile = { [unowned self] _ throws(SQLiteError) in
      do throws(StoreError) { try endDirectLoad { _ in false } } catch {
        // SQLITE_IOERR, as if SQLite had written the pages.
        throw SQLiteError(code: error.cause?.code ?? 10, message: error.message)
      }
    }
  }

  /// Makes everything that went past SQLite part of the file, and continues with SQLite; nothing happens without a
  /// load.
  ///
  /// - Parameter buildsIndexes: Whether the indexes of a table are written now; the others are built later, as those
  ///   that refuse existing rows.
  package func endDirectLoad(buildsIndexes: (_ table: String) -> Bool = { _ in true }) throws(StoreError) {
    guard let load = direct else { return }
    direct = nil
    connection.willUseFile = nil
    let result = try load.finish(buildsIndexes: buildsIndexes)
    directRecord.tables.formUnion(result.rows.keys)
    directRecord.rows += result.rows.values.reduce(0, +)
    directRecord.written = connection.totalChanges - directRecord.bookkeeping
    try connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN")
    // Later they are built from sorted rows, which is faster than keeping them up.
    for name in result.missing { try connection.execute("DROP INDEX \(name)") }
    try findPendingIndexes()
    try load.didEnd?()
  }

  /// How many rows went into the file past SQLite.
  package var directRows: Int { directRecord.rows + (direct?.rowCount ?? 0) }

  /// Runs statements that write no object; the first of them may end a load, which runs such statements too.
  func writeBookkeeping(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    if directRecord.isBookkeeping { return try body() }
    directRecord.isBookkeeping = true
    defer { directRecord.isBookkeeping = false }
    let before = connection.totalChanges
    defer { directRecord.bookkeeping += connection.totalChanges - before }
    try body()
  }

  /// Whether all objects went into the file past SQLite and none was changed since: then its pages are full, and hold
  /// nothing that was replaced.
  var hasDirectRowsOnly: Bool {
    directRecord.rows > 0 && connection.totalChanges - directRecord.bookkeeping == directRecord.written
  }

  /// Runs SQLite's own checks on the pages written past it, before the file becomes visible.
  ///
  /// - Throws: ``StoreError`` with `damagedFile`.
  /// - Complexity: A pass over the file.
  func checkDirectTables() throws(StoreError) {
    guard !directRecord.tables.isEmpty else { return }
    // What is committed can be counted on another thread meanwhile.
    try connection.execute("COMMIT")
    let written = schema.indexes.filter { $0.condition == nil && directRecord.tables.contains($0.table) }
    let counts = EntryCounts(
      connection, indexes: written.map { ($0.table, $0.name) },
      descriptor: PrivateFolder.holds(path) ? nil : hiddenDescriptor)
    let check = checksWhole ? "integrity_check" : "quick_check"
    let found = Result { () throws(StoreError) in try connection.text("PRAGMA \(check)(1)") ?? "" }
    let miscount = Result { () throws(StoreError) in try counts.wait() }
    let says = try found.get()
    guard says == "ok" else { throw damage("PRAGMA \(check) says: \(says)") }
    if let miscount = try miscount.get() { throw damage(miscount) }
    try connection.execute("BEGIN")
  }

  private func damage(_ found: String) -> StoreError {
    StoreError(
      .damagedFile, path: path,
      message: "the new store is not whole and was not kept: \(found); run again with the pipeline's direct: never")
  }
}

extension Connection {
  /// The root pages of tables and indexes, by name.
  func rootPages() throws(StoreError) -> [String: UInt32] {
    var roots: [String: UInt32] = [:]
    let statement = try prepare("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
    while try statement.step() { roots[statement.text(0)] = UInt32(truncatingIfNeeded: statement.integer(1)) }
    return roots
  }
}
