import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkThreads

/// One run that loads whole objects, identities included, into a new store.
///
/// Entities come one after the other, read and converted on one thread and written on the other, as in
/// ``ImportSession``. References are checked at the end, when all objects exist: objects that cannot stay are removed,
/// and the files are read again to find their records.
final class IdentitySession {
  private let definition: ImportDefinition
  private let parts: [IdentityPlan]
  private var summary = ImportSummary()
  /// The outcomes of the values of each part.
  private var values: [ValueCounts] = []
  private var ledger = RecordLedger()
  private let started = ImportSession.now()
  private var shouldStop: (() -> Bool)?
  private var isInterrupted = false
  /// Rejects by code so far.
  private var counts: (() -> [RejectCode: Int])?

  private let identity: RunIdentity

  /// Resolves a definition.
  ///
  /// - Parameter findings: what was found about it as a whole.
  init(
    _ definition: ImportDefinition, _ identity: RunIdentity, _ findings: [Diagnostic]
  ) throws(DiagnosticList) {
    self.definition = definition
    self.identity = identity
    let schema = StoreSchema(model: definition.model)
    var parts: [IdentityPlan] = []
    var findings = findings
    for part in definition.objects {
      do throws(DiagnosticList) {
        parts.append(try IdentityPlan(part, definition: definition, schema: schema))
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    self.parts = parts
    summary.pipeline = definition.name
    summary.storePath = definition.storePath
    summary.load = LoadWay(.objects)
  }

  /// Loads everything; see ``ImportSession/run(progress:)``.
  ///
  /// - Parameter shouldStop: Is asked after each batch; nothing is left when it says so.
  func run(
    progress: ((ImportProgress) -> Void)?, shouldStop: (() -> Bool)? = nil
  ) throws(ImportError) -> ImportSummary {
    self.shouldStop = shouldStop
    let file = try makeStore()
    summary.warnings = definition.warnings + file.schema.warnings.map { RunWarning($0) }
    let impatience = Impatience(shouldStop)
    do {
      try file.interruptible(impatience.isOver) { () throws(ImportError) in try load(file, progress: progress) }
    } catch {
      try? file.rollBackRun()
      throw impatience.hasEnded ? Impatience.error : error
    }
    summary.seconds = ImportSession.now() - started
    summary.peakResidentBytes = peakResidentBytes()
    return summary
  }

  /// Lives until the run was told of.
  private var staging: StagingFolder?

  private func makeStore() throws(ImportError) -> StoreFile {
    do {
      // Of a process that was killed before it could tell that the store is there.
      let staging = try StagingFolder(forStore: definition.storePath)
      self.staging = staging
      let file = try StoreFile.create(
        path: definition.storePath, model: definition.model, cacheKiB: min(definition.cacheMemory / 1024, 4096),
        threads: 1)
      file.willPublish = { hidden throws(StoreError) in
        try staging.note(published: [(hidden, StorePath.resolved(self.definition.storePath))])
      }
      return file
    } catch {
      let advice =
        error.code == .alreadyExists
        ? "objects with identities go into a new store: name another one with --store, or remove this one" : nil
      throw ImportError(opening: error, of: definition, advice: advice)
    }
  }

  private func load(_ file: StoreFile, progress: ((ImportProgress) -> Void)?) throws(ImportError) {
    let totalBytes = ImportSession.inputBytes(definition.sources)
    guard let first = parts.first else { return }
    let rejects = try RejectOutput(definition, plan: first.plan, run: identity, metadata: file.metadata)
    counts = { rejects.counts }
    let (store, importers) = try makeImporters(file)
    try begin(file)
    let loaded = ImportSession.now()
    var bytesBefore = 0
    for (number, importer) in importers.enumerated() {
      rejects.begin(
        importer.part.plan, sources: importer.part.sources, format: importer.part.format,
        part: importer.part.entity.name)
      var bytesRead = 0
      var lastIsKept = true
      values.append(ValueCounts())
      var counts = summary.entities[importer.part.entity.name] ?? ImportSummary.EntityCounts()
      try forEachBatch(importer.part) { batch throws(ImportError) in
        summary.text += batch.records.account
        lastIsKept = batch.keepsLast ?? lastIsKept
        for doubt in RunWarning.doubts(
          about: batch.records, importer.part.sources[batch.records.source], isLastKept: lastIsKept)
        {
          summary.warn(doubt)
        }
        guard !batch.isEmpty else { return true }
        ledger.take(batch.records.recordCount + batch.records.errors.count)
        ledger.reject(batch.records.errors.count)
        bytesRead = batch.bytesRead
        try importer.process(&batch)
        ledger.settle(importer.outcomes)
        values[number] += batch.values
        for record in importer.outcomes.indices where importer.outcomes[record] == .rejected {
          values[number].settle(record, of: batch, importer.part.plan, isRejected: true)
        }
        counts.inserted += importer.outcomes.count { $0 == .inserted }
        summary.batches += 1
        try rejects.write(batch, importer.rejects)
        var state = ImportProgress()
        state.records = ledger.read
        state.bytes = bytesBefore + bytesRead
        state.totalBytes = totalBytes
        state.rejects = ledger.rejected
        state.seconds = ImportSession.now() - started
        state.rejectCounts = rejects.counts
        progress?(state)
        isInterrupted = isInterrupted || shouldStop?() ?? false
        return !mustStop
      }
      bytesBefore += bytesRead
      summary.entities[importer.part.entity.name] = counts
      if mustStop { break }
    }
    summary.bytesRead = bytesBefore
    let written = ImportSession.now()
    if !mustStop { try check(file, store, importers, rejects) }
    let checked = ImportSession.now()
    try checkCounts()
    try rejects.close(isFinished: !mustStop)
    rejects.note(&summary)
    try end(file)
    summary.phases = [
      ("prepare", loaded - started), ("write", written - loaded), ("check", checked - written),
      ("finish", ImportSession.now() - checked),
    ]
  }

  private func makeImporters(_ file: StoreFile) throws(ImportError) -> (PersistentStore, [IdentityImporter]) {
    do {
      let store = try PersistentStore(file: file)
      var greatest: [RootIndex: IdentityImporter.GreatestIdentity] = [:]
      var importers: [IdentityImporter] = []
      for (number, part) in parts.enumerated() {
        let root = part.entity.root
        let shared = greatest[root] ?? IdentityImporter.GreatestIdentity()
        greatest[root] = shared
        importers.append(try IdentityImporter(part, store: store, number: number, greatest: shared))
      }
      return (store, importers)
    } catch {
      throw ImportError(error)
    }
  }

  /// Reads and converts the files of a part on another thread and calls `body` with each batch, until it returns false.
  private func forEachBatch(
    _ part: IdentityPlan, _ body: (inout ImportBatch) throws(ImportError) -> Bool
  ) throws(ImportError) {
    let limit = BatchLimit(
      records: min(definition.batchLimit.records, 4096), bytes: min(definition.batchLimit.bytes, 1 << 20))
    var reading = InputReading(
      sources: part.sources, format: part.format, limit: limit,
      preparer: BatchPreparer(plan: part.plan, seed: CellHash.randomSeed()))
    reading.sendsRest = true
    let (channel, thread) = reading.begin(part.plan)
    defer {
      channel.cancel()
      thread?.join()
      channel.drain()
    }
    while var batch = try reading.receive(from: channel) {
      let goesOn = try body(&batch)
      channel.recycle(batch)
      if !goesOn { return }
    }
  }

  // MARK: The end

  /// Holds the sums.
  ///
  /// - Throws: `countsDiffer` when something was lost.
  private func checkCounts() throws(ImportError) {
    try ledger.check()
    var all = RecordCounts()
    for (part, values) in zip(parts, values) {
      summary.fields += values.tallies(of: part.plan, part: part.entity.name)
      all.read += values.records + values.refused
      all.rejected += values.rejected + values.refused
      let loss = values.loss ?? summary.fields.first { !$0.isBalanced }.map { "values do not add up: \($0)" }
      if let loss { throw ImportError(code: .countsDiffer, message: loss) }
    }
    guard all.read == ledger.read, all.rejected == ledger.rejected else {
      throw ImportError(code: .countsDiffer, message: "values are known of other records than were read: \(values)")
    }
  }

  /// Takes out what cannot stay, and says which records these were.
  private func check(
    _ file: StoreFile, _ store: PersistentStore, _ importers: [IdentityImporter], _ rejects: RejectOutput
  ) throws(ImportError) {
    let forgiving = Set(parts.filter { $0.missing == .null }.map(\.entity.index))
    let check = ReferenceCheck(store: store, forgiving: forgiving)
    do {
      let gone = try check.run { () throws(StoreError) in try file.buildIndexes { !$0.isUnique } }
      try check.completeEntities()
      guard gone > 0 else { return count(check.forgotten, store) }
      ledger.takeBack(gone)
      for root in Set(parts.map(\.entity.root)).sorted() {
        var findings: [Int64: ReferenceCheck.Finding] = [:]
        try check.forEach(root: root) { identity, finding in findings[identity] = finding }
        for (number, importer) in importers.enumerated()
        where importer.part.entity.root == root && !findings.isEmpty {
          try report(&findings, importer, number, rejects)
        }
      }
      count(check.forgotten, store)
    } catch {
      throw ImportError(wrapping: error)
    }
  }

  /// Counts the references that became nothing among the values that were replaced.
  private func count(_ forgotten: [ReferenceCheck.Forgotten], _ store: PersistentStore) {
    for item in forgotten {
      var rest = Int64(item.count)
      // Several files may have objects of one entity; which of them is not known.
      for (number, part) in parts.enumerated() where store.schema.entityNumbers[part.entity.index] == item.entity {
        guard let field = Self.field(item.relationship, of: part).map({ Int($0) }) else { continue }
        let stored = Int64(values[number].records - values[number].rejected) - values[number][field].wrappedSum()
        let own = min(rest, max(0, stored))
        values[number][field][FieldTally.Replacement.missing.index] += own
        rest -= own
      }
    }
  }

  private static func field(_ relationship: RelationshipDescription, of part: IdentityPlan) -> Int32? {
    part.fields.firstIndex {
      $0.relationship?.slot == relationship.slot
        && $0.relationship?.declaringEntity == relationship.declaringEntity && !$0.isImplied
    }.map(Int32.init)
  }

  /// Reads the files of an entity again and writes a reject for each record whose object was taken out.
  private func report(
    _ findings: inout [Int64: ReferenceCheck.Finding], _ importer: IdentityImporter, _ number: Int,
    _ rejects: RejectOutput
  ) throws(ImportError) {
    let part = importer.part
    var open = findings
    var count = 0
    rejects.begin(part.plan, sources: part.sources, format: part.format, part: part.entity.name)
    try forEachBatch(part) { batch throws(ImportError) in
      // Of several records with one identity the first sound one was taken.
      importer.examine(batch)
      var list: [RecordReject] = []
      for record in 0..<batch.records.recordCount where importer.outcomes[record] == .pending {
        let identity = Int64(bitPattern: batch.columns[0].payloads[record])
        guard let finding = open.removeValue(forKey: identity) else { continue }
        list.append(self.reject(record, finding, part))
        values[number].settle(record, of: batch, part.plan, isRejected: true)
      }
      count += list.count
      // What the reader and the conversion refuse was written the first time.
      batch.failures.removeAll()
      batch.refusals.removeAll()
      try rejects.write(batch, list, withErrors: false)
      return !open.isEmpty
    }
    findings = open
    summary.entities[part.entity.name]?.inserted -= count
  }

  private func reject(_ record: Int, _ finding: ReferenceCheck.Finding, _ part: IdentityPlan) -> RecordReject {
    func field(_ relationship: RelationshipDescription) -> Int32? { Self.field(relationship, of: part) }
    let model = definition.model
    switch finding.reason {
    case .missingTarget(let relationship):
      // An owner is of the entity that has the relationship, the others of the one that it refers to.
      let isOwner = relationship.isToMany && relationship.inverseSlot < 0
      let other = model.entities[isOwner ? relationship.declaringEntity : relationship.destinationEntity]
      return RecordReject(
        record: Int32(record), field: field(relationship), code: .missingTarget,
        detail: "\(other.name) \(finding.other)")
    case .inverse(let relationship):
      return RecordReject(
        record: Int32(record), field: field(relationship), code: .inverse,
        detail: "\(model.entities[relationship.destinationEntity].name) \(finding.other)")
    case .unique(let index):
      // A column without a field is null, and then no other object has the values.
      let fields = index.columns.compactMap { name in part.columns.first { $0.definition.name == name }?.field }
      return RecordReject(
        record: Int32(record), field: fields.first.map(Int32.init), code: .unique, others: Array(fields.dropFirst()))
    }
  }

  private var mustStop: Bool { isInterrupted || breach(isEnd: false) != nil }

  private func breach(isEnd: Bool) -> LimitBreach? {
    definition.rejects.breach(read: ledger.read, rejected: ledger.rejected, counts: counts?() ?? [:], isEnd: isEnd)
  }

  private func begin(_ file: StoreFile) throws(ImportError) {
    do { try file.begin() } catch { throw ImportError(code: .database, message: error.description) }
  }

  private func end(_ file: StoreFile) throws(ImportError) {
    summary.counts = ledger.counts
    summary.isNewStore = file.isNew
    summary.breach = breach(isEnd: !isInterrupted)
    if isInterrupted, summary.breach == nil {
      summary.status = .interrupted
      do { try file.rollBackRun() } catch { throw ImportError(code: .database, message: error.description) }
      return
    }
    try summary.end(
      file, isBreached: summary.breach != nil, isDryRun: definition.isDryRun, rejected: ledger.rejected)
  }
}
