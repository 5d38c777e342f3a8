import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectStore

/// `mergewalk runs`: what was imported into a store, run by run.
struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the runs of a store: inputs, counts, durations and the slow stage.",
    discussion: HelpText.flow(
      """
      Runs are recorded beside the store, in STORE-mergewalk, unless the
      pipeline sets “history: false” or the run has --no-history. Give a run
      by its number or its name; “last” is the latest. A folder stands for
      all stores in it and in three levels of its subfolders.

      EXAMPLES
        mergewalk runs build/shop.sqlite
        mergewalk runs build/shop.sqlite --pipeline orders --limit 5
        mergewalk runs build/shop.sqlite last
        mergewalk runs build/shop.sqlite 12 --json
        mergewalk runs /var/lib/mergewalk --html runs.html
      """))

  @Argument(help: "The store, or a folder of stores.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("Show this run in detail.", valueName: "run"))
  var name: String?

  @Option(help: ArgumentHelp("Only the runs of this pipeline.", valueName: "name"))
  var pipeline: String?

  @Option(help: ArgumentHelp("The maximum number of runs, the latest first.", valueName: "number"))
  var limit = 20

  @Flag(help: "Print JSON: an array of runs, or one object.")
  var json = false

  @Option(
    help: ArgumentHelp("Write a self-contained HTML page about all pipelines and their last runs.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: String?

  func validate() throws {
    try OptionPaths.check(output: "--html", html)
    if html != nil, name != nil || json { throw ValidationError("--html cannot be combined with a run or with --json") }
    try OptionPaths.check(("<store>", store))
    if limit < 1 { throw ValidationError("--limit takes a number from 1 on, not \(limit)") }
    if name != nil, pipeline != nil, name != "last" {
      throw ValidationError("--pipeline can be used only with the list or with “last”")
    }
  }

  func run() throws {
    let stores = RunsFolder(store)
    if html != nil || stores.isFolder { return try showAll(stores) }
    let history = RunHistory(storePath: store)
    var problem: String?
    do throws(RunHistoryError) {
      problem = try show(history)
    } catch {
      problem = "\(error.description) [\(error.code.rawValue)]"
    }
    guard let problem else { return }
    Console.words("\(store): error: \(problem)")
    throw ExitStatus.failure
  }

  /// Writes what was requested; returns what is missing, if something is.
  private func show(_ history: RunHistory) throws(RunHistoryError) -> String? {
    guard access(history.path, F_OK) == 0 else {
      if access(store, F_OK) != 0 {
        return "there is no such store; \(NearestFile.advice(for: store, preferring: [".sqlite"])) [notFound]"
      }
      if let foreign = ForeignStoreFile(at: store), foreign.code == .otherStoreType {
        return foreign.error("").description
      }
      return "no run into this store was recorded; there is no \(history.path): name the store that a run names, or run"
        + " without “history: false” [noRuns]"
    }
    guard let name else {
      let runs = try history.recent(pipeline: pipeline, limit: limit)
      if runs.isEmpty, let pipeline {
        let names = try history.pipelines()
        Console.words("\(store): \(Self.noRun(of: pipeline, among: names))")
      }
      write(runs)
      return nil
    }
    let found = name == "last" ? try history.recent(pipeline: pipeline, limit: 1).first : try history.run(name)
    guard let found else {
      let pipelines = pipeline.map { " of the pipeline “\($0)”" } ?? ""
      return "there is no run “\(name)”\(pipelines) in \(history.path);"
        + " “mergewalk runs \(ShellText.word(store))” lists them [noSuchRun]"
    }
    Console.data(lines: json ? RunListing.json(found).text : RunListing.text(found))
    return nil
  }

  /// Says that a pipeline has no runs where others have some.
  private static func noRun(of pipeline: String, among names: [String]) -> String {
    let hint = NearestName.hint(for: pipeline, among: names).map { "; " + $0 } ?? ""
    return "no run of a pipeline “\(pipeline)” was recorded\(hint)"
  }

  private func write(_ runs: [RunRecord]) {
    if json { Console.data(.array(runs.map(RunListing.json))) } else { RunListing.write(runs) }
  }

  // MARK: Folders

  /// Shows the runs of all stores of a folder, or of one store as a page.
  private func showAll(_ stores: RunsFolder) throws {
    if name != nil {
      Console.words("\(store): error: a run is one of a store, not of a folder [isFolder]")
      throw ExitStatus.failure
    }
    let (pipelines, problems) = stores.pipelines(named: pipeline, limit: html == nil ? limit : RunTrend.most)
    for problem in problems { Console.words(problem) }
    if pipelines.isEmpty, problems.isEmpty {
      let names = Set(stores.pipelines(named: nil, limit: 1).pipelines.map(\.name)).sorted()
      let reason =
        if let pipeline, !names.isEmpty { Self.noRun(of: pipeline, among: names) } else {
          "no run was recorded of \(stores.isFolder ? "a store in this folder" : "this store")"
        }
      Console.words("\(store): error: \(reason) [noRuns]")
      throw ExitStatus.failure
    }
    if let html {
      try FindingsOutput.orFail { () throws(DiagnosticList) in
        try TextFile.replace(
          html, Console.redacted(RunsPage(pipelines: pipelines, title: store, path: html).html), as: .report,
          access: .derived(from: pipelines.first?.store ?? store))
      }
    } else {
      let runs = pipelines.flatMap(\.runs).sorted { $0.started > $1.started }.prefix(limit)
      write(Array(runs))
    }
    if !problems.isEmpty { throw ExitStatus.findings }
  }
}
