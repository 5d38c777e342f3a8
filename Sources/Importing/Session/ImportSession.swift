public import Diagnostics
import Glibc
import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

/// How far a run has come.
public struct ImportProgress: Sendable {
  /// What a run is doing.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Opening the store and reading what is stored.
    case prepare
    /// Reading, finding and writing records.
    case records = "import"
    /// Building indexes, moving the log into the store, waiting for the disk.
    case finish
  }

  /// What the run is doing.
  public var stage = Stage.records
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
  /// The number of the import that is running, from 0, and of all imports.
  public var part = 0
  /// How many imports the run has.
  public var partCount = 1
  /// The name of the import that is running; empty when there is only one.
  public var partName = ""
  /// Seconds that the reader's thread spent on reading and cutting records so far.
  public var readSeconds = 0.0
  /// Seconds spent on converting them.
  public var convertSeconds = 0.0
  /// Seconds the writer spent on finding and filling rows.
  public var findSeconds = 0.0
  /// Seconds the writer spent on saving.
  public var writeSeconds = 0.0
  /// Counts of rejects by code.
  public var rejectCounts: [RejectCode: Int] = [:]

  /// The progress of a run that has not begun.
  public init() {}
}

/// One run of an import.
///
/// The parts run one after the other, each as a ``PartImport``, into one store. Everything happens in the store's file or
/// nothing does: a new store is renamed into place at the end, an existing one keeps the whole run in its write-ahead
/// log until then.
public final class ImportSession {
  let definition: ImportDefinition
  /// What names the run.
  let identity: RunIdentity
  private let plans: [ImportPlan]
  /// The numbers of parts that run together: alone, or because they refer to each other.
  private let groups: [Range<Int>]
  /// The run of a definition that loads whole objects; then nothing else here is used.
  private let objects: ObjectSession?
  private var summary = ImportSummary()
  private let started = ImportSession.now()

  /// Resolves a definition against its model.
  ///
  /// - Throws: `DiagnosticList` with everything that is wrong.
  public init(_ definition: ImportDefinition) throws(DiagnosticList) {
    let order = PartOrder(definition)
    let definition = order.apply(to: definition)
    self.definition = definition
    groups = order.ranges
    identity = RunIdentity(pipeline: definition.name)
    guard definition.objects.isEmpty else {
      objects = try ObjectSession(definition, identity)
      plans = []
      return
    }
    objects = nil
    var plans: [ImportPlan] = []
    var findings = order.findings
    for part in definition.parts {
      do throws(DiagnosticList) {
        plans.append(try ImportPlan(definition, part: part))
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    self.plans = plans
    summary.pipeline = definition.name
    summary.storePath = definition.storePath
  }

  /// Imports everything; see ``run(progress:)``, which notes the run as well.
  func execute(progress: ((ImportProgress) -> Void)?) throws(ImportError) -> ImportSummary {
    if let objects { return try objects.run(progress: progress) }
    let file = try openStore()
    for plan in plans {
      for text in StoreWarnings(plan: plan, model: definition.model).texts(file)
      where !summary.warnings.contains(text) {
        summary.warnings.append(text)
      }
    }
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
    if definition.hashSeed != nil { file.isReproducible = true }
    let rejects = try RejectOutput(definition, plan: plans[0], run: identity)
    let store: PersistentStore
    do {
      store = try PersistentStore(file: file)
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
    let totalBytes = Self.inputBytes(definition.allSources)
    var ledger = RecordLedger()
    var times = PartTimes()
    var isBreached = false
    var bytesBefore = 0
    var state = ImportProgress()
    state.totalBytes = totalBytes
    state.partCount = definition.parts.count
    func tell(_ stage: ImportProgress.Stage) {
      state.stage = stage
      state.seconds = Self.now() - started
      progress?(state)
    }
    func turn(_ number: Int) {
      let part = definition.parts[number]
      rejects.turn(
        to: plans[number], sources: part.sources, format: part.format,
        part: definition.parts.count > 1 ? part.name : nil)
    }
    for group in groups {
      var loads: [PartImport] = []
      for number in group where !isBreached {
        let part = definition.parts[number]
        turn(number)
        state.part = number
        state.partName = part.name
        tell(.prepare)
        let load = try PartImport(
          definition, part: part, plan: plans[number], file: file, store: store, rejects: rejects, ledger: ledger)
        loads.append(load)
        try load.settle(&ledger) { () throws(ImportError) in
          try load.run { step in
            state.records = step.records
            state.bytes = bytesBefore + step.bytes
            state.rejects = step.rejects
            let spent = times.adding(step.times)
            state.readSeconds = spent.read
            state.convertSeconds = spent.convert
            state.findSeconds = spent.find
            state.writeSeconds = spent.write
            state.rejectCounts = rejects.counts
            tell(.records)
          }
        }
        bytesBefore += load.bytesRead
        isBreached = load.isBreached
      }
      if !isBreached, loads.contains(where: \.hasSecondPass) {
        let numbers = Array(group)
        try SecondPass(parts: loads, file: file, store: store, turn: { turn(numbers[$0]) }).run(&ledger)
        ledger.check()
        if let limit = definition.rejects.limit, ledger.rejected > limit { isBreached = true }
        state.rejects = ledger.rejected
        state.rejectCounts = rejects.counts
        tell(.records)
      }
      for (number, load) in zip(group, loads) {
        summary.note(definition.parts[number], load.counts, load.importer.countedNodes, times: load.times)
        summary.batches += load.importer.batches
        summary.fetches += load.importer.allFetches
        times.add(load.times)
      }
      if isBreached { break }
    }
    summary.bytesRead = bytesBefore
    tell(.finish)
    let imported = Self.now()
    if !isBreached {
      ledger.check()
      if let ratio = definition.rejects.ratio, ledger.read > 0,
        Double(ledger.rejected) > ratio * Double(ledger.read)
      {
        isBreached = true
      }
    }
    try rejects.close()
    rejects.note(&summary)
    summary.note(ledger)
    try summary.end(file, isBreached: isBreached, isDryRun: definition.isDryRun, rejected: ledger.rejected)
    summary.phases = [
      ("prepare", times.prepare), ("wait", times.wait), ("find", times.find), ("write", times.write),
      ("finish", Self.now() - imported),
    ]
    summary.readerPhases = [("read", times.read), ("convert", times.convert)]
  }

  // MARK: The machine

  /// The bytes of all inputs; 0 when one of them has no known size.
  static func inputBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.fileSize)) }

  /// About how many bytes all inputs hold unpacked; 0 when one of them has no known size.
  static func estimatedBytes(_ sources: [ByteSource]) -> Int { sum(sources.map(\.estimatedBytes)) }

  private static func sum(_ sizes: [Int?]) -> Int { sizes.contains(nil) ? 0 : sizes.reduce(0) { $0 + ($1 ?? 0) } }

  static func folder(of path: String) -> String {
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
