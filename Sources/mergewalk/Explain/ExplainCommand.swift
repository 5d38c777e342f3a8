import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines

/// `mergewalk explain`: what a run would do.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show what a run of a pipeline would do, without running it.",
    discussion: HelpText.flow(
      """
      Shows the imports in order, their inputs, how the objects of each entity are found and why, the SQL, the \
      memory limits, the cursor of an incremental import, and what mode sync may delete. Nothing is written, and \
      only the beginnings of the inputs are read.

      EXIT CODES
        0   the run could start
        2   the run could not start: the pipeline has errors, or the store cannot be read
        6   another process holds the store or a database that is read

      EXAMPLES
        mergewalk explain pipelines/orders.yaml
        mergewalk explain pipelines/orders.yaml --store shop.sqlite --sql
        mergewalk explain pipelines/orders.yaml --json
      """))

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Argument(
    help: ArgumentHelp("Read these in place of the pipeline's files.", valueName: "source"),
    completion: .file())
  var sources: [String] = []

  @Option(help: ArgumentHelp("Use this store in place of the pipeline's.", valueName: "path"), completion: .file())
  var store: String?

  @OptionGroup var variables: VariableOptions

  @Option(help: "How existing objects are found.")
  var find: FindPlan?

  @Flag(help: "Show the statements and SQLite's plans for them.")
  var sql = false

  @Flag(help: "Print one JSON object to standard output.")
  var json = false

  func validate() throws { try OptionPaths.check(written: ("--store", store)) }

  func run() throws {
    do {
      var settings = PipelineSettings()
      settings.variables = variables.variables
      settings.storePath = store
      settings.sourcePaths = sources
      let pipeline = try PipelineFile.read(self.pipeline, settings)
      var definition = pipeline.definition
      if let find { for index in definition.parts.indices { definition.parts[index].findPlan = find } }
      let explanation = try ImportSession(definition).explain()
      Console.data(
        lines: json ? ExplanationOutput.json(explanation).text : ExplanationOutput.words(explanation, showsSQL: sql))
    } catch let error as DiagnosticList {
      FindingsOutput.words(error.diagnostics)
      throw ExitStatus.of(error)
    } catch let error as ImportError {
      FindingsOutput.words(error.diagnostics)
      if error.diagnostics.isEmpty { Console.words("mergewalk: error: \(error.message) [\(error.code.rawValue)]") }
      throw ExitStatus.of(error)
    }
  }
}
