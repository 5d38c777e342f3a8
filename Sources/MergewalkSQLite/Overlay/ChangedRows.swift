import CMergewalkSQLite
import MergewalkSystem

/// The rows that a connection has changed, by table (``RowBits``).
///
/// They include rows that were changed back, or whose change was rolled back; none is missing. Changes to tables
/// without row numbers, and to temporary tables, are not recorded. Source: [The pre-update
/// hook](https://sqlite.org/c3ref/preupdate_blobwrite.html).
package final class ChangedRows {
  package final class Table {
    package let name: String
    fileprivate let cName: [CChar]
    fileprivate let bits = RowBits()
    fileprivate var unsaved: Set<Int64> = []
    /// Whether rows may have been deleted.
    package fileprivate(set) var hasDeletions = false

    fileprivate init(_ name: String) {
      self.name = name
      cName = Array(name.utf8CString)
    }

    fileprivate func add(_ row: Int64) {
      if let piece = bits.insert(row) { unsaved.insert(piece) }
    }

    /// The numbers of the rows, ascending.
    package var rows: some Sequence<Int64> { bits.rows(in: Int64.min...Int64.max) }

    /// The numbers of the rows within a range, ascending.
    package func rows(in range: ClosedRange<Int64>) -> some Sequence<Int64> { bits.rows(in: range) }
  }

  private let connection: Connection
  /// The table in the overlay where the bits are kept, so that another process can resume.
  package static let keeper = "mergewalk_changed_rows"
  /// The tables of which rows were changed, in the order in which they were first seen.
  package private(set) var tables: [Table] = []
  private var last: Table?
  /// How many rows of ``keeper`` were written, and by how many statements.
  package private(set) var kept = (rows: 0, statements: 0)

  /// Begins to watch a connection, and continues with what an earlier process has kept.
  package init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    let exists = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = '\(Self.keeper)'") ?? 0
    if exists > 0 { try restore() }
    sqlite3_preupdate_hook(
      connection.handle,
      { context, _, operation, database, table, old, new in
        guard let context, let table, let database, strcmp(database, "main") == 0 else { return }
        let rows = Unmanaged<ChangedRows>.fromOpaque(context).takeUnretainedValue()
        guard let changed = rows.table(table) else { return }
        if operation != SQLITE_INSERT { changed.add(old) }
        if operation == SQLITE_DELETE { changed.hasDeletions = true }
        if operation != SQLITE_DELETE, operation == SQLITE_INSERT || new != old { changed.add(new) }
      }, Unmanaged.passUnretained(self).toOpaque())
    // A transaction whose rows are not kept would be lost to whoever goes on: only ``keep()`` makes it whole.
    sqlite3_commit_hook(
      connection.handle,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ChangedRows>.fromOpaque(context).takeUnretainedValue().isWhole ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends the watch; belongs before the connection closes.
  package func stop() {
    guard !connection.isClosed else { return }
    sqlite3_preupdate_hook(connection.handle, nil, nil)
    sqlite3_commit_hook(connection.handle, nil, nil)
  }

  private var isWhole: Bool { tables.allSatisfy(\.unsaved.isEmpty) }

  /// The rows of a table; `nil` for none.
  package func rows(ofTable name: String) -> RowBits? { tables.first { $0.name == name }?.bits }

  /// The tables of an overlay that are no part of the database.
  package static let ownTables: Set<String> = [keeper, updatesTable, "mergewalk_deferred_rows"]

  /// The table of an overlay where a run keeps which objects its records have changed.
  package static let updatesTable = "mergewalk_updated_objects"

  private func table(_ name: UnsafePointer<CChar>) -> Table? {
    if let last, last.cName.withUnsafeBufferPointer({ strcmp($0.baseAddress!, name) == 0 }) { return last }
    let text = String(cString: name)
    if Self.ownTables.contains(text) { return nil }
    let found: Table
    if let known = tables.first(where: { $0.name == text }) {
      found = known
    } else {
      found = Table(text)
      tables.append(found)
    }
    last = found
    return found
  }

  // MARK: Keeping

  /// Writes what is new into the overlay, as part of the open transaction; belongs right before its end.
  package func keep() throws(SQLiteError) {
    guard !isWhole else { return }
    let before = connection.statementsExecuted
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.keeper)(name TEXT, piece INTEGER, bits BLOB, PRIMARY KEY(name, piece))",
      .bookkeeping)
    let statement = try connection.prepare("INSERT OR REPLACE INTO \(Self.keeper) VALUES(?1, ?2, ?3)")
    statement.use = .bookkeeping
    for table in tables where !table.unsaved.isEmpty {
      statement.bind(1, text: table.name)
      for number in table.unsaved.sorted() {
        guard let bytes = table.bits.bytes(ofPiece: number) else { continue }
        statement.bind(2, number)
        statement.bind(3, copying: bytes)
        try statement.run()
        kept.rows += 1
      }
      table.unsaved = []
    }
    kept.statements += connection.statementsExecuted - before
  }

  /// Says that the transaction was rolled back: what was kept in it has to be kept again.
  package func forgetKept() {
    for table in tables { table.unsaved = Set(table.bits.pieceNumbers) }
  }

  private func restore() throws(SQLiteError) {
    let rows = try connection.prepare("SELECT name, piece, bits FROM \(Self.keeper)")
    while try rows.step() {
      let (number, bytes) = (rows.integer(1), rows.bytes(2))
      guard bytes.count == RowBits.bytesInPiece else {
        throw SQLiteError(code: SQLITE_CORRUPT, message: "\(Self.keeper) was not written by this program")
      }
      rows.text(0).withCString { name in
        guard let table = table(name) else { return }
        table.bits.setPiece(number, bytes)
        // That was not kept.
        table.hasDeletions = true
      }
    }
  }
}
