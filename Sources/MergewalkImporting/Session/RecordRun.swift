import MergewalkObjectModel
import MergewalkObjectStore

/// Imports the records of one run: its state, and its steps in the order in which ``ImportSession`` takes them.
final class RecordRun {
  private let definition: ImportDefinition
  private let plans: [ImportPlan]
  /// The numbers of parts that run together: alone, or because they refer to each other.
  private let groups: [Range<Int>]
  private let file: StoreFile
  private let identity: RunIdentity
  private let store: PersistentStore
  private let sync: SyncRun?
  private let sample: ChangeSample?
  let rejects: RejectOutput
  /// Takes the checkpoints; `nil` when the run cannot be resumed.
  let journal: RunJournal?
  /// Marks the end, so that it is told once: also of a new store that keeps no places meanwhile.
  let endJournal: RunJournal?
  private(set) var place: RunPosition
  private(set) var times = PartTimes()
  /// Which limit was exceeded; then the whole run is rolled back.
  private(set) var breach: LimitBreach?
  /// Whether the caller wanted it to stop.
  private(set) var isInterrupted = false
  private var progress = ImportProgress()
  private let report: ((ImportProgress) -> Void)?
  private let shouldStop: (() -> Bool)?
  private let started: Double
  /// Whether rows go past SQLite where a part allows it.
  var isDirect = false
  /// Whether what changes in an existing store may wait for the end.
  var letsRowsWait = false
  /// For each part where the keys of its nodes were looked for when it began.
  private var searches: [[KeySearch]] = []
  /// How rows of an existing store could be written.
  var way: LoadWay { LoadWay(existing: definition, plans: plans, searches: searches) }

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - checkpoint: where it begins, or goes on.
  ///   - isResumed: whether an earlier process has begun it.
  ///   - started: when the run began, as ``ImportSession/now()``.
  init(
    _ definition: ImportDefinition, plans: [ImportPlan], groups: [Range<Int>], file: StoreFile, identity: RunIdentity,
    checkpoint: RunCheckpoint, isResumed: Bool, started: Double, report: ((ImportProgress) -> Void)?,
    shouldStop: (() -> Bool)?
  ) throws(ImportError) {
    self.definition = definition
    self.plans = plans
    self.groups = groups
    self.file = file
    self.identity = identity
    self.started = started
    self.report = report
    self.shouldStop = shouldStop
    rejects = try RejectOutput(
      definition, plan: plans[0], run: identity, metadata: file.metadata, checkpoint: isResumed ? checkpoint : nil)
    do {
      store = try PersistentStore(file: file)
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
    for node in plans.flatMap({ [$0] + $0.lists.flatMap(\.allPlans) }).flatMap(\.nodes)
    where store.isNearlyExhausted(root: node.rootEntity) {
      throw ImportError(
        code: .database,
        message:
          "\(file.path): no primary keys are left for \(definition.model.entities[node.rootEntity.index].name) after "
          + "\(store.maximum(root: node.rootEntity)); correct Z_MAX in its table Z_PRIMARYKEY, or use a sound copy")
    }
    var checkpoint = checkpoint
    if !isResumed { checkpoint.firstKeys = Self.nextKeys(store) }
    // What is thrown away is not resumed.
    journal =
      definition.isDryRun || (file.isNew && !file.keepsBatches)
      ? nil : RunJournal(file, name: definition.journalName, checkpoint: checkpoint, isWritten: isResumed)
    // A store that must come out the same each time has no mark that tells one time from another.
    let isMarked = !definition.isDryRun && definition.hashSeed == nil
    endJournal =
      journal
      ?? (isMarked ? RunJournal(file, name: definition.journalName, checkpoint: checkpoint, isWritten: false) : nil)
    sync = SyncRun(
      definition, plans: plans, store: store, firstKeys: checkpoint.firstKeys, isKept: journal != nil)
    sample =
      definition.sampledChanges > 0
      ? ChangeSample(model: definition.model, path: store.path, limit: definition.sampledChanges) : nil
    place = checkpoint.place
    progress.totalBytes = ImportSession.inputBytes(definition.allSources)
    progress.partCount = definition.parts.count
  }

  /// The next primary key of each hierarchy, by root entity.
  private static func nextKeys(_ store: PersistentStore) -> [RootIndex: Int64] {
    store.model.rootEntities.reduce(into: [:]) { $0[$1.root] = store.nextPrimaryKey(root: $1.root) }
  }

  private var goesOn: Bool { breach == nil && !isInterrupted }

  // MARK: Steps

  func importParts() throws(ImportError) {
    try sync?.takeMarks(file)
    while place.part < definition.parts.count, goesOn {
      try importGroup(groups.first { $0.contains(place.part) } ?? place.part..<place.part + 1)
    }
    reportProgress(.finish)
  }

  /// Holds the sums and the limits at the end.
  ///
  /// - Throws: `countsDiffer` when something was lost.
  func check() throws(ImportError) {
    guard goesOn else { return }
    try place.ledger.check()
    if let loss = place.tally.loss { throw ImportError(code: .countsDiffer, message: loss) }
    // No record hangs on that.
    if let uncounted = RunWarning(of: place.tally.text) { place.tally.warn([uncounted]) }
    checkLimits(isEnd: true)
  }

  /// Forgets what the sample of changes has of objects that a second pass, or another import, has changed back.
  func forgetChangedBack() throws(ImportError) { if goesOn { try sample?.forgetChangedBack(file) } }

  /// Removes the objects that no record names, where an import says so.
  func removeOthers() throws(ImportError) {
    guard goesOn else { return }
    if let sync { try removeOthers(sync) }
    // Lists have deleted objects, too.
    if breach == nil { place.tally.warn(RunWarning.lookUps(of: plans, definition.model, place.tally.entities)) }
  }

  private func removeOthers(_ sync: SyncRun) throws(ImportError) {
    let before = ImportSession.now()
    for (number, counts) in place.tally.parts.enumerated() {
      sync.finish(
        part: number, goodRecords: counts.read - counts.rejected, unreadable: place.tally.unreadable[number] ?? 0)
    }
    // In one transaction with the end of the run, so that it is done once.
    let removal = try sync.removeOthers(
      ImportSession.context(definition, store, place), rejects: rejects, sample: sample)
    place.tally.note(removal)
    breach = removal.breach
    place.tally.warn(sync.warnings)
    times.write += ImportSession.now() - before
  }

  /// Gives the changed objects the names that people know them by.
  func nameChanges() throws(ImportError) {
    try sample?.nameObjects(
      of: definition, ImportSession.context(definition, store, place), store, canRead: file.directRows == 0)
  }

  /// Notes what was counted.
  func note(_ summary: inout ImportSummary) {
    summary.breach = breach
    summary.changes = sample?.changes ?? []
    summary.counts = place.ledger.counts
    summary.note(place.tally)
    rejects.note(&summary)
    summary.readerPhases = [("read", times.read), ("convert", times.convert)]
  }

  // MARK: Parts

  /// Imports parts that belong together, and what a second pass does for all of them.
  private func importGroup(_ group: Range<Int>) throws(ImportError) {
    let waiting = try DeferredFile(
      folder: FileSystem.folder(of: definition.storePath), path: journal == nil ? nil : file.laterPath,
      keeping: place.later ?? 0)
    var loads: [PartImport] = []
    defer { journal?.keepers = [] }
    for number in group.lowerBound..<place.part { loads.append(try restorePart(number, group, waiting)) }
    while place.part < group.upperBound, goesOn {
      loads.append(try importPart(place.part, isHeld: group.count > 1, waiting))
    }
    // Whoever goes on has the first pass, as far as it has come.
    guard loads.contains(where: \.isHeld), goesOn else { return }
    try runSecondPass(loads, group)
    place.tally.held = []
    guard breach == nil else { return }
    for (index, load) in loads.enumerated() { try load.complete(at: place, isLast: index == loads.count - 1) }
    for (index, load) in loads.enumerated() { try load.didEnd(place.tally.parts[group.lowerBound + index]) }
  }

  /// A part of which an earlier process has done the first pass.
  private func restorePart(
    _ number: Int, _ group: Range<Int>, _ waiting: DeferredFile
  ) throws(ImportError) -> PartImport {
    guard place.tally.held.count == place.part - group.lowerBound, number < place.tally.parts.count else {
      throw ImportError(
        code: .cannotResume,
        message: "the checkpoint of the unfinished run does not say what its import \(number + 1) has read;"
          + " discard the run and start over with --restart")
    }
    beginRejects(ofPart: number)
    let held = place.tally.held[number - group.lowerBound]
    var done = place.beginning(part: number, ledger: place.ledger, tally: place.tally)
    done.position = InputPosition(source: 0, records: place.tally.parts[number].read, good: 0, hash: 0)
    (done.tally.nodes, done.tally.values, done.tally.links) = (held.nodes, held.values, held.links)
    (done.late, done.partKeys, done.generation) = (held.late, held.partKeys, held.generation)
    let load = try PartImport(
      definition, part: definition.parts[number], plan: plans[number], file: file, store: store, rejects: rejects,
      run: identity, place: done, journal: journal, watch: try sync?.watch(part: number), sample: sample, isHeld: true,
      waiting: waiting)
    load.importer.shrunkRoots = shrinking(with: number)
    try load.rebuild()
    return load
  }

  /// The hierarchies of which the lists of a part, or of those that run together with it, may delete objects.
  private func shrinking(with part: Int) -> Set<RootIndex> {
    let group = groups.first { $0.contains(part) } ?? part..<part + 1
    return plans[group].reduce(into: []) { $0.formUnion($1.rootsThatMayGo(definition.model)) }
  }

  private func importPart(_ number: Int, isHeld: Bool, _ waiting: DeferredFile) throws(ImportError) -> PartImport {
    let part = definition.parts[number]
    beginRejects(ofPart: number)
    if place.partKeys.isEmpty { place.partKeys = Self.nextKeys(store) }
    progress.part = number
    progress.partName = part.name
    reportProgress(.prepare)
    do throws(StoreError) { try file.willScan(letsRowsWait) } catch { throw ImportError(error) }
    let load = try PartImport(
      definition, part: part, plan: plans[number], file: file, store: store, rejects: rejects, run: identity,
      place: place, journal: journal, watch: try sync?.watch(part: number), sample: sample, isHeld: isHeld,
      waiting: waiting)
    if isDirect, load.loadsDirectly {
      let later = plans[(number + 1)...].flatMap(\.nodes).map { store.schema.table(forRoot: $0.rootEntity).name }
      do {
        try file.loadDirectly()
        load.laterTables = Set(later)
      } catch {
        throw ImportError(code: .database, message: error.description)
      }
    }
    load.importer.shrunkRoots = shrinking(with: number)
    searches.append(load.searches)
    try storeErrors { () throws(StoreError) in try file.deferRows(of: letsRowsWait ? load.waitingTables : []) }
    try load.run(progress: { self.reportProgress(of: $0) }, shouldStop: shouldStop)
    breach = load.breach
    isInterrupted = load.isInterrupted
    place = load.nextPlace
    if !load.isHeld, goesOn, let counts = place.tally.parts.last { try load.didEnd(counts) }
    times.add(load.times)
    return load
  }

  private func runSecondPass(_ loads: [PartImport], _ group: Range<Int>) throws(ImportError) {
    let before = ImportSession.now()
    let pass = SecondPass(
      parts: loads, file: file, store: store, beginRejects: { self.beginRejects(ofPart: group.lowerBound + $0) })
    // Of its own, so that turning to a part may look at the place meanwhile.
    var ledger = place.ledger
    try pass.run(&ledger)
    place.ledger = ledger
    try ledger.check()
    for (index, load) in loads.enumerated() { place.tally.addSecondPass(load, part: group.lowerBound + index) }
    times.find += ImportSession.now() - before
    checkLimits(isEnd: false)
    progress.rejects = place.ledger.rejected
    progress.rejectCounts = rejects.counts
    reportProgress(.records)
  }

  private func checkLimits(isEnd: Bool) {
    breach = definition.rejects.breach(
      read: place.ledger.read, rejected: place.ledger.rejected, counts: rejects.counts, isEnd: isEnd)
  }

  private func beginRejects(ofPart number: Int) {
    let part = definition.parts[number]
    rejects.begin(
      plans[number], sources: part.sources, format: part.format,
      part: definition.parts.count > 1 ? part.name : nil)
  }

  // MARK: Progress

  private func reportProgress(_ stage: ImportProgress.Stage) {
    progress.stage = stage
    progress.seconds = ImportSession.now() - started
    report?(progress)
  }

  private func reportProgress(of step: PartImport.State) {
    progress.records = step.records
    progress.bytes = place.tally.bytesDone + step.bytes
    progress.rejects = step.rejects
    let spent = times.adding(step.times)
    progress.readSeconds = spent.read
    progress.convertSeconds = spent.convert
    progress.findSeconds = spent.find
    progress.writeSeconds = spent.write
    progress.rejectCounts = rejects.counts
    reportProgress(.records)
  }
}
