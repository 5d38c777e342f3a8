public import MergewalkDiagnostics
public import MergewalkImporting
public import MergewalkRecordFormats

/// A family of stores: one input, a store for each value of a column, in one folder.
///
/// ``plan(_:sources:variables:change:)`` splits the records, ``task(number:of:jobs:)`` builds stores and may run
/// anywhere, any number of times, and ``commit()`` verifies all of them and publishes the family. Each step leaves its
/// results in files, so the program that runs the tasks needs only the folder. `docs/families.md` describes them.
public final class StoreFamily {
  /// The result of planning.
  public struct Planned: Sendable {
    /// The plan's name.
    public var id = ""
    /// The number of stores to build.
    public var stores = 0
    /// The records that were read, or `nil` when another program has split them.
    public var read: Int?
    /// Records that name no store and were skipped.
    public var skipped = 0
    /// Records that were rejected by the split.
    public var rejected = 0
    /// Rejects by code.
    public var rejectCodes: [String: Int] = [:]
    /// The rejects file of the split, if there is one.
    public var rejectsPath: String?
    /// Whether an input could be read only once and has no expected size or checksum.
    public var completeness: ImportSummary.Completeness?
    /// Findings about the pipeline that do not stop anything.
    public var warnings: [Diagnostic] = []
    /// Warnings of the split about the inputs.
    public var runWarnings: [RunWarning] = []
    /// The accounting of the text of the split inputs.
    public var text = TextAccount()
  }

  /// The result of a task.
  public struct Built: Sendable {
    /// Stores that were built.
    public var built = 0
    /// Existing stores that were already as planned.
    public var kept = 0
    /// Records read, of the stores that were built.
    public var read = 0
    /// Records rejected, of the stores that were built.
    public var rejected = 0
    /// Records of shared pipelines rejected, counted once for each store that was built.
    public var sharedRejected = 0
    /// The sums of the runs of the stores that were built.
    var sums = FamilySums()

    /// The warnings of the runs, in the order of their texts, with the number of stores.
    ///
    /// The commit, which knows all stores, reports parts of the pipeline that never matched: another store may match
    /// them.
    public var warnings: [(warning: RunWarning, stores: Int)] {
      sums.warnings.filter { $0.warning.code != .neverMatched }
    }

    /// Counts of the values of each field, for the stores that were built.
    public var fields: [FieldTally] { sums.fields }

    /// Counts of the elements of each list, for the stores that were built.
    public var lists: [ListTally] { sums.lists }

    static func += (left: inout Built, right: Built) {
      left.built += right.built
      left.kept += right.kept
      left.read += right.read
      left.rejected += right.rejected
      left.sharedRejected += right.sharedRejected
      left.sums += right.sums
    }
  }

  /// The result of a commit.
  public struct Committed: Sendable {
    /// The plan's name.
    public var id = ""
    /// The number of stores in the family.
    public var stores = 0
    /// The number of stores that are new or replaced others.
    public var published = 0
    /// The number of stores removed because the plan no longer contains them.
    public var removed = 0
    /// The counts of the split; `nil` when another program has split the records.
    public var split: (read: Int, skipped: Int, rejected: Int)?
    /// The records from which the stores were built, and the skipped and rejected ones among them.
    public var parts = (read: 0, skipped: 0, rejected: 0)
    /// The records of shared pipelines, counted once for each store.
    public var shared = 0
    /// The rejected ones among them.
    public var sharedRejected = 0
    /// The file with the rejects of the split and of all parts, if there are any.
    public var rejectsPath: String?
    /// Records of all stores and of the split.
    public var read = 0
    /// Records that were skipped.
    public var skipped = 0
    /// Records that were rejected.
    public var rejected = 0
    /// Rejects by code.
    public var rejectCodes: [String: Int] = [:]
    /// The bytes of all stores.
    public var bytes = 0
    /// Stores without records of their own: all of theirs were skipped or rejected.
    public var empty = 0
    /// The warnings of the runs of all stores, in the order of their texts, with the number of stores.
    ///
    /// They include `neverMatched` if no store has what it names.
    public var warnings: [(warning: RunWarning, stores: Int)] = []
    /// Counts of the values of each field, of all stores.
    public var fields: [FieldTally] = []
    /// Counts of the elements of each list, of all stores.
    public var lists: [ListTally] = []
  }

  /// The family's folder.
  public let folder: String
  let files: FamilyFiles
  /// Removes the secrets of the pipelines from all output.
  public private(set) var redaction = Redaction()
  /// The pipeline as it was read, so that it is read once a process.
  var loaded: LoadedFamily?

  /// The plan's file that this process has made, with the states of the files of its spool.
  var split: (identity: String, states: [[String: FileState]])?

  /// What this process knows about the family's files.
  let known = KnownFiles()

  /// A family in a folder, which need not exist yet.
  public init(folder: String) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
    files = FamilyFiles(folder: folder)
  }

  /// The name of the run in all rejects of a family, so that the same records leave the same bytes.
  static func rejectsRun(_ definition: ImportDefinition) -> String { definition.name + "/stores" }

  func hide(_ other: Redaction) { redaction.add(other) }

  /// Reads the plan.
  ///
  /// - Throws: `notPlanned`.
  func readPlan() throws(FamilyError) -> FamilyPlan {
    if FileKind(folder) == .file {
      throw FamilyError(
        .notPlanned, "\(folder): this is a file; name the folder of a family, as “--out” of the plan did")
    }
    guard let bytes = try FamilyFiles.read(files.plan) else {
      throw FamilyError(
        .notPlanned, "\(files.plan): there is no plan; make one: mergewalk stores plan PIPELINE --out \(folder)")
    }
    guard let plan = FamilyPlan(json: bytes) else {
      throw FamilyError(
        .otherPlan, "\(files.plan): the plan is damaged or one of another version of mergewalk; plan the family again")
    }
    return plan
  }

  /// The pipeline of a plan with its shared ones, as this process reads them.
  ///
  /// - Throws: `otherPlan` when they are not those that the plan was made with.
  func load(_ plan: FamilyPlan) throws(FamilyError) -> LoadedFamily {
    if let loaded, loaded.base == plan.base { return loaded }
    guard plan.version == ImportSession.version else {
      throw FamilyError(
        .otherPlan,
        "the plan was made by mergewalk \(plan.version), and this is \(ImportSession.version): use one version on all"
          + " nodes"
      )
    }
    var settings = PipelineSettings()
    settings.variables = Variables(assignments: plan.variables)
    settings.checksHeaders = false
    settings.needsFiles = false
    settings.formats = plan.forms.map(\.format)
    do throws(DiagnosticList) {
      let pipeline = try Pipeline.read(plan.pipelinePath, settings: settings)
      hide(pipeline.redaction)
      let loaded = try LoadedFamily(pipeline.definition, forms: plan.forms, variables: settings.variables)
      guard loaded.base == plan.base else {
        throw DiagnosticList(
          error: FamilyError.Code.otherPlan.rawValue, path: plan.pipelinePath,
          message: "the pipeline, its model, a shared pipeline or an option has changed since the plan was made",
          hint: "plan the family again, or use the files that it was planned with")
      }
      self.loaded = loaded
      return loaded
    } catch {
      // What cannot be read here is not what the plan was made with either.
      throw FamilyError(.otherPlan, error.description, diagnostics: error.diagnostics)
    }
  }

  /// Checks that the inputs are as they were when the family was planned.
  ///
  /// Files that another program has split off are read by tasks only: where a store is ready, its files may be gone.
  ///
  /// - Parameter parts: The parts whose inputs count, so that many tasks do not look at all files each; `nil` for all
  ///   inputs, also those that have left no record.
  func checkSources(_ plan: FamilyPlan, of parts: [Int]? = nil) throws(FamilyError) {
    func changed(_ path: String, _ what: String) -> FamilyError {
      FamilyError(.inputChanged, "\(path): the input was \(what) after the family was planned; plan it again")
    }
    let numbers = parts.map { plan.sourceNumbers(ofParts: $0) } ?? Array(plan.sources.indices)
    for source in numbers.map({ plan.sources[$0] }) {
      guard let state = source.state, FamilyFiles.state(source.place) != state else { continue }
      throw changed(source.path, "changed or deleted")
    }
    for part in parts ?? Array(plan.parts.indices) {
      for file in plan.parts[part].files {
        guard let state = file.state, let now = FamilyFiles.state(file.path), now != state else { continue }
        throw changed(file.path, "changed")
      }
    }
  }
}

/// A pipeline with its shared ones, ready to build stores.
struct LoadedFamily: Sendable {
  /// The definition of the run into each store: sources and formats are set for each.
  let definition: ImportDefinition
  let policy: StoresPolicy
  let shared: [ImportDefinition]
  /// See ``FamilyPlan/base(_:_:shared:)``.
  let base: String
  /// The digests of the inputs of the shared pipelines, for the plan.
  let sharedDigests: [FamilyPlan.Shared]

  /// Prepares a pipeline.
  ///
  /// - Throws: what is wrong with it or with a shared one.
  init(_ definition: ImportDefinition, forms: [SpoolForm], variables: Variables) throws(DiagnosticList) {
    guard let policy = definition.stores else { throw Self.noStores(definition) }
    var ready = definition
    for (index, form) in forms.enumerated() {
      ready.parts[index].format = form.format
      ready.parts[index].inputFindings = InputFindings()
    }
    ready.hashSeed = SeedBuild.hashSeed
    ready.reporting = RunReporting()
    // What reading the pipeline warns of is told by the plan.
    ready.warnings = []
    ready.policy.again = .run
    // An attempt that dies is begun anew in any case, so that there is nothing to lose.
    if ready.policy.direct == .auto { ready.policy.direct = .always }
    ready.stores = nil
    // What is expected is expected of the whole, which the split holds against it.
    ready.expectedRecords = nil
    self.policy = policy
    var shared: [ImportDefinition] = []
    var digests: [FamilyPlan.Shared] = []
    for path in policy.shared {
      var settings = PipelineSettings()
      settings.variables = variables
      settings.storePath = "shared.sqlite"
      var other = try Pipeline.read(path, settings: settings).definition
      other.hashSeed = SeedBuild.hashSeed
      other.reporting = RunReporting()
      other.policy.again = .run
      other.rejects.path = nil
      let contents = other.allSources.map { FamilyFiles.digest($0.path)?.sha256 ?? "" }.joined(separator: " ")
      shared.append(other)
      digests.append(FamilyPlan.Shared(path: path, digest: contents))
    }
    ready.computeDigest()
    base = FamilyPlan.base(
      ready, policy, shared: Array(zip(shared, digests.map(\.digest))).map { ($0.0, $0.1) })
    self.definition = ready
    self.shared = shared
    sharedDigests = digests
  }

  static func noStores(_ definition: ImportDefinition) -> DiagnosticList {
    DiagnosticList([
      Diagnostic(
        .missingField, path: definition.path ?? definition.name, position: .file,
        message: "the pipeline does not set how its records are distributed over stores",
        hint: "set “stores”, for example “stores: { by: country }”")
    ])
  }
}
