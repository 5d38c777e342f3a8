import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines

/// The output of `mergewalk stores`, in words and as an object.
final class StoresOutput {
  static let exitCodes = """
    EXIT CODES
      0   done
      1   done; some records were rejected, within the limits
      2   failed, or inputs or stores differ from the plan; what was published is unchanged
      3   too many rejects, or too many stores would be removed; what was published is unchanged
      5   refused: the plan was made by another version, pipeline or model
      6   another process is planning or committing
      64  usage
    """

  private let family: StoreFamily
  private let options: StoresOutputOptions
  private var steps: JSONText = [:]
  private var rejected = 0
  /// The warnings that stand on standard error already: “build” has some of them from more than one step.
  private var told: Set<String> = []

  init(_ family: StoreFamily, _ options: StoresOutputOptions) {
    self.family = family
    self.options = options
  }

  /// Carries out steps and ends the command with the exit code of what came of them.
  func run(_ body: (StoresOutput) throws(FamilyError) -> Void) throws {
    do throws(FamilyError) {
      try body(self)
    } catch {
      Console.hide(family.redaction)
      if error.diagnostics.isEmpty {
        Console.words("mergewalk: error: \(error.message) [\(error.code.rawValue)]")
      } else {
        FindingsOutput.words(error.diagnostics)
      }
      finish(
        "failed",
        [
          "error": [
            "code": .string(error.code.rawValue), "message": .string(error.message),
            "findings": FindingsOutput.json(error.diagnostics),
          ]
        ])
      throw Self.exitStatus(error)
    }
    Console.hide(family.redaction)
    finish("done", [:])
    if rejected > 0 { throw ExitStatus.findings }
  }

  private func finish(_ status: String, _ more: JSONText) {
    guard options.json else { return }
    Console.outcomeIsSettled()
    let head: JSONText = ["status": .string(status), "family": .string(family.folder)]
    Console.data(head.with(steps).with(more))
  }

  private static func exitStatus(_ error: FamilyError) -> ExitCode {
    switch error.code {
    case .otherPlan: ExitStatus.refused
    case .limitBreached: ExitStatus.limitBreached
    case .busy: ExitStatus.busy
    case .invalidPipeline, .failed: ExitStatus.of(DiagnosticList(error.diagnostics))
    case .notPlanned, .inputChanged, .incomplete, .countsDiffer, .occupied, .contract: ExitStatus.failure
    }
  }

  // MARK: Steps

  func tell(_ planned: StoreFamily.Planned) {
    rejected = planned.rejected
    steps = steps.with([
      "plan": [
        "id": .string(planned.id), "stores": .integer(planned.stores), "read": .count(planned.read),
        "skipped": .integer(planned.skipped), "rejected": .integer(planned.rejected),
        "reject_codes": .named(planned.rejectCodes) { .integer($0) }, "rejects": .text(planned.rejectsPath),
        "completeness": .text(planned.completeness?.rawValue), "findings": FindingsOutput.json(planned.warnings),
        "warnings": .array(planned.runWarnings.map { SummaryOutput.warning($0) }),
        "text": SummaryOutput.text(planned.text),
      ]
    ])
    guard !options.quiet else { return }
    FindingsOutput.words(planned.warnings)
    for warning in planned.runWarnings { tell(warning) }
    var text = "\(family.folder): \(Figures.count(planned.stores, "store")) planned"
    if let read = planned.read { text += " from \(Figures.count(read, "record"))" }
    text += left(planned.skipped, planned.rejected)
    Console.words(text)
    if let passed = SummaryOutput.passedLine(planned.text) { Console.words(passed) }
    if let path = planned.rejectsPath { Console.words("  rejects  \(path) (\(words(planned.rejectCodes)))") }
    if planned.completeness == .unchecked {
      Console.words("  input    whether it came whole was not checked (--expect-records, --expect-sha256)")
    }
  }

  func tell(_ built: StoreFamily.Built) {
    rejected += built.rejected + built.sharedRejected
    steps = steps.with([
      "task": [
        "built": .integer(built.built), "kept": .integer(built.kept), "read": .integer(built.read),
        "rejected": .integer(built.rejected), "shared_rejected": .integer(built.sharedRejected),
        "warnings": warnings(built.warnings), "fields": .array(built.fields.map(SummaryOutput.field)),
        "lists": .array(built.lists.map(SummaryOutput.list)),
      ]
    ])
    guard !options.quiet else { return }
    Console.words(
      "\(family.folder): \(Figures.count(built.built, "store")) built from \(Figures.count(built.read, "record")),"
        + " \(Figures.grouped(built.kept)) kept" + left(0, built.rejected) + sharedWords(built.sharedRejected))
    for (warning, stores) in built.warnings { tell(warning, in: stores) }
  }

  func tell(_ committed: StoreFamily.Committed) {
    rejected = committed.rejected + committed.sharedRejected
    steps = steps.with([
      "commit": [
        "plan": .string(committed.id), "stores": .integer(committed.stores),
        "replaced": .integer(committed.published), "removed": .integer(committed.removed),
        "read": .integer(committed.read), "skipped": .integer(committed.skipped),
        "rejected": .integer(committed.rejected), "reject_codes": .named(committed.rejectCodes) { .integer($0) },
        "rejects": .text(committed.rejectsPath), "split": .nullable(committed.split.map { Self.counts($0) }),
        "parts": Self.counts(committed.parts), "shared": .integer(committed.shared),
        "shared_rejected": .integer(committed.sharedRejected), "bytes": .integer(committed.bytes),
        "empty": .integer(committed.empty), "warnings": warnings(committed.warnings),
        "fields": .array(committed.fields.map(SummaryOutput.field)),
        "lists": .array(committed.lists.map(SummaryOutput.list)),
      ]
    ])
    guard !options.quiet else { return }
    Console.words(
      "\(family.folder): \(Figures.count(committed.stores, "store")) published,"
        + " \(Figures.bytes(committed.bytes)), \(Figures.count(committed.read, "record"))"
        + left(committed.skipped, committed.rejected)
        + (committed.removed > 0 ? "; \(Figures.grouped(committed.removed)) removed" : ""))
    for (warning, stores) in committed.warnings { tell(warning, in: stores) }
    let built = Figures.grouped(committed.parts.read) + " of the stores"
    if let split = committed.split {
      Console.words(
        "  sums     \(Figures.grouped(split.read)) read by the split = \(built) + \(Figures.grouped(split.skipped)) skipped"
          + " + \(Figures.grouped(split.rejected)) rejected")
    } else {
      Console.words("  sums     \(built); records that another program has split were not counted before")
    }
    if committed.empty > 0 {
      Console.words(
        "  empty    \(Figures.count(committed.empty, "store")) without records: all of theirs were skipped or rejected")
    }
    for line in SummaryOutput.values(committed.fields, committed.lists) { Console.words(line) }
    if committed.shared > 0 {
      Console.words(
        "  shared   \(Figures.count(committed.shared, "record")) beside them" + sharedWords(committed.sharedRejected))
    }
    if let path = committed.rejectsPath { Console.words("  rejects  \(path) (\(words(committed.rejectCodes)))") }
  }

  // MARK: Warnings

  private func tell(_ warning: RunWarning, in stores: Int? = nil) {
    let note = stores.map { ", in \(Figures.count($0, "store"))" } ?? ""
    let text = SummaryOutput.words(warning, of: family.folder, note: note)
    if told.insert(text).inserted { Console.words(text) }
  }

  private func warnings(_ warnings: [(warning: RunWarning, stores: Int)]) -> JSONText {
    .array(warnings.map { SummaryOutput.warning($0.warning).with(["stores": .integer($0.stores)]) })
  }

  private static func counts(_ counts: (read: Int, skipped: Int, rejected: Int)) -> JSONText {
    ["read": .integer(counts.read), "skipped": .integer(counts.skipped), "rejected": .integer(counts.rejected)]
  }

  private func left(_ skipped: Int, _ rejected: Int) -> String {
    (skipped > 0 ? ", \(Figures.grouped(skipped)) skipped" : "")
      + (rejected > 0 ? ", \(Figures.grouped(rejected)) rejected" : "")
  }

  /// The note on rejects of shared pipelines, which are in no file of the family.
  private func sharedWords(_ rejected: Int) -> String {
    if rejected == 0 { return "" }
    return ", \(Figures.grouped(rejected)) rejected of the pipelines under “shared”: run those alone to see why"
  }

  private func words(_ codes: [String: Int]) -> String {
    codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \(Figures.grouped($0.value))" }
      .joined(separator: ", ")
  }
}
