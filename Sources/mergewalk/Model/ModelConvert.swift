import ArgumentParser
import Diagnostics
import ObjectModel

/// `mergewalk model convert`: a model in the other of the two formats.
struct ModelConvert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a model between Xcode's XML and YAML, without loss.",
    discussion: """
      Without --to, XML becomes YAML and YAML becomes XML. Without --output, the text goes to standard output. An \
      output that ends in .xcdatamodel or .xcdatamodeld becomes the folder that Xcode expects.

      EXAMPLES
        mergewalk model convert Shop.xcdatamodeld > Shop.yaml
        mergewalk model convert Shop.yaml --output Shop.xcdatamodeld
      """)

  /// What a model can be written as.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case yaml, xml
  }

  @OptionGroup var options: ModelOptions

  @Option(help: "The format to write.")
  var to: Format?

  @Option(help: ArgumentHelp("The file or folder to write; it must not exist.", valueName: "path"), completion: .file())
  var output: String?

  func run() throws {
    let draft: ModelDraft
    let isSound: Bool
    do throws(DiagnosticList) {
      draft = try ModelReader.read(options.model, version: options.version)
      let findings = DiagnosticList(ModelLint.check(draft))
      FindingsOutput.words(findings.diagnostics)
      // Writing a model that says nothing clear would hide what it says wrongly.
      isSound = !findings.diagnostics.contains { $0.severity == .error }
    } catch {
      FindingsOutput.words(error.diagnostics)
      throw ExitStatus.failure
    }
    guard isSound else { throw ExitStatus.failure }
    let isYAML = options.model.hasSuffix(".yaml") || options.model.hasSuffix(".yml")
    let text = (to ?? (isYAML ? .xml : .yaml)) == .yaml ? ModelWriter.yaml(draft) : ModelWriter.xml(draft)
    guard let output else {
      Console.rawData(text)
      return
    }
    do throws(DiagnosticList) {
      let path = Self.file(of: output, version: draft.name)
      try Folders.createParents(of: path)
      try OutputFile.create(path, text)
      Console.words("wrote \(path)")
    } catch {
      FindingsOutput.words(error.diagnostics)
      throw ExitStatus.failure
    }
  }

  /// The file that holds the model's text when `output` is what the user wants to have.
  private static func file(of output: String, version: String) -> String {
    var output = output
    while output.count > 1, output.hasSuffix("/") { output.removeLast() }
    if output.hasSuffix(".xcdatamodel") { return output + "/contents" }
    guard output.hasSuffix(".xcdatamodeld") else { return output }
    let stem = output.split(separator: "/").last?.dropLast(".xcdatamodeld".count) ?? "Model"
    return "\(output)/\(version.isEmpty ? String(stem) : version).xcdatamodel/contents"
  }
}
