import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel

/// The expected result of a case, checked against the model.
struct Expectation {
  struct Rows {
    var entity: EntityDescription
    var rows: [ExpectedRow]
    /// Whether these are all objects of the entity.
    var isAll: Bool
    var position: SourcePosition
  }

  private let component: ComponentValue
  private(set) var rows: [Rows] = []
  private(set) var objects: [(entity: EntityDescription, count: Int, position: SourcePosition)] = []

  /// Reads the expectations; `nil` when the model does not know what they name, which is a finding.
  init?(_ component: ComponentValue, model: ManagedObjectModel, findings: Findings) {
    self.component = component
    let reader = RowReader(model: model, findings: findings)
    for (name, isAll) in [("rows", true), ("contains", false)] {
      guard let tree = component.tree(name) else { continue }
      guard let groups = reader.groups(tree) else { return nil }
      rows += groups.map { Rows(entity: $0.entity, rows: $0.rows, isAll: isAll, position: $0.position) }
    }
    for pair in component.pairs("objects") ?? [] {
      guard let entity = reader.entity(pair.name) else { return nil }
      guard let count = Int(pair.value.value), count >= 0 else {
        findings.add(.wrongType, at: pair.value.position, "a number of objects is a whole number from 0")
        return nil
      }
      objects.append((entity, count, pair.value.position))
    }
  }

  // MARK: Comparing

  /// Compares the summary of a run and what it rejected.
  func compare(_ summary: ImportSummary, _ rejects: [RejectedRecord], _ findings: Findings) {
    if let error = component.text("error") {
      findings.add(.testDiffers, at: error.position, "the pipeline runs; it should end with “\(error.value)”")
    }
    let status =
      switch summary.status {
      case .limitBreached: 3
      case .completedWithRejects: 1
      case .interrupted: 4
      case .completed, .dryRun, .skippedAgain: summary.rejected > 0 ? 1 : 0
      }
    let wantsRejects = component.has("rejects") || (component.component("counts")?.count("rejected") ?? 0) > 0
    compare(status: status, wanted: component.count("exit") ?? (wantsRejects ? 1 : 0), findings)
    let counts =
      summary.counts.named
      + [("deleted", summary.deleted), ("marked", summary.marked), ("denied", summary.denied)]
    if let expected = component.component("counts") {
      for (name, count) in counts {
        guard let wanted = expected.count(name), wanted != count, let field = expected.fields[name] else { continue }
        findings.add(.testDiffers, at: field.position, "“\(name)” is \(count), not \(wanted)")
      }
    }
    compare(rejects, rejected: summary.rejected, findings)
  }

  /// Compares a run that did not take place.
  func compare(failureCode code: String, _ message: String, _ findings: Findings) {
    guard let error = component.text("error") else {
      findings.add(.testDiffers, at: component.position, "the run fails: \(message) [\(code)]")
      return
    }
    if error.value != code {
      findings.add(.testDiffers, at: error.position, "the run fails with “\(code)”, not “\(error.value)”: \(message)")
    }
    compare(status: 2, wanted: component.count("exit") ?? 2, findings)
  }

  private func compare(status: Int, wanted: Int, _ findings: Findings) {
    guard status != wanted else { return }
    findings.add(
      .testDiffers, at: component.fields["exit"]?.position ?? component.position,
      "the exit code is \(status), not \(wanted)")
  }

  /// Finds for each expected reject one that fits; each is used once.
  private func compare(_ rejects: [RejectedRecord], rejected: Int, _ findings: Findings) {
    var left = Array(rejects.indices)
    var missing: [ComponentValue] = []
    for expected in component.components("rejects") {
      if let index = left.firstIndex(where: { Self.fits(expected, rejects[$0]) }) {
        left.remove(at: index)
      } else {
        missing.append(expected)
      }
    }
    for expected in missing {
      let code = expected.text("code")?.value ?? ""
      // What is nearest says best what is wrong.
      let near =
        left.first { rejects[$0].record == expected.count("record") && expected.has("record") }
        ?? left.first { rejects[$0].code == code }
      var message = "no record is rejected with “\(code)”" + Self.words(expected)
      if let near {
        message += "; there is \(rejects[near].summary)"
        left.removeAll { $0 == near }
      }
      findings.add(.testDiffers, at: expected.position, message)
    }
    // Counts alone may expect rejects without naming them.
    if !component.has("rejects"), component.component("counts")?.has("rejected") == true { return }
    if !component.has("rejects"), component.count("exit").map({ $0 == 1 || $0 == 3 }) == true { return }
    let place = component.fields["rejects"]?.keyPosition ?? component.position
    for index in left.prefix(20) {
      findings.add(.testDiffers, at: place, "a record is rejected that should not be: \(rejects[index].summary)")
    }
    if left.count > 20 { findings.add(.testDiffers, at: place, "and \(left.count - 20) more records are rejected") }
  }

  private static func fits(_ expected: ComponentValue, _ reject: RejectedRecord) -> Bool {
    if let code = expected.text("code"), code.value != reject.code { return false }
    if let record = expected.count("record"), record != reject.record { return false }
    if let line = expected.count("line"), line != reject.line { return false }
    if let field = expected.text("field"), field.value != reject.field { return false }
    if let message = expected.text("message"), !reject.message.contains(message.value) { return false }
    return true
  }

  private static func words(_ expected: ComponentValue) -> String {
    var words = ""
    if let record = expected.count("record") { words += ", record \(record)" }
    if let line = expected.count("line") { words += ", line \(line)" }
    if let field = expected.text("field") { words += ", field “\(field.value)”" }
    if let message = expected.text("message") { words += ", message “\(message.value)”" }
    return words
  }
}
