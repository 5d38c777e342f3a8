import ArgumentParser
import ObjectStore

/// `mergewalk store`: look at stores.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Look into Core Data stores and check them.",
    discussion: """
      Stores are only read.

      EXAMPLES
        mergewalk store info shop.sqlite
        mergewalk store verify shop.sqlite --model Shop.xcdatamodeld
      """,
    subcommands: [StoreInfoCommand.self, StoreVerifyCommand.self])
}

/// The output of a store command that could not read its store.
enum StoreFailure {
  /// Says why, and ends the command.
  static func end(_ error: StoreError) -> ExitCode {
    Console.words("\(error.path): error: \(error.message) [\(error.code.rawValue)]")
    return ExitStatus.failure
  }
}
