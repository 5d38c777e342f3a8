public import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// One run of an import.
///
/// The parts run one after the other, each as a ``PartImport``, into one store. Either all changes reach the store's
/// file or none do: a new store is renamed into place at the end, and changes to an existing one are planned beside it
/// and applied at the end.
public final class ImportSession {
  private enum Work {
    /// It imports records, by the plans of its parts; those of a group run together.
    case records([ImportPlan], groups: [Range<Int>])
    /// It loads whole objects.
    case objects(IdentitySession)
  }

  let definition: ImportDefinition
  private(set) var identity: RunIdentity
  private let work: Work
  /// The tables of a new store.
  private(set) lazy var schema = StoreSchema(model: definition.model)
  /// Whether it is one of many runs of one definition.
  private let isOneOfMany: Bool
  var summary = ImportSummary()
  private let started = ImportSession.now()
  /// The seconds that earlier processes have spent on the run.
  private var secondsBefore = 0.0
  private var report: ((inout ImportSummary) -> Void)?
  private var isTold = false
  /// Where the time went, given the moment when everything was done.
  private var phases: ((Double) -> [ImportSummary.Phase])?
  /// The definition's digest and its inputs as they were when the run began; nothing for a new store.
  private var digest: UInt64 = 0
  private var inputs: [SourcePrint] = []

  /// The plans of the parts; nothing when whole objects are loaded.
  var plans: [ImportPlan] {
    if case .records(let plans, _) = work { return plans }
    return []
  }

  /// The parts that run together, when it imports records.
  var groups: [Range<Int>] {
    if case .records(_, let groups) = work { return groups }
    return []
  }

  /// Resolves a definition against its model.
  ///
  /// - Throws: `DiagnosticList` with all findings.
  public convenience init(_ definition: ImportDefinition) throws(DiagnosticList) {
    try self.init(definition, isChecked: false)
  }

  /// Resolves a definition against its model.
  ///
  /// - Parameter isChecked: Whether what does not depend on the model was checked before, as for many runs of one
  ///   definition.
  package init(_ definition: ImportDefinition, isChecked: Bool) throws(DiagnosticList) {
    isOneOfMany = isChecked
    var findings = isChecked ? [] : definition.checkWhole(path: definition.name)
    if definition.storePath.isEmpty { findings.append(Self.noStore(definition)) }
    let order = PartOrder(definition)
    let definition = order.apply(to: definition)
    self.definition = definition
    identity = RunIdentity(pipeline: definition.name)
    guard definition.objects.isEmpty else {
      work = .objects(try IdentitySession(definition, identity, findings))
      return
    }
    var plans: [ImportPlan] = []
    for part in definition.parts {
      do throws(DiagnosticList) {
        plans.append(try ImportPlan(definition, part: part))
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    work = .records(plans, groups: order.ranges)
    summary.pipeline = definition.name
    summary.storePath = definition.storePath
  }

  /// Takes over what was resolved for a definition that differs from this one in its inputs and paths only.
  package init(_ definition: ImportDefinition, like other: ImportSession) {
    isOneOfMany = true
    let definition = PartOrder(definition).apply(to: definition)
    self.definition = definition
    identity = RunIdentity(pipeline: definition.name)
    work = other.work
    schema = other.schema
    summary.pipeline = definition.name
    summary.storePath = definition.storePath
  }

  /// The finding about a definition that names no store.
  private static func noStore(_ definition: ImportDefinition) -> Diagnostic {
    Diagnostic(
      .missingField, path: definition.path ?? definition.name, position: .file,
      message: "no store is named" + (definition.stores == nil ? "" : ": the pipeline makes a family of stores"),
      hint: definition.stores == nil
        ? "set “store: PATH”" : "run “mergewalk stores build”, or name one store with --store")
  }

  /// Imports everything; see ``run(progress:shouldStop:report:)``, which notes the run as well.
  ///
  /// - Parameter report: Gets the summary, which it may complete, when everything is durable, and before the store
  ///   forgets that it was not delivered.
  func execute(
    progress: ((ImportProgress) -> Void)?, shouldStop: (() -> Bool)?, report: @escaping (inout ImportSummary) -> Void
  ) throws(ImportError) -> ImportSummary {
    let plans: [ImportPlan]
    let groups: [Range<Int>]
    switch work {
    case .objects(let session):
      var summary = try session.run(progress: progress, shouldStop: shouldStop)
      report(&summary)
      return summary
    case .records(let parts, let ranges):
      plans = parts
      groups = ranges
    }
    self.report = report
    // They hold this session, and what it has read; a process that makes many stores keeps none of it.
    defer { (self.report, phases) = (nil, nil) }
    let (file, begin) = try open()
    let impatience = Impatience(shouldStop)
    do {
      for warning in definition.warnings { summary.warn(warning) }
      switch begin {
      case .again:
        warnOfRejects(file)
        try end(file, .skippedAgain)
      case .done(let checkpoint): try reportFinished(checkpoint, file)
      case .fresh, .resumed:
        for warning in try RunWarning.cursorsOfOthers(definition, file) { summary.warn(warning) }
        for plan in plans {
          for warning in StoreWarnings(plan: plan, model: definition.model).warnings(file) { summary.warn(warning) }
        }
        try file.interruptible(impatience.isOver) { () throws(ImportError) in
          try load(file, plans, groups, from: begin, progress: progress, shouldStop: shouldStop)
        }
      }
    } catch  where impatience.hasEnded {
      // What was committed stays for another process to resume, as at a stop behind a batch.
      if definition.isDryRun { try? file.rollBackToOpening() } else { try? file.suspend() }
      throw Impatience.error
    } catch {
      throw error.after(rollingBack: file) { () throws(StoreError) in
        // A store that is being built and that cannot be resumed is not tried again and again.
        if error.meansOtherInput || file.isNew && (error.code == .database || error.code == .countsDiffer) {
          try file.rollBackRun()
        } else {
          try file.rollBackToOpening()
        }
      }
    }
    reportEnd()
    return summary
  }

  /// The page cache of a new store, in KiB.
  ///
  /// Rows and sorted index entries are appended, so pages are not read again;
  /// and SQLite takes the cache's size for the runs of an index's sort, which is faster when they fit the processor's
  /// cache (measured: three indexes over 1 M rows 1.3 s at 4 MiB, 1.9 s at 64 MiB).
  private static let loadCacheKiB = 4096

  // MARK: The beginning

  /// Opens the store and decides how the run begins; one that is to begin anew is forgotten before.
  private func open() throws(ImportError) -> (StoreFile, RunStart) {
    var file = try openStore()
    do throws(ImportError) {
      let choice = try RunStartChoice(definition, plans: plans, groups: groups)
      digest = choice.digest
      inputs = choice.inputs
      if let reason = choice.loss(file), definition.policy.unfinished != .restart {
        if definition.policy.unfinished == .resumeOrFail { throw RunStartChoice.nothingToResume(definition, reason) }
        summary.warn(RunWarning(.unfinishedDropped, "\(reason); the run started over"))
      }
      if file.isNew, !file.isAdopted { return (file, .fresh) }
      let begin = try choice.doubt(file) == nil ? choice.choose(file) : .fresh
      switch begin {
      case .resumed, .done: return (file, begin)
      case .fresh, .again:
        // What an earlier process has begun goes, or, where it had ended and was not told of, comes first.
        guard file.isAdopted else { return (file, begin) }
        do throws(StoreError) {
          if !file.isNew, choice.hasEnded(file) { try file.finish() } else { try file.rollBackRun() }
        } catch { throw ImportError(error) }
        file = try openStore()
        return (file, file.isNew ? .fresh : begin)
      }
    } catch {
      throw error.after(rollingBack: file) { () throws(StoreError) in try file.rollBackToOpening() }
    }
  }

  private func openStore() throws(ImportError) -> StoreFile {
    do {
      let cacheKiB = definition.cacheMemory / 1024
      if access(definition.storePath, F_OK) == 0 {
        if !definition.isDryRun { StoreFile.removeUnfinished(path: definition.storePath) }
        return try plan(cacheKiB)
      }
      var unfinished = UnfinishedStore(definition)
      if let file = try unfinished.adopt(cacheKiB: min(cacheKiB, Self.loadCacheKiB)) { return file }
      if definition.policy.unfinished == .resumeOrFail {
        throw RunStartChoice.nothingToResume(definition, unfinished.refusal)
      }
      if let refusal = unfinished.refusal {
        summary.warn(RunWarning(.unfinishedDropped, "\(refusal); the run started over"))
      }
      let way = LoadWay(new: definition, plans: plans, schema: schema)
      do throws(StoreError) {
        defer { summary.load = way }
        return try StoreFile.create(
          path: definition.storePath, schema: schema, cacheKiB: min(cacheKiB, Self.loadCacheKiB),
          lockWait: definition.policy.lockWait,
          keepsBatches: UnfinishedStore.isKept(definition) && !way.isDirect, sparesOthers: definition.isDryRun)
      } catch {
        // Another process has made the store meanwhile; then this run goes into it.
        guard error.code == .alreadyExists, access(definition.storePath, F_OK) == 0 else { throw error }
        summary.load = LoadWay(.storeExists)
        return try plan(cacheKiB)
      }
    } catch let error as StoreError {
      throw ImportError(opening: error, of: definition)
    } catch let error as ImportError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
  }

  /// Opens an existing store.
  private func plan(_ cacheKiB: Int) throws(StoreError) -> StoreFile {
    try StoreFile.plan(
      path: definition.storePath, model: definition.model, run: definition.journalName,
      isThrownAway: definition.isDryRun, cacheKiB: cacheKiB, lockWait: definition.policy.lockWait)
  }

  /// The checkpoint to begin with: that of the run that resumes, or a new one.
  private func checkpoint(_ begin: RunStart) -> RunCheckpoint {
    if case .resumed(let checkpoint) = begin {
      summary.resumedAfter = checkpoint.ledger.read
      summary.resumedFrom = checkpoint.run
      return checkpoint
    }
    var checkpoint = RunCheckpoint()
    checkpoint.started = identity.started
    checkpoint.run = identity.text
    checkpoint.definition = digest
    checkpoint.seed = definition.hashSeed ?? CellHash.randomSeed()
    checkpoint.inputCounts = definition.parts.map(\.sources.count)
    checkpoint.inputs = inputs.count <= RunCheckpoint.namedInputLimit ? inputs : []
    checkpoint.inputsHash = SourcePrint.hash(inputs)
    return checkpoint
  }

  // MARK: The run

  private func load(
    _ file: StoreFile, _ plans: [ImportPlan], _ groups: [Range<Int>], from begin: RunStart,
    progress: ((ImportProgress) -> Void)?, shouldStop: (() -> Bool)?
  ) throws(ImportError) {
    if definition.hashSeed != nil { file.isReproducible = true }
    file.seedIdentity = definition.seedIdentity
    var first = checkpoint(begin)
    // Whoever reports the run may find the store otherwise; what the pipeline says is known to all.
    first.tally.warn(summary.warnings.filter { !definition.warnings.contains($0) })
    // What is written without a journal may be there in part, the mark of the end included: nothing of it is resumed.
    first.boot = file.isNew && !file.keepsBatches ? "" : BootIdentity.current ?? ""
    identity = RunIdentity(pipeline: definition.name, started: first.started)
    let run = try RecordRun(
      definition, plans: plans, groups: groups, file: file, identity: identity, checkpoint: first,
      isResumed: summary.resumedAfter != nil, started: started, report: progress, shouldStop: shouldStop)
    run.isDirect = summary.load.isDirect
    run.letsRowsWait = !file.isNew && LoadWay.mayWait(definition, plans)
    file.checksWhole = definition.policy.directCheck == .whole
    try run.importParts()
    try run.check()
    try run.forgetChangedBack()
    try run.removeOthers()
    try run.nameChanges()
    let imported = Self.now()
    try run.rejects.sync()
    try run.rejects.close(isFinished: run.breach == nil && !run.isInterrupted)
    run.note(&summary)
    if run.breach == nil, !run.isInterrupted { try checkCompleteness() }
    summary.directRows = file.directRows + file.deferredCounts.waiting
    if file.deferredCounts.taken > 0 {
      summary.load = LoadWay(.sorted)
    } else if run.letsRowsWait, run.way.reason == .repeatedKeys {
      summary.load = run.way
    }
    secondsBefore = run.journal?.before.seconds ?? 0
    let times = run.times
    phases = { finished in
      [
        ("prepare", times.prepare), ("wait", times.wait), ("find", times.find), ("write", times.write),
        ("finish", finished - imported),
      ]
    }
    if run.breach == nil, !run.isInterrupted, !definition.isDryRun {
      try finish(file, run.endJournal, run.rejects, run.place)
    } else {
      try end(file, run.breach != nil ? .limitBreached : run.isInterrupted ? .interrupted : .dryRun)
    }
  }

  /// Checks what was read against what was expected, and notes whether anything was.
  private func checkCompleteness() throws(ImportError) {
    noteCompleteness()
    guard let expected = definition.expectedRecords, expected != summary.read else { return }
    throw ImportError(
      code: .inputIncomplete,
      message:
        "the input has \(PrintableText.count(summary.read, "record")), not \(PrintableText.grouped(expected)) as expected:"
        + " the program that writes it has not finished, or wrote something else; nothing was kept")
  }

  private func noteCompleteness() {
    let sources = definition.allSources
    let isDigested = sources.contains { $0.expected != nil }
    if definition.expectedRecords != nil || isDigested {
      summary.completeness = .checked
    } else if sources.contains(where: \.isReadOnce) {
      summary.completeness = .unchecked
    }
  }

  // MARK: The end

  /// Keeps the whole run.
  private func finish(
    _ file: StoreFile, _ journal: RunJournal?, _ rejects: RejectOutput, _ place: RunPosition
  ) throws(ImportError) {
    do {
      let finished = try finishedRun()
      try file.begin()
      var metadata = file.metadata
      if let journal {
        try journal.end(
          rejects, finished: finished, place.beginning(part: place.part, ledger: place.ledger, tally: place.tally))
      } else {
        // A store that must come out the same each time has no mark that tells one time from another.
        metadata.mergewalk.finished[definition.journalName] = finished?.list
        if metadata != file.metadata { try file.writeMetadata(metadata) }
      }
      try noteReplay(file)
    } catch {
      throw ImportError(wrapping: error)
    }
    try end(file, summary.rejected + summary.denied > 0 ? .completedWithRejects : .completed)
  }

  /// Notes, with the end of a replay, that nothing of the rejects file waits any more.
  ///
  /// Where that cannot be found out the run fails: the next one would take the rejects for some that wait.
  private func noteReplay(_ file: StoreFile) throws {
    // A file that was written during the run is not the one that was read.
    guard definition.reporting.kind == .replay, let source = definition.allSources.first,
      areInputsSame(try SourcePrint.prints(of: definition))
    else { return }
    let pipeline = definition.reporting.listedName ?? definition.name
    try file.writeMetadata(ReplayedRejects(file.metadata, pipeline: pipeline).adding(source, to: file.metadata))
  }

  /// Ends a run that an earlier process has finished without reporting it.
  private func reportFinished(_ checkpoint: RunCheckpoint, _ file: StoreFile) throws(ImportError) {
    identity = RunIdentity(pipeline: definition.name, started: checkpoint.started)
    summary.resumedFrom = checkpoint.run
    summary.resumedAfter = checkpoint.ledger.read
    summary.counts = checkpoint.ledger.counts
    summary.note(checkpoint.tally)
    warnOfRejects(file)
    noteCompleteness()
    summary.rejectCounts = checkpoint.tally.rejectCounts
    summary.rejectsPath = checkpoint.ledger.rejected > 0 ? definition.rejectsPath : nil
    secondsBefore = checkpoint.tally.seconds
    try end(file, summary.rejected + summary.denied > 0 ? .completedWithRejects : .completed)
  }

  /// Warns of rejects of earlier runs, where no output of this one does.
  private func warnOfRejects(_ file: StoreFile) {
    guard let path = definition.rejectsPath else { return }
    let replayed = ReplayedRejects(file.metadata, pipeline: definition.name)
    if let warning = EarlierRejects(of: path).warning(replayed, except: path) { summary.warn(warning) }
  }

  /// Whether the inputs were not changed since the run began.
  private func areInputsSame(_ now: [SourcePrint]) -> Bool {
    inputs.count == now.count && zip(inputs, now).allSatisfy { $0.isSame(as: $1) }
  }

  /// The record that the store keeps of the run to recognize its inputs; `nil` when that does not matter, or is not
  /// possible.
  ///
  /// - Throws: `inputFailed`: without the record the same inputs would be imported twice.
  private func finishedRun() throws(ReadError) -> FinishedRun? {
    guard definition.effectiveAgain != .run else { return nil }
    let now = try SourcePrint.prints(of: definition)
    // Inputs that were written during the run are not those that were imported.
    guard areInputsSame(now), let contents = try SourcePrint.contents(definition.allSources) else { return nil }
    return FinishedRun(
      definition: digest, contents: contents,
      size: now.reduce(0) { $0 + max($1.size, 0) },
      ended: definition.hashSeed == nil ? Int64(SystemClock.sinceEpoch) : 0)
  }

  /// Finishes the store's file, leaves it for another process to resume, or rolls the run back.
  private func end(_ file: StoreFile, _ status: ImportSummary.Status) throws(ImportError) {
    summary.status = status
    summary.isNewStore = file.isNew
    summary.statements += file.statementsExecuted
    do {
      switch status {
      case .limitBreached: try file.rollBackRun()
      case .interrupted where !definition.isDryRun: try file.suspend()
      case .dryRun, .skippedAgain, .interrupted: try file.rollBackToOpening()
      case .completed, .completedWithRejects:
        try file.finish {
          self.summary.noteFilesThatStay(file)
          self.reportEnd()
          return RunJournal.acknowledged(file.metadata, name: self.definition.journalName)
        }
        summary.isPacked = file.isPacked
        summary.seed = file.seed
      }
    } catch {
      // Another process was the first to give its store the name: the run goes into that one.
      guard error.code == .alreadyExists else { throw ImportError(error) }
      throw ImportError(code: .storeChanged, message: error.description)
    }
    if !isTold { summary.noteFilesThatStay(file) }
  }

  /// Reports to the caller how the run ended, once.
  private func reportEnd() {
    guard !isTold else { return }
    isTold = true
    summary.seconds = secondsBefore + Self.now() - started
    // To ask for it takes as long as some of the records of a small store.
    if !isOneOfMany { summary.peakResidentBytes = peakResidentBytes() }
    if let phases { summary.phases = phases(Self.now()) }
    report?(&summary)
  }

  /// A context over a store that is called in its history as an import's, and for which the run is one save.
  static func context(
    _ definition: ImportDefinition, _ store: PersistentStore, _ place: RunPosition
  ) -> ManagedObjectContext {
    let context = ManagedObjectContext(store: store)
    context.firstNewKeys = place.firstKeys
    // What the store's history says of the import, if it has one.
    context.name = definition.name
    context.transactionAuthor = HistoryIdentity.author
    return context
  }
}
