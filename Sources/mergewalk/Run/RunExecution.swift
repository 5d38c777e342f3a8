import ArgumentParser
import CMergewalkCommand
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Carries out a run and tells all that was requested: progress, words, JSON, a log, metrics, a report.
struct RunExecution {
  let options: RunOutputOptions
  /// The name of the pipeline in a summary until its file could be read.
  let path: String
  /// Who is told of a run whose pipeline or inputs cannot be read, and what the pipeline is called; `nil` of a dry run.
  let notifications: () -> (pipeline: String, list: [RunNotification])?

  /// The facts about a run that are known before and after it.
  private final class Telling {
    let log: RunLog?
    var definition: ImportDefinition?
    var name: String

    init(_ log: RunLog?, name: String) {
      self.log = log
      self.name = name
    }
  }

  /// Reads the definition, runs it, and ends the command with the exit code of its outcome.
  ///
  /// - Parameter read: returns the definition, which has the warnings of what was found before the run.
  func run(_ read: () throws(DiagnosticList) -> ImportDefinition) throws {
    let telling = Telling(options.log.map { RunLog(style: $0, level: (options.logLevel ?? .info).level) }, name: path)
    let start = ContinuousClock.now
    do {
      var definition = try read()
      telling.name = definition.name
      if !options.quiet || options.log != nil { say(definition.warnings, of: definition.name, telling) }
      options.apply(to: &definition)
      telling.definition = definition
      let outputs = [definition.reporting.metricsPath, definition.reporting.reportPath]
      var madeFolders: [String] = []
      // A dry run leaves no folders behind but those of what it was told to write.
      defer { if definition.isDryRun { Folders.removeEmpty(madeFolders) } }
      for path in ([definition.storePath, definition.rejectsPath] + outputs).compactMap({ $0 }) {
        madeFolders += try Folders.createParents(of: path)
      }
      let session = try ImportSession(definition)
      telling.log?.start(definition)
      var status = ExitStatus.success
      // Told before the store forgets that it was not reported: whoever ends this process meanwhile loses nothing.
      // A signal does not change any more how the run ended, also that of an earlier process.
      try watch(session, telling) { summary, samples in
        Interruption.listen()
        status = tell(summary, samples, definition, telling)
      }
      if status != ExitStatus.success { throw status }
    } catch let error as DiagnosticList {
      try fail(
        telling, start, code: "invalidPipeline", message: error.description, findings: error.diagnostics,
        exit: ExitStatus.of(error))
    } catch let error as ImportError {
      if error.diagnostics.isEmpty, options.log == nil {
        Console.words("mergewalk: error: \(error.message) [\(error.code.rawValue)]")
      }
      try fail(
        telling, start, code: error.code.rawValue, message: error.message, findings: error.diagnostics,
        exit: ExitStatus.of(error))
    }
  }

  // MARK: While it runs

  /// Until the store is open and the first stage begins, nothing is lost when a signal ends the process at once, also
  /// while it waits for others that have the store.
  private func watch(
    _ session: ImportSession, _ telling: Telling, report: @escaping (ImportSummary, [RunSample]) -> Void
  ) throws(ImportError) {
    let isTold = !options.quiet && options.log == nil && options.progress != .none
    let line = isTold && options.progress == .auto && Console.canRedraw ? ProgressLine() : nil
    let plain = isTold && options.progress == .plain ? PlainProgress() : nil
    let needsSamples = telling.definition?.reporting.reportPath != nil
    defer { line?.clear() }
    var stage: ImportProgress.Stage?
    func listen(_ progress: ImportProgress) {
      Interruption.listen()
      // The code that an earlier stage needed takes no memory beside what comes.
      if progress.stage != stage { ccommand_let_code_go() }
      stage = progress.stage
      telling.log?.update(progress)
    }
    guard line != nil || plain != nil || needsSamples else {
      _ = try session.run(
        progress: { listen($0) }, shouldStop: { Interruption.isRequested }, report: { report($0, []) })
      return
    }
    let monitor = RunMonitor(show: { progress, rate in
      line?.update(progress, rate: rate)
      plain?.update(progress, rate: rate)
    })
    let ticker = Ticker { monitor.look() }
    defer { ticker?.stop() }
    _ = try session.run(
      progress: { progress in
        let isNewStage = progress.stage != stage
        listen(progress)
        monitor.update(progress)
        // A run that is shorter than a tick has curves too.
        if isNewStage { monitor.takeSample() }
      }, shouldStop: { Interruption.isRequested },
      report: { summary in
        ticker?.stop()
        // The last sample is the end.
        monitor.look()
        line?.clear()
        report(summary, monitor.samples)
      })
  }

  // MARK: At its end

  /// Tells how the run ended, in all the ways that were requested, and returns the exit code.
  private func tell(
    _ summary: ImportSummary, _ samples: [RunSample], _ definition: ImportDefinition, _ telling: Telling
  ) -> ExitCode {
    var summary = summary
    Console.outcomeIsSettled()
    let status = SummaryOutput.exitStatus(summary) ?? ExitStatus.success
    let exitCode = Int(status.rawValue)
    if !definition.isDryRun {
      let unsent = RunNotices(notifications: definition.reporting.notifications).send(
        summary, status: summary.status.rawValue, exitCode: exitCode, message: SummaryOutput.headline(summary),
        report: definition.reporting.reportPath)
      for warning in unsent { summary.warn(warning) }
    }
    if let path = definition.reporting.metricsPath {
      let text = RunMetrics.text(
        summary, status: summary.status.rawValue, exitCode: exitCode, lastSuccess: lastSuccess(summary, definition))
      write(text, to: path, .metrics, definition)
    }
    if let path = definition.reporting.reportPath {
      write(RunReport(summary, samples, definition).html, to: path, .report, definition)
    }
    // What was found before the run was said before it.
    var rest = summary
    rest.warnings.removeAll(where: definition.warnings.contains)
    if options.json { Console.data(SummaryOutput.json(summary)) }
    if let log = telling.log {
      Console.tellLosses(log.warn)
      let end = Console.hasLosses && status == ExitStatus.success ? ExitStatus.outputLost : status
      log.finish(rest, exitCode: Int(end.rawValue))
    }
    if !options.quiet, options.log == nil {
      for line in SummaryOutput.warnings(rest) { Console.words(line) }
      if definition.sampledChanges > 0 {
        Console.words(lines: ChangesOutput.words(summary.changes, wanted: definition.sampledChanges))
      }
      Console.words(lines: SummaryOutput.words(summary))
      if summary.rejected > 0 {
        let advice =
          if let path = summary.rejectsPath { RejectAdvice(ByteSource(path: path), run: summary.runID) } else {
            RejectAdvice(ByteSource(bytes: summary.rejectSample), run: "")
          }
        for line in advice.lines() { Console.words(line) }
      }
    }
    return status
  }

  /// When the last finished run ended: this one, or one of the table of runs.
  private func lastSuccess(_ summary: ImportSummary?, _ definition: ImportDefinition) -> Double? {
    if let summary, RunStatus(rawValue: summary.status.rawValue)?.isFinished == true {
      return summary.started + summary.seconds
    }
    let last = try? RunHistory(storePath: definition.storePath).finished(pipeline: definition.name, limit: 1).first
    return last.map { $0.started + $0.seconds }
  }

  private func write(_ text: String, to path: String, _ kind: OutputKind, _ definition: ImportDefinition) {
    do throws(DiagnosticList) {
      try TextFile.replace(path, Console.redacted(text), as: kind, access: .derived(from: definition.storePath))
    } catch {
      let reasons = error.diagnostics.map { "\($0.path): \($0.message)" }.joined(separator: "; ")
      Console.lose("the \(kind.rawValue) cannot be written: \(reasons)")
    }
  }

  /// Says warnings that the summary has too, with the same codes.
  private func say(_ warnings: [RunWarning], of subject: String, _ telling: Telling) {
    for warning in warnings {
      if let log = telling.log { log.warn(warning) } else { Console.words(SummaryOutput.words(warning, of: subject)) }
    }
  }

  /// Tells those whom the pipeline names, of real runs only, and says who could not be told.
  private func notify(_ summary: inout ImportSummary, _ telling: Telling, _ exit: ExitCode, _ message: String) {
    guard telling.definition?.isDryRun != true else { return }
    summary.started = RunIdentity(pipeline: telling.name).started - summary.seconds
    var list = telling.definition?.reporting.notifications ?? []
    var told = summary
    // The message has the path of a pipeline that cannot be read.
    if telling.definition == nil {
      guard let notices = notifications() else { return }
      (told.pipeline, list) = notices
    }
    let unsent = RunNotices(notifications: list).send(
      told, status: "failed", exitCode: Int(exit.rawValue), message: message, report: nil)
    for warning in unsent { summary.warn(warning) }
    say(unsent, of: "mergewalk", telling)
  }

  /// The first finding that ends a run, and how many there are.
  private static func headline(_ findings: [Diagnostic]) -> String {
    let errors = findings.filter { $0.severity == .error }
    guard let first = errors.first else { return "" }
    return first.description + (errors.count > 1 ? " (and \(errors.count - 1) more)" : "")
  }

  /// Says why the run did not come to its end, and ends the command.
  private func fail(
    _ telling: Telling, _ start: ContinuousClock.Instant, code: String, message: String, findings: [Diagnostic],
    exit: ExitCode
  ) throws -> Never {
    Console.outcomeIsSettled()
    if let log = telling.log { log.log(findings) } else { FindingsOutput.words(findings) }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    telling.log?.fail(code: code, message: message, exitCode: Int(exit.rawValue))
    var summary = ImportSummary()
    summary.pipeline = telling.name
    summary.seconds = seconds
    summary.storePath = telling.definition?.storePath ?? ""
    summary.warnings = telling.definition?.warnings ?? []
    notify(&summary, telling, exit, findings.isEmpty ? message : Self.headline(findings))
    let isSafe = !findings.contains { $0.code == FindingCode.unsafeOutput.rawValue }
    if isSafe, let definition = telling.definition, let path = definition.reporting.metricsPath {
      let text = RunMetrics.text(
        summary, status: "failed", exitCode: Int(exit.rawValue), lastSuccess: lastSuccess(nil, definition))
      write(text, to: path, .metrics, definition)
    }
    if options.json {
      Console.data(SummaryOutput.failure(summary, code: code, message: message, findings: findings))
    }
    if let log = telling.log { Console.tellLosses(log.warn) }
    throw exit
  }
}
