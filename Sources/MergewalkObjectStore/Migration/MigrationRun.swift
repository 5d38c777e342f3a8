import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkSQLite

/// Carries out a plan on an open store, within the transaction that the caller has begun.
struct MigrationRun {
  let file: StoreFile
  let source: StoreSchema
  let plan: MigrationPlan

  /// The triggers that were removed, as they were.
  private let removed = RemovedTriggers()

  private var connection: Connection { file.connection }
  private var path: String { file.path }

  /// The obstacles in the data.
  func findings() throws(MigrationError) -> [MigrationFinding] {
    var findings: [MigrationFinding] = []
    for step in plan.steps {
      for case .check(let sql, var finding) in step.actions {
        let count = try migrationErrors { () throws(StoreError) in try connection.integer(sql) ?? 0 }
        guard count > 0 else { continue }
        finding.message += " (\(PrintableText.count(Int(count), "object")))"
        findings.append(finding)
      }
    }
    return findings
  }

  /// The data that nothing in the new model continues, counted in the tables as they are; nothing that is empty.
  func removals() throws(MigrationError) -> [MigrationRemoval] {
    try migrationErrors { () throws(StoreError) in try RemovalSearch.counted(plan.removals, connection) }
  }

  /// Runs all steps.
  ///
  /// - Parameter willRun: Called before each step with its number from 0.
  func run(_ willRun: (Int) -> Void) throws(MigrationError) {
    let findings = try findings()
    guard findings.isEmpty else {
      throw MigrationError(.data, path: path, message: "the data do not fit the new model", findings: findings)
    }
    try migrationErrors { () throws(StoreError) in
      try connection.registerCoreDataFunctions()
      try connection.trustSpatialIndexes()
    }
    for (number, step) in plan.steps.enumerated() {
      willRun(number)
      for action in step.actions { try perform(action) }
    }
  }

  private func perform(_ action: MigrationPlan.Action) throws(MigrationError) {
    switch action {
    case .check: break
    case .run(let sql): try migrationErrors { () throws(StoreError) in try connection.execute(sql) }
    case .dropTriggers(let tables): try dropTriggers(Set(tables.map { $0.uppercased() }))
    case .dropIndexes(let table, let keeping):
      try dropIndexes(of: table) {
        !keeping.contains($0.uppercased()) && AddedObjects.isCoreDatas(index: $0, of: table)
      }
    case .putAside(let table, let name):
      // Renaming in the old way does not look into the conditions of indexes; an app's may name the table.
      try dropIndexes(of: table) { !AddedObjects.isCoreDatas(index: $0, of: table) }
      try migrationErrors { () throws(StoreError) in
        try connection.execute(
          "PRAGMA legacy_alter_table=ON; ALTER TABLE \(table) RENAME TO \(name); PRAGMA legacy_alter_table=OFF")
      }
    case .createIndex(let index): try create(index)
    case .createTriggers:
      try migrationErrors { () throws(StoreError) in try removed.replace(connection, source, plan.destination) }
    case .bookkeeping: try keepBooks()
    }
  }

  private func dropIndexes(of table: String, where isDropped: (String) -> Bool) throws(MigrationError) {
    for (name, _) in try names("type = 'index' AND sql IS NOT NULL AND tbl_name = '\(table)' COLLATE NOCASE")
    where isDropped(name) {
      try migrationErrors { () throws(StoreError) in try connection.execute("DROP INDEX \(SQLQuoting.name(name))") }
    }
  }

  private func dropTriggers(_ tables: Set<String>) throws(MigrationError) {
    for (name, sql) in try names("type = 'trigger'") {
      let words = sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      guard !tables.isDisjoint(with: words) else { continue }
      removed.list.append((name, sql))
      try migrationErrors { () throws(StoreError) in try connection.execute("DROP TRIGGER \(SQLQuoting.name(name))") }
    }
  }

  private func names(_ condition: String) throws(MigrationError) -> [(name: String, sql: String)] {
    try migrationErrors { () throws(StoreError) in
      let select = try connection.prepare("SELECT name, ifnull(sql, '') FROM sqlite_master WHERE \(condition)")
      var result: [(name: String, sql: String)] = []
      while try select.step() { result.append((select.text(0), select.text(1))) }
      return result
    }
  }

  private func create(_ index: IndexDefinition) throws(MigrationError) {
    // SQLite's names are alike without the case of ASCII letters only.
    guard try names("type = 'index' AND name = '\(index.name)' COLLATE NOCASE").isEmpty else { return }
    do throws(StoreError) {
      try connection.execute(index.sql)
    } catch {
      guard error.cause?.kind == .unique, let finding = MigrationFinding(duplicatesIn: index, of: plan.destination)
      else { throw MigrationError(error) }
      throw MigrationError(.data, path: path, message: "the data do not fit the new model", findings: [finding])
    }
  }

  // MARK: - Bookkeeping

  private func keepBooks() throws(MigrationError) {
    try migrationErrors { () throws(StoreError) in
      let before = try PrimaryKeyRow.read(connection)
      let maxima = Dictionary(before.map { ($0.number, $0.maximum) }) { first, _ in first }
      try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(PrimaryKeyRow.foreignNumber)")
      try PrimaryKeyRow.insert(
        plan.destination.primaryKeyRows.map { row in
          var row = row
          row.maximum = plan.sequences[row.number].flatMap { maxima[$0] } ?? 0
          return row
        }, connection)
      try keepHistory()
      try CloudTables.migrate(plan.numbers, without: plan.goneLinks, connection)
      try ModelCache.write(plan.destination.model, connection)
    }
    let model = plan.destination.model
    var metadata = file.metadata
    metadata.take(hashes: ModelHashes(plan.destination), versionIdentifier: model.draft.versionIdentifier)
    try migrationErrors { () throws(StoreError) in
      metadata[ModelCopy.key] = try ModelCopy.value(model)
      try file.writeMetadata(metadata)
    }
  }

  /// Gives the changes in the history the new numbers of their entities; those of entities that are gone go too.
  private func keepHistory() throws(StoreError) {
    guard try connection.hasTable("ACHANGE") else { return }
    let gone = plan.numbers.filter { $0.value == nil }.keys.sorted()
    if !gone.isEmpty {
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(MigrationPlanner.list(gone)))")
    }
    let moved = plan.numbers.sorted { $0.key < $1.key }.compactMap { old, new in
      new.flatMap { $0 == old ? nil : (old: old, new: $0) }
    }
    if !moved.isEmpty {
      let cases = moved.map { " WHEN \($0.old) THEN \($0.new)" }.joined()
      try connection.execute(
        "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY\(cases) END WHERE ZENTITY IN"
          + " (\(MigrationPlanner.list(moved.map(\.old))))")
    }
    // The bits of changed properties count the properties of the old version.
    if !plan.changedNumbers.isEmpty {
      try connection.execute(
        "UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE ZENTITY IN (\(MigrationPlanner.list(plan.changedNumbers.sorted())))")
    }
  }
}

extension Connection {
  /// Registers what ``CellRule`` calls for bytes that may be kept in files.
  func registerMigrationFunctions(store path: String) throws(SQLiteError) {
    try registerFunction("mergewalk_tag_bytes", argumentCount: 1) { call in
      guard !call.hasNull else { return call.returnNull() }
      call.return([ExternalData.inlineTag] + Array(call.bytes(0)))
    }
    try registerFunction("mergewalk_untag_bytes", argumentCount: 1) { call in
      guard !call.hasNull else { return call.returnNull() }
      let cell = Array(call.bytes(0))
      guard let bytes = ExternalData.bytes(cell, store: path) else {
        return call.fail("the file \(ExternalData.fileName(cell) ?? "") with a value beside the store cannot be read")
      }
      call.return(bytes)
    }
  }
}
