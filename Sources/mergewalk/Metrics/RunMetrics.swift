import MergewalkImporting

enum RunMetrics {
  /// The statuses that a run may have, of which one is 1.
  private static let statuses = [
    "completed", "completed_with_rejects", "limit_breached", "dry_run", "interrupted", "failed",
  ]

  /// The text of the metrics file.
  ///
  /// - Parameters:
  ///   - status: how the run ended, in the summary's words or `failed`.
  ///   - lastSuccess: when the last run ended that finished, in seconds since 1970; nil when there was none.
  static func text(_ summary: ImportSummary, status: String, exitCode: Int, lastSuccess: Double?) -> String {
    var metrics = OpenMetrics()
    let labels: [OpenMetrics.Label] = [("pipeline", summary.pipeline)]
    metrics.gauge(
      "mergewalk_run_start_timestamp_seconds", unit: "seconds", "When the last run began, in seconds since 1970.",
      labels, summary.started)
    metrics.gauge(
      "mergewalk_run_end_timestamp_seconds", unit: "seconds", "When the last run ended, in seconds since 1970.", labels,
      ((summary.started + summary.seconds) * 1000).rounded() / 1000)
    if let lastSuccess {
      metrics.gauge(
        "mergewalk_run_last_success_timestamp_seconds", unit: "seconds",
        "When the last run ended whose records are in the store, in seconds since 1970.", labels, lastSuccess)
    }
    metrics.gauge(
      "mergewalk_run_duration_seconds", unit: "seconds", "Wall time of the last run.", labels, summary.seconds)
    metrics.family("mergewalk_run_phase_seconds", unit: "seconds", "Seconds of the last run by phase of the writer.")
    for phase in summary.phases {
      metrics.sample("mergewalk_run_phase_seconds", labels + [("phase", phase.name)], phase.seconds)
    }
    metrics.family("mergewalk_run_records", unit: "records", "Records of the last run by outcome.")
    for (name, count) in summary.counts.named {
      metrics.sample("mergewalk_run_records", labels + [("outcome", name)], Double(count))
    }
    if !summary.rejectCounts.isEmpty {
      metrics.family("mergewalk_run_rejected_records", unit: "records", "Rejected records of the last run by code.")
      for (code, count) in summary.rejectCounts.sorted(by: { $0.key < $1.key }) {
        metrics.sample("mergewalk_run_rejected_records", labels + [("code", code)], Double(count))
      }
    }
    if !summary.entities.isEmpty {
      metrics.family("mergewalk_run_objects", unit: "objects", "Objects of the last run by entity and what happened.")
      for (entity, counts) in summary.entities.sorted(by: { $0.key < $1.key }) {
        let actions = [("inserted", counts.inserted), ("updated", counts.updated), ("unchanged", counts.unchanged)]
        for (action, count) in actions {
          metrics.sample(
            "mergewalk_run_objects", labels + [("entity", entity), ("action", action)], Double(count))
        }
      }
    }
    metrics.gauge(
      "mergewalk_run_read_bytes", unit: "bytes", "Bytes of input that the last run read.", labels,
      Double(summary.bytesRead))
    metrics.gauge(
      "mergewalk_run_peak_memory_bytes", unit: "bytes", "Greatest resident set of the last run.", labels,
      Double(summary.peakResidentBytes))
    metrics.family("mergewalk_run_status", "How the last run ended: 1 for its status, 0 for the others.")
    for name in statuses {
      metrics.sample("mergewalk_run_status", labels + [("status", name)], name == status ? 1 : 0)
    }
    metrics.gauge("mergewalk_run_exit_code", "The exit code of the last run.", labels, Double(exitCode))
    metrics.gauge(
      "mergewalk_run_anomalies", "How many numbers of the last run are far from the usual ones.", labels,
      Double(summary.anomalies.count))
    metrics.gauge(
      "mergewalk_run_notifications_failed", "How many notifications of the last run could not be sent.", labels,
      Double(summary.warnings.count { $0.code == .notNotified }))
    return metrics.text
  }
}
