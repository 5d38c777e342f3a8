import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines

/// `mergewalk seed`: a store with default data, ready to be shipped, and what is done with one.
struct SeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Build a store with default data reproducibly, or install one.",
    discussion: HelpText.flow(
      """
      With pipelines, all of them run into one new store. The same input gives the same bytes, and a mark in the \
      metadata says that the data are complete. With --from, the data of a prepared store are installed once: \
      its file is copied if there is no store yet, otherwise its objects are. With --check, prints whether a \
      store has such a mark. Messages go to standard error; with --json, one object goes to standard output.

      EXIT CODES
        0   the store was built, or has the data; --check found the mark
        1   the store was built, but some records were rejected; --check found no mark
        2   could not run; no file has changed
        3   too many rejects; there is no new store
        6   another process holds the store; no file has changed
        7   the store was built, or has the data, but the result could not be written

      EXAMPLES
        mergewalk seed airports.yaml routes.yaml --store default.sqlite
        mergewalk seed airports.yaml --store default.sqlite --identity airports-2026 --force
        mergewalk seed --check --store default.sqlite
        mergewalk seed --from default.sqlite --store mine.sqlite --find-by Airport.iata
      """))

  @Argument(
    help: "The pipeline files, in the order in which they run.", completion: .file(extensions: ["yaml", "yml"]))
  var pipelines: [String] = []

  @Option(
    help: ArgumentHelp("The store; the stores named in the pipelines are ignored.", valueName: "path"),
    completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp(
      "The identity of the data, recorded in the store's mark; by default, the names of the pipelines.",
      valueName: "name"))
  var identity: String?

  @Option(
    help: ArgumentHelp("The prepared store whose file or objects are copied.", valueName: "path"),
    completion: .file())
  var from: String?

  @Option(
    help: ArgumentHelp(
      "With --from: the attributes that identify an entity's objects; may be repeated.",
      valueName: "entity.attribute,…"))
  var findBy: [FindByOption] = []

  @Flag(help: "With --from: update the attributes of objects that already exist.")
  var update = false

  @OptionGroup var storeModel: StoreModelOptions

  @OptionGroup var variables: VariableOptions

  @Flag(help: "Replace an existing store in one step once the new one is complete.")
  var force = false

  @Flag(help: "Only print which default data the store has.")
  var check = false

  @Flag(help: "Print one JSON object to standard output.")
  var json = false

  @Flag(help: "Print only errors.")
  var quiet = false

  func validate() throws {
    try OptionPaths.check(written: ("--store", store))
    if identity?.isEmpty == true { throw ValidationError("--identity takes a name") }
    if check, from != nil { throw ValidationError("--check and --from exclude each other") }
    if let option = check ? "--check" : from.map({ _ in "--from" }), let extra = pipelines.first {
      throw ValidationError("\(option) takes no pipelines; leave out “\(extra)” or \(option)")
    }
    if pipelines.isEmpty, !check, from == nil {
      throw ValidationError("name pipelines to build a store from, or use --from or --check")
    }
    if pipelines.isEmpty, force { throw ValidationError("--force can be used only with pipelines") }
    if from == nil, !findBy.isEmpty || update || storeModel.model != nil {
      throw ValidationError("--find-by, --update and --model need --from")
    }
    if Set(findBy.map(\.entity)).count < findBy.count {
      throw ValidationError("--find-by takes each entity once; separate several attributes with commas")
    }
  }

  func run() throws {
    do {
      if check { try checkStore() } else if let from { try install(from) } else { try build() }
    } catch let error as DiagnosticList {
      try fail(error.diagnostics)
    } catch let error as StoreError {
      try fail(DiagnosticList(error).diagnostics)
    }
  }

  private func fail(_ failures: [Diagnostic]) throws -> Never {
    let findings = failures.map { finding in
      var finding = finding
      if finding.code == StoreError.Code.alreadyExists.rawValue, finding.path == store {
        if FileKind(store) == .folder { return OutputFile.folder(store) }
        if from == nil { finding.hint = finding.hint ?? "replace it with --force, or name another path with --store" }
      }
      return finding
    }
    FindingsOutput.words(findings)
    Console.outcomeIsSettled()
    if json { Console.data(["status": .string("failed"), "findings": FindingsOutput.json(findings)]) }
    throw ExitStatus.of(DiagnosticList(findings))
  }

  // MARK: Building

  private func build() throws {
    try Folders.createParents(of: store)
    var build = SeedBuild(pipelines: pipelines, storePath: store)
    build.settings.variables = variables.variables
    build.identity = identity
    build.replaces = force
    let start = ContinuousClock.now
    let line = Console.canRedraw && !quiet ? ProgressLine() : nil
    defer { line?.clear() }
    let summary = try build.run(progress: line.map { line in { line.update($0) } })
    line?.clear()
    Console.hide(summary.redaction)
    Console.outcomeIsSettled()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if json { Console.data(Self.json(summary, store: store, seconds: seconds)) }
    // A build that fails for rejects says which, also when it is to be quiet.
    for run in summary.runs where quiet && run.rejected > 0 { Console.words(lines: SummaryOutput.words(run)) }
    if !quiet {
      // Pipelines of one model have its warnings in common.
      var told: Set<String> = []
      for run in summary.runs {
        for line in SummaryOutput.warnings(run) where told.insert(line).inserted { Console.words(line) }
        Console.words(lines: SummaryOutput.words(run))
      }
      if let seed = summary.seed {
        Console.words(
          "\(store): \(seed.identity), \(Figures.bytes(summary.bytes)), \(summary.uuid), in \(Figures.duration(seconds))"
        )
      }
    }
    if let status = summary.runs.compactMap(SummaryOutput.exitStatus).max(by: { $0.rawValue < $1.rawValue }) {
      throw status
    }
  }

  private static func json(_ summary: SeedBuild.Summary, store: String, seconds: Double) -> JSONText {
    [
      "status": .string(summary.seed == nil ? "limit_breached" : "built"), "store": .string(store),
      "uuid": .text(summary.seed.map { _ in summary.uuid }), "seed": .nullable(summary.seed.map(json)),
      "bytes": .integer(summary.bytes), "seconds": .decimal(seconds, digits: 6),
      "runs": .array(summary.runs.map(SummaryOutput.json)),
    ]
  }

  private static func json(_ seed: StoreSeed) -> JSONText {
    ["identity": .string(seed.identity), "digest": .text(seed.digest)]
  }

  // MARK: Installing

  private func install(_ prepared: String) throws {
    let seeds = try StoreMetadata.read(path: prepared).seeds
    let seed = identity.map { name in seeds.first { $0.identity == name } } ?? seeds.last
    if let identity, seed == nil {
      throw StoreError(.notFound, path: prepared, message: "the store has no default data called \(identity)")
    }
    var installation = Installation(store: store, seeds: seeds, identity: identity)
    StoreCopy.clear(store)
    if access(store, F_OK) != 0 {
      try Folders.createParents(of: store)
      do throws(StoreError) { installation.copy = try StoreCopy.copy(prepared, to: store) } catch {
        // Another process may have made the store in the meantime.
        guard error.code == .alreadyExists, access(store, F_OK) == 0 else { throw error }
      }
    }
    if installation.copy == nil {
      var copy = ObjectCopy(from: prepared, to: store)
      if identity != nil { copy.seed = seed }
      copy.options.updates = update
      for option in findBy { copy.options.findBy[option.entity] = option.attributes }
      if let path = storeModel.model {
        copy.model = try StoreModel.find(path: store, modelAt: path, version: storeModel.version).model
      }
      installation.objects = try copy.run()
    }
    Console.outcomeIsSettled()
    if json { Console.data(installation.json(seed.map(Self.json), all: seeds.map(Self.json))) }
    if !quiet { Console.words(lines: installation.words) }
  }

  // MARK: Checking

  private func checkStore() throws {
    let metadata = try StoreMetadata.read(path: store)
    let isMarked = identity.map { metadata.hasSeed($0) } ?? !metadata.seeds.isEmpty
    if json {
      Console.data([
        "status": .string(isMarked ? "seeded" : "unseeded"), "store": .string(store), "uuid": .string(metadata.uuid),
        "seeds": .array(metadata.seeds.map(Self.json)),
      ])
    } else {
      for seed in metadata.seeds { Console.data("\(seed.identity)  \(seed.digest ?? "-")") }
    }
    if !quiet, !isMarked {
      Console.words("\(store): has no default data\(identity.map { " called \($0)" } ?? "")")
    }
    if !isMarked { throw ExitStatus.findings }
  }
}
