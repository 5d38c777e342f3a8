import ArgumentParser
import Glibc

/// The `mergewalk` command.
@main
struct Mergewalk: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mergewalk",
    abstract: "Bulk import into Core Data stores on any machine that runs Swift.",
    discussion: """
      EXIT CODES
        0   everything was imported; lint and verify found no error
        1   finished with rejects inside the limits; lint or verify found errors
        2   could not run; the store was not touched
        3   too many rejects; the whole run was rolled back
        64  usage

      EXAMPLES
        mergewalk lint pipelines/orders.yaml
        mergewalk run pipelines/orders.yaml --store build/shop.sqlite
        mergewalk store verify build/shop.sqlite
        mergewalk export build/shop.sqlite --out backup
      """,
    version: "mergewalk 0.1.0",
    subcommands: [
      RunCommand.self, LintCommand.self, FetchCommand.self, ExportCommand.self, SeedCommand.self, ModelCommand.self,
      StoreCommand.self, ReferenceCommand.self, PreviewCommand.self, GuessCommand.self, TestCommand.self,
      SchemaCommand.self,
    ])

  /// Runs the command of this process.
  static func main() {
    // A reader that goes away shows as EPIPE of write, not as a signal that kills the process in mid-run.
    signal(SIGPIPE, SIG_IGN)
    main(nil)
  }
}
