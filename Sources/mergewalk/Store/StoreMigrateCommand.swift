import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore

/// `mergewalk store migrate`: a store moves to another version of its model.
struct StoreMigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a store in place to another version of its model.",
    discussion: HelpText.flow(
      """
      The migration is inferred from the two versions; renaming identifiers map the names. In an .xcdatamodeld \
      with several versions, the one that the store was made with is found by its hashes; if there is no direct \
      migration, the store is migrated through the versions in between. Everything is one transaction. A store that \
      fits already gets the indexes of the model that it lacks. Steps go \
      to standard output. Progress, the data that are removed because nothing in the new model continues them, and the \
      names of indexes, triggers, views and columns that an app has added and that cannot be kept, go to standard \
      error. The exit code is 0 if the store fits the model afterwards, \
      1 if something prevents the migration (everything is listed, and the store is unchanged), 2 if the \
      store or a model cannot be read, and 7 if the store was migrated but the result could not be written.

      EXAMPLES
        mergewalk store migrate shop.sqlite --to Shop.xcdatamodeld --dry-run
        mergewalk store migrate shop.sqlite --to Shop.xcdatamodeld --backup shop-before.sqlite
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: ArgumentHelp("The model to migrate the store to.", valueName: "model"))
  var to: String

  @Option(
    name: .customLong("model-version"),
    help: ArgumentHelp("The version of an .xcdatamodeld; by default, the current one.", valueName: "name"))
  var version: String?

  @Option(
    help: ArgumentHelp(
      "The model that the store was made with, if neither --to nor the store contains it.", valueName: "model"))
  var from: String?

  @Flag(help: "Print the steps and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("The path for a copy of the store, made first; STORE.backup by default.", valueName: "path")
  )
  var backup: String?

  @Flag(help: "Do not copy the store first.")
  var noBackup = false

  @Flag(name: .shortAndLong, help: "Print neither steps nor progress.")
  var quiet = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try OptionPaths.check(output: "--backup", backup)
    if backup != nil, noBackup { throw ValidationError("--backup and --no-backup exclude each other") }
  }

  func run() throws {
    let (versions, wanted) = try models()
    do throws(MigrationError) {
      dryRun ? try plan(versions, wanted) : try migrate(versions, wanted)
    } catch {
      throw Self.end(error)
    }
  }

  /// All versions at hand, and the one that the store is to fit.
  private func models() throws -> (ModelVersionList, ModelVersionList.Version) {
    try FindingsOutput.orFail { () throws(DiagnosticList) in
      let list = try ModelVersionList(path: to)
      let older = try from.map { path throws(DiagnosticList) in try ModelVersionList(path: path) }
      let all = older.map { list.preceded(by: $0) } ?? list
      if let name = version ?? list.current?.name, let found = list.version(named: name) {
        return (all, found)
      }
      // The reader says what is wrong with the name, or that none is settled.
      let model = try ManagedObjectModel(StoreModel.draft(at: to, version: version))
      return (all, ModelVersionList.Version(model))
    }
  }

  private func plan(_ versions: ModelVersionList, _ wanted: ModelVersionList.Version) throws(MigrationError) {
    let outcome = try StoreMigrator.plan(path: store, to: wanted, in: versions)
    guard outcome.findings.isEmpty else {
      if !quiet, !json { for step in outcome.steps { Console.data(step) } }
      throw MigrationError(
        .data, path: store, message: "the data do not fit the new model", findings: outcome.findings)
    }
    tell(outcome, wanted, backup: nil)
  }

  private func migrate(_ versions: ModelVersionList, _ wanted: ModelVersionList.Version) throws(MigrationError) {
    var options = StoreMigrator.Options()
    options.backupPath = noBackup ? nil : backup ?? store + ".backup"
    let isShown = !quiet && Console.canRedraw
    if isShown {
      options.progress = { progress in
        let text = "\(progress.version): step \(progress.step) of \(progress.stepCount): \(progress.title)"
        Console.status(String(text.prefix(max(20, Console.width - 1))))
      }
    }
    defer { if isShown { Console.status("") } }
    let outcome = try StoreMigrator.migrate(path: store, to: wanted, in: versions, options: options)
    Console.outcomeIsSettled()
    if isShown { Console.status("") }
    tell(outcome, wanted, backup: outcome.isUpToDate ? nil : options.backupPath)
  }

  /// Says what was done, or in a dry run would be.
  private func tell(_ outcome: StoreMigrator.Outcome, _ wanted: ModelVersionList.Version, backup: String?) {
    if json {
      Console.data(object(outcome, backup))
    } else if !quiet {
      for step in outcome.steps { Console.data(step) }
    }
    for removal in outcome.removed { Console.words("\(store): warning: \(removal)") }
    for loss in outcome.lost { Console.words("\(store): warning: \(loss)") }
    if let name = outcome.keptFiles.first {
      Console.words(
        "\(store): warning: \(Figures.count(outcome.keptFiles.count, "file")) beside the store that no row names any more"
          + " could not be removed, such as \(name); “mergewalk store clean” says why, or removes them")
    }
    if json || quiet && !dryRun { return }
    if outcome.isUpToDate {
      // An index alone is no other version.
      let indexes = Figures.count(outcome.steps.count, "index", "indexes")
      let made = outcome.steps.isEmpty ? "" : dryRun ? ", and would get \(indexes)" : ", and has got \(indexes)"
      return Console.words("\(store): already fits \(wanted.name)\(made)")
    }
    if outcome.removedFiles > 0 {
      Console.words(
        "\(store): removed \(Figures.count(outcome.removedFiles, "file")) beside the store that no row names any more")
    }
    let end = dryRun ? "; nothing was changed" : backup.map { "; backup: \($0)" } ?? ""
    Console.words("\(store): \(dryRun ? "would be migrated" : "migrated") \(Self.way(outcome))\(end)")
  }

  private func object(_ outcome: StoreMigrator.Outcome, _ backup: String?) -> JSONText {
    [
      "store": .string(store), "dry_run": .boolean(dryRun), "up_to_date": .boolean(outcome.isUpToDate),
      "versions": .strings(outcome.versions), "steps": .strings(outcome.steps),
      "removed": .array(
        outcome.removed.map { removal in
          [
            "kind": .string(removal.kind.rawValue), "name": .string(removal.name),
            "count": .count(removal.count), "message": .string(removal.description),
          ]
        }),
      "lost": .array(
        outcome.lost.map { loss in
          ["kind": .string(loss.kind.rawValue), "name": .string(loss.name), "message": .string(loss.message)]
        }),
      "removed_files": .integer(outcome.removedFiles), "kept_files": .strings(outcome.keptFiles),
      "backup": .text(backup),
    ]
  }

  /// The versions that a store goes through, in words; those of YAML models are often called alike.
  private static func way(_ outcome: StoreMigrator.Outcome) -> String {
    let names = outcome.versions
    return Set(names).count == 1 ? "to another version of \(names[0])" : "from \(names.joined(separator: " to "))"
  }

  /// Says why, and ends the command.
  private static func end(_ error: MigrationError) -> ExitCode {
    if let cause = error.cause { return StoreFailure.end(cause) }
    Console.words("\(error.path): error: \(error.message) [\(error.code.rawValue)]")
    for finding in error.findings { Console.words("\(error.path): error: \(finding.description)") }
    return error.findings.isEmpty ? ExitStatus.failure : ExitStatus.findings
  }
}
