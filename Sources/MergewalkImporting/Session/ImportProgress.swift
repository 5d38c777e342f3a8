/// The progress of a run.
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

  /// The current stage.
  public var stage = Stage.records
  /// Records read.
  public var records = 0
  /// Bytes of input read.
  public var bytes = 0
  /// Bytes of all inputs; 0 if the size of one is unknown.
  public var totalBytes = 0
  /// Records rejected.
  public var rejects = 0
  /// Seconds since the run began.
  public var seconds = 0.0
  /// The number of the current import, from 0.
  public var part = 0
  /// The number of imports in the run.
  public var partCount = 1
  /// The name of the current import; empty if there is only one.
  public var partName = ""
  /// Seconds that the reader's thread has spent on reading and splitting records.
  public var readSeconds = 0.0
  /// Seconds spent on converting them.
  public var convertSeconds = 0.0
  /// Seconds that the writer has spent on finding and filling rows.
  public var findSeconds = 0.0
  /// Seconds that the writer has spent on saving.
  public var writeSeconds = 0.0
  /// Counts of rejects by code.
  public var rejectCounts: [RejectCode: Int] = [:]

  /// The progress of a run that has not begun.
  public init() {}
}
