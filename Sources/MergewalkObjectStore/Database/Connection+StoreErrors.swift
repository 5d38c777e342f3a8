import CMergewalkSQLite
import MergewalkSQLite

/// SQLite's calls as everything here makes them: they throw ``StoreError``, and hide the ones that throw SQLite's errors.
extension Connection {
  /// Opens a file.
  ///
  /// - Parameter name: The path that errors name: that of the store, when the file stands for one.
  static func open(_ path: String, _ mode: Mode, name: String? = nil) throws(StoreError) -> Connection {
    if path != StoreFile.memoryPath { try StorePath.requireFile(path) }
    let connection = try storeErrors(name ?? path) { () throws(SQLiteError) in try SQLiteCalls.open(path, mode) }
    connection.name = name ?? path
    return connection
  }

  func close() throws(StoreError) { try mapped { () throws(SQLiteError) in try SQLiteCalls.close(self) } }

  func execute(_ sql: String, _ use: Use = .rows) throws(StoreError) {
    try mapped { () throws(SQLiteError) in try SQLiteCalls.execute(self, sql, use) }
  }

  func prepare(_ sql: String) throws(StoreError) -> Statement {
    try mapped { () throws(SQLiteError) in try SQLiteCalls.prepare(self, sql) }
  }

  func integer(_ sql: String) throws(StoreError) -> Int64? {
    try mapped { () throws(SQLiteError) in try SQLiteCalls.integer(self, sql) }
  }

  func text(_ sql: String) throws(StoreError) -> String? {
    try mapped { () throws(SQLiteError) in try SQLiteCalls.text(self, sql) }
  }

  /// The first column of all rows.
  func texts(_ sql: String) throws(StoreError) -> [String] {
    let rows = try prepare(sql)
    var texts: [String] = []
    while try rows.step() { texts.append(rows.text(0)) }
    return texts
  }

  func backUp(to path: String) throws(StoreError) {
    try mapped { () throws(SQLiteError) in try SQLiteCalls.backUp(self, to: path) }
  }

  func apply(_ pragmas: Pragmas) throws(StoreError) {
    for statement in pragmas.statements { try execute(statement) }
  }

  /// Runs calls of SQLite's own, with a store's errors.
  func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw StoreError(explained(error), path: name) }
  }

  /// Checks the result code of a call of the C library, such as the registration of `what`.
  func check(_ code: Int32, _ what: String) throws(StoreError) {
    if code != SQLITE_OK {
      throw StoreError(SQLiteError(code: code, message: "cannot register \(what)"), path: name)
    }
  }

  /// Makes the triggers of an existing store run as they do with Core Data, apart from what they tell it.
  ///
  /// - Parameter isRun: Whether the connection is that of a run, see ``leaveDerivedValues(_:copiesOthers:)``.
  func prepareTriggers(_ schema: StoreSchema, isRun: Bool) throws(StoreError) {
    try registerCoreDataFunctions()
    try trustSpatialIndexes()
    try completeSpatialTriggers(schema)
    try leaveDerivedValues(schema, copiesOthers: isRun)
  }

  /// Whether the store has the tables of persistent history.
  func tracksHistory() throws(StoreError) -> Bool {
    if try hasTable("ACHANGE") { return true }
    return try hasTable("ATRANSACTION")
  }

  /// Whether there is a table with this name, in whatever case.
  func hasTable(_ name: String) throws(StoreError) -> Bool {
    let find = try prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND upper(name) = upper(?)")
    find.bind(1, text: name)
    return try find.step() && find.integer(0) > 0
  }
}

extension Statement {
  @inline(__always)
  func step() throws(StoreError) -> Bool {
    do throws(SQLiteError) { return try SQLiteCalls.step(self) } catch {
      throw StoreError(connection.explained(error), path: connection.name)
    }
  }

  @inline(__always)
  func run() throws(StoreError) {
    do throws(SQLiteError) { try SQLiteCalls.run(self) } catch {
      throw StoreError(connection.explained(error), path: connection.name)
    }
  }
}
