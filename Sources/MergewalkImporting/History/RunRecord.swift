import MergewalkSystem

/// The outcome of a run that changed a store, or tried to.
///
/// Each has an exit code of its own; only ``completed`` is 0. `docs/exit-codes.md` lists them.
public enum RunStatus: String, Sendable, Hashable, CaseIterable {
  /// Everything was imported.
  case completed
  /// Finished; some records were rejected, within the limits.
  case completedWithRejects = "completed_with_rejects"
  /// It could not be carried out; the store is unchanged.
  case failed
  /// Too many rejects: the store is unchanged.
  case limitBreached = "limit_breached"
  /// It was stopped; its committed work can be resumed.
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

  /// Whether the store contains the result of the run.
  public var isFinished: Bool { self == .completed || self == .completedWithRejects }
}

/// One run of an import in the table of runs.
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
    /// Its size in bytes when the run began; nil if it has none, such as standard input.
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

  /// The number of the run in its table, from 1; 0 before it is appended.
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
  /// Its first ``mostInputs`` inputs.
  public var inputs: [Input] = []
  /// The number of inputs.
  public var inputCount = 0
  /// Its records.
  public var counts = RecordCounts()
  /// The records of each part, if there are several.
  public var parts: [Part] = []
  /// The counts of each entity's objects.
  public var entities: [String: ImportSummary.EntityCounts] = [:]
  /// Counts of rejects by code.
  public var rejectCodes: [String: Int] = [:]
  /// The rejects file's path, if rejects were written.
  public var rejectsPath: String?
  /// Seconds that the writer spent on each part of the work.
  public var phases: [ImportSummary.Phase] = []
  /// The stage that took longest, see ``ImportSummary/slowStage``.
  public var slowStage = ""
  /// The process's peak resident memory, in bytes.
  public var peakResidentBytes = 0
  /// Bytes of input read.
  public var bytesRead = 0
  /// Mergewalk's version.
  public var version = ""
  /// The machine's name.
  public var host = ""
  /// The ``id`` of the run that this one resumed.
  public var resumedFrom: String?
  /// The code of the error that ended the run.
  public var errorCode: String?
  /// The message of the error that ended the run.
  public var errorMessage: String?
  /// Sentences about the store and about unusual measures.
  public var warnings: [String] = []

  /// The number of inputs to list; further ones are only counted.
  public static let mostInputs = 100

  /// Creates an empty record.
  public init() {}

  /// The name of this machine; empty if it has none.
  public static var thisHost: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
