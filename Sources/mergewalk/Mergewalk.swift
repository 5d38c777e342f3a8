import ArgumentParser
import CMergewalkCommand
import MergewalkBytes
import MergewalkSystem
import MergewalkImporting

@main
struct Mergewalk: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mergewalk",
    abstract: "Import records in bulk into Core Data stores, without a Mac.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk guess orders.csv --out pipelines
        mergewalk lint pipelines/orders.yaml
        mergewalk run pipelines/orders.yaml --store build/shop.sqlite
        mergewalk store verify build/shop.sqlite
        mergewalk export build/shop.sqlite --out backup

      \(ExitStatus.help)

      lint, test and verify exit with 1 when they find errors.

      “mergewalk help TOPIC” explains \(HelpTopic.list).
      """),
    version: "mergewalk \(ImportSession.version)",
    subcommands: [
      RunCommand.self, ExplainCommand.self, LintCommand.self, FetchCommand.self, ExportCommand.self, SeedCommand.self,
      StoresCommand.self,
      ModelCommand.self,
      StoreCommand.self, ReferenceCommand.self, PreviewCommand.self, GuessCommand.self, TestCommand.self,
      SchemaCommand.self, RunsCommand.self, RejectsCommand.self,
    ])

  /// Runs the command of this process.
  static func main() {
    // Swift's own list comes from /proc: where that is not mounted it is empty.
    let words = (1..<max(1, ccommand_argument_count())).compactMap { ccommand_argument($0) }
    // Mended, it would name another file or another text.
    if let bad = words.first(where: { String(validatingCString: $0) == nil }) {
      let text = String(spelling: Array(UnsafeRawBufferPointer(start: bad, count: strlen(bad))))
      Console.words("Error: the argument “\(text)” is not UTF-8 text; rename the file, or write UTF-8")
      Glibc.exit(ExitStatus.usage.rawValue)
    }
    let arguments = words.map { String(cString: $0) }
    if arguments.first == "help", arguments.count == 2, let topic = HelpTopic(rawValue: arguments[1]) {
      Console.data(lines: topic.text)
      return
    }
    if let message = CommandNames.mistake(in: arguments, of: self) {
      Console.words(lines: message)
      Glibc.exit(ExitStatus.usage.rawValue)
    }
    do {
      var command = try parseAsRoot(arguments)
      defer { Console.tellLosses() }
      try command.run()
      if Console.hasLosses { throw ExitStatus.outputLost }
    } catch {
      let code = exitCode(for: error)
      let file = CommandNames.fileTakenForOptions(arguments) { access($0, F_OK) == 0 }
      if let file, code == ExitCode.success || code == ExitStatus.usage {
        Console.words("Error: “\(file)” is read as options, because it begins with “-”; write “./\(file)” for the file")
        Glibc.exit(ExitStatus.usage.rawValue)
      }
      let message = HelpText.withUsage(CommandNames.explained(fullMessage(for: error), arguments))
      let text = CompletionScript.addingHelp(to: message, of: self)
      if !text.isEmpty { if code == .success { Console.rawData(text + "\n") } else { Console.words(lines: text) } }
      exit(withError: code)
    }
  }
}
