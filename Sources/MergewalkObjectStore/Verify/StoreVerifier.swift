import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkPropertyLists
import MergewalkSQLite

/// Checks a store against the rules of Core Data's layout, without changing it.
///
/// `docs/coredata-layout.md` has the rules and their evidence.
public struct StoreVerifier {
  let connection: Connection
  private(set) var findings: [StoreFinding] = []
  private var checkedRows = 0
  private var checksRelationships = false
  /// The files beside the store that rows name; `nil` without a model.
  private var namedFiles: Set<String>?

  /// Checks the store at a path.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - model: The model; `nil` to use the copy that the store carries, if it has one.
  ///   - configuration: The configuration whose entities the store has; `nil` for all.
  /// - Returns: The findings; damage never throws.
  /// - Throws: ``StoreError`` with `notFound`, `notADatabase`, `busy` or `inputOutput` if there is nothing to check.
  /// - Complexity: O(rows × columns), with a seek for every reference.
  public static func verify(
    path: String, model: ManagedObjectModel? = nil, configuration: String? = nil
  ) throws(StoreError) -> StoreReport {
    let logBytes = FileSystem.size(StorePath.resolved(path) + "-wal") ?? 0
    let (checked, source) = try ReadableStore.withConnection(path) {
      connection throws(StoreError) -> (StoreVerifier, StoreReport.ModelSource) in
      var verifier = StoreVerifier(connection: connection)
      if logBytes > 0 {
        verifier.add(
          .note, .log, message: "a log of \(logBytes) bytes is beside the store; copy both or the rows in it are lost")
      }
      let source = verifier.run(model, configuration)
      return (verifier, source)
    }
    var verifier = checked
    verifier.checkFiles(beside: StorePath.resolved(path))
    return StoreReport(
      path: path, findings: verifier.findings, modelSource: source, checkedRows: verifier.checkedRows,
      checksRelationships: verifier.checksRelationships)
  }

  private init(connection: Connection) { self.connection = connection }

  private mutating func run(_ model: ManagedObjectModel?, _ configuration: String?) -> StoreReport.ModelSource {
    _ = attempt { connection throws(StoreError) in try ColumnMisfit.registerFunction(connection) }
    checkFile()
    guard let metadata = checkMetadata() else { return .none }
    let (known, source) = resolveModel(model, metadata)
    let rows = attempt { connection throws(StoreError) in try PrimaryKeyRow.read(connection) } ?? []
    if !rows.isEmpty { checkIntegers(in: ["Z_SUPER", "Z_MAX"], of: "Z_PRIMARYKEY", key: "Z_ENT") }
    let configuration = configuration ?? known.flatMap { StoreModel.fit($0, metadata, .given)?.configuration }
    var schema = known.flatMap { StoreSchema(model: $0, configuration: configuration) }
    checkNumbers(rows, metadata, schema)
    if let expected = schema {
      let differences = ModelHashes(expected).differences(fromStore: metadata.hashes)
      if !differences.isEmpty, source == .given {
        add(.error, .modelHashes, message: "the store was made with another version of the model: \(differences)")
        schema = nil
      } else if !differences.isEmpty, known.map({ !differences.isConfined(to: $0.incompleteEntities) }) ?? true {
        add(.warning, .modelCache, message: "the store's copy of the model has other hashes: \(differences)")
      }
    }
    if source == .cache {
      for note in known?.draft.readerFindings ?? [] { add(.warning, .modelCache, message: note.message) }
    }
    if let expected = schema { schema = adapt(expected) }
    checkTables(rows, schema)
    if let schema {
      checkAdditions(schema)
      ContentChecks(schema: schema).run(&self)
      namedFiles = attempt { connection throws(StoreError) in try schema.externalFileNames(connection) }
      checksRelationships = true
    } else if known == nil {
      add(.note, .noModel, message: "neither a model nor a copy of it is at hand; relationships were not checked")
    }
    return source
  }

  // MARK: - Collecting

  mutating func add(
    _ severity: StoreFinding.Severity, _ code: StoreFinding.Code, table: String? = nil, rows: Int? = nil,
    message: String
  ) {
    findings.append(StoreFinding(severity, code, table: table, rows: rows, message: message))
  }

  /// Runs a piece of SQL work; when it fails, that is a finding.
  mutating func attempt<Value>(_ body: (Connection) throws(StoreError) -> Value) -> Value? {
    do { return try body(connection) } catch {
      add(.error, .unreadable, message: error.message)
      return nil
    }
  }

  /// Looks at files beside the store; when that fails, it is a finding.
  private mutating func look<Value>(
    as severity: StoreFinding.Severity = .error, _ body: () throws(StoreError) -> Value
  ) -> Value? {
    do { return try body() } catch {
      add(severity, .unreadable, message: "\(error.path): \(error.message)")
      return nil
    }
  }

  /// Adds a finding when a query finds rows.
  ///
  /// - Parameter query: Selects the `Z_PK`s of the rows, or whatever names them best.
  mutating func addRows(
    _ code: StoreFinding.Code, as severity: StoreFinding.Severity = .error, table: String, _ message: String,
    query: String
  ) {
    let counted = attempt { connection throws(StoreError) in
      let select = try connection.prepare("SELECT count(*), min(k) FROM (SELECT \(query))")
      return try select.step() ? (select.integer(0), select.text(1)) : (0, "")
    }
    guard let (count, first) = counted, count > 0 else { return }
    add(
      severity, code, table: table, rows: Int(count),
      message: "\(message): \(PrintableText.count(Int(count), "row"))"
        + (first.isEmpty ? "" : ", the first with key \(first)"))
  }

  /// Adds a finding for each column of a table that holds anything but integers.
  ///
  /// It is the one rule for columns that are not of attributes: keys, entity numbers, versions, references, positions. SQLite
  /// stores whatever it is given, and who reads a text there gets 0.
  ///
  /// - Parameter key: The column that names a row.
  mutating func checkIntegers(in columns: [String], of table: String, key: String = "Z_PK") {
    for column in columns {
      addRows(
        .valueType, table: table, "\(column) is not stored as an integer",
        query: "\(key) AS k FROM \(SQLQuoting.name(table)) WHERE typeof(\(column)) NOT IN ('null', 'integer')")
    }
  }

  // MARK: - File and metadata

  /// Checks the files beside the store against what rows name.
  private mutating func checkFiles(beside path: String) {
    let awaited = checkPlans(beside: path)
    guard let namedFiles,
      let present = look({ () throws(StoreError) in try ExternalFiles.names(besideStore: path) })
    else { return }
    let missing = namedFiles.subtracting(present).sorted()
    if let first = missing.first {
      add(
        .error, .missingFile, rows: missing.count,
        message:
          "rows name files that are not in \(ExternalData.folder(ofStore: path)): \(missing.count), such as \(first)")
    }
    guard let awaited else { return }
    let unnamed = present.subtracting(namedFiles)
    let waiting = unnamed.intersection(awaited).sorted()
    if let first = waiting.first {
      add(
        .note, .unfinishedRun, rows: waiting.count,
        message: "an unfinished run has made \(PrintableText.count(waiting.count, "file")) in"
          + " \(ExternalData.folder(ofStore: path)), such as \(first): their rows are not in the store yet")
    }
    let orphans = unnamed.subtracting(awaited).sorted()
    guard let first = orphans.first,
      let others = look(as: .warning, { () throws(StoreError) in try StoresOfSameName.paths(beside: path) })
    else { return }
    if others.isEmpty {
      add(
        .warning, .orphanFile, rows: orphans.count,
        message: "no row names \(orphans.count == 1 ? "a file" : "\(orphans.count) files") in"
          + " \(ExternalData.folder(ofStore: path)), such as \(first); “mergewalk store clean” removes them"
      )
    } else {
      add(
        .note, .orphanFile, rows: orphans.count,
        message: "no row names \(orphans.count == 1 ? "a file" : "\(orphans.count) files") in"
          + " \(ExternalData.folder(ofStore: path)), such as \(first); they stay, as \(StoresOfSameName.words(others))"
          + " with the same name but for the extension keeps files there too"
      )
    }
  }

  /// Says what runs have left that were interrupted, or could not remove it.
  ///
  /// - Returns: The files beside the store whose rows are still to come; `nil` when that is not known.
  private mutating func checkPlans(beside path: String) -> Set<String>? {
    let found = look(as: .warning) { () throws(StoreError) -> (PlanFile.Left, Set<String>) in
      let plans = try PlanFile.left(ofStore: path)
      return (plans, try plans.awaitedFiles())
    }
    guard let (plans, awaited) = found else { return nil }
    let (runs, others) = (plans.resumable.count, plans.outdated.count)
    if runs > 0 {
      add(
        .note, .unfinishedRun,
        message: runs == 1
          ? "there is an unfinished run: run its pipeline again to resume it, or with --restart to drop it"
          : "there are \(runs) unfinished runs: run their pipelines again to resume them, or with --restart to drop them"
      )
    }
    if let first = plans.outdated.first {
      add(
        .note, .outdatedPlan,
        message: "\(PrintableText.count(others, "plan")) of earlier runs \(others == 1 ? "is" : "are") left beside the"
          + " store, such as \(first.path): the store has what was planned, or was changed since; “mergewalk store"
          + " clean” removes what is left")
    }
    return awaited
  }

  private mutating func checkFile() {
    let problems = attempt { connection throws(StoreError) in try connection.texts("PRAGMA integrity_check(20)") }
    for problem in problems ?? [] where problem != "ok" { add(.error, .integrity, message: problem) }
    let expectations = [("page_size", "4096"), ("auto_vacuum", "2"), ("encoding", "UTF-8")]
    for (pragma, expected) in expectations {
      let found = attempt { connection throws(StoreError) in try connection.text("PRAGMA \(pragma)") }
      if let found, let text = found, text != expected {
        add(.warning, .fileFormat, message: "\(pragma) is \(text), current systems use \(expected)")
      }
    }
    let history = attempt { connection throws(StoreError) in
      try connection.tracksHistory()
    }
    if history == true { add(.note, .history, message: StoreWarning.history.description) }
    let cloud = attempt { connection throws(StoreError) in try CloudTables.note(connection) }
    if let note = cloud ?? nil { add(.note, .cloud, message: note) }
    let stray = attempt { connection throws(StoreError) in try CloudTables.strayRows(connection) } ?? 0
    if stray > 0 {
      add(
        .note, .cloud,
        message: "\(PrintableText.count(Int(stray), "row")) of the tables for CloudKit"
          + " \(stray == 1 ? "is" : "are") about entities that the store does not have; a migration removes them")
    }
  }

  private mutating func checkMetadata() -> StoreMetadata? {
    let metadata: StoreMetadata
    do { metadata = try StoreMetadata.read(connection) } catch {
      add(.error, error.code == .sqlite ? .unreadable : .metadata, message: error.message)
      return nil
    }
    if !StoreUUID.isValid(metadata.uuid) {
      add(.error, .uuid, message: "“\(metadata.uuid)” is not a UUID in upper case")
    }
    if metadata["NSStoreType"]?.string != "SQLite" { add(.error, .metadata, message: "NSStoreType is not SQLite") }
    if metadata[StoreMetadata.Key.hashesVersion]?.integer != 3 {
      add(.error, .metadata, message: "NSStoreModelVersionHashesVersion is not 3")
    }
    if metadata.frameworkVersion == nil {
      add(.error, .metadata, message: "NSPersistenceFrameworkVersion is missing")
    }
    if metadata[StoreMetadata.Key.identifiers]?.elements == nil {
      add(.warning, .metadata, message: "NSStoreModelVersionIdentifiers is missing")
    }
    let entries = metadata[StoreMetadata.Key.hashes]?.entries ?? []
    if entries.isEmpty { add(.error, .metadata, message: "there are no version hashes") }
    for entry in entries where entry.value.data?.count != 32 {
      add(.error, .metadata, message: "the version hash of \(entry.key) does not have 32 bytes")
    }
    let hashes = metadata.hashes
    if let digest = metadata.digest, digest != hashes.digest {
      add(.error, .digest, message: "the digest is not that of the version hashes")
    }
    if let checksum = metadata.checksum, checksum != hashes.checksum {
      add(.error, .checksum, message: "the checksum is not that of the version hashes")
    }
    return metadata
  }

  private mutating func resolveModel(
    _ model: ManagedObjectModel?, _ metadata: StoreMetadata
  ) -> (ManagedObjectModel?, StoreReport.ModelSource) {
    if let model { return (model, .given) }
    if let value = metadata[ModelCopy.key] {
      let copy = ModelCopy.model(value)
      if copy == nil { add(.warning, .modelCache, message: "the copy of the model in the metadata cannot be read") }
      // A copy with other hashes was left behind by a migration; Core Data has its own then.
      if let copy, StoreModel.fit(copy, metadata, .metadata) != nil { return (copy, .metadata) }
    }
    guard let content = attempt({ connection throws(StoreError) in try ModelCache.content(connection) }),
      content != nil
    else {
      return (nil, .none)
    }
    if let cached = attempt({ connection throws(StoreError) in try ModelCache.read(connection) }), let cached {
      return (cached, .cache)
    }
    add(.warning, .modelCache, message: "the store's copy of the model cannot be read")
    return (nil, .none)
  }

  // MARK: - Numbers and tables

  /// Entity numbers among themselves, against the metadata and against the model.
  private mutating func checkNumbers(_ rows: [PrimaryKeyRow], _ metadata: StoreMetadata, _ schema: StoreSchema?) {
    let entities = rows.filter(\.isOfModel)
    let names = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    let numbers = Set(entities.map(\.number))
    if names.count != entities.count { add(.error, .entityNumbers, message: "Z_PRIMARYKEY names an entity twice") }
    let matching = schema?.matching(rows) ?? [:]
    let renamed = Dictionary(
      matching.filter { $0.key != $0.value.name }.map { ($0.value.name, $0.key) }
    ) { first, _ in first }
    for entity in metadata.hashes.entities where names[entity.name] == nil && matching[entity.name] == nil {
      add(.error, .entityNumbers, message: "Z_PRIMARYKEY has no row for entity \(entity.name)")
    }
    let known = Set(metadata.hashes.entities.map(\.name))
    for row in entities {
      if let name = renamed[row.name] {
        add(.note, .entityNumbers, message: "Z_PRIMARYKEY has \(name) under the earlier name \(row.name)")
      } else if !known.contains(row.name) {
        add(.error, .entityNumbers, message: "Z_PRIMARYKEY has entity \(row.name), but the version hashes do not")
      }
      if row.number < 1 { add(.error, .entityNumbers, message: "\(row.name) has the number \(row.number)") }
      // A parent always comes before what inherits from it, which also rules out cycles.
      if row.superNumber != 0, !numbers.contains(row.superNumber) || row.superNumber >= row.number {
        add(.error, .entityNumbers, message: "\(row.name) has the parent \(row.superNumber), which cannot be")
      }
      if row.superNumber != 0, row.maximum != 0 {
        add(.warning, .entityNumbers, message: "\(row.name) inherits and yet has Z_MAX \(row.maximum)")
      }
    }
    for expected in schema?.primaryKeyRows ?? [] {
      guard let row = matching[expected.name] else { continue }
      if row.number != expected.number || row.superNumber != expected.superNumber {
        add(
          .error, .entityNumbers,
          message: "\(row.name) has number \(row.number) and parent \(row.superNumber), the model says"
            + " \(expected.number) and \(expected.superNumber)")
      }
    }
  }

  /// Fits the schema to the file; `nil` when tables or columns are missing.
  private mutating func adapt(_ schema: StoreSchema) -> StoreSchema? {
    do { return try schema.adapted(to: connection) } catch {
      switch error.code {
      case .missingTable: add(.error, .missingTable, message: error.message)
      case .missingColumn: add(.error, .missingColumn, message: error.message)
      case .damagedMetadata: add(.error, .entityNumbers, message: error.message)
      default: add(.error, .unreadable, message: error.message)
      }
      return nil
    }
  }

  /// Checks that apply to every entity table, with and without a model.
  private mutating func checkTables(_ rows: [PrimaryKeyRow], _ schema: StoreSchema?) {
    let entities = rows.filter(\.isOfModel)
    for root in entities where root.superNumber == 0 {
      let table = schema?.tableName(ofNumber: root.number) ?? "Z" + root.name.uppercased()
      let isThere = attempt { connection throws(StoreError) in try connection.hasTable(table) }
      guard isThere == true else {
        let isKnown = findings.contains { $0.code == .missingTable && $0.message.contains(" \(table)") }
        if !isKnown { add(.error, .missingTable, table: table, message: "the table is missing") }
        continue
      }
      let name = SQLQuoting.name(table)
      let maximum = attempt { connection throws(StoreError) in try connection.integer("SELECT max(Z_PK) FROM \(name)")
      }
      if let greatest = maximum ?? nil, greatest > root.maximum {
        add(
          .error, .maximum, table: table,
          message: "Z_MAX is \(root.maximum), but there is an object with key \(greatest)")
      }
      let count = attempt { connection throws(StoreError) in try connection.integer("SELECT count(*) FROM \(name)") }
      checkedRows += Int(count.flatMap { $0 } ?? 0)
      let numbers = family(of: root, entities).map(String.init).joined(separator: ", ")
      addRows(
        .rowEntity, table: table, "Z_ENT is not one of \(numbers)",
        query: "Z_PK AS k FROM \(name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
      let positive: [(StoreFinding.Code, String)] = [(.rowKey, "Z_PK"), (.rowVersion, "Z_OPT")]
      for (code, column) in positive {
        addRows(
          code, table: table, "\(column) is missing or below 1",
          query: "Z_PK AS k FROM \(name) WHERE \(column) IS NULL OR \(column) < 1")
      }
      checkIntegers(in: ["Z_PK", "Z_ENT", "Z_OPT"], of: table)
    }
  }

  /// The numbers of an entity and of everything below it.
  private func family(of root: PrimaryKeyRow, _ rows: [PrimaryKeyRow]) -> [Int] {
    var members: Set<Int> = [root.number]
    // Parents have smaller numbers, so one pass in number order is enough.
    for row in rows where members.contains(row.superNumber) { members.insert(row.number) }
    return members.sorted()
  }
}
