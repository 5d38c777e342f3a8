/// Settings for the records and reports of a run, in addition to its summary.
public struct RunReporting: Sendable, Hashable {
  /// Whether the run is recorded in the table of runs beside the store, see ``RunHistory``.
  public var keepsHistory = false
  /// The kind of input that the run reads.
  public var kind = RunRecord.Kind.records
  /// The pipeline's name in the table of runs; nil for the definition's name.
  public var listedName: String?
  /// The allowed differences from earlier runs.
  public var anomalies = AnomalyThresholds()
  /// The file for the run's figures as OpenMetrics text, or nil; the program that runs the import writes it.
  public var metricsPath: String?
  /// The file for the run's report as HTML, or nil; the program that runs the import writes it.
  public var reportPath: String?
  /// Notifications of the run's end; the program that runs the import sends them.
  public var notifications: [RunNotification] = []

  /// Creates settings that record and report nothing.
  public init() {}
}
