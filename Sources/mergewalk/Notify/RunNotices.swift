import ArgumentParser
import MergewalkImporting
import MergewalkPipelines

/// Tells those whom a pipeline names how its run ended.
struct RunNotices {
  let notifications: [RunNotification]

  /// Sends what the run's end asks for, one after the other.
  ///
  /// - Returns: a warning for each that could not be sent.
  func send(_ summary: ImportSummary, status: String, exitCode: Int, message: String, report: String?) -> [RunWarning] {
    let reasons = Self.reasons(summary, exitCode: exitCode)
    var values = Self.values(summary, exitCode: exitCode)
    values[.status] = .text(status)
    values[.message] = .text(message)
    values[.reasons] = .text(reasons.map(\.rawValue).joined(separator: ", "))
    if let report { values[.report] = .text(report) }
    return notifications.compactMap { notification in
      let isWanted =
        notification.occasions.contains(.always) || !notification.occasions.isDisjoint(with: Set(reasons))
      guard isWanted, let problem = NotificationSender(notification: notification, values: values).send() else {
        return nil
      }
      return RunWarning(.notNotified, "\(Console.redacted(notification.name)) was not notified: \(problem)")
    }
  }

  /// The reasons why a run needs attention.
  static func reasons(_ summary: ImportSummary, exitCode: Int) -> [RunNotification.Occasion] {
    var reasons: [RunNotification.Occasion] = []
    if exitCode != 0, exitCode != Int(ExitStatus.findings.rawValue) { reasons.append(.failure) }
    if summary.rejected > 0 { reasons.append(.rejects) }
    if !summary.anomalies.isEmpty { reasons.append(.anomaly) }
    return reasons
  }

  private static func values(
    _ summary: ImportSummary, exitCode: Int
  ) -> [NotificationTemplate.Name: NotificationTemplate.Value] {
    func number(_ value: Int) -> NotificationTemplate.Value { .number(String(value)) }
    return [
      .pipeline: .text(summary.pipeline), .run: .text(summary.runID), .exitCode: number(exitCode),
      .started: .text(RunIdentity.timestamp(summary.started)), .host: .text(RunRecord.thisHost),
      .read: number(summary.read), .inserted: number(summary.inserted), .updated: number(summary.updated),
      .unchanged: number(summary.unchanged), .skipped: number(summary.skipped), .rejected: number(summary.rejected),
      .seconds: .number(Figures.fixed(summary.seconds, digits: 3)), .store: .text(summary.storePath),
      .rejectsFile: .text(summary.rejected > 0 ? summary.rejectsPath ?? "" : ""),
    ]
  }
}

extension PipelineSettings {
  /// Who is told of a run of a pipeline that cannot be read to its end, and what it is called.
  func notifications(_ path: String) -> (pipeline: String, list: [RunNotification]) {
    let (pipeline, list, redaction) = Pipeline.notifications(path, settings: self)
    Console.hide(redaction)
    return (pipeline, list)
  }
}
