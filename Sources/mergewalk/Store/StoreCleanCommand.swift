import ArgumentParser
import MergewalkBytes
import MergewalkObjectStore

/// `mergewalk store clean`: removes what killed processes have left beside a store.
struct StoreCleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Remove files beside a store that are no longer needed.",
    discussion: HelpText.flow(
      """
      Removes files of external binary values that no row refers to, and plans of interrupted runs that no \
      longer fit the store; plans that can be resumed are kept. The store itself is not changed. No other \
      process may have it open, except during a dry run, which needs no right to write either. The exit code is 0, \
      2 if the store cannot be read, or 7 if the files were removed but the result could not be written.

      EXAMPLES
        mergewalk store clean shop.sqlite --dry-run
        mergewalk store clean shop.sqlite
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup
  var modelOptions: StoreModelOptions

  @Flag(help: "Only print what would be removed.")
  var dryRun = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let model = try modelOptions.find(store: store).model
    let found = try StoreFailure.orEnd { () throws(StoreError) in
      try StoreCleaner.clean(path: store, model: model, isDryRun: dryRun)
    }
    if !dryRun { Console.outcomeIsSettled() }
    if json {
      Console.data([
        "store": .string(store), "dry_run": .boolean(dryRun), "orphans": .strings(found.orphans),
        "shared_files": .strings(found.sharedFiles), "other_stores": .strings(found.otherStores),
        "outdated_plans": .strings(found.outdatedPlans), "resumable_plans": .strings(found.resumablePlans),
      ])
      return
    }
    for name in found.orphans { Console.data("orphan: \(name)") }
    for path in found.outdatedPlans { Console.data("outdated plan: \(path)") }
    for path in found.resumablePlans { Console.words("\(store): kept: \(path), a run that can be resumed") }
    if !found.sharedFiles.isEmpty {
      Console.words(
        "\(store): kept: \(Figures.count(found.sharedFiles.count, "file")) that no row of this store names, such as"
          + " \(found.sharedFiles[0]): \(found.otherStores.joined(separator: ", ")) has the same name but for the"
          + " extension, and so the same folder for its files")
    }
    let removed = Figures.count(found.orphans.count + found.outdatedPlans.count, "item")
    Console.words("\(store): \(removed) \(dryRun ? "would be removed" : "removed")")
  }
}
