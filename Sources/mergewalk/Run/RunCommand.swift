import ArgumentParser
import Diagnostics
import Importing
import Pipelines
import RecordFormats

/// `mergewalk run`: import what a pipeline says.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Import records into a Core Data store as a pipeline says.",
    discussion: """
      Words and progress go to standard error, with --json one object goes to standard output.

      EXIT CODES
        0   everything was imported
        1   finished; some records were rejected, inside the pipeline's limits
        2   could not run; the store was not touched
        3   too many rejects; the whole run was rolled back and the store is as before

      EXAMPLES
        mergewalk run pipelines/orders.yaml
        mergewalk run pipelines/orders.yaml --store shop.sqlite --set DATE=2024-05-01
        mergewalk run pipelines/orders.yaml today/*.csv.gz
        curl -s https://example.com/orders.csv | mergewalk run pipelines/orders.yaml - --json --quiet
        mergewalk run pipelines/orders.yaml --dry-run
      """)

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Argument(
    help: ArgumentHelp(
      "Read these files, globs and folders in place of those that the pipeline names; - is standard input.",
      valueName: "source"),
    completion: .file())
  var sources: [String] = []

  @Option(help: ArgumentHelp("Use this store in place of the pipeline's.", valueName: "path"), completion: .file())
  var store: String?

  @OptionGroup var variables: VariableOptions

  @Option(help: ArgumentHelp("The greatest number of records in a batch.", valueName: "records"))
  var batch: Int?

  @Option(help: "How existing objects are found.")
  var find: FindChoice?

  @Flag(help: "Print one JSON object with the counts on standard output.")
  var json = false

  @Flag(help: "Print no words but errors.")
  var quiet = false

  @Flag(help: "Do everything, then throw it away; the store stays as it is.")
  var dryRun = false

  func validate() throws {
    if let batch, batch < 1 || batch > Int(Int32.max) {
      throw ValidationError("--batch takes a number of records from 1 on, not \(batch)")
    }
    if store?.isEmpty == true { throw ValidationError("--store takes a path") }
  }

  func run() throws {
    // What a summary calls the pipeline: its path until its file could be read.
    var name = pipeline
    let start = ContinuousClock.now
    do {
      let definition = try definition(name: &name)
      let line = Console.isTerminal && !quiet ? ProgressLine() : nil
      let session = try ImportSession(definition)
      defer { line?.clear() }
      let summary = try session.run(progress: line.map { line in { line.update($0) } })
      line?.clear()
      if json { Console.data(SummaryOutput.json(summary).text) }
      if !quiet {
        for line in SummaryOutput.warnings(summary) { Console.words(line) }
        Console.words(SummaryOutput.words(summary))
      }
      if let status = SummaryOutput.exitStatus(summary) { throw status }
    } catch let error as DiagnosticList {
      try fail(name, since: start, code: "invalidPipeline", message: error.description, findings: error.diagnostics)
    } catch let error as ImportError {
      if error.diagnostics.isEmpty { Console.words("mergewalk: error: \(error.message) [\(error.code.rawValue)]") }
      try fail(name, since: start, code: error.code.rawValue, message: error.message, findings: error.diagnostics)
    }
  }

  /// Reads the pipeline and lets the command line's options take the place of the file's.
  private func definition(name: inout String) throws(DiagnosticList) -> ImportDefinition {
    var settings = PipelineSettings()
    settings.variables = variables.variables
    settings.storePath = store
    settings.sourcePaths = sources
    let pipeline = try Pipeline.read(self.pipeline, settings: settings)
    name = pipeline.definition.name
    if !quiet { FindingsOutput.words(pipeline.warnings) }
    var definition = pipeline.definition
    if let batch { definition.batchLimit.records = batch }
    if let find { for index in definition.parts.indices { definition.parts[index].findPlan = find.plan } }
    definition.isDryRun = dryRun
    for path in [definition.storePath, definition.rejects.path].compactMap({ $0 }) {
      try Folders.createParents(of: path)
    }
    return definition
  }

  /// Says why the run did not start, and ends the command.
  private func fail(
    _ name: String, since start: ContinuousClock.Instant, code: String, message: String, findings: [Diagnostic]
  ) throws -> Never {
    FindingsOutput.words(findings)
    if json {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      Console.data(
        SummaryOutput.failure(pipeline: name, seconds: seconds, code: code, message: message, findings: findings).text)
    }
    throw ExitStatus.failure
  }
}

/// The values of `--find`.
enum FindChoice: String, ExpressibleByArgument, CaseIterable {
  case automatic, seek, scan

  var plan: FindPlan {
    switch self {
    case .automatic: .automatic
    case .seek: .seek
    case .scan: .scan
    }
  }
}
