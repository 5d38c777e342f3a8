import MergewalkDiagnostics
import MergewalkImporting
import Logging

/// The values of `--log`.
enum LogStyle: String, CaseIterable {
  case json, text
}

/// The log of a run: its start, its progress every ten seconds, the rejects, and its end.
///
/// Rejects are counts by code and at most one line every ten seconds, never a line each, so that a file of bad records
/// does not flood what collects the logs.
final class RunLog {
  private var logger: Logger
  private var lastProgress = 0.0
  private var lastPart = -1
  private var loggedRejects: [RejectCode: Int] = [:]
  private static let interval = 10.0

  init(style: LogStyle, level: Logger.Level) {
    let style: LineLogHandler.Style = style == .json ? .json : .text
    logger = Logger(label: "mergewalk") { LineLogHandler(label: $0, style: style, level: level) }
  }

  /// Says that a run begins.
  func start(_ definition: ImportDefinition) {
    logger[metadataKey: "pipeline"] = .string(definition.name)
    logger.info(
      "run started",
      metadata: [
        "store": .string(definition.storePath), "inputs": .stringConvertible(definition.allSources.count),
        "dry_run": .stringConvertible(definition.isDryRun),
      ])
  }

  /// Says how far the run is, when it is time.
  func update(_ progress: ImportProgress) {
    if progress.partCount > 1, progress.part != lastPart {
      lastPart = progress.part
      logger.info(
        "import started",
        metadata: [
          "import": .string(progress.partName), "number": .stringConvertible(progress.part + 1),
          "of": .stringConvertible(progress.partCount),
        ])
    }
    if logger.logLevel <= .debug { logger.debug("\(progress.stage.rawValue)", metadata: Self.metadata(progress)) }
    guard progress.seconds - lastProgress >= Self.interval else { return }
    lastProgress = progress.seconds
    logger.info("progress", metadata: Self.metadata(progress))
    logRejects(progress.rejectCounts)
  }

  private static func metadata(_ progress: ImportProgress) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "records": .stringConvertible(progress.records), "bytes": .stringConvertible(progress.bytes),
      "rejects": .stringConvertible(progress.rejects), "seconds": .stringConvertible(progress.seconds),
    ]
    if progress.totalBytes > 0 { metadata["total_bytes"] = .stringConvertible(progress.totalBytes) }
    return metadata
  }

  private func logRejects(_ counts: [RejectCode: Int]) {
    let new = counts.filter { $0.value > loggedRejects[$0.key] ?? 0 }
    guard !new.isEmpty else { return }
    var codes: Logger.Metadata = [:]
    var sum = 0
    for (code, count) in new {
      let more = count - (loggedRejects[code] ?? 0)
      codes[code.rawValue] = .stringConvertible(more)
      sum += more
    }
    loggedRejects = counts
    logger.warning("records rejected", metadata: ["count": .stringConvertible(sum), "codes": .dictionary(codes)])
  }

  /// Says how the run ended.
  func finish(_ summary: ImportSummary, exitCode: Int) {
    var counts: [RejectCode: Int] = [:]
    for (name, count) in summary.rejectCounts { if let code = RejectCode(rawValue: name) { counts[code] = count } }
    logRejects(counts)
    for warning in summary.warnings { warn(warning) }
    for anomaly in summary.anomalies {
      logger.warning(
        "\(anomaly.message)",
        metadata: [
          "measure": .string(anomaly.measure.rawValue), "value": .stringConvertible(anomaly.value),
          "usual": .stringConvertible(anomaly.usual),
        ])
    }
    var metadata: Logger.Metadata = [
      "run": .string(summary.runID), "status": .string(summary.status.rawValue),
      "exit_code": .stringConvertible(exitCode), "seconds": .stringConvertible(summary.seconds),
      "peak_rss_bytes": .stringConvertible(summary.peakResidentBytes),
      "new_store": .stringConvertible(summary.isNewStore),
    ]
    for (name, count) in summary.counts.named { metadata[name] = .stringConvertible(count) }
    if let stage = summary.slowStage { metadata["slow_stage"] = .string(stage) }
    if let path = summary.rejectsPath { metadata["rejects_file"] = .string(path) }
    let level: Logger.Level = exitCode == 0 ? .info : exitCode == 1 ? .warning : .error
    logger.log(level: level, "run finished", metadata: metadata)
  }

  /// Says why the run did not come to its end.
  func fail(code: String, message: String, exitCode: Int) {
    logger.error(
      "run failed",
      metadata: ["code": .string(code), "reason": .string(message), "exit_code": .stringConvertible(exitCode)])
  }

  /// Says what stopped nothing and should be known.
  func warn(_ warning: RunWarning) {
    var metadata: Logger.Metadata = ["code": .string(warning.code.rawValue)]
    if let place = warning.place { metadata["place"] = .string(place) }
    logger.warning("\(warning.message)", metadata: metadata)
  }

  /// Says something else.
  func warn(_ text: String) { logger.warning("\(text)") }

  /// Says what is wrong with a pipeline or an input.
  func log(_ findings: [Diagnostic]) {
    for finding in findings {
      logger.log(
        level: finding.severity == .error ? .error : .warning, "\(finding.message)",
        metadata: [
          "code": .string(finding.code), "path": .string(finding.path),
          "line": .stringConvertible(finding.position.line),
          "column": .stringConvertible(finding.position.column),
        ])
    }
  }
}
