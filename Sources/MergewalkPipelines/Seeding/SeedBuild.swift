public import MergewalkDiagnostics
public import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats
public import MergewalkObjectStore

/// Builds a store with default data from pipelines, so that the same input always gives the same bytes.
///
/// The pipelines run one after the other into one store beside the final name. When all are done, the store is
/// rewritten, marked as complete (``StoreSeed``), and renamed. `docs/default-data.md` lists what the bytes depend on.
public struct SeedBuild: Sendable {
  /// The result of a build.
  public struct Summary: Sendable {
    /// The summary of each pipeline that ran, in order; the store's path is the final one.
    public internal(set) var runs: [ImportSummary] = []
    /// The mark in the store's metadata; `nil` when too many records were rejected and nothing was built.
    public internal(set) var seed: StoreSeed?
    /// The store's UUID, which follows from its contents; empty when nothing was built.
    public internal(set) var uuid = ""
    /// The size of the store in bytes.
    public internal(set) var bytes = 0
    /// Removes the secrets of the pipelines from all output.
    public internal(set) var redaction = Redaction()
  }

  /// The paths of the pipeline files, in running order.
  public var pipelines: [String]
  /// The path of the store to build; the stores that the pipelines name are not touched.
  public var storePath: String
  /// The caller's additions to the files; its store path is not used.
  public var settings = PipelineSettings()
  /// The identity of the data for the mark; `nil` for the names of the pipelines, joined by `+`.
  public var identity: String?
  /// Whether an existing store is replaced.
  public var replaces = false

  /// Prepares a build.
  public init(pipelines: [String], storePath: String) {
    self.pipelines = pipelines
    self.storePath = storePath
  }

  /// The seed of the hashes of keys: a constant, because anything else would show in the primary keys.
  static let hashSeed: UInt64 = 0x5EED_5EED_5EED_5EED

  /// Builds the store.
  ///
  /// - Parameter progress: Called after each batch.
  /// - Returns: The summary; ``Summary/seed`` tells whether a store was built.
  /// - Throws: Findings about the pipelines, or one with the code of an `ImportError` or a `StoreError`;
  ///   `unsuitablePipeline` when a pipeline does not fit the earlier ones. No file has changed.
  /// - Complexity: That of the runs, plus one pass over the store.
  public func run(progress: ((ImportProgress) -> Void)? = nil) throws(DiagnosticList) -> Summary {
    var summary = Summary()
    let staging: StagingFolder
    do throws(StoreError) {
      if replaces { try SeedFile.requireReplaceable(storePath) }
      staging = try StagingFolder(forStore: storePath)
      if !replaces { try SeedFile.requireFree(storePath) }
    } catch {
      throw DiagnosticList(error)
    }
    // Errors say this name until they are caught below.
    let work = staging.file(ResolvedPath.name(of: storePath))
    let definitions = try read(store: work, &summary)
    try checkPlace(definitions)
    for (path, definition) in zip(pipelines, definitions) {
      do throws(ImportError) {
        let session: ImportSession
        do throws(DiagnosticList) { session = try ImportSession(definition) } catch { throw Self.importError(error) }
        var run = try session.run(progress: progress)
        run.storePath = storePath
        summary.runs.append(run)
        if run.status == .limitBreached { return summary }
      } catch {
        throw findings(error, pipeline: path, work: work, summary.redaction)
      }
    }
    do throws(StoreError) {
      let result = try SeedFile.publish(
        work, in: staging, to: storePath, isPacked: summary.runs.last?.isPacked ?? false,
        identity: identity ?? definitions.map(\.name).joined(separator: "+"), replaces: replaces)
      summary.seed = result.mark.seed
      summary.uuid = result.mark.uuid
      summary.bytes = result.bytes
      if let name = result.keptFiles.first, !summary.runs.isEmpty {
        summary.runs[summary.runs.count - 1].warn(
          RunWarning(
            .filesNotRemoved,
            "of the files beside the store that no row names any more \(result.keptFiles.count) stayed, such as \(name):"
              + " another store has the same folder for its files, or they could not be removed"))
      }
    } catch {
      throw DiagnosticList(
        StoreError(
          error.code, path: storePath, message: error.message.replacing(work, with: storePath), cause: error.cause))
    }
    return summary
  }

  /// Reads all pipelines before the first one runs, and checks that they go together.
  private func read(store: String, _ summary: inout Summary) throws(DiagnosticList) -> [ImportDefinition] {
    var settings = settings
    settings.storePath = store
    var definitions: [ImportDefinition] = []
    var findings: [Diagnostic] = []
    for path in pipelines {
      do throws(DiagnosticList) {
        let pipeline = try Pipeline.read(path, settings: settings)
        summary.redaction.add(pipeline.redaction)
        var definition = pipeline.definition
        definition.hashSeed = Self.hashSeed
        // A store with default data is one file, the same bytes each time.
        definition.reporting = RunReporting()
        if let first = definitions.first, let problem = Self.problem(definition, after: first) {
          findings.append(
            Diagnostic(.error, code: "unsuitablePipeline", path: path, position: .file, message: problem))
        }
        definitions.append(definition)
      } catch {
        findings += error.diagnostics
      }
    }
    guard findings.isEmpty else { throw DiagnosticList(findings) }
    return definitions
  }

  /// Checks that the new store takes the place of nothing that it is made from.
  private func checkPlace(_ definitions: [ImportDefinition]) throws(DiagnosticList) {
    var check = OutputCheck()
    for path in pipelines { check.reads(path, as: "a pipeline") }
    for definition in definitions {
      for file in definition.readFiles { check.reads(file, as: "a file that a pipeline consists of") }
      let sources = definition.allSources + definition.objects.flatMap(\.sources)
      for source in sources { check.reads(source.path, as: "an input of the import") }
    }
    guard let refusal = check.refusal(of: storePath, nil, as: "the new store") else { return }
    throw DiagnosticList([
      Diagnostic(.unsafeOutput, path: storePath, position: .file, message: refusal.message, hint: refusal.hint)
    ])
  }

  /// Why a pipeline cannot run after another one.
  static func problem(_ definition: ImportDefinition, after first: ImportDefinition) -> String? {
    let hashes = { (model: ManagedObjectModel) in model.versionHashes.map { ($0.name, $0.hash) } }
    if !hashes(definition.model).elementsEqual(hashes(first.model), by: ==) {
      return "its model is not that of \(first.name): all pipelines of a store have one model"
    }
    if !definition.objects.isEmpty {
      return "objects with identities go into a new store: name this pipeline first, and only one such"
    }
    return nil
  }

  private static func importError(_ list: DiagnosticList) -> ImportError {
    ImportError(code: .cannotRead, message: list.description, diagnostics: list.diagnostics)
  }

  private func findings(
    _ error: ImportError, pipeline: String, work: String, _ redaction: Redaction
  ) -> DiagnosticList {
    guard error.diagnostics.isEmpty else { return DiagnosticList(error.diagnostics.map { redaction($0) }) }
    let finding = Diagnostic(
      .error, code: error.code.rawValue, path: pipeline, position: .file,
      message: error.message.replacing(work, with: storePath))
    return DiagnosticList([redaction(finding)])
  }
}
