import ArgumentParser
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// `mergewalk model lint`: every mistake in models, at once.
struct ModelLintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Report every mistake in a model.",
    discussion: HelpText.flow(
      """
      Findings go to standard output; the exit code is 1 if one of them is an error.

      EXAMPLES
        mergewalk model lint Shop.xcdatamodeld
        mergewalk model lint model.yaml --advice
      """))

  @OptionGroup var options: ModelOptions

  @Flag(help: "Add suggestions about style.")
  var advice = false

  @Flag(help: "Print one JSON array of findings.")
  var json = false

  func run() throws {
    var findings: [Diagnostic]
    do throws(DiagnosticList) {
      let draft = try StoreModel.draft(at: options.model, version: options.version)
      findings = ModelLint.check(draft, advice: advice)
      // A run refuses or warns of these.
      findings += StoreSchema.lint(draft)
    } catch {
      findings = error.diagnostics
    }
    findings = DiagnosticList(findings).diagnostics
    if json {
      Console.data(FindingsOutput.json(findings))
    } else {
      FindingsOutput.data(findings)
    }
    Console.words("1 model: \(FindingsOutput.tally(findings))")
    if let status = ExitStatus.ofCheck(findings) { throw status }
  }
}
