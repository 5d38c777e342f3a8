import ArgumentParser
import MergewalkPipelines

/// `mergewalk reference`: the fields of pipeline files, from the table that the parser itself uses.
struct ReferenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference", abstract: "Print the reference of pipeline files as Markdown.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk reference | less
        mergewalk reference > pipelines.md
      """))

  func run() throws { Console.data(lines: PipelineReference.markdown(of: .standard)) }
}
