import CSQLite
import Glibc

/// The rows that a connection has changed, by table: a bit for each row.
///
/// Rows that were changed and changed back, or whose change was rolled back, are among them; none is missing. Changes of
/// tables without row numbers, and of temporary tables, are not seen.
/// Source: [The pre-update hook](https://sqlite.org/c3ref/preupdate_blobwrite.html).
public final class ChangedRows {
  /// The bits of one table, in pieces of ``rowsInPiece`` rows.
  public final class Table {
    /// The table's name.
    public let name: String
    fileprivate let cName: [CChar]
    fileprivate var pieces: [Int64: Piece] = [:]
    fileprivate var unsaved: Set<Int64> = []
    private var last: (number: Int64, piece: Piece)?
    /// Whether rows may have been deleted.
    public fileprivate(set) var hasDeletions = false

    fileprivate init(_ name: String) {
      self.name = name
      cName = Array(name.utf8CString)
    }

    /// Notes a row.
    fileprivate func add(_ row: Int64) {
      let number = row >> ChangedRows.shift
      let piece: Piece
      if let last, last.number == number {
        piece = last.piece
      } else {
        piece = pieces[number] ?? Piece()
        pieces[number] = piece
        last = (number, piece)
      }
      if piece.add(Int(row & (ChangedRows.rowsInPiece - 1))), !piece.isUnsaved {
        piece.isUnsaved = true
        unsaved.insert(number)
      }
    }

    /// The numbers of the rows, ascending.
    public var rows: some Sequence<Int64> { rows(in: Int64.min...Int64.max) }

    /// The numbers of the rows within a range, ascending.
    public func rows(in range: ClosedRange<Int64>) -> some Sequence<Int64> {
      let numbers = pieces.keys.filter {
        $0 >= range.lowerBound >> ChangedRows.shift && $0 <= range.upperBound >> ChangedRows.shift
      }.sorted()
      return numbers.lazy.flatMap { [pieces] number -> [Int64] in
        (pieces[number]?.rows(from: number << ChangedRows.shift) ?? []).filter(range.contains)
      }
    }
  }

  /// The bits of some rows.
  fileprivate final class Piece {
    var words = [UInt64](repeating: 0, count: Int(ChangedRows.rowsInPiece) / 64)
    var isUnsaved = false

    /// Sets a bit and returns whether it was not set.
    func add(_ index: Int) -> Bool {
      let bit = UInt64(1) << UInt64(index & 63)
      if words[index >> 6] & bit != 0 { return false }
      words[index >> 6] |= bit
      return true
    }

    func rows(from first: Int64) -> [Int64] {
      var rows: [Int64] = []
      for (index, word) in words.enumerated() {
        var word = word
        while word != 0 {
          rows.append(first + Int64(index * 64 + word.trailingZeroBitCount))
          word &= word - 1
        }
      }
      return rows
    }
  }

  static let shift: Int64 = 12
  fileprivate static let rowsInPiece: Int64 = 1 << shift

  private let connection: Connection
  /// The table in the overlay where the bits are kept, so that another process can go on.
  public static let keeper = "mergewalk_changed_rows"
  /// The tables of which rows were changed, in the order in which they were first seen.
  public private(set) var tables: [Table] = []
  private var last: Table?
  /// How many rows of ``keeper`` were written, and by how many statements.
  public private(set) var kept = (rows: 0, statements: 0)

  /// Begins to watch a connection, and goes on with what an earlier process has kept.
  public init(_ connection: Connection) throws(SQLiteError) {
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
  public func stop() {
    guard !connection.isClosed else { return }
    sqlite3_preupdate_hook(connection.handle, nil, nil)
    sqlite3_commit_hook(connection.handle, nil, nil)
  }

  private var isWhole: Bool { tables.allSatisfy(\.unsaved.isEmpty) }

  private func table(_ name: UnsafePointer<CChar>) -> Table? {
    if let last, last.cName.withUnsafeBufferPointer({ strcmp($0.baseAddress!, name) == 0 }) { return last }
    let text = String(cString: name)
    if text == Self.keeper { return nil }
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
  public func keep() throws(SQLiteError) {
    guard !isWhole else { return }
    let before = connection.statementsExecuted
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.keeper)(name TEXT, piece INTEGER, bits BLOB, PRIMARY KEY(name, piece))")
    let statement = try connection.prepare("INSERT OR REPLACE INTO \(Self.keeper) VALUES(?1, ?2, ?3)")
    for table in tables where !table.unsaved.isEmpty {
      statement.bind(1, text: table.name)
      for number in table.unsaved.sorted() {
        guard let piece = table.pieces[number] else { continue }
        statement.bind(2, number)
        statement.bind(3, copying: piece.words.withUnsafeBytes { Array($0) })
        try statement.run()
        piece.isUnsaved = false
        kept.rows += 1
      }
      table.unsaved = []
    }
    kept.statements += connection.statementsExecuted - before
  }

  /// Says that the transaction was rolled back: what was kept in it has to be kept again.
  public func forgetKept() {
    for table in tables {
      for (number, piece) in table.pieces {
        piece.isUnsaved = true
        table.unsaved.insert(number)
      }
    }
  }

  private func restore() throws(SQLiteError) {
    let rows = try connection.prepare("SELECT name, piece, bits FROM \(Self.keeper)")
    while try rows.step() {
      let piece = Piece()
      let bits = rows.bytes(2)
      guard bits.count == piece.words.count * 8 else {
        throw SQLiteError(code: SQLITE_CORRUPT, message: "\(Self.keeper) was not written by this program")
      }
      piece.words.withUnsafeMutableBytes { $0.copyMemory(from: bits) }
      rows.text(0).withCString { name in
        guard let table = table(name) else { return }
        table.pieces[rows.integer(1)] = piece
        // Nobody has kept that.
        table.hasDeletions = true
      }
    }
  }
}
