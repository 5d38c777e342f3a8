@testable import MergewalkImporting
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite

/// A run over an existing store, batch by batch, whose inside a test can see: its SQL and what finding knows.
final class EngineRun {
  let plan: ImportPlan
  let importer: BatchImporter
  let file: StoreFile
  /// The SQL of the batch that was imported last, as SQLite ran it.
  private(set) var statements: [String] = []
  private let preparer: BatchPreparer
  private var reader: any RecordReader
  private let limit: BatchLimit
  private(set) var batch: ImportBatch

  init(_ definition: ImportDefinition, seed: UInt64 = 1) throws {
    plan = try ImportPlan(definition, part: definition.parts[0])
    file = try StoreFile.open(path: definition.storePath, model: definition.model)
    let store = try PersistentStore(file: file)
    let choice = StrategyChoice(
      plan: plan, store: store, model: definition.model, seed: seed, inputBytes: 0, keyMemory: definition.keyMemory,
      override: definition.findPlan)
    importer = BatchImporter(
      plan: plan, context: ManagedObjectContext(store: store), store: store, nodes: try choice.nodes(), seed: seed)
    preparer = BatchPreparer(plan: plan, seed: seed)
    reader = try definition.format.reader(
      source: ByteSource(path: definition.inputs[0]), columns: .named(plan.columnNames), index: 0)
    limit = definition.batchLimit
    batch = ImportBatch(plan: plan)
  }

  /// Reads and prepares the next batch; whether there is one.
  func read() throws -> Bool {
    guard try reader.read(into: &batch.records, limit: limit) else { return false }
    preparer.prepare(&batch)
    return true
  }

  /// Imports what was read in a transaction of its own.
  func importBatch() throws {
    statements = []
    try file.begin()
    file.connection.trace { [unowned self] sql in
      // SQLite shows what its own triggers and virtual tables run as comments.
      if !sql.hasPrefix("--") { statements.append(sql) }
    }
    defer { file.connection.trace(nil) }
    importer.ledger.take(batch.records.recordCount)
    try importer.process(&batch)
    file.connection.trace(nil)
    try file.commit()
  }

  func finish() throws {
    try importer.ledger.check()
    importer.forget()
    try file.finish()
  }
}
