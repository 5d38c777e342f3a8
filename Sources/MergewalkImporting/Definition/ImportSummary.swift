package import MergewalkObjectStore
public import MergewalkRecordFormats

/// The result of a run: the counts of records and of objects.
///
/// At the end of every run, `read = inserted + updated + unchanged + skipped + rejected` for records.
@dynamicMemberLookup
public struct ImportSummary: Sendable {
  /// How a run ended.
  public enum Status: String, Sendable {
    /// Everything was imported.
    case completed
    /// Finished; some records were rejected, within the limits.
    case completedWithRejects = "completed_with_rejects"
    /// Too many rejects: the store is unchanged.
    case limitBreached = "limit_breached"
    /// A dry run: the store is unchanged.
    case dryRun = "dry_run"
    /// Stopped on request: the store is unchanged, and the next run resumes.
    case interrupted
    /// The inputs had already been imported: nothing was done.
    case skippedAgain = "skipped_again"
  }
  /// Counts of the objects of one entity, by outcome.
  public struct EntityCounts: Sendable, Hashable {
    /// Objects created.
    public var inserted = 0
    /// Objects changed, counted once for each time a record changed one; not if the object is at the end what it was
    /// before the run.
    public var updated = 0
    /// Records that found their object and changed nothing; for an entity that records only refer to, existing objects
    /// that already had the values of the first record that refers to them, or have their former values at the end.
    public var unchanged = 0
    /// Records whose object an earlier record of the same import has already named.
    public var duplicates = 0
    /// References to an object that was there.
    var found = 0
    /// References to an object that was not there, where the relationship was set to nothing.
    var missing = 0
    /// Objects deleted because no record names them, or by delete rules.
    public var deleted = 0
    /// Objects marked as gone because no record names them.
    public var marked = 0
    /// Creates zero counts.
    public init() {}

    /// Adds what was counted since another moment.
    mutating func add(_ other: EntityCounts, since before: EntityCounts = EntityCounts()) {
      numbers = zip(numbers, zip(other.numbers, before.numbers)).map { $0 + $1.0 - $1.1 }
    }

    /// All counts, for a checkpoint; earlier versions have the first five.
    var numbers: [Int] {
      get { [inserted, updated, unchanged, deleted, marked, duplicates, found, missing] }
      set {
        inserted = newValue[0]
        updated = newValue[1]
        unchanged = newValue[2]
        deleted = newValue[3]
        marked = newValue[4]
        guard newValue.count == 8 else { return }
        duplicates = newValue[5]
        found = newValue[6]
        missing = newValue[7]
      }
    }
  }

  /// A part of the work and the seconds it took.
  public typealias Phase = (name: String, seconds: Double)
  /// Counts of the records of one import of the run, by outcome; the counts themselves are its members, too.
  @dynamicMemberLookup
  public struct PartCounts: Sendable, Hashable {
    /// The import's name; empty when it is the only one.
    public var name = ""
    /// The entity of its records.
    public var entity = ""
    /// Its records.
    public var counts = RecordCounts()
    /// The writer's time for it.
    public var seconds = 0.0
    /// Creates zero counts.
    public init() {}

    /// One of the counts.
    public subscript(dynamicMember count: WritableKeyPath<RecordCounts, Int>) -> Int {
      get { counts[keyPath: count] }
      set { counts[keyPath: count] = newValue }
    }
  }

  /// The pipeline's name.
  public var pipeline = ""
  /// The run's name, as in its rejects, its logs and the table of runs.
  ///
  /// See ``RunIdentity/text``. It stays the same when another process resumes the run.
  public var runID = ""
  /// The run's number in the table of runs; `nil` if it is not recorded.
  public var runNumber: Int?
  /// When the run began, in seconds since 1970 UTC.
  public var started = 0.0
  /// The ``runID`` of the run that this one resumed; `nil` if it began at the start.
  public var resumedFrom: String?
  /// How many records of this run earlier processes have imported; `nil` if this process began the run.
  public var resumedAfter: Int?
  /// Whether an input that can be read only once was complete.
  public enum Completeness: String, Sendable {
    /// It has the expected number of records or the expected digest.
    case checked
    /// There was no expected size or checksum: if the program that writes the input dies, this looks like its end.
    case unchecked
  }

  /// Whether the inputs were complete, if a size or checksum was given; `nil` for files without such an expectation.
  public var completeness: Completeness?
  /// Which limit was exceeded; `nil` for none.
  public var breach: LimitBreach?
  /// Measures that differ greatly from the pipeline's usual ones.
  public var anomalies: [RunAnomaly] = []
  /// How the run ended.
  public var status = Status.completed
  /// The records of all imports; the counts themselves are members of the summary, too: `summary.inserted`.
  public var counts = RecordCounts()
  /// Objects deleted because no record names them, including those deleted by delete rules; these are not records.
  public var deleted = 0
  /// Objects marked as gone because no record names them.
  public var marked = 0
  /// Objects that no record names and that may not be deleted.
  public var denied = 0
  /// The first changes of objects, up to the number set in the definition.
  public var changes: [ObjectChange] = []
  /// Batches written.
  public var batches = 0
  /// How rows were written to the store.
  public var load = LoadWay(.storeExists)
  /// How many rows bypassed SQLite.
  public var directRows = 0
  /// Whether the store is new and laid out as it can be shipped.
  package var isPacked = false
  /// The mark of the store's data, when it can be shipped as it is.
  package var seed: SeedFile.Mark?
  /// Wall time of the run.
  public var seconds = 0.0
  /// The process's peak resident memory, in bytes.
  public var peakResidentBytes = 0
  /// SQL statements executed.
  public var statements = 0
  /// Fetches executed to find existing objects.
  public var fetches = 0
  /// Bytes of input read.
  public var bytesRead = 0
  /// The store's path.
  public var storePath = ""
  /// Whether there was no store before the run, which made it unless its ``status`` says otherwise.
  public internal(set) var isNewStore = false
  /// The rejects file's path, if rejects were written.
  public var rejectsPath: String?
  /// The first lines that a rejects file would have, of each code, where there is none.
  package internal(set) var rejectSample: [UInt8] = []
  /// Warnings for the run's user, each once.
  public var warnings: [RunWarning] = []
  /// What was looked for in vain where nothing came that could have had it: findings of `neverMatched` that another store
  /// of a family may decide.
  package internal(set) var undecided: [String] = []
  /// How existing objects were found, by entity name.
  public var findPlans: [String: String] = [:]
  /// Counts of rejects by code.
  public var rejectCounts: [String: Int] = [:]
  /// Seconds that the writer spent on each part of the work: `prepare` (opening, reading what is stored), `wait` (for
  /// the reader), `find`, `write`, `finish` (indexes, sync).
  public var phases: [Phase] = []
  /// Seconds that the reader's thread spent on `read` (reading and splitting records) and `convert` (values, keys,
  /// hashes), in parallel with the writer.
  public var readerPhases: [Phase] = []
  /// Counts of objects by entity name.
  public var entities: [String: EntityCounts] = [:]

  /// Counts of the values of each field, by import.
  public var fields: [FieldTally] = []
  /// Counts of the elements of each list, by import.
  public var lists: [ListTally] = []
  /// The accounting of the inputs' text: each byte belongs to a record or was skipped for a given reason.
  public var text = TextAccount()

  /// Counts of records by import, in the order in which they ran.
  public var parts: [PartCounts] = []

  /// Creates an empty summary.
  public init() {}

  /// One of the counts of records.
  public subscript(dynamicMember count: WritableKeyPath<RecordCounts, Int>) -> Int {
    get { counts[keyPath: count] }
    set { counts[keyPath: count] = newValue }
  }

  /// The slowest stage of the run; `nil` if nothing was measured.
  ///
  /// It is the phase in which the writer spent most time or, if that is `wait`, what it waited for: `read` or
  /// `convert`.
  public var slowStage: String? {
    guard let longest = phases.max(by: { $0.seconds < $1.seconds }), longest.seconds > 0 else { return nil }
    guard longest.name == "wait" else { return longest.name }
    return readerPhases.max { $0.seconds < $1.seconds }?.name ?? "read"
  }
}
