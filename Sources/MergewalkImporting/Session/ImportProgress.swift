/// How far a run has come.
public struct ImportProgress: Sendable {
  /// The stage of a run.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Opening the store and reading what is stored.
    case prepare
    /// Reading, finding and writing records.
    case records = "import"
    /// Building indexes, moving the log into the store, waiting for the disk.
    case finish
  }

  /// The stage that the run is in.
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
