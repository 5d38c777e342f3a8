import ArgumentParser
import MergewalkBytes
import MergewalkSystem
import MergewalkImporting

/// `mergewalk rejects clean`: remove the rejects files of runs that are long past.
struct RejectsCleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Remove rejects files of earlier runs.",
    discussion: HelpText.flow(
      """
      Only files that later runs have set aside are removed; they have a
      time in their names. The rejects of the last run are kept. Records
      that were never corrected are lost with the files.

      EXAMPLES
        mergewalk rejects clean orders.rejects.ndjson --dry-run
        mergewalk rejects clean orders.rejects.ndjson --older-than 30
      """))

  @Argument(help: "The pipeline's rejects file.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Remove files of runs that are at least this many days old.", valueName: "days"))
  var olderThan = 30

  @Flag(help: "Only print what would be removed.")
  var dryRun = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try OptionPaths.check(("<file>", file))
    if !(0...100_000).contains(olderThan) {
      throw ValidationError("--older-than takes a number of days from 0 to 100000, not \(olderThan)")
    }
  }

  func run() throws {
    var (removed, kept): ([String], [String]) = ([], [])
    var isWhole = true
    let limit = RunIdentity.timestamp(RunIdentity(pipeline: "").started - Double(olderThan) * 86_400)
      .filter { $0 != ":" }
    let earlier = EarlierRejects(of: file)
    for path in earlier.paths {
      // Moments in names are of one width and sort as they follow each other.
      guard let moment = earlier.moment(of: path), moment < limit, OutputKind.rejects.obstacle(at: path) == nil
      else {
        kept.append(path)
        continue
      }
      guard dryRun || unlink(path) == 0 else {
        Console.words("\(path): error: it cannot be removed: \(String(cString: strerror(errno))) [cannotWrite]")
        isWhole = false
        continue
      }
      removed.append(path)
    }
    if !dryRun { Console.outcomeIsSettled() }
    if json {
      Console.data(["removed": .strings(removed), "kept": .strings(kept), "dry_run": .boolean(dryRun)])
    } else {
      for path in removed { Console.data((dryRun ? "would remove " : "removed ") + path) }
      Console.data(
        removed.isEmpty && kept.isEmpty
          ? "there are no files of earlier runs" : "\(Figures.count(kept.count, "file")) kept")
    }
    if !isWhole { throw ExitStatus.failure }
  }
}
