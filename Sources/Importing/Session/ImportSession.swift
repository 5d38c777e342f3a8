public import Diagnostics
import Glibc
import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

/// How far a run has come.
public struct ImportProgress: Sendable {
  /// Records read.
  public var records = 0
  /// Bytes of input read.
  public var bytes = 0
  /// Bytes of all inputs; 0 when one of them has no known size.
  public var totalBytes = 0
  /// Records rejected.
  public var rejects = 0
  /// Seconds since the run began.
  public var seconds = 0.0
}

/// One run of an import.
///
/// The reader's thread reads, converts and hashes; the caller's thread finds, creates and writes. Batches go from one
/// to the other through a ``BatchChannel``. Everything happens in the store's file or nothing does: a new store is
/// renamed into place at the end, an existing one keeps the whole run in its write-ahead log until then.
public final class ImportSession {
  let definition: ImportDefinition
  /// What names the run.
  let identity: RunIdentity
  private let plan: ImportPlan
  /// The run of a definition that loads whole objects; then nothing else here is used.
  private let objects: ObjectSession?
  private var summary = ImportSummary()
  private let started = ImportSession.now()

  /// Resolves a definition against its model.
  ///
  /// - Throws: `DiagnosticList` with everything that is wrong.
  public init(_ definition: ImportDefinition) throws(DiagnosticList) {
    self.definition = definition
    identity = RunIdentity(pipeline: definition.name)
    guard definition.objects.isEmpty else {
      objects = try ObjectSession(definition, identity)
      plan = ImportPlan(nodes: [], fields: [], fieldColumns: [], columnNames: [], fieldNames: [], root: 0)
      return
    }
    objects = nil
    plan = try ImportPlan(definition)
    summary.pipeline = definition.name
    summary.storePath = definition.storePath
  }

  /// Imports everything; see ``run(progress:)``, which notes the run as well.
  func execute(progress: ((ImportProgress) -> Void)?) throws(ImportError) -> ImportSummary {
    if let objects { return try objects.run(progress: progress) }
    let file = try openStore()
    summary.warnings = StoreWarnings(plan: plan, model: definition.model).texts(file)
    do {
      try load(file, progress: progress)
    } catch {
      try? file.rollBackRun()
      throw error
    }
    summary.seconds = Self.now() - started
    summary.peakResidentBytes = Self.peakResidentBytes()
    return summary
  }

  /// The page cache of a new store, in KiB.
  ///
  /// Rows and sorted index entries are appended, so pages are not read again;
  /// and SQLite takes the cache's size for the runs of an index's sort, which is faster when they fit the processor's
  /// cache (measured: three indexes over 1 M rows 1.3 s at 4 MiB, 1.9 s at 64 MiB).
  private static let loadCacheKiB = 4096

  private func openStore() throws(ImportError) -> StoreFile {
    do {
      let cacheKiB = definition.cacheMemory / 1024
      if access(definition.storePath, F_OK) == 0 {
        return try StoreFile.open(path: definition.storePath, model: definition.model, cacheKiB: cacheKiB)
      }
      return try StoreFile.create(
        path: definition.storePath, model: definition.model, cacheKiB: min(cacheKiB, Self.loadCacheKiB), threads: 1)
    } catch {
      throw ImportError(
        code: error.code == .incompatibleModel ? .incompatibleStore : .cannotOpenStore, message: error.description)
    }
  }

  private func load(_ file: StoreFile, progress: ((ImportProgress) -> Void)?) throws(ImportError) {
    let totalBytes = Self.inputBytes(definition.sources)
    let seed = definition.hashSeed ?? CellHash.randomSeed()
    let importer = try makeImporter(file, seed: seed, inputBytes: Self.estimatedBytes(definition.sources))
    let rejects = try RejectOutput(definition, plan: plan, run: identity)
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    let reading = InputReading(
      sources: definition.sources, format: definition.format, limit: importer.chunkLimit(definition.batchLimit),
      preparer: BatchPreparer(plan: plan, seed: seed))
    let thread = reading.start(channel)
    var isBreached = false
    let loaded = Self.now()
    var waited = 0.0
    // What the open transaction holds: batches come in chunks that fit the processor's cache.
    var chunk = (records: 0, bytes: 0)
    do {
      while true {
        let before = Self.now()
        guard var batch = try reading.receive(from: channel) else { break }
        waited += Self.now() - before
        importer.ledger.read(batch.records.recordCount + batch.records.errors.count)
        importer.ledger.reject(batch.records.errors.count)
        summary.bytesRead = batch.bytesRead
        try begin(file)
        try importer.process(&batch)
        try rejects.write(batch, importer.rejects)
        chunk.records += batch.records.recordCount
        chunk.bytes += batch.records.byteCount
        channel.recycle(batch)
        if chunk.records >= definition.batchLimit.records || chunk.bytes >= definition.batchLimit.bytes {
          try commit(file)
          try relieve(importer, file)
          importer.batches += 1
          chunk = (0, 0)
        }
        progress?(
          ImportProgress(
            records: importer.ledger.read, bytes: summary.bytesRead, totalBytes: totalBytes,
            rejects: importer.ledger.rejected, seconds: Self.now() - started))
        if let limit = definition.rejects.limit, importer.ledger.rejected > limit {
          isBreached = true
          break
        }
      }
    } catch {
      channel.cancel()
      thread.join()
      throw error
    }
    channel.cancel()
    thread.join()
    if chunk.records > 0 {
      try commit(file)
      importer.batches += 1
    }
    channel.drain()
    let imported = Self.now()
    if !isBreached {
      try replay(importer, file, rejects)
      importer.ledger.check()
      if let limit = definition.rejects.limit, importer.ledger.rejected > limit { isBreached = true }
      if let ratio = definition.rejects.ratio, importer.ledger.read > 0,
        Double(importer.ledger.rejected) > ratio * Double(importer.ledger.read)
      {
        isBreached = true
      }
    }
    importer.forget()
    try rejects.close()
    if isBreached { rejects.note(&summary) }
    try end(file, importer, rejects, isBreached: isBreached)
    summary.phases = [
      ("prepare", loaded - started), ("wait", waited), ("find", imported - loaded - waited - importer.writeSeconds),
      ("write", importer.writeSeconds), ("finish", Self.now() - imported),
    ]
  }

  private func makeImporter(_ file: StoreFile, seed: UInt64, inputBytes: Int) throws(ImportError) -> BatchImporter {
    do {
      if definition.hashSeed != nil { file.isReproducible = true }
      let store = try PersistentStore(file: file)
      let partitioned = PartitionedChoice()
      let choice = StrategyChoice(
        plan: plan, store: store, model: definition.model, seed: seed, inputBytes: inputBytes,
        keyMemory: definition.keyMemory, override: definition.findPlan, partitioned: partitioned,
        hasFixedInputs: !definition.format.isCustom)
      let nodes = try choice.nodes()
      let importer = BatchImporter(
        plan: plan, context: ManagedObjectContext(store: store), store: store, nodes: nodes, seed: seed)
      // What the store's history says of the import, if it has one.
      importer.context.name = definition.name
      importer.context.transactionAuthor = "mergewalk"
      for state in nodes where state.part.duplicates != .last && state.seesAllKeys { state.seenKeys = SeenKeys() }
      if file.isNew { try importer.buildEarlyIndexes(file) }
      if partitioned.rows > 0 { try scanInPieces(importer, rows: partitioned.rows) }
      if case .filter = nodes[plan.root].strategy {
        importer.deferred = DeferredRecords(
          plan: plan, folder: Self.folder(of: definition.storePath), limit: definition.batchLimit)
      }
      return importer
    } catch let error as SQLiteError {
      throw ImportError(error)
    } catch let error as ImportError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
  }

  /// Finds out which records change nothing, when every target's key is in memory.
  private func scanInPieces(_ importer: BatchImporter, rows: Int) throws(ImportError) {
    let root = importer.nodes[plan.root]
    var tables: [KeyTable?] = []
    for state in importer.nodes {
      if case .table(let table) = state.strategy { tables.append(table) } else { tables.append(nil) }
    }
    guard importer.nodes.allSatisfy({ $0.isRoot || tables[$0.node] != nil }) else { return }
    let scan = PartitionedScan(
      plan: plan, store: importer.store, entity: root.entity, tables: tables, seed: importer.seed,
      folder: Self.folder(of: definition.storePath),
      memory: max(definition.keyMemory - tables.reduce(0) { $0 + ($1?.bytesInUse ?? 0) }, 8 << 20))
    root.verdicts = try scan.run(
      rows: rows, records: Self.estimatedBytes(definition.sources) / 100,
      reading: InputReading(
        sources: definition.sources, format: definition.format,
        limit: BatchLimit(records: 4096, bytes: 1 << 20), preparer: BatchPreparer(plan: plan, seed: importer.seed)))
    root.firstStrategyName = "partitioned scan"
  }

  private func begin(_ file: StoreFile) throws(ImportError) {
    do { try file.begin() } catch { throw ImportError(code: .database, message: error.description) }
  }

  private func commit(_ file: StoreFile) throws(ImportError) {
    do { try file.commit() } catch { throw ImportError(code: .database, message: error.description) }
  }

  /// Replaces tables of keys that have outgrown their memory by seeks.
  private func relieve(_ importer: BatchImporter, _ file: StoreFile) throws(ImportError) {
    for state in importer.nodes where state.isOverfull(memory: definition.keyMemory) {
      if file.isNew { try importer.buildIndexes(file, for: state) }
      state.strategy = .seek
    }
  }

  /// Imports the records that were put off, now that an index can tell which keys are known.
  private func replay(_ importer: BatchImporter, _ file: StoreFile, _ rejects: RejectOutput) throws(ImportError) {
    guard let deferred = importer.deferred, deferred.count > 0 else { return }
    let root = importer.nodes[plan.root]
    // The filter goes before the index is built, so that their memory does not add up.
    root.strategy = .seek
    try importer.buildIndexes(file, for: root)
    root.foundMeansSeen = true
    importer.isReplaying = true
    importer.deferred = nil
    try deferred.replay { (batch) throws(ImportError) in
      try begin(file)
      try importer.process(&batch, onlyRoot: true)
      try rejects.write(batch, importer.rejects)
      try commit(file)
      importer.batches += 1
    }
  }

  private func end(
    _ file: StoreFile, _ importer: BatchImporter, _ rejects: RejectOutput, isBreached: Bool
  ) throws(ImportError) {
    let ledger = importer.ledger
    summary.read = ledger.read
    summary.inserted = ledger.inserted
    summary.updated = ledger.updated
    summary.unchanged = ledger.unchanged
    summary.skipped = ledger.skipped
    summary.rejected = ledger.rejected
    summary.batches = importer.batches
    summary.fetches = importer.fetches
    for state in importer.nodes {
      summary.findPlans[state.entity.name] = state.firstStrategyName
      var counts = summary.entities[state.entity.name] ?? ImportSummary.EntityCounts()
      counts.inserted += state.counts.inserted
      counts.updated += state.counts.updated
      counts.unchanged += state.counts.unchanged
      summary.entities[state.entity.name] = counts
    }
    rejects.note(&summary)
    try summary.end(file, isBreached: isBreached, isDryRun: definition.isDryRun, rejected: ledger.rejected)
  }

  // MARK: The machine

  /// The bytes of all inputs; 0 when one of them has no known size.
  static func inputBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.fileSize)) }

  /// About how many bytes all inputs hold unpacked; 0 when one of them has no known size.
  static func estimatedBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.estimatedBytes)) }

  private static func sum(_ sizes: [Int?]) -> Int { sizes.contains(nil) ? 0 : sizes.reduce(0) { $0 + ($1 ?? 0) } }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The greatest resident set of the process so far, in bytes.
  static func peakResidentBytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}
