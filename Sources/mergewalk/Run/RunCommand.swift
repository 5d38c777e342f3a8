import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats

/// `mergewalk run`: import what a pipeline says.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Import records into a Core Data store, as a pipeline describes.",
    discussion: HelpText.flow(
      """
      Messages and progress go to standard error; with --json, one object goes to standard output.

      \(ExitStatus.help)

      EXAMPLES
        mergewalk run pipelines/orders.yaml
        mergewalk run pipelines/orders.yaml --store shop.sqlite --set DATE=2024-05-01
        mergewalk run pipelines/orders.yaml today/*.csv.gz
        curl -s https://example.com/orders.csv | mergewalk run pipelines/orders.yaml - --json --quiet
        mergewalk run pipelines/orders.yaml --dry-run --diff 20
      """))

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Argument(
    help: ArgumentHelp(
      "Read these files, globs and folders in place of the pipeline's; - is standard input.",
      valueName: "source"),
    completion: .file())
  var sources: [String] = []

  @Option(help: ArgumentHelp("Use this store in place of the pipeline's.", valueName: "path"), completion: .file())
  var store: String?

  @OptionGroup var variables: VariableOptions

  @Option(help: ArgumentHelp("The maximum number of records in a batch.", valueName: "records"))
  var batch: Int?

  @Option(help: "How existing objects are found.")
  var find: FindPlan?

  @Option(
    help: ArgumentHelp(
      "Write rejects to this file in place of the pipeline's; a dry run writes rejects only if this is set.",
      valueName: "path"),
    completion: .file())
  var rejects: String?

  @OptionGroup var control: RunControlOptions

  @OptionGroup var output: RunOutputOptions

  @OptionGroup var modes: ModeOptions

  @OptionGroup var expectations: ExpectationOptions

  func validate() throws {
    if let batch, batch < 1 || batch > Int(Int32.max) {
      throw ValidationError("--batch takes a number of records from 1 on, not \(batch)")
    }
    try OptionPaths.check(written: ("--store", store), ("--rejects", rejects))
  }

  func run() throws {
    var settings = PipelineSettings()
    settings.variables = variables.variables
    settings.storePath = store
    let execution = RunExecution(
      options: output, path: pipeline, notifications: { modes.dryRun ? nil : settings.notifications(pipeline) })
    try execution.run { () throws(DiagnosticList) in
      var settings = settings
      settings.sourcePaths = sources
      let pipeline = try PipelineFile.read(self.pipeline, settings)
      var definition = pipeline.definition
      if let rejects {
        definition.rejects.path = rejects
        definition.rejects.dryRunPath = rejects
        definition.outputPlaces["rejects"] = nil
      }
      if let batch { definition.batchLimit.records = batch }
      if let find { for index in definition.parts.indices { definition.parts[index].findPlan = find } }
      try modes.apply(to: &definition)
      control.apply(to: &definition)
      try expectations.apply(to: &definition)
      return definition
    }
  }
}
