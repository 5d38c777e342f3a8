import MergewalkSystem

/// How a run that touched a store, or tried to, ended.
///
/// Each has an exit code of its own; only ``completed`` is 0. `docs/exit-codes.md` lists them.
public enum RunStatus: String, Sendable, Hashable, CaseIterable {
  /// Everything was imported.
  case completed
  /// Finished; some records were rejected, within the limits.
  case completedWithRejects = "completed_with_rejects"
  /// It could not be carried out; the store is as before.
  case failed
  /// Too many rejects: the store is unchanged.
  case limitBreached = "limit_breached"
  /// It was told to stop; what was committed can be continued.
  case interrupted

  /// The exit code of the command.
  public var exitCode: Int {
    switch self {
    case .completed: 0
    case .completedWithRejects: 1
    case .failed: 2
    case .limitBreached: 3
    case .interrupted: 4
    }
  }

  /// Whether what the run did is in the store.
  public var isFinished: Bool { self == .completed || self == .completedWithRejects }
}

/// One run of an import, as the table of runs keeps it.
public struct RunRecord: Sendable {
  /// The kind of input of a run.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The pipeline's inputs.
    case records = "import"
    /// A rejects file.
    case replay
  }

  /// One input.
  public struct Input: Sendable, Hashable {
    /// The path as the pipeline names it.
    public var path: String
    /// Its size in bytes when the run began; nil for what has none, such as standard input.
    public var bytes: Int?
    /// The fingerprint of its content, see ``SourcePrint/text``; nil for sources that can be read only once.
    public var fingerprint: String?

    /// Creates an input.
    public init(path: String, bytes: Int? = nil, fingerprint: String? = nil) {
      self.path = path
      self.bytes = bytes
      self.fingerprint = fingerprint
    }
  }

  /// One import of a pipeline that has several.
  public struct Part: Sendable, Hashable {
    /// The part's name.
    public var name: String
    /// The entity of its records.
    public var entity: String
    /// Its records.
    public var counts: RecordCounts
    /// The writer's time for it, in seconds.
    public var seconds: Double

    /// Creates a part.
    public init(name: String, entity: String, counts: RecordCounts, seconds: Double = 0) {
      self.name = name
      self.entity = entity
      self.counts = counts
      self.seconds = seconds
    }
  }

  /// The number of the run in its table, from 1; 0 until it was appended.
  public var number = 0
  /// The run's name, see ``RunIdentity/text``.
  public var id = ""
  /// The pipeline's name.
  public var pipeline = ""
  /// The kind of input.
  public var kind = Kind.records
  /// When it began, in seconds since 1970 UTC.
  public var started = 0.0
  /// Its wall time in seconds.
  public var seconds = 0.0
  /// How it ended.
  public var status = RunStatus.completed
  /// The store's path.
  public var store = ""
  /// Its inputs, the first ``mostInputs`` of them.
  public var inputs: [Input] = []
  /// How many inputs it had.
  public var inputCount = 0
  /// Its records.
  public var counts = RecordCounts()
  /// The records of each part, when there are several.
  public var parts: [Part] = []
  /// The counts of each entity's objects.
  public var entities: [String: ImportSummary.EntityCounts] = [:]
  /// Counts of rejects by code.
  public var rejectCodes: [String: Int] = [:]
  /// The rejects file's path, when rejects were written.
  public var rejectsPath: String?
  /// Seconds that the writer spent on each part of the work.
  public var phases: [ImportSummary.Phase] = []
  /// The stage that took longest, see ``ImportSummary/slowStage``.
  public var slowStage = ""
  /// The process's greatest resident set, in bytes.
  public var peakResidentBytes = 0
  /// Bytes of input read.
  public var bytesRead = 0
  /// Mergewalk's version.
  public var version = ""
  /// The machine's name.
  public var host = ""
  /// The ``id`` of the run that this one continued.
  public var resumedFrom: String?
  /// The code of what the run failed with.
  public var errorCode: String?
  /// The message of the error that ended the run.
  public var errorMessage: String?
  /// Sentences about the store and about what was unusual.
  public var warnings: [String] = []

  /// More inputs than these are only counted.
  public static let mostInputs = 100

  /// A run of nothing.
  public init() {}

  /// The name of the machine that this is; empty when it has none.
  public static var thisHost: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
