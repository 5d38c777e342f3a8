import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

/// The import of one part of a definition, within the run of an ``ImportSession``.
///
/// The reader's thread reads, converts and hashes; the caller's thread finds, creates and writes. Batches go from one
/// to the other through a ``BatchChannel``.
final class PartImport {
  let definition: ImportDefinition
  private let part: ImportPart
  let plan: ImportPlan
  let file: StoreFile
  let rejects: RejectOutput
  let importer: BatchImporter
  /// How the objects of each node are found.
  let choice: StrategyChoice
  /// Which of two passes is running, from 1; parts with one pass stay at 1.
  var pass = 1
  /// The greatest primary key of the records' hierarchy when the first pass ended.
  var firstPassEnd: Int64 = 0
  /// Objects that the first pass created and that cannot stay, with the field to blame; -1 for none.
  var lost: [Int64: Int32] = [:]
  /// What became of this part's records.
  private(set) var counts = ImportSummary.PartCounts()
  /// Bytes of input read.
  private(set) var bytesRead = 0
  /// Whether more records were rejected than the definition allows.
  private(set) var isBreached = false
  /// Where the writer's time went.
  private(set) var times = PartTimes()

  /// How far the run has come, for progress.
  struct State {
    var records: Int
    var bytes: Int
    var rejects: Int
    var times: PartTimes
  }

  /// Prepares the finding of objects.
  ///
  /// - Parameter ledger: what became of the records of earlier parts; goes on with this one's.
  init(
    _ definition: ImportDefinition, part: ImportPart, plan: ImportPlan, file: StoreFile, store: PersistentStore,
    rejects: RejectOutput, ledger: RecordLedger
  ) throws(ImportError) {
    let started = ImportSession.now()
    self.definition = definition
    self.part = part
    self.plan = plan
    self.file = file
    self.rejects = rejects
    (importer, choice) = try Self.makeImporter(definition, part, plan, file, store)
    importer.ledger = ledger
    Self.startPasses(importer, definition)
    times.prepare = ImportSession.now() - started
  }

  /// What became of all records so far.
  var ledger: RecordLedger { importer.ledger }

  /// The root entity of the records' hierarchy.
  var rootEntity: Int { plan.nodes[plan.root].rootEntity }

  /// Whether an object of the records' hierarchy was created by the first pass.
  func created(_ key: Int64) -> Bool { key >= importer.firstKeys[rootEntity] ?? .max && key <= firstPassEnd }

  /// Goes on with a ledger, and adds what happens to the counts of this part.
  func settle(_ ledger: inout RecordLedger, _ body: () throws(ImportError) -> Void) throws(ImportError) {
    let before = ledger
    importer.ledger = ledger
    try body()
    ledger = importer.ledger
    counts.add(ledger, since: before)
  }

  /// Imports everything.
  ///
  /// - Parameter progress: Is called after each batch.
  func run(progress: (State) -> Void) throws(ImportError) {
    let started = ImportSession.now()
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    let reading = InputReading(
      sources: part.sources, format: part.format, limit: importer.chunkLimit(definition.batchLimit),
      preparer: BatchPreparer(plan: plan, seed: importer.seed))
    let thread = reading.start(channel)
    // What the open transaction holds: batches come in chunks that fit the processor's cache.
    var chunk = (records: 0, bytes: 0)
    do {
      while !isBreached {
        let before = ImportSession.now()
        guard var batch = try reading.receive(from: channel) else { break }
        times.wait += ImportSession.now() - before
        importer.ledger.read(batch.records.recordCount + batch.records.errors.count)
        importer.ledger.reject(batch.records.errors.count)
        bytesRead = batch.bytesRead
        times.read += batch.readSeconds
        times.convert += batch.convertSeconds
        try begin()
        try importer.process(&batch)
        try rejects.write(batch, importer.rejects)
        chunk.records += batch.records.recordCount
        chunk.bytes += batch.records.byteCount
        channel.recycle(batch)
        if chunk.records >= definition.batchLimit.records || chunk.bytes >= definition.batchLimit.bytes {
          try commit()
          try relieve()
          importer.batches += 1
          chunk = (0, 0)
        }
        // What is left of the time is filled in here too, so that progress can show it.
        times.write = importer.writeSeconds
        times.find = ImportSession.now() - started - times.wait - times.write
        progress(State(records: ledger.read, bytes: bytesRead, rejects: ledger.rejected, times: times))
        checkLimit()
      }
    } catch {
      channel.cancel()
      thread.join()
      throw error
    }
    channel.cancel()
    thread.join()
    if chunk.records > 0 {
      try commit()
      importer.batches += 1
    }
    channel.drain()
    if hasSecondPass {
      if !isBreached { try endFirstPass() }
    } else {
      if !isBreached {
        try replay()
        importer.ledger.check()
        checkLimit()
      }
      importer.forget()
    }
    times.write = importer.writeSeconds
    times.find = ImportSession.now() - started - times.wait - times.write
  }

  private func checkLimit() {
    if let limit = definition.rejects.limit, ledger.rejected > limit { isBreached = true }
  }

  private static func makeImporter(
    _ definition: ImportDefinition, _ part: ImportPart, _ plan: ImportPlan, _ file: StoreFile, _ store: PersistentStore
  ) throws(ImportError) -> (BatchImporter, StrategyChoice) {
    do {
      let seed = definition.hashSeed ?? CellHash.randomSeed()
      let partitioned = PartitionedChoice()
      let choice = StrategyChoice(
        plan: plan, store: store, model: definition.model, seed: seed,
        inputBytes: ImportSession.estimatedBytes(part.sources), keyMemory: definition.keyMemory,
        override: part.findPlan, partitioned: partitioned, hasFixedInputs: !part.format.isCustom)
      let nodes = try choice.nodes()
      let importer = BatchImporter(
        plan: plan, context: ManagedObjectContext(store: store), store: store, nodes: nodes, seed: seed)
      try importer.addLists(choice)
      // What the store's history says of the import, if it has one.
      importer.context.name = definition.name
      importer.context.transactionAuthor = "mergewalk"
      for state in nodes where state.part.duplicates != .last && state.seesAllKeys { state.seenKeys = SeenKeys() }
      if file.isNew { try importer.buildEarlyIndexes(file) }
      if partitioned.rows > 0 { try scanInPieces(definition, part, importer, rows: partitioned.rows) }
      if case .filter = nodes[plan.root].strategy {
        importer.deferred = DeferredRecords(
          plan: plan, folder: ImportSession.folder(of: definition.storePath), limit: definition.batchLimit)
      }
      return (importer, choice)
    } catch let error as SQLiteError {
      throw ImportError(error)
    } catch let error as ImportError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
  }

  /// Finds out which records change nothing, when every target's key is in memory.
  private static func scanInPieces(
    _ definition: ImportDefinition, _ part: ImportPart, _ importer: BatchImporter, rows: Int
  ) throws(ImportError) {
    let plan = importer.plan
    let root = importer.nodes[plan.root]
    var tables: [KeyTable?] = []
    for state in importer.nodes {
      if case .table(let table) = state.strategy { tables.append(table) } else { tables.append(nil) }
    }
    guard importer.nodes.allSatisfy({ $0.isRoot || tables[$0.node] != nil }) else { return }
    let scan = PartitionedScan(
      plan: plan, store: importer.store, entity: root.entity, tables: tables, seed: importer.seed,
      folder: ImportSession.folder(of: definition.storePath),
      memory: max(definition.keyMemory - tables.reduce(0) { $0 + ($1?.bytesInUse ?? 0) }, 8 << 20))
    root.verdicts = try scan.run(
      rows: rows, records: ImportSession.estimatedBytes(part.sources) / 100,
      reading: InputReading(
        sources: part.sources, format: part.format, limit: BatchLimit(records: 4096, bytes: 1 << 20),
        preparer: BatchPreparer(plan: plan, seed: importer.seed)))
    root.firstStrategyName = "partitioned scan"
  }

  func begin() throws(ImportError) {
    do { try file.begin() } catch { throw ImportError(code: .database, message: error.description) }
  }

  func commit() throws(ImportError) {
    do { try file.commit() } catch { throw ImportError(code: .database, message: error.description) }
  }

  /// Replaces tables of keys that have outgrown their memory by seeks.
  private func relieve() throws(ImportError) {
    for state in importer.allNodes where state.isOverfull(memory: definition.keyMemory) {
      if file.isNew { try importer.buildIndexes(file, for: state) }
      state.strategy = .seek
    }
  }

  /// Imports the records that were put off, now that an index can tell which keys are known.
  private func replay() throws(ImportError) {
    guard let deferred = importer.deferred, deferred.count > 0 else { return }
    let root = importer.nodes[plan.root]
    // The filter goes before the index is built, so that their memory does not add up.
    root.strategy = .seek
    try importer.buildIndexes(file, for: root)
    root.foundMeansSeen = true
    importer.isReplaying = true
    importer.deferred = nil
    try deferred.replay { (batch) throws(ImportError) in
      try begin()
      try importer.process(&batch, onlyRoot: true)
      try rejects.write(batch, importer.rejects)
      try commit()
      importer.batches += 1
    }
  }
}

/// Where the writer's time went, in seconds.
struct PartTimes: Sendable {
  /// Opening, and reading what is stored.
  var prepare = 0.0
  /// Waiting for the reader.
  var wait = 0.0
  /// Finding and filling rows.
  var find = 0.0
  /// Saving.
  var write = 0.0
  /// Reading and cutting records, mostly on the reader's thread.
  var read = 0.0
  /// Converting them, mostly on the reader's thread.
  var convert = 0.0

  /// These times and another part's.
  func adding(_ other: PartTimes) -> PartTimes {
    var sum = self
    sum.add(other)
    return sum
  }

  /// Adds another part's times.
  mutating func add(_ other: PartTimes) {
    prepare += other.prepare
    wait += other.wait
    find += other.find
    write += other.write
    read += other.read
    convert += other.convert
  }
}
