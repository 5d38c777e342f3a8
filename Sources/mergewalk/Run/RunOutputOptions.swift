import ArgumentParser
import MergewalkImporting
import Logging

/// The options that say what a run tells, and where.
struct RunOutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON object with the counts to standard output.")
  var json = false

  @Flag(help: "Print only errors.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "How to show progress: auto draws one line on a terminal and nothing elsewhere, plain writes a line"
        + " every ten seconds."
    ))
  var progress = ProgressStyle.auto

  @Option(help: "Write a log to standard error instead of messages: one JSON object or one text per line.")
  var log: LogStyle?

  @Option(help: ArgumentHelp("The lowest level to log; info by default.", valueName: "level"))
  var logLevel: LogLevel?

  @Option(
    help: ArgumentHelp("Write the run's figures as OpenMetrics text, for node_exporter.", valueName: "file"),
    completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp("Write a report about the run as a self-contained HTML page.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Flag(help: "Do not record the run in the table of runs beside the store.")
  var noHistory = false

  func validate() throws {
    try OptionPaths.check(written: ("--metrics", metrics), ("--report", report))
    if logLevel != nil, log == nil { throw ValidationError("--log-level needs --log") }
  }

  /// Puts what the command line says in place of what the pipeline says.
  func apply(to definition: inout ImportDefinition) {
    if noHistory { definition.reporting.keepsHistory = false }
    if metrics != nil { definition.outputPlaces["metrics"] = nil }
    if report != nil { definition.outputPlaces["report"] = nil }
    // A dry run leaves what the last real run told as it is, unless it is asked for by name.
    definition.reporting.metricsPath = metrics ?? (definition.isDryRun ? nil : definition.reporting.metricsPath)
    definition.reporting.reportPath = report ?? (definition.isDryRun ? nil : definition.reporting.reportPath)
  }
}

/// The values of `--progress`.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
  case auto, plain, none
}

extension LogStyle: ExpressibleByArgument {}

/// The values of `--log-level`.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
