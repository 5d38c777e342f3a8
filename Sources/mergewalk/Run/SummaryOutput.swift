import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting

/// The summary that a run prints at its end.
enum SummaryOutput {
  /// The exit code, or `nil` for success.
  static func exitStatus(_ summary: ImportSummary) -> ExitCode? {
    switch summary.status {
    case .limitBreached: ExitStatus.of(.limitBreached)
    case .completedWithRejects: ExitStatus.of(.completedWithRejects)
    case .interrupted: ExitStatus.interrupted
    case .skippedAgain: nil
    case .completed, .dryRun: summary.rejected > 0 ? ExitStatus.of(.completedWithRejects) : nil
    }
  }

  /// The summary as one object; members keep this order.
  static func json(_ summary: ImportSummary) -> JSONText {
    object(summary, status: summary.status.rawValue)
  }

  /// Warnings about the store, one line each; empty when there are none.
  static func warnings(_ summary: ImportSummary) -> [String] {
    summary.warnings.map { words($0, of: summary.storePath) }
      + summary.anomalies.map { "\(summary.pipeline): warning: unusual run: \($0.message)" }
  }

  /// A warning as a line.
  ///
  /// - Parameters:
  ///   - subject: what it concerns if it names no file.
  ///   - note: follows its message.
  static func words(_ warning: RunWarning, of subject: String, note: String = "") -> String {
    PrintableText.of("\(warning.place ?? subject): warning: \(warning.message)\(note) [\(warning.code.rawValue)]")
  }

  /// The same object for a run that could not be carried out.
  static func failure(
    _ summary: ImportSummary, code: String, message: String, findings: [Diagnostic]
  ) -> JSONText {
    object(summary, status: "failed", hasLoad: false).with([
      "error": ["code": .string(code), "message": .string(message), "findings": FindingsOutput.json(findings)]
    ])
  }

  /// - Parameter hasLoad: Whether the run came so far that it is known how its rows are written.
  private static func object(_ summary: ImportSummary, status: String, hasLoad: Bool = true) -> JSONText {
    [
      "pipeline": .string(summary.pipeline), "run": .text(summary.runID.isEmpty ? nil : summary.runID),
      "number": .count(summary.runNumber), "resumed_from": .text(summary.resumedFrom),
      "resumed_after": .count(summary.resumedAfter), "status": .string(status),
      "limit": .nullable(summary.breach.map(breach)), "completeness": .text(summary.completeness?.rawValue),
      "read": .integer(summary.read), "inserted": .integer(summary.inserted), "updated": .integer(summary.updated),
      "unchanged": .integer(summary.unchanged), "skipped": .integer(summary.skipped),
      "rejected": .integer(summary.rejected), "deleted": .integer(summary.deleted), "marked": .integer(summary.marked),
      "denied": .integer(summary.denied), "batches": .integer(summary.batches),
      "load": hasLoad ? load(summary) : .null,
      "seconds": .decimal(summary.seconds, digits: 6), "records_per_second": .decimal(rate(summary), digits: 1),
      "peak_rss_bytes": .integer(summary.peakResidentBytes), "statements": .integer(summary.statements),
      "phases": .object(summary.phases.map { ($0.name, .decimal($0.seconds, digits: 3)) }),
      "reader_phases": .object(summary.readerPhases.map { ($0.name, .decimal($0.seconds, digits: 3)) }),
      "slow_stage": .text(summary.slowStage), "fetches": .integer(summary.fetches),
      "bytes_read": .integer(summary.bytesRead), "store": .text(summary.storePath.isEmpty ? nil : summary.storePath),
      "new_store": hasLoad ? .boolean(summary.isNewStore) : .null, "rejects": .text(summary.rejectsPath),
      "changes": .array(summary.changes.map(ChangesOutput.json)),
      "warnings": .array(summary.warnings.map(warning)), "anomalies": .array(summary.anomalies.map(anomaly)),
      "imports": .array(summary.parts.map(part)), "reject_codes": .named(summary.rejectCounts) { .integer($0) },
      "find": .named(summary.findPlans) { .string($0) },
      "entities": .named(summary.entities) { counts in
        [
          "inserted": .integer(counts.inserted), "updated": .integer(counts.updated),
          "unchanged": .integer(counts.unchanged), "duplicates": .integer(counts.duplicates),
          "deleted": .integer(counts.deleted), "marked": .integer(counts.marked),
        ]
      },
      "fields": .array(summary.fields.map(field)), "lists": .array(summary.lists.map(list)),
      "text": text(summary.text),
    ]
  }

  private static func load(_ summary: ImportSummary) -> JSONText {
    [
      "way": .string(summary.load.name), "reason": .string(summary.load.reason.rawValue),
      "direct_rows": .integer(summary.directRows),
    ]
  }

  static func warning(_ warning: RunWarning) -> JSONText {
    [
      "code": .string(warning.code.rawValue), "message": .string(warning.message),
      "file": warning.file.map { .string($0) }, "line": warning.position.map { .integer($0.line) },
      "column": warning.position.map { .integer($0.column) },
    ]
  }

  private static func breach(_ breach: LimitBreach) -> JSONText {
    [
      "name": .string(breach.limit), "subject": .text(breach.subject), "count": .integer(breach.count),
      "message": .string(breach.message),
    ]
  }

  private static func anomaly(_ anomaly: RunAnomaly) -> JSONText {
    [
      "measure": .string(anomaly.measure.rawValue), "value": .decimal(anomaly.value, digits: 6),
      "usual": .decimal(anomaly.usual, digits: 6), "runs": .integer(anomaly.runs), "message": .string(anomaly.message),
    ]
  }

  private static func part(_ part: ImportSummary.PartCounts) -> JSONText {
    [
      "name": .string(part.name), "entity": .string(part.entity), "read": .integer(part.read),
      "inserted": .integer(part.inserted), "updated": .integer(part.updated), "unchanged": .integer(part.unchanged),
      "skipped": .integer(part.skipped), "rejected": .integer(part.rejected),
      "seconds": .decimal(part.seconds, digits: 3),
    ]
  }

  /// The summary as a person reads it.
  static func words(_ summary: ImportSummary) -> String {
    let hasDuplicates = summary.entities.values.contains { $0.duplicates > 0 }
    var table = TextTable(["entity", "inserted", "updated", "unchanged"] + (hasDuplicates ? ["duplicates"] : []))
    for (name, counts) in summary.entities.sorted(by: { $0.key < $1.key }) {
      let figures = [counts.inserted, counts.updated, counts.unchanged] + (hasDuplicates ? [counts.duplicates] : [])
      table.add([name] + figures.map { Figures.grouped($0) })
    }
    let effort =
      " in \(Figures.duration(summary.seconds)) (\(Figures.grouped(Int(rate(summary))))/s,"
      + " \(Figures.bytes(summary.peakResidentBytes)) of memory)"
    let name = PrintableText.of(summary.pipeline)
    var lines = ["\(name): \(headline(summary))\(summary.status == .skippedAgain ? "" : effort)"]
    if !summary.entities.isEmpty { lines.append(table.text) }
    var records = [
      "\(Figures.grouped(summary.inserted)) inserted", "\(Figures.grouped(summary.updated)) updated",
      "\(Figures.grouped(summary.unchanged)) unchanged",
    ]
    if summary.skipped > 0 { records.append("\(Figures.grouped(summary.skipped)) skipped") }
    if summary.rejected > 0 { records.append("\(Figures.grouped(summary.rejected)) rejected") }
    lines.append("  records  " + records.joined(separator: ", "))
    if let removed = removed(summary) { lines.append("  others   " + removed) }
    lines += values(summary)
    lines.append("  store    " + store(summary))
    if summary.completeness == .unchecked {
      lines.append("  input    whether it came whole was not checked (--expect-records, --expect-sha256)")
    }
    if let after = summary.resumedAfter {
      lines.append("  resumed  after \(Figures.count(after, "record")), of the run \(summary.runID)")
    }
    if summary.rejected > 0 {
      let codes = summary.rejectCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.key) \(Figures.grouped($0.value))" }
      let place = summary.rejectsPath.map { PrintableText.of($0) } ?? "not kept"
      lines.append("  rejects  " + place + (codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))"))
    }
    return lines.joined(separator: "\n")
  }

  /// The outcome of the run, in one sentence.
  static func headline(_ summary: ImportSummary) -> String {
    let records = Figures.count(summary.read, "record")
    return switch summary.status {
    case .completed: "\(records) imported"
    case .completedWithRejects: "\(records) read, \(Figures.grouped(summary.rejected)) rejected"
    case .limitBreached:
      (summary.breach?.message ?? "too many rejects") + "; everything was rolled back after \(records)"
    case .interrupted: "stopped after \(records)"
    case .skippedAgain: "the same inputs were imported before; nothing was done"
    case .dryRun: "\(records) tried and discarded"
    }
  }

  /// The store's path, and what became of the store where that is not what a run is for: one whose path has a typing error
  /// is a new one.
  static func store(_ summary: ImportSummary) -> String {
    let note =
      switch summary.status {
      case .completed, .completedWithRejects: summary.isNewStore ? " (new)" : ""
      case .interrupted: summary.isNewStore ? " (new; run again to resume)" : " (run again to resume)"
      case .limitBreached, .dryRun, .skippedAgain: summary.isNewStore ? " (as before: none)" : " (as before)"
      }
    return PrintableText.of(summary.storePath) + note
  }

  private static func rate(_ summary: ImportSummary) -> Double {
    summary.seconds > 0 ? Double(summary.read) / summary.seconds : 0
  }
}
