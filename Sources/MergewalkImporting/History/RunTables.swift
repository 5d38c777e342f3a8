import MergewalkObjectStore

/// The tables of a run history and their statements.
///
/// Lists that belong to a run have tables of their own, so that `sqlite3` alone can ask anything of them.
enum RunTables {
  /// The application ID in the file's header: `MwRn`.
  private static let applicationID = 0x4D77_526E
  /// The version of the format that is written.
  private static let version = 1

  private static let schema = """
    CREATE TABLE IF NOT EXISTS runs(
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, pipeline TEXT NOT NULL, kind TEXT NOT NULL,
      started TEXT NOT NULL, started_unix REAL NOT NULL, seconds REAL NOT NULL, status TEXT NOT NULL,
      exit_code INTEGER NOT NULL, store TEXT NOT NULL, input_count INTEGER NOT NULL,
      read INTEGER NOT NULL, inserted INTEGER NOT NULL, updated INTEGER NOT NULL, unchanged INTEGER NOT NULL,
      skipped INTEGER NOT NULL, rejected INTEGER NOT NULL, is_balanced INTEGER NOT NULL,
      rejects_file TEXT, slow_stage TEXT NOT NULL, peak_rss_bytes INTEGER NOT NULL, bytes_read INTEGER NOT NULL,
      version TEXT NOT NULL, host TEXT NOT NULL, resumed_from TEXT, error_code TEXT, error_message TEXT);
    CREATE INDEX IF NOT EXISTS runs_of_pipeline ON runs(pipeline, number);
    CREATE TABLE IF NOT EXISTS run_inputs(
      run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, path TEXT NOT NULL, bytes INTEGER,
      fingerprint TEXT, PRIMARY KEY(run, place)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_parts(
      run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, name TEXT NOT NULL, entity TEXT NOT NULL,
      seconds REAL NOT NULL, read INTEGER NOT NULL, inserted INTEGER NOT NULL, updated INTEGER NOT NULL, unchanged INTEGER NOT NULL, skipped INTEGER NOT NULL,
      rejected INTEGER NOT NULL, PRIMARY KEY(run, place)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_entities(
      run INTEGER NOT NULL REFERENCES runs, entity TEXT NOT NULL, inserted INTEGER NOT NULL, updated INTEGER NOT NULL,
      unchanged INTEGER NOT NULL, PRIMARY KEY(run, entity)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_rejects(
      run INTEGER NOT NULL REFERENCES runs, code TEXT NOT NULL, records INTEGER NOT NULL,
      PRIMARY KEY(run, code)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_phases(
      run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, name TEXT NOT NULL, seconds REAL NOT NULL,
      PRIMARY KEY(run, place)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_warnings(
      run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY(run, place)) WITHOUT ROWID;
    """

  private static let lists = [
    "run_inputs", "run_parts", "run_entities", "run_rejects", "run_phases", "run_warnings",
  ]

  /// More warnings than these are not kept.
  private static let mostWarnings = 100

  // MARK: The file

  /// Checks that the file is ours or empty, and settles how it is written.
  static func prepare(_ file: DatabaseFile, _ path: String) throws {
    _ = try check(file, path)
    // One small transaction a run: a journal that is removed each time leaves one file beside the store, not three.
    try file.execute("PRAGMA journal_mode=DELETE")
  }

  /// Whether the file has tables of runs.
  ///
  /// - Throws: `RunHistoryError` for a file of another program, `StoreError`.
  static func check(_ file: DatabaseFile, _ path: String) throws -> Bool {
    let owner = try file.integer("PRAGMA application_id") ?? 0
    if owner == 0, try file.integer("SELECT count(*) FROM sqlite_schema") == 0 { return false }
    guard owner == Int64(applicationID) else { throw RunHistoryError(.foreignFile, path, "is another program's") }
    let version = try file.integer("PRAGMA user_version") ?? 0
    guard version <= Int64(Self.version) else {
      throw RunHistoryError(.newerVersion, path, "was created by a newer Mergewalk (format \(version))")
    }
    return true
  }

  /// Makes the tables that are not there, within the open transaction.
  static func create(_ file: DatabaseFile) throws(StoreError) {
    try file.execute(schema)
    try file.execute("PRAGMA application_id=\(applicationID); PRAGMA user_version=\(version)")
  }

  // MARK: Writing

  /// Inserts a run and returns its number.
  static func insert(_ run: RunRecord, _ file: DatabaseFile) throws(StoreError) -> Int {
    let columns = [
      "id", "pipeline", "kind", "started", "started_unix", "seconds", "status", "exit_code", "store", "input_count",
      "read", "inserted", "updated", "unchanged", "skipped", "rejected", "is_balanced", "rejects_file", "slow_stage",
      "peak_rss_bytes", "bytes_read", "version", "host", "resumed_from", "error_code", "error_message",
    ]
    var row = RowBinder(try file.rows(insertion("runs", columns)))
    row.add(run.id)
    row.add(run.pipeline)
    row.add(run.kind.rawValue)
    row.add(RunIdentity.timestamp(run.started))
    row.add(run.started)
    row.add(run.seconds)
    row.add(run.status.rawValue)
    row.add(run.status.exitCode)
    row.add(run.store)
    row.add(run.inputCount)
    row.add(run.counts)
    row.add(run.counts.isBalanced ? 1 : 0)
    row.add(run.rejectsPath)
    row.add(run.slowStage)
    row.add(run.peakResidentBytes)
    row.add(run.bytesRead)
    row.add(run.version)
    row.add(run.host)
    row.add(run.resumedFrom)
    row.add(run.errorCode)
    row.add(run.errorMessage)
    try row.statement.run()
    guard let number = try file.integer("SELECT last_insert_rowid()") else { return 0 }
    try insertLists(run, Int(number), file)
    return Int(number)
  }

  private static func insertLists(_ run: RunRecord, _ number: Int, _ file: DatabaseFile) throws(StoreError) {
    func each<Item>(
      _ items: some Sequence<Item>, _ table: String, _ columns: [String], _ fill: (inout RowBinder, Item) -> Void
    ) throws(StoreError) {
      let statement = try file.rows(insertion(table, ["run"] + columns))
      for item in items {
        var row = RowBinder(statement)
        row.add(number)
        fill(&row, item)
        try statement.run()
      }
    }
    try each(
      run.inputs.prefix(RunRecord.mostInputs).enumerated(), "run_inputs", ["place", "path", "bytes", "fingerprint"]
    ) {
      $0.add($1.offset)
      $0.add($1.element.path)
      $0.add($1.element.bytes)
      $0.add($1.element.fingerprint)
    }
    try each(run.parts.enumerated(), "run_parts", ["place", "name", "entity", "seconds"] + RecordCounts.names) {
      $0.add($1.offset)
      $0.add($1.element.name)
      $0.add($1.element.entity)
      $0.add($1.element.seconds)
      $0.add($1.element.counts)
    }
    try each(run.entities, "run_entities", ["entity", "inserted", "updated", "unchanged"]) {
      $0.add($1.key)
      $0.add($1.value.inserted)
      $0.add($1.value.updated)
      $0.add($1.value.unchanged)
    }
    try each(run.rejectCodes, "run_rejects", ["code", "records"]) {
      $0.add($1.key)
      $0.add($1.value)
    }
    try each(run.phases.enumerated(), "run_phases", ["place", "name", "seconds"]) {
      $0.add($1.offset)
      $0.add($1.element.name)
      $0.add($1.element.seconds)
    }
    try each(run.warnings.prefix(mostWarnings).enumerated(), "run_warnings", ["place", "text"]) {
      $0.add($1.offset)
      $0.add($1.element)
    }
  }

  private static func insertion(_ table: String, _ columns: [String]) -> String {
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    return "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES(\(marks))"
  }

  /// Removes all but the last runs.
  static func removeOld(_ file: DatabaseFile, keeps: Int) throws(StoreError) {
    let last = try file.integer("SELECT number FROM runs ORDER BY number DESC LIMIT 1 OFFSET \(keeps)")
    guard let last else { return }
    for table in lists { try file.execute("DELETE FROM \(table) WHERE run <= \(last)") }
    try file.execute("DELETE FROM runs WHERE number <= \(last)")
  }

  // MARK: Reading

  /// Reads the runs that a condition chooses, with their lists.
  static func select(
    _ condition: String, _ file: DatabaseFile, _ bind: (DatabaseRows) -> Void
  ) throws(StoreError) -> [RunRecord] {
    let statement = try file.rows(
      """
      SELECT number, id, pipeline, kind, started_unix, seconds, status, store, input_count, read, inserted, updated,
        unchanged, skipped, rejected, rejects_file, slow_stage, peak_rss_bytes, bytes_read, version, host, resumed_from,
        error_code, error_message FROM runs \(condition)
      """)
    bind(statement)
    var runs: [RunRecord] = []
    while try statement.step() {
      var run = RunRecord()
      var row = RunRow(statement)
      run.number = row.integer()
      run.id = row.text() ?? ""
      run.pipeline = row.text() ?? ""
      run.kind = row.text().flatMap(RunRecord.Kind.init) ?? .records
      run.started = row.double()
      run.seconds = row.double()
      // A word of a later version is no success.
      run.status = row.text().flatMap(RunStatus.init) ?? .failed
      run.store = row.text() ?? ""
      run.inputCount = row.integer()
      run.counts = row.counts()
      run.rejectsPath = row.text()
      run.slowStage = row.text() ?? ""
      run.peakResidentBytes = row.integer()
      run.bytesRead = row.integer()
      run.version = row.text() ?? ""
      run.host = row.text() ?? ""
      run.resumedFrom = row.text()
      run.errorCode = row.text()
      run.errorMessage = row.text()
      runs.append(run)
    }
    for index in runs.indices { try fillLists(&runs[index], file) }
    return runs
  }

  private static func fillLists(_ run: inout RunRecord, _ file: DatabaseFile) throws(StoreError) {
    let number = run.number
    func each(_ columns: String, _ table: String, _ body: (inout RunRow) -> Void) throws(StoreError) {
      let statement = try file.rows("SELECT \(columns) FROM \(table) WHERE run = ?1 ORDER BY 1")
      statement.bind(1, Int64(number))
      while try statement.step() {
        var row = RunRow(statement)
        body(&row)
      }
    }
    var filled = run
    try each("place, path, bytes, fingerprint", "run_inputs") { row in
      _ = row.integer()
      filled.inputs.append(.init(path: row.text() ?? "", bytes: row.optionalInteger(), fingerprint: row.text()))
    }
    try each("place, name, entity, seconds, read, inserted, updated, unchanged, skipped, rejected", "run_parts") {
      row in
      _ = row.integer()
      var part = RunRecord.Part(name: row.text() ?? "", entity: row.text() ?? "", counts: RecordCounts())
      part.seconds = row.double()
      part.counts = row.counts()
      filled.parts.append(part)
    }
    try each("entity, inserted, updated, unchanged", "run_entities") { row in
      let name = row.text() ?? ""
      var counts = ImportSummary.EntityCounts()
      counts.inserted = row.integer()
      counts.updated = row.integer()
      counts.unchanged = row.integer()
      filled.entities[name] = counts
    }
    try each("code, records", "run_rejects") { row in filled.rejectCodes[row.text() ?? ""] = row.integer() }
    try each("place, name, seconds", "run_phases") { row in
      _ = row.integer()
      filled.phases.append((row.text() ?? "", row.double()))
    }
    try each("place, text", "run_warnings") { row in
      _ = row.integer()
      filled.warnings.append(row.text() ?? "")
    }
    run = filled
  }
}

/// Binds the parameters of a statement from left to right.
private struct RowBinder {
  let statement: DatabaseRows
  private var next: Int32 = 1

  init(_ statement: DatabaseRows) { self.statement = statement }

  private mutating func take() -> Int32 {
    defer { next += 1 }
    return next
  }

  mutating func add(_ value: Int) { statement.bind(take(), Int64(value)) }
  mutating func add(_ value: Double) { statement.bind(take(), value) }
  mutating func add(_ value: String) { statement.bind(take(), text: value) }
  mutating func add(_ value: Int?) { if let value { add(value) } else { statement.bindNull(take()) } }
  mutating func add(_ value: String?) { if let value { add(value) } else { statement.bindNull(take()) } }
  mutating func add(_ counts: RecordCounts) {
    for value in counts.numbers { add(value) }
  }
}

/// Reads the columns of a row from left to right.
private struct RunRow {
  let statement: DatabaseRows
  private var next: Int32 = 0

  init(_ statement: DatabaseRows) { self.statement = statement }

  private mutating func take() -> Int32 {
    defer { next += 1 }
    return next
  }

  mutating func integer() -> Int { Int(statement.integer(take())) }
  mutating func double() -> Double { statement.double(take()) }
  mutating func text() -> String? {
    let column = take()
    return statement.isNull(column) ? nil : statement.text(column)
  }
  mutating func optionalInteger() -> Int? {
    let column = take()
    return statement.isNull(column) ? nil : Int(statement.integer(column))
  }
  mutating func counts() -> RecordCounts {
    RecordCounts(numbers: (0..<6).map { _ in integer() })
  }
}
