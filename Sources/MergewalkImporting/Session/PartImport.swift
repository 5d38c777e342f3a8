import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkThreads

/// The import of one part of a definition, within the run of an ``ImportSession``.
///
/// The reader's thread reads, converts and hashes; the caller's thread finds, creates and writes. Batches go from one
/// to the other through a ``BatchChannel``.
final class PartImport {
  let definition: ImportDefinition
  let part: ImportPart
  let plan: ImportPlan
  let file: StoreFile
  let rejects: RejectOutput
  let importer: BatchImporter
  /// The hierarchies whose keys are looked for in the store in the second pass, as what is in memory may not hold.
  var forgottenRoots: Set<RootIndex> = []
  /// How the objects of each node are found.
  let choice: StrategyChoice
  /// Objects that the first pass created and that cannot stay, with the field to blame; -1 for none.
  var lost: [Int64: Int32] = [:]
  /// Whether objects were taken out whose place a waiting record may take.
  var hasVacancies = false
  /// The outcomes of records in the second pass.
  private(set) var secondCounts = RecordCounts()
  /// The counts at the end of the first pass.
  var firstPassTally = RunTally()
  /// Whether it is not done when it is read, as a second pass belongs to it.
  let isHeld: Bool
  /// The tables that later parts write to: those of their indexes that are not needed before wait for the end.
  var laterTables: Set<String> = []
  let transforms: TransformRunner?
  /// The mapped columns that were not found.
  private var unmatched: UnmatchedColumns
  /// Those about files that may be cut.
  private var ends: [RunWarning] = []
  /// Those about columns that nothing uses, and empty members of archives.
  private let notes = SourceNotes()
  private(set) var bytesRead = 0
  /// The outcomes of their text; the input that an earlier process has imported is read once more.
  private var text = TextAccount()
  /// Which limit was exceeded; then the whole run has to be rolled back.
  private(set) var breach: LimitBreach?
  /// Whether the caller wanted it to stop.
  private(set) var isInterrupted = false
  /// Where the writer's time went.
  private(set) var times = PartTimes()
  /// Where in the run it is imported, and from where on.
  let place: RunPosition
  /// Takes what waits for the end of the reading, or for the second pass.
  let waiting: DeferredFile
  /// How often the records that wait were gone through.
  var generation: Int
  private let journal: RunJournal?
  /// How far the inputs have been read and imported.
  private var position: InputPosition
  /// The contents of the open transaction: batches come in chunks that fit the processor's cache.
  private var chunk = (records: 0, bytes: 0)
  /// When a store that is being built keeps what it has.
  private var pacing = CommitPacing()

  /// How far the run has come, for progress.
  struct State {
    var records: Int
    var bytes: Int
    var rejects: Int
    var times: PartTimes
  }

  /// Prepares the finding of objects.
  ///
  /// - Parameters:
  ///   - run: the run that imports the part.
  ///   - place: where in the run the part is imported, and from where on.
  ///   - journal: takes the checkpoints; `nil` when the run cannot be resumed.
  ///   - watch: notes the objects that records name, when those that none names are to go.
  ///   - sample: takes the first changes.
  ///   - isHeld: whether it is not done when it is read, because other parts belong to it.
  ///   - waiting: takes the records that wait; `nil` for a file of its own.
  init(
    _ definition: ImportDefinition, part: ImportPart, plan: ImportPlan, file: StoreFile, store: PersistentStore,
    rejects: RejectOutput, run: RunIdentity, place: RunPosition, journal: RunJournal?, watch: SyncWatch? = nil,
    sample: ChangeSample? = nil, isHeld: Bool = false, waiting: DeferredFile? = nil
  ) throws(ImportError) {
    let started = ImportSession.now()
    self.definition = definition
    self.part = part
    self.plan = plan
    self.file = file
    self.rejects = rejects
    transforms = try TransformRunner(plan, part, run: run, store: store, memory: definition.keyMemory)
    self.place = place
    unmatched = UnmatchedColumns(definition, part, plan, state: place.tally.unmatched)
    self.journal = journal
    position = place.position
    self.isHeld = isHeld || !plan.postponed.isEmpty
    if let waiting {
      self.waiting = waiting
    } else {
      self.waiting = try DeferredFile(folder: FileSystem.folder(of: definition.storePath))
    }
    generation = place.generation
    (importer, choice) = try Self.makeImporter(definition, part, plan, file, store, watch, transforms, place)
    importer.ledger = place.ledger
    importer.late = place.late
    importer.countNames(firstKeys: place.firstKeys, partKeys: place.partKeys, isKept: journal != nil)
    // Those that are passed over without a look count all the same.
    if !importer.needsImportedRecords { importer.recordsBefore = place.position.good }
    importer.takeCounts(place.tally)
    importer.sample = sample
    try importer.takeNames(file, part: place.part)
    // A second pass may still change what the first one has set back, so such a part counts every change.
    if !file.isNew, !self.isHeld, plan.postponed.isEmpty {
      try importer.noteRepeatedUpdates(file, part: place.part, isKept: journal != nil)
    }
    journal?.keepers.append(importer.keeper(in: file, part: place.part))
    if importer.nodes[plan.root].finder is KeyFilter { importer.deferred = makeDeferred() }
    startPasses()
    try takeOverWaiting()
    times.prepare = ImportSession.now() - started
  }

  /// The outcomes of all records so far.
  var ledger: RecordLedger { importer.ledger }

  /// The root entity of the records' hierarchy.
  var rootEntity: RootIndex { plan.nodes[plan.root].rootEntity }

  /// The counts of the run, this part included.
  var tally: RunTally {
    var tally = place.tally
    tally.count(importer)
    tally.partText = text
    tally.bytesRead = max(place.tally.bytesDone + bytesRead, tally.bytesRead)
    tally.unmatched = unmatched.state
    if let watch = importer.watch { tally.unreadable[place.part] = watch.unreadable }
    return tally
  }

  /// The same when the part is done.
  var finalTally: RunTally {
    var tally = tally
    tally.end(part, ledger: ledger, importer, times: times, isHeld: isHeld)
    if isHeld {
      tally.held.append(
        HeldPart(
          nodes: firstPassTally.nodes, values: firstPassTally.values, links: firstPassTally.links, late: importer.late,
          partKeys: place.partKeys, generation: generation))
    }
    tally.unmatched = nil
    // Not before: whoever goes on reads the inputs from their beginning, and finds these again.
    tally.warn((transforms?.warnings ?? []) + notes.all + ends)
    if breach != nil {
      tally.warn(unmatched.warningsSoFar)
    } else if !isInterrupted {
      tally.warn(unmatched.warnings)
      tally.undecided += unmatched.undecided
    }
    return tally
  }

  /// Imports everything.
  ///
  /// - Parameters:
  ///   - progress: Is called after each batch.
  ///   - shouldStop: Is asked after each batch, and while there is nothing to do.
  func run(progress: (State) -> Void, shouldStop: (() -> Bool)? = nil) throws(ImportError) {
    let started = ImportSession.now()
    try transforms?.willBegin(part)
    defer { transforms?.end(isJoined: !isInterrupted) }
    var reading = InputReading(
      sources: part.sources, format: part.format, limit: importer.chunkLimit(definition.batchLimit),
      preparer: BatchPreparer(
        plan: plan, seed: importer.seed, since: importer.since?.filter, transforms: transforms,
        comparesContents: importer.nodes.map(\.finder.keepsKeys)))
    reading.sendsRest = true
    reading.findings = part.inputFindings
    reading.notes = notes
    reading.spool = part.spool
    let isRebuilding = importer.needsImportedRecords
    // A dry run goes on, too, and writes nothing of it.
    if journal != nil || place.position.records > 0 {
      reading.tracking = InputTracking(seed: place.seed, start: place.position, isRebuilding: isRebuilding)
    }
    let (channel, thread) = reading.begin(plan)
    var lastIsKept = true
    // A process that ended right behind a batch may have come over a limit with it.
    if place.position.records > 0 { checkLimits(isEnd: false) }
    do {
      while breach == nil {
        let before = ImportSession.now()
        isInterrupted = shouldStop?() ?? false
        guard !isInterrupted, var batch = try reading.receive(from: channel, unless: shouldStop) else { break }
        times.wait += ImportSession.now() - before
        if batch.wasImported {
          rejects.note(batch)
          guard isRebuilding else {
            channel.recycle(batch)
            continue
          }
        }
        text += batch.records.account
        lastIsKept = batch.keepsLast ?? lastIsKept
        // Spooled records are not the last ones of their file.
        ends += RunWarning.doubts(
          about: batch.records, part.sources[batch.records.source], isLastKept: lastIsKept && part.spool.isEmpty)
        unmatched.note(batch)
        if batch.wasImported {
          try importer.skipImported(&batch)
          channel.recycle(batch)
          continue
        }
        if batch.isEmpty {
          bytesRead = batch.bytesRead
          channel.recycle(batch)
          continue
        }
        importer.ledger.take(batch.records.recordCount + batch.records.errors.count)
        importer.ledger.reject(batch.records.errors.count)
        importer.watch?.noteUnreadable(batch.records.errors.count)
        importer.since?.noteUnknown(batch.records.errors.count)
        bytesRead = batch.bytesRead
        try importer.count(batch)
        times.read += batch.readSeconds
        times.convert += batch.convertSeconds
        try begin()
        try importer.process(&batch)
        try rejects.write(batch, importer.rejects)
        position = batch.position
        chunk.records += batch.records.recordCount
        chunk.bytes += batch.records.byteCount
        channel.recycle(batch)
        if chunk.records >= definition.batchLimit.records || chunk.bytes >= definition.batchLimit.bytes {
          try commitBatch()
          try relieve()
        }
        // What is left of the time is filled in here too, so that progress can show it.
        times.write = importer.writeSeconds
        times.find = ImportSession.now() - started - times.wait - times.write
        progress(State(records: ledger.read, bytes: bytesRead, rejects: ledger.rejected, times: times))
        checkLimits(isEnd: false)
      }
      isInterrupted = shouldStop?() ?? false
    } catch {
      channel.cancel()
      thread?.join()
      throw error
    }
    channel.cancel()
    if isInterrupted { thread?.leave() } else { thread?.join() }
    if chunk.records > 0 { try commitBatch() }
    channel.drain()
    if isInterrupted {
      try stop()
    } else if breach == nil {
      try finishReading()
    }
    if !hasSecondPass || isInterrupted || breach != nil { importer.forget() }
    times.write = importer.writeSeconds
    times.find = ImportSession.now() - started - times.wait - times.write
  }

  /// Whether its rows may go past SQLite: nothing can refuse them, and nothing else has to be written with them.
  var loadsDirectly: Bool { !isHeld && journal == nil && !importer.keepsSavepoints }

  /// Where the keys of its nodes are looked for; none where rows cannot wait anyway.
  var searches: [KeySearch] {
    isHeld || importer.keepsSavepoints ? [] : importer.allNodes.map(\.finder.search)
  }

  /// The tables of which rows may wait for the end of the run.
  var waitingTables: Set<String> {
    guard LoadWay(existing: definition, plans: [plan], searches: [searches]).isSorted else { return [] }
    return Set(importer.allNodes.map { importer.store.schema.table(forRoot: $0.plan.rootEntity).name })
  }

  /// Imports what was put off, and ends the part unless others belong to it.
  private func finishReading() throws(ImportError) {
    forgetKeys()
    try storeErrors { () throws(StoreError) in try file.endDirectLoad { !laterTables.contains($0) } }
    if hasSecondPass {
      try endFirstPass()
      try flushWaiting()
    } else {
      try replay()
      if !isHeld {
        try importer.takeBackUpdates(file)
        try importer.ledger.check()
      }
    }
    firstPassTally.count(importer)
    checkLimits(isEnd: false)
    if breach == nil, !isHeld { try complete() }
  }

  /// Releases what finding needed and nothing needs any more, so that its memory and that of indexes do not add up.
  private func forgetKeys() {
    if hasSecondPass { return }
    guard let deferred = importer.deferred, deferred.count > 0 else { return importer.forget() }
    importer.nodes[plan.root].finder = SeekFinder()
  }

  /// Continues with a ledger in the second pass, and adds what happens to the counts of this part.
  func settle(_ ledger: inout RecordLedger, _ body: () throws(ImportError) -> Void) throws(ImportError) {
    let before = ledger
    importer.ledger = ledger
    try body()
    ledger = importer.ledger
    secondCounts = secondCounts + (ledger.counts - before.counts)
  }

  /// Lets the hook of the part's end speak.
  func didEnd(_ counts: ImportSummary.PartCounts) throws(ImportError) { try transforms?.didEnd(part, counts) }

  /// Ends the part because a limit was exceeded; the whole run will be rolled back.
  func breach(_ breach: LimitBreach) { if self.breach == nil { self.breach = breach } }

  private func checkLimits(isEnd: Bool) {
    let found = definition.rejects.breach(
      read: ledger.read, rejected: ledger.rejected, counts: rejects.counts, isEnd: isEnd)
    if let found { breach(found) }
  }

  /// Ends the transaction with the rows of a batch and the checkpoint that belongs to them.
  private func commitBatch() throws(ImportError) {
    importer.batches += 1
    chunk = (0, 0)
    // It cannot be resumed, so it stays one transaction.
    if isHeld, journal == nil { return }
    guard file.isNew, journal != nil else {
      try note(isForced: false)
      return try commit()
    }
    // Whether or not there is a commit here: those of one batch are imported together, however often the run stops.
    try flushWaiting()
    do throws(StoreError) {
      guard pacing.isDue(try file.batchBytes()) else { return }
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
    try note(isForced: false)
    try commit()
  }

  /// Ensures that another process can resume at this place.
  private func stop() throws(ImportError) {
    guard journal != nil else { return }
    if file.isNew {
      // There is nothing to resume.
      guard ledger.read > 0 else { return }
      if file.isInBatch {
        try note(isForced: true)
        try commit()
      }
      do { try file.beginDurably() } catch { throw ImportError(code: .database, message: error.description) }
    }
    try begin()
    try note(isForced: true, isDurable: true)
    try commit()
  }

  /// Writes the checkpoint that goes with the open transaction.
  private func note(isForced: Bool, isDurable: Bool = false) throws(ImportError) {
    guard let journal else { return }
    if importer.deferred != nil { try flushWaiting() }
    if isDurable { try waiting.sync() }
    try journal.write(rejects, isForced: isForced, isDurable: isDurable) {
      var present = place
      present.position = position
      present.ledger = ledger
      present.late = importer.late
      present.later = importer.deferred == nil ? nil : waiting.length
      present.isFiltering = importer.nodes[plan.root].finder is KeyFilter
      present.tally = tally
      return present
    }
  }

  /// Where the run goes on behind this part.
  var nextPlace: RunPosition { place.beginning(part: place.part + 1, ledger: ledger, tally: finalTally) }

  /// Ends the part, in a transaction of its own: what is done in it is done once.
  private func complete() throws(ImportError) {
    guard journal != nil || importer.since != nil else { return }
    try begin()
    try writeCursor()
    // What was put off is done now, even if it has changed nothing.
    try journal?.write(rejects, isForced: file.isNew) { nextPlace }
    try commit()
  }

  /// Puts the records that wait into the file.
  private func flushWaiting() throws(ImportError) {
    try importer.deferred?.flush()
    try importer.references?.flush()
  }

  /// Ends a part that was held; the last one of those that belong together ends the transaction of the second pass.
  ///
  /// - Parameter end: where the run goes on.
  func complete(at end: RunPosition, isLast: Bool) throws(ImportError) {
    try begin()
    try writeCursor()
    guard isLast else { return }
    try journal?.write(rejects, isForced: file.isNew) { end }
    do { try file.commit() } catch { throw ImportError(code: .database, message: error.description) }
  }

  /// Writes the cursor into the open transaction, where the import is incremental.
  private func writeCursor() throws(ImportError) {
    guard let since = importer.since, let policy = part.since else { return }
    let stored = policy.isReset ? nil : try policy.stored(definition, part, file.metadata)
    let cursor = since.cursor(stored: stored, override: policy.override, lag: policy.lag)
    var cursors = StoredCursors(file.metadata, of: definition)
    cursors.set(cursor, part: part.name, policy)
    let metadata = cursors.written(to: file.metadata)
    guard metadata != file.metadata else { return }
    do {
      try file.writeMetadata(metadata)
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
  }

  func begin() throws(ImportError) {
    do { try file.begin() } catch { throw ImportError(code: .database, message: error.description) }
  }

  private func commit() throws(ImportError) {
    do { try file.commit() } catch { throw ImportError(code: .database, message: error.description) }
  }

  /// Replaces tables of keys that have outgrown their memory by seeks.
  private func relieve() throws(ImportError) {
    for state in importer.allNodes where state.finder.isOverfull(memory: definition.keyMemory) {
      if file.isNew {
        try begin()
        try importer.buildIndexes(file, for: state)
      }
      state.finder = SeekFinder()
      do { try file.deferRows(of: []) } catch { throw ImportError(error) }
    }
  }

  /// Imports the records that were put off, now that an index can tell which keys are known.
  private func replay() throws(ImportError) {
    guard let deferred = importer.deferred, deferred.count > 0 else { return }
    let root = importer.nodes[plan.root]
    // In one transaction with the end of the part: either all of them were put off or none.
    try begin()
    try importer.buildIndexes(file, for: root)
    importer.pass = .deferred(isFirst: false)
    root.named = NamedObjects(namedUpTo: importer.store.maximum(root: root.plan.rootEntity))
    importer.deferred = nil
    try deferred.replay { (batch) throws(ImportError) in
      try importer.process(&batch)
      try rejects.write(batch, importer.rejects)
      importer.batches += 1
    }
  }
}
