public import MergewalkRecordFormats

/// The result of a run: the counts of records and of objects.
///
/// `read = inserted + updated + unchanged + skipped + rejected` holds for records at the end of every run.
@dynamicMemberLookup
public struct ImportSummary: Sendable {
  /// How a run ended.
  public enum Status: String, Sendable {
    /// Everything was imported.
    case completed
    /// Finished; some records were rejected, within the limits.
    case completedWithRejects = "completed_with_rejects"
    /// Too many rejects: the store is as before.
    case limitBreached = "limit_breached"
    /// A dry run: the store is as before.
    case dryRun = "dry_run"
    /// Stopped on request: a new store is not there, an existing one keeps the run's part for a run that goes on.
    case interrupted
    /// The inputs were imported before: nothing was done.
    case skippedAgain = "skipped_again"
  }
  /// Counts of the objects of one entity, by outcome.
  public struct EntityCounts: Sendable, Hashable {
    /// Objects created.
    public var inserted = 0
    /// Objects changed, counted once for each time a record changed one.
    public var updated = 0
    /// Records that found their object and changed nothing; of an entity that records only refer to, the objects that
    /// were there before the run and as the records say when the first of them did so.
    public var unchanged = 0
    /// Records whose object an earlier record of the same import has named already.
    public var duplicates = 0
    /// References to an object that was there.
    var found = 0
    /// References to an object that was not there, where the relationship was set to nothing.
    var missing = 0
    /// Objects deleted because no record names them, or because delete rules took them along.
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
  /// The run's name, which its rejects, its logs and the table of runs carry, see ``RunIdentity/text``; it stays the
  /// same when another process resumes the run.
  public var runID = ""
  /// The run's number in the table of runs; nil when it is not there.
  public var runNumber: Int?
  /// When the run began, in seconds since 1970 UTC.
  public var started = 0.0
  /// The ``runID`` of the run that this one continued; nil when it began at the start.
  public var resumedFrom: String?
  /// How many records earlier processes have imported of this run; `nil` when it was begun by this one.
  public var resumedAfter: Int?
  /// Whether an input that can be read only once came whole.
  public enum Completeness: String, Sendable {
    /// It has the records or the digest that were expected.
    case checked
    /// Without an expected size or checksum: when whatever writes it dies, that is its end.
    case unchecked
  }

  /// Whether inputs came whole, as far as a size or checksum was given; `nil` for files of which nothing was expected.
  public var completeness: Completeness?
  /// Which limit was exceeded; `nil` for none.
  public var breach: LimitBreach?
  /// Measures that are far from this pipeline's usual ones.
  public var anomalies: [RunAnomaly] = []
  /// How the run ended.
  public var status = Status.completed
  /// The records of all imports; the counts themselves are members of the summary, too: `summary.inserted`.
  public var counts = RecordCounts()
  /// Objects deleted because no record names them, with those that delete rules took along; no records.
  public var deleted = 0
  /// Objects marked as gone because no record names them.
  public var marked = 0
  /// Objects that no record names and that may not be deleted.
  public var denied = 0
  /// The first changes of objects, as many as the definition asks for.
  public var changes: [ObjectChange] = []
  /// Batches written.
  public var batches = 0
  /// How rows got into the store.
  public var load = LoadWay(.storeExists)
  /// How many rows went past SQLite.
  public var directRows = 0
  /// Whether the store is new and laid out as it can be shipped.
  package var isPacked = false
  /// Wall time of the run.
  public var seconds = 0.0
  /// The process's greatest resident set, in bytes.
  public var peakResidentBytes = 0
  /// SQL statements executed.
  public var statements = 0
  /// Fetches executed to find existing objects.
  public var fetches = 0
  /// Bytes of input read.
  public var bytesRead = 0
  /// The store's path.
  public var storePath = ""
  /// The rejects file's path, when rejects were written.
  public var rejectsPath: String?
  /// Warnings for the run's user, each once.
  public var warnings: [RunWarning] = []
  /// How existing objects were found, by entity name.
  public var findPlans: [String: String] = [:]
  /// Counts of rejects by code.
  public var rejectCounts: [String: Int] = [:]
  /// Seconds that the writer spent on each part of the work: `prepare` (opening, reading what is stored), `wait` (for
  /// the reader), `find`, `write`, `finish` (indexes, sync).
  public var phases: [Phase] = []
  /// Seconds that the reader's thread spent on `read` (reading and cutting records) and `convert` (values, keys,
  /// hashes); both go on while the writer works.
  public var readerPhases: [Phase] = []
  /// Counts of objects by entity name.
  public var entities: [String: EntityCounts] = [:]

  /// Counts of the values of each field, by import.
  public var fields: [FieldTally] = []
  /// Counts of the elements of each list, by import.
  public var lists: [ListTally] = []
  /// The account of the inputs' text: each byte belongs to a record or was skipped for a named reason.
  public var text = TextAccount()

  /// Counts of records by import, in the order in which they ran.
  public var parts: [PartCounts] = []

  /// Creates a summary of nothing.
  public init() {}

  /// One of the counts of records.
  public subscript(dynamicMember count: WritableKeyPath<RecordCounts, Int>) -> Int {
    get { counts[keyPath: count] }
    set { counts[keyPath: count] = newValue }
  }

  /// The stage that held up the run most; nil when nothing was measured.
  ///
  /// It is the phase in which the writer spent most time; where that is `wait`, what it waited for: `read` or
  /// `convert`.
  public var slowStage: String? {
    guard let longest = phases.max(by: { $0.seconds < $1.seconds }), longest.seconds > 0 else { return nil }
    guard longest.name == "wait" else { return longest.name }
    return readerPhases.max { $0.seconds < $1.seconds }?.name ?? "read"
  }
}
