import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines

/// `mergewalk schema`: the JSON Schema of pipeline files, for editors.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of pipeline files, for editors.",
    discussion: HelpText.flow(
      """
      With the schema, an editor completes fields, explains them and marks mistakes. The first line of a \
      pipeline can name it:

        # yaml-language-server: $schema=../mergewalk.schema.json

      EXAMPLES
        mergewalk schema --out mergewalk.schema.json
        mergewalk schema --for part --out mergewalk-part.schema.json
      """))

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The kind of file that the schema is for.", valueName: "kind"))
  var kind = PipelineSchema.Kind.pipeline

  @Option(
    name: .customLong("out"),
    help: ArgumentHelp("The file to write, in place of standard output; an existing schema is replaced."),
    completion: .file(extensions: ["json"]))
  var file: String?

  func validate() throws { try OptionPaths.check(output: "--out", file, cure: OptionPaths.standardOutput) }

  func run() throws {
    let text = PipelineSchema.text(of: kind)
    guard let file else {
      Console.rawData(text)
      return
    }
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      try Folders.createParents(of: file)
      try TextFile.replace(file, text, as: .schema)
    }
  }
}
