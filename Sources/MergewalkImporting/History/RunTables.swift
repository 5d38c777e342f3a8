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
    // In one transaction: another process may make the tables between two statements.
    try file.execute("BEGIN")
    defer { try? file.execute("COMMIT") }
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
    let row: Row = [
      "id": .text(run.id), "pipeline": .text(run.pipeline), "kind": .text(run.kind.rawValue),
      "started": .text(RunIdentity.timestamp(run.started)), "started_unix": .real(run.started),
      "seconds": .real(run.seconds), "status": .text(run.status.rawValue),
      "exit_code": .number(run.status.exitCode), "store": .text(run.store),
      "input_count": .number(run.inputCount), "read": .number(run.counts.read),
      "inserted": .number(run.counts.inserted), "updated": .number(run.counts.updated),
      "unchanged": .number(run.counts.unchanged), "skipped": .number(run.counts.skipped),
      "rejected": .number(run.counts.rejected), "is_balanced": .number(run.counts.isBalanced ? 1 : 0),
      "rejects_file": .textOrNull(run.rejectsPath), "slow_stage": .text(run.slowStage),
      "peak_rss_bytes": .number(run.peakResidentBytes), "bytes_read": .number(run.bytesRead),
      "version": .text(run.version), "host": .text(run.host), "resumed_from": .textOrNull(run.resumedFrom),
      "error_code": .textOrNull(run.errorCode), "error_message": .textOrNull(run.errorMessage),
    ]
    try insert([row], "runs", file)
    guard let number = try file.integer("SELECT last_insert_rowid()") else { return 0 }
    try insertLists(run, .integer(number), file)
    return Int(number)
  }

  private static func insertLists(_ run: RunRecord, _ number: SQLBinding, _ file: DatabaseFile) throws(StoreError) {
    let inputs = run.inputs.prefix(RunRecord.mostInputs).enumerated().map { place, input -> Row in
      [
        "run": number, "place": .number(place), "path": .text(input.path),
        "bytes": input.bytes.map(SQLBinding.number) ?? .null, "fingerprint": .textOrNull(input.fingerprint),
      ]
    }
    try insert(inputs, "run_inputs", file)
    let parts = run.parts.enumerated().map { place, part -> Row in
      [
        "run": number, "place": .number(place), "name": .text(part.name), "entity": .text(part.entity),
        "seconds": .real(part.seconds), "read": .number(part.counts.read), "inserted": .number(part.counts.inserted),
        "updated": .number(part.counts.updated), "unchanged": .number(part.counts.unchanged),
        "skipped": .number(part.counts.skipped), "rejected": .number(part.counts.rejected),
      ]
    }
    try insert(parts, "run_parts", file)
    let entities = run.entities.map { name, counts -> Row in
      [
        "run": number, "entity": .text(name), "inserted": .number(counts.inserted),
        "updated": .number(counts.updated), "unchanged": .number(counts.unchanged),
      ]
    }
    try insert(entities, "run_entities", file)
    let codes = run.rejectCodes.map { code, records -> Row in
      ["run": number, "code": .text(code), "records": .number(records)]
    }
    try insert(codes, "run_rejects", file)
    let phases = run.phases.enumerated().map { place, phase -> Row in
      ["run": number, "place": .number(place), "name": .text(phase.name), "seconds": .real(phase.seconds)]
    }
    try insert(phases, "run_phases", file)
    let warnings = run.warnings.prefix(mostWarnings).enumerated().map { place, warning -> Row in
      ["run": number, "place": .number(place), "text": .text(warning)]
    }
    try insert(warnings, "run_warnings", file)
  }

  /// The columns of a row with their values.
  private typealias Row = KeyValuePairs<String, SQLBinding>

  /// Inserts rows that have the same columns.
  private static func insert(_ rows: [Row], _ table: String, _ file: DatabaseFile) throws(StoreError) {
    guard let columns = rows.first?.map(\.key) else { return }
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    let statement = try file.rows("INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES(\(marks))")
    for row in rows {
      statement.bind(row.map(\.value))
      try statement.run()
    }
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
    _ condition: String, _ file: DatabaseFile, _ values: [SQLBinding]
  ) throws(StoreError) -> [RunRecord] {
    let statement = try file.rows(
      """
      SELECT number, id, pipeline, kind, started_unix, seconds, status, store, input_count, read, inserted, updated,
        unchanged, skipped, rejected, rejects_file, slow_stage, peak_rss_bytes, bytes_read, version, host, resumed_from,
        error_code, error_message FROM runs \(condition)
      """, values)
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
    func each(
      _ columns: String, _ table: String, by order: String = "place", _ body: (inout RunRow) -> Void
    ) throws(StoreError) {
      let statement = try file.rows(
        "SELECT \(columns) FROM \(table) WHERE run = ?1 ORDER BY \(order)", [.number(number)])
      while try statement.step() {
        var row = RunRow(statement)
        body(&row)
      }
    }
    var filled = run
    try each("path, bytes, fingerprint", "run_inputs") { row in
      filled.inputs.append(.init(path: row.text() ?? "", bytes: row.optionalInteger(), fingerprint: row.text()))
    }
    try each("name, entity, seconds, read, inserted, updated, unchanged, skipped, rejected", "run_parts") {
      row in
      var part = RunRecord.Part(name: row.text() ?? "", entity: row.text() ?? "", counts: RecordCounts())
      part.seconds = row.double()
      part.counts = row.counts()
      filled.parts.append(part)
    }
    try each("entity, inserted, updated, unchanged", "run_entities", by: "entity") { row in
      let name = row.text() ?? ""
      var counts = ImportSummary.EntityCounts()
      counts.inserted = row.integer()
      counts.updated = row.integer()
      counts.unchanged = row.integer()
      filled.entities[name] = counts
    }
    try each("code, records", "run_rejects", by: "code") { row in filled.rejectCodes[row.text() ?? ""] = row.integer() }
    try each("name, seconds", "run_phases") { row in
      filled.phases.append((row.text() ?? "", row.double()))
    }
    try each("text", "run_warnings") { row in
      filled.warnings.append(row.text() ?? "")
    }
    run = filled
  }
}

extension SQLBinding {
  fileprivate static func number(_ value: Int) -> SQLBinding { .integer(Int64(value)) }
  fileprivate static func textOrNull(_ value: String?) -> SQLBinding { value.map(SQLBinding.text) ?? .null }
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
