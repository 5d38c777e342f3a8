import ArgumentParser
import MergewalkDiagnostics
import MergewalkObjectStore

/// `mergewalk store`: look at stores, and bring them to another version of their model.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Inspect, check and migrate Core Data stores.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk store info shop.sqlite
        mergewalk store verify shop.sqlite --model Shop.xcdatamodeld
        mergewalk store migrate shop.sqlite --to Shop.xcdatamodeld
      """),
    subcommands: [
      StoreInfoCommand.self, StoreVerifyCommand.self, StoreMigrateCommand.self,
      StoreCleanCommand.self,
    ])
}

/// The output of a store command that could not read its store.
enum StoreFailure {
  /// Does what may fail; says why then, and ends the command.
  static func orEnd<Result>(_ body: () throws(StoreError) -> Result) throws -> Result {
    do throws(StoreError) { return try body() } catch { throw end(error) }
  }

  /// Says why, and ends the command.
  static func end(_ error: StoreError) -> ExitCode {
    FindingsOutput.words(DiagnosticList(error).diagnostics)
    return ExitStatus.of(error.code)
  }
}
