import MergewalkDiagnostics
import MergewalkRecordFormats

/// Writes a run into the table of runs, and checks it against the earlier ones.
///
/// Nothing here makes an import fail: what cannot be kept is a warning of the summary.
struct RunRecorder {
  private let definition: ImportDefinition
  private let inputs: [RunRecord.Input]

  /// Notes what the run begins with; nil when nothing is to be kept.
  init?(_ definition: ImportDefinition) {
    guard definition.reporting.keepsHistory, !definition.isDryRun else { return nil }
    self.definition = definition
    inputs = definition.allSources.prefix(RunRecord.mostInputs).map { source in
      RunRecord.Input(
        path: definition.redaction(source.path), bytes: source.fileSize, fingerprint: (try? SourcePrint(source))?.text)
    }
  }

  /// Keeps a run that came to its end, whatever the end is.
  func finish(_ summary: inout ImportSummary, _ identity: RunIdentity) {
    guard let status = RunStatus(rawValue: summary.status.rawValue) else { return }
    var record = record(status, summary, identity)
    let history = RunHistory(storePath: definition.storePath)
    do throws(RunHistoryError) {
      // A run whose end is told for the second time, because the first teller died, is in the table already.
      if summary.resumedFrom != nil, let known = try history.run(record.id), known.status.isFinished {
        summary.runNumber = known.number
        return
      }
      let thresholds = definition.reporting.anomalies
      if status.isFinished, record.kind == .records, thresholds.runs > 0 {
        let earlier = try history.finished(pipeline: record.pipeline, limit: thresholds.runs)
        summary.anomalies = RunAnomaly.find(in: record, earlier: earlier, thresholds: thresholds)
        record.warnings += summary.anomalies.map(\.message)
      }
      summary.runNumber = try history.append(record)
    } catch {
      summary.warn(RunWarning(.runNotNoted, "this run is not in the table of runs: \(error)"))
    }
  }

  /// Keeps a run that could not be carried out.
  ///
  /// - Parameter summary: As far as it is filled.
  /// - Returns: Why it could not be kept, or nil.
  func fail(_ summary: ImportSummary, _ identity: RunIdentity, _ error: ImportError) -> String? {
    var record = record(.failed, summary, identity)
    record.errorCode = error.code.rawValue
    record.errorMessage = definition.redaction(error.message)
    let history = RunHistory(storePath: definition.storePath)
    guard history.isPossible else { return nil }
    // What is no store gets no file beside it; one that has a table of runs was a store.
    if error.code == .cannotOpenStore, FileKind(history.path) == .missing { return nil }
    do throws(RunHistoryError) {
      _ = try history.append(record)
      return nil
    } catch {
      return error.description
    }
  }

  private func record(
    _ status: RunStatus, _ summary: ImportSummary, _ identity: RunIdentity
  ) -> RunRecord {
    var record = RunRecord()
    let redaction = definition.redaction
    record.id = redaction(identity.text)
    record.pipeline = redaction(definition.reporting.listedName ?? identity.pipeline)
    record.kind = definition.reporting.kind
    record.started = identity.started
    record.seconds = summary.seconds
    record.status = status
    record.store = redaction(definition.storePath)
    record.inputs = inputs
    record.inputCount = definition.allSources.count
    record.counts = summary.counts
    record.parts = summary.parts.map {
      RunRecord.Part(name: $0.name, entity: $0.entity, counts: $0.counts, seconds: $0.seconds)
    }
    record.entities = summary.entities
    record.rejectCodes = summary.rejectCounts
    record.rejectsPath = summary.rejectsPath.map { redaction($0) }
    record.phases = summary.phases
    record.slowStage = summary.slowStage ?? ""
    record.peakResidentBytes = summary.peakResidentBytes
    record.bytesRead = summary.bytesRead
    record.version = ImportSession.version
    record.host = RunRecord.thisHost
    record.resumedFrom = summary.resumedFrom
    record.warnings = summary.warnings.map { redaction($0.description) }
    return record
  }
}
