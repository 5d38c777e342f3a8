/// Settings for the records and reports of a run beside its summary.
public struct RunReporting: Sendable, Hashable {
  /// Whether the run goes into the table of runs beside the store, see ``RunHistory``.
  public var keepsHistory = false
  /// The kind of input that the run reads.
  public var kind = RunRecord.Kind.records
  /// The pipeline that the table of runs names; nil for the definition's name.
  public var listedName: String?
  /// How much it may differ from earlier runs.
  public var anomalies = AnomalyThresholds()
  /// The file that takes the run's numbers as OpenMetrics text, or nil; whoever runs the import writes it.
  public var metricsPath: String?
  /// The file that takes the run's report as HTML, or nil; whoever runs the import writes it.
  public var reportPath: String?
  /// Notifications of the run's end; the program that runs the import sends them.
  public var notifications: [RunNotification] = []

  /// Keeps and tells nothing.
  public init() {}
}
