import ArgumentParser

/// The `mergewalk` command.
@main
struct Mergewalk: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mergewalk",
    abstract: "Bulk import into Core Data stores on any machine that runs Swift.")
}
