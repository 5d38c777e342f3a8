import ArgumentParser
import MergewalkDiagnostics
import MergewalkPipelines

/// `mergewalk lint`: every mistake in pipeline files, at once.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Report every mistake in pipelines, their models and the headers of their inputs.",
    discussion: HelpText.flow(
      """
      Findings go to standard output as path:line:column: error|warning: message [code], sorted by location. The \
      exit code is 0 if there are no errors (warnings do not count), else 1. Files that end in _test.yaml are \
      tests of pipelines; their cases are checked against the pipeline and its model.

      EXAMPLES
        mergewalk lint pipelines/*.yaml
        mergewalk lint --set DATE=2024-05-01 nightly.yaml
      """))

  @Argument(
    help: "Pipeline files, and files with tests of pipelines.", completion: .file(extensions: ["yaml", "yml"]))
  var pipelines: [String]

  @OptionGroup var variables: VariableOptions

  @Flag(help: "Print one JSON array of findings.")
  var json = false

  @Flag(help: "Print no summary.")
  var quiet = false

  func run() throws {
    var settings = PipelineSettings()
    settings.variables = variables.variables
    var findings: [Diagnostic] = []
    var known: Set<Diagnostic> = []
    var cursors = SharedCursors()
    for path in pipelines {
      let found =
        path.hasSuffix(PipelineTests.suffix)
        ? PipelineTests.lint(path, variables: variables.variables)
        : Pipeline.lint(path, settings: settings, among: &cursors)
      findings += found.filter { known.insert($0).inserted }
    }
    if json {
      Console.data(FindingsOutput.json(findings))
    } else {
      FindingsOutput.data(findings)
    }
    if !quiet {
      let tests = pipelines.count { $0.hasSuffix(PipelineTests.suffix) }
      let counts = [
        (pipelines.count - tests, "pipeline", "pipelines"), (tests, "file with tests", "files with tests"),
      ]
      let words = counts.filter { $0.0 > 0 }.map { Figures.count($0.0, $0.1, $0.2) }.joined(separator: ", ")
      Console.words("\(words): \(FindingsOutput.tally(findings))")
    }
    if let status = ExitStatus.ofCheck(findings) { throw status }
  }
}
