public import MergewalkDiagnostics
public import MergewalkImporting
import MergewalkRecordFormats

/// Settings that the caller adds to a pipeline file.
public struct PipelineSettings: Sendable {
  /// The values of `${NAME}`.
  public var variables = Variables()
  /// The store to use in place of the file's, relative to the working directory.
  public var storePath: String?
  /// The files to read in place of the pipeline's, relative to the working directory; `-` is standard input.
  public var sourcePaths: [String] = []
  /// Files to read in place of single ones, relative to the working directory, by the names of those in the pipeline,
  /// with or without folders.
  public var sourceReplacements: [String: [String]] = [:]
  /// Whether to compare the headers of input files with the columns that the pipeline uses.
  public var checksHeaders = true
  /// Whether the pipeline's files must exist; if not, the format follows from `format` or their names.
  public var needsFiles = true

  /// The formats of the imports in their order, when they are known and no input is to be looked for.
  var formats: [RecordFormat] = []
  /// Whether the pipelines that are to run into each store first are read, too; not for a pipeline that is one of them, as
  /// it could name itself.
  var readsShared = true
  /// Whether no run follows, which finds when it opens the store that its file is no database, and tells so in its
  /// metrics, and which reads tar archives to their end.
  var isLint = false

  /// Creates settings that add nothing.
  public init() {}
}

/// A pipeline file that has been read and checked.
public struct Pipeline: Sendable {
  /// The import that the file defines, ready to run.
  public let definition: ImportDefinition
  /// Removes the secrets of the file from all output; the definition has it too.
  public let redaction: Redaction
  /// The findings that do not stop a run.
  public let warnings: [Diagnostic]

  /// Reads and checks a pipeline file.
  ///
  /// - Throws: every finding about the file, its model and its inputs' headers, warnings included.
  public static func read(
    _ path: String, settings: PipelineSettings = PipelineSettings()
  ) throws(DiagnosticList) -> Pipeline {
    let findings = Findings(path: path)
    let definition = PipelineLoader(settings: settings, findings: findings).load()
    guard var definition, !findings.hasErrors else { throw DiagnosticList(findings.list) }
    let warnings = DiagnosticList(findings.list).diagnostics
    definition.warnings = warnings.compactMap { RunWarning($0) }
    return Pipeline(definition: definition, redaction: findings.redaction, warnings: warnings)
  }

  /// Returns the notifications for the end of a pipeline's run, with its name and a redaction of its secrets; as far as
  /// possible also for a pipeline that cannot be run.
  public static func notifications(
    _ path: String, settings: PipelineSettings = PipelineSettings()
  ) -> (pipeline: String, list: [RunNotification], redaction: Redaction) {
    let findings = Findings(path: path)
    // What a pipe held was read when the run began; waiting for more would be in vain.
    if FileKind.special(path) != nil { return (Paths.stem(path), [], findings.redaction) }
    let (pipeline, list) = PipelineLoader(settings: settings, findings: findings).notices()
    return (pipeline, list, findings.redaction)
  }

  /// Returns every finding about a pipeline file, its model and the headers of its inputs, sorted by position; empty
  /// for a pipeline without mistakes.
  public static func lint(_ path: String, settings: PipelineSettings = PipelineSettings()) -> [Diagnostic] {
    var known = SharedCursors()
    return lint(path, settings: settings, among: &known)
  }

  /// Checks one of several pipelines; each gets the findings that it has because of those before it.
  package static func lint(
    _ path: String, settings: PipelineSettings, among known: inout SharedCursors
  ) -> [Diagnostic] {
    let findings = Findings(path: path)
    var settings = settings
    settings.isLint = true
    if let definition = PipelineLoader(settings: settings, findings: findings).load() {
      known.check(definition, findings)
    }
    return DiagnosticList(findings.list).diagnostics
  }
}
