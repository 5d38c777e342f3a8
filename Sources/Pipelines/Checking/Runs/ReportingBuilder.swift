import Importing

/// Turns the fields that say what is kept and told of a run into a ``RunReporting``.
struct ReportingBuilder {
  /// Knows the files that paths are relative to.
  let findings: Findings

  /// What the file says; a pipeline's runs are noted unless it says otherwise.
  func reporting(_ component: ComponentValue) -> RunReporting {
    var reporting = RunReporting()
    reporting.keepsHistory = component.flag("history") ?? true
    reporting.metricsPath = component.text("metrics").map(findings.resolve)
    reporting.reportPath = component.text("report").map(findings.resolve)
    guard let anomalies = component.component("anomalies") else { return reporting }
    let standard = AnomalyThresholds()
    reporting.anomalies.runs = anomalies.count("runs") ?? standard.runs
    reporting.anomalies.least = anomalies.count("least") ?? standard.least
    reporting.anomalies.records = anomalies.share("records") ?? standard.records
    reporting.anomalies.rejects = anomalies.share("rejects") ?? standard.rejects
    reporting.anomalies.duration = anomalies.count("duration").map(Double.init) ?? standard.duration
    reporting.anomalies.inserted = anomalies.share("inserted") ?? standard.inserted
    return reporting
  }
}
