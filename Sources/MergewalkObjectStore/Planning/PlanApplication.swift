import CMergewalkSQLite
import MergewalkSystem
package import MergewalkSQLite

/// Makes a database equal to an overlay of it: compares the changed rows, and writes those that differ in the order of
/// their numbers.
///
/// For the next developer:
/// - Triggers do not run: their effects during the planning are part of the plan.
/// - All reads from pages that the target will write come before the first write (`isReadWhileWritten`): the overlay
///   shows the store's own pages wherever the run did not change them.
/// - Rows are written in the order of their numbers, so each page of the store is changed once.
/// - Rows that have exchanged unique keys are removed before they are inserted again: no single order of updates would
///   work.
/// - A run is one save: the version of a row grows by one, however many batches have changed it.
/// - A row of which only the version differs was changed and changed back: it is not written, and keeps its version. A
///   store with a history has the changes there, and its rows get their new versions.
/// - Apply a plan in one transaction of the target. A refusal leaves the store as it was and the plan as it is.
/// - Tables that appeared and vanished within the run are in the list of changes, but not in the source.
struct PlanApplication {
  private let source: Connection
  private let target: Connection
  /// Whether the source reads pages that the target writes meanwhile.
  private let isReadWhileWritten: Bool
  /// For each table, the columns that the store computes from other objects.
  private let computed: [String: Set<String>]

  /// - Parameters:
  ///   - isReadWhileWritten: Whether what the target writes goes to the file that the overlay reads: then the rows are
  ///     copied before the first one is written.
  ///   - computed: For each table, the columns whose changes are none of the objects' own.
  init(from source: Connection, to target: Connection, isReadWhileWritten: Bool, computed: [String: Set<String>]) {
    self.source = source
    self.target = target
    self.isReadWhileWritten = isReadWhileWritten
    self.computed = computed
  }

  /// Writes the changed rows; belongs into the target's transaction.
  func run(_ tables: [ChangedRows.Table]) throws(StoreError) {
    try target.withoutTriggers { () throws(StoreError) in try write(tables) }
  }

  private func write(_ tables: [ChangedRows.Table]) throws(StoreError) {
    // Everything is read that the overlay has of the store's own pages before the first of them is written.
    var present: [ChangedRows.Table] = []
    // One that is not there was dropped again before the end of the run.
    for table in tables where try source.hasTable(table.name) { present.append(table) }
    let keepsVersions = try source.tracksHistory()
    let missing = try missingStatements()
    let sequences = try sequences()
    var copies: [String?] = []
    for (number, table) in present.enumerated() {
      copies.append(isReadWhileWritten ? try copy(table, number) : nil)
    }
    for statement in missing { try target.execute(statement) }
    for (table, copy) in zip(present, copies) {
      let transfer = try RowTransfer(
        table, from: source, copy: copy, to: target,
        unversioned: keepsVersions ? nil : computed[table.name, default: []])
      try transfer.run()
    }
    try write(sequences)
  }

  /// The numbers that tables with `AUTOINCREMENT` go on from, which no hook sees; `nil` when there are none.
  private func sequences() throws(StoreError) -> [(name: String, number: Int64)]? {
    guard try source.hasTable("sqlite_sequence") else { return nil }
    let rows = try source.prepare("SELECT name, seq FROM sqlite_sequence")
    var sequences: [(name: String, number: Int64)] = []
    while try rows.step() { sequences.append((rows.text(0), rows.integer(1))) }
    return sequences
  }

  private func write(_ sequences: [(name: String, number: Int64)]?) throws(StoreError) {
    guard let sequences, try target.hasTable("sqlite_sequence") else { return }
    try target.execute("DELETE FROM sqlite_sequence")
    let insert = try target.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?1, ?2)")
    for sequence in sequences {
      insert.bind(1, text: sequence.name)
      insert.bind(2, sequence.number)
      try insert.run()
    }
  }

  /// The tables and indexes that the run has made, such as those of a history that began with it.
  private func missingStatements() throws(StoreError) -> [String] {
    let known = Set(try target.texts("SELECT type || ' ' || name FROM sqlite_schema"))
    var statements: [String] = []
    let rows = try source.prepare(
      "SELECT type || ' ' || name, sql, name FROM sqlite_schema ORDER BY type = 'table' DESC, rowid")
    while try rows.step() {
      guard !known.contains(rows.text(0)), !ChangedRows.ownTables.contains(rows.text(2)), !rows.isNull(1),
        !rows.text(2).hasPrefix("sqlite_")
      else { continue }
      statements.append(rows.text(1))
    }
    return statements
  }

  /// Copies the changed rows of a table into a temporary one.
  private func copy(_ table: ChangedRows.Table, _ number: Int) throws(StoreError) -> String {
    let columns = try TableColumns(table.name, source)
    let name = "temp.mergewalk_copy_\(number)"
    let list = (0..<columns.names.count).map { "c\($0)" }.joined(separator: ", ")
    try source.execute("CREATE TABLE \(name)(r INTEGER PRIMARY KEY\(list.isEmpty ? "" : ", ")\(list))")
    let insert = try source.prepare(
      "INSERT INTO \(name) SELECT \(columns.list(withRow: true)) FROM \(columns.table) WHERE \(columns.row) = ?1")
    for row in table.rows {
      insert.bind(1, row)
      try insert.run()
    }
    return name
  }
}

/// The columns of a table that can be written, and the name by which its row numbers are known.
package struct TableColumns {
  package let table: String
  package let names: [String]
  package let row: String

  package init(_ table: String, _ connection: Connection) throws(StoreError) {
    self.table = SQLQuoting.name(table)
    var names: [String] = []
    let rows = try connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid")
    rows.bind(1, text: table)
    while try rows.step() { names.append(rows.text(0)) }
    let taken = Set(names.map { $0.lowercased() })
    row = ["_rowid_", "rowid", "oid"].first { !taken.contains($0) } ?? "_rowid_"
    self.names = names
  }

  /// Statements that write the table in each way: compiled, they show what its triggers, indexes and checks need.
  var statementsThatWrite: [String] {
    let all = names.map { SQLQuoting.name($0) }.map { "\($0) = \($0)" }.joined(separator: ", ")
    return ["INSERT INTO \(table) DEFAULT VALUES", "UPDATE \(table) SET \(all)", "DELETE FROM \(table)"]
  }

  /// The columns, separated by commas.
  func list(withRow: Bool) -> String { ((withRow ? [row] : []) + names.map(SQLQuoting.name)).joined(separator: ", ") }
}

/// Moves the changed rows of one table.
final class RowTransfer {
  private let table: ChangedRows.Table
  private let target: Connection
  private let columns: TableColumns
  /// The column of the versions; `nil` without one.
  private let version: Int32?
  /// The columns whose changes are none of the object's own; `nil` where all versions count.
  private let unversioned: Set<Int32>?
  /// The row as it is to be, and as it is.
  private let (wanted, present): (Statement, Statement)
  private let (insert, delete): (Statement, Statement)
  /// The statements for rows of which these columns differ.
  private var updates: [[Int32]: Statement] = [:]
  /// The rows that were taken out to come in again, with their new versions, and those that are new among the old ones.
  private var takenOut: [(row: Int64, version: Int64?)] = []

  /// - Parameter unversioned: The columns whose changes raise no version; `nil` where rows that were changed and changed
  ///   back have new versions.
  init(
    _ table: ChangedRows.Table, from source: Connection, copy: String?, to target: Connection, unversioned: Set<String>?
  ) throws(StoreError) {
    self.table = table
    self.target = target
    let columns = try TableColumns(table.name, target)
    self.columns = columns
    version = columns.names.firstIndex(of: "Z_OPT").map { Int32($0) }
    self.unversioned = unversioned.map { names in
      Set(columns.names.indices.filter { names.contains(columns.names[$0]) }.map { Int32($0) })
    }
    let list = columns.list(withRow: false)
    wanted =
      if let copy {
        try source.prepare(
          "SELECT \((0..<columns.names.count).map { "c\($0)" }.joined(separator: ", ")) FROM \(copy) WHERE r = ?1")
      } else {
        try source.prepare("SELECT \(list) FROM \(columns.table) WHERE \(columns.row) = ?1")
      }
    present = try target.prepare("SELECT \(list) FROM \(columns.table) WHERE \(columns.row) = ?1")
    let places = (1...columns.names.count + 1).map { "?\($0)" }.joined(separator: ", ")
    insert = try target.prepare("INSERT INTO \(columns.table)(\(columns.list(withRow: true))) VALUES(\(places))")
    delete = try target.prepare("DELETE FROM \(columns.table) WHERE \(columns.row) = ?1")
  }

  /// Deletes, changes, and then inserts, so that a key is free before another row takes it.
  func run() throws(StoreError) {
    let last = try lastRow()
    if table.hasDeletions {
      for row in table.rows(in: Int64.min...last) {
        wanted.bind(1, row)
        defer { wanted.reset() }
        if try !wanted.step() { try remove(row) }
      }
    }
    for row in table.rows(in: Int64.min...last) { try change(row) }
    for (row, version) in takenOut { try add(row, version: version) }
    if last < Int64.max { for row in table.rows(in: last + 1...Int64.max) { try add(row) } }
  }

  private func lastRow() throws(StoreError) -> Int64 {
    let greatest = try target.prepare("SELECT max(\(columns.row)) FROM \(columns.table)")
    return try greatest.step() && !greatest.isNull(0) ? greatest.integer(0) : Int64.min
  }

  private func remove(_ row: Int64) throws(StoreError) {
    delete.bind(1, row)
    try delete.run()
  }

  /// Makes a row what it is to be, if it differs.
  private func change(_ row: Int64) throws(StoreError) {
    wanted.bind(1, row)
    present.bind(1, row)
    defer {
      wanted.reset()
      present.reset()
    }
    guard try wanted.step() else { return }
    guard try present.step() else {
      takenOut.append((row, nil))
      return
    }
    var different = (0..<Int32(columns.names.count)).filter { !Self.areSame(wanted, present, $0) }
    let next = version.flatMap { different.contains($0) ? present.integer($0) &+ 1 : nil }
    present.reset()
    if let unversioned, different.allSatisfy({ $0 == version || unversioned.contains($0) }) {
      different.removeAll { $0 == version }
    }
    guard !different.isEmpty else { return }
    let update = try update(different)
    for (place, column) in different.enumerated() { move(column, to: update, Int32(place) + 1, version: next) }
    update.bind(Int32(different.count) + 1, row)
    do throws(StoreError) { try update.run() } catch {
      // Another row has the key, and gives it up or takes this row's.
      guard error.cause?.kind == .unique else { throw error }
      try remove(row)
      takenOut.append((row, next))
    }
  }

  /// - Parameter version: The version that it gets; `nil` for that of the source.
  private func add(_ row: Int64, version: Int64? = nil) throws(StoreError) {
    wanted.bind(1, row)
    defer { wanted.reset() }
    // A row that came and went.
    guard try wanted.step() else { return }
    insert.bind(1, row)
    for column in 0..<Int32(columns.names.count) { move(column, to: insert, column + 2, version: version) }
    try insert.run()
  }

  private func update(_ different: [Int32]) throws(StoreError) -> Statement {
    if let known = updates[different] { return known }
    let list = different.enumerated().map { "\(SQLQuoting.name(columns.names[Int($1)])) = ?\($0 + 1)" }
    let statement = try target.prepare(
      "UPDATE \(columns.table) SET \(list.joined(separator: ", ")) WHERE \(columns.row) = ?\(different.count + 1)")
    updates[different] = statement
    return statement
  }

  /// Binds a value of the row as it is to be, with its storage class; it is read until the statement goes on.
  ///
  /// - Parameter next: The version that the row gets; `nil` for that of the source.
  private func move(_ column: Int32, to target: Statement, _ index: Int32, version next: Int64?) {
    if let next, column == version { return target.bind(index, next) }
    sqlite3_bind_value(target.handle, index, sqlite3_column_value(wanted.handle, column))
  }

  /// Whether two rows have one value in a column, of one storage class.
  static func areSame(_ left: Statement, _ right: Statement, _ column: Int32) -> Bool {
    let type = left.type(column)
    guard type == right.type(column) else { return false }
    switch type {
    case SQLITE_NULL: return true
    case SQLITE_INTEGER: return left.integer(column) == right.integer(column)
    case SQLITE_FLOAT: return left.double(column).bitPattern == right.double(column).bitPattern
    default:
      let (left, right) = (left.bytes(column), right.bytes(column))
      guard left.count == right.count else { return false }
      return left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
    }
  }
}
