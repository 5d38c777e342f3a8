import MergewalkImporting

/// Turns the fields that say what is kept and told of a run into a ``RunReporting``.
struct ReportingBuilder {
  /// Knows the files that paths are relative to.
  let findings: Findings

  /// Reads the file's reporting options; a pipeline's runs are recorded by default.
  func reporting(_ component: ComponentValue) -> RunReporting {
    var reporting = RunReporting()
    reporting.keepsHistory = component.flag(orDefault: "history")
    reporting.metricsPath = component.text("metrics").map(findings.resolve)
    reporting.reportPath = component.text("report").map(findings.resolve)
    reporting.notifications = component.components("notify").compactMap(NotificationBuilder(findings: findings).build)
    let anomalies = component.component("anomalies") ?? ComponentValue(.anomalies, position: component.position)
    reporting.anomalies.runs = anomalies.count(orDefault: "runs")
    reporting.anomalies.least = anomalies.count(orDefault: "least")
    reporting.anomalies.records = anomalies.share(orDefault: "records")
    reporting.anomalies.rejects = anomalies.share(orDefault: "rejects")
    reporting.anomalies.duration = Double(anomalies.count(orDefault: "duration"))
    reporting.anomalies.inserted = anomalies.share(orDefault: "inserted")
    return reporting
  }
}
