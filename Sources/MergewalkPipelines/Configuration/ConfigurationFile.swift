import MergewalkDiagnostics
import MergewalkImporting
import MergewalkYAML

/// Reads a YAML file that people write, with everything that it includes and with its variables replaced.
struct ConfigurationFile {
  let root: YAMLNode

  /// Reads the file of the findings; `nil` when it cannot be read, which is a finding.
  ///
  /// - Parameter checksUse: whether variables that were set for this file and that it does not use are findings.
  init?(_ variables: Variables, checksUse: Bool = true, findings: Findings) {
    guard let node = Self.parse(findings) else { return nil }
    let whole = IncludeExpansion.apply(
      node, substitution: VariableSubstitution(variables, findings: findings), findings: findings)
    var substitution = whole.substitution
    root = substitution.apply(whole.root)
    guard checksUse else { return }
    let used = substitution.usedNames
    for name in variables.assignments.keys.sorted() where !used.contains(name) {
      findings.addUnknown(
        .unusedVariable, at: .file, "the variable “\(name)” is set but not used", name: name, candidates: used.sorted())
    }
  }

  private static func parse(_ findings: Findings) -> YAMLNode? {
    do throws(DiagnosticList) {
      findings.source = try SourceFile.read(findings.path, limit: YAMLLimits.maximumBytes)
      var list: [Diagnostic] = []
      defer { findings.add(list) }
      let root = try YAMLDocument.parse(findings.source, path: findings.path, findings: &list)
      guard let wrong = WrongFile.finding(findings.source, root: root, path: findings.path) else { return root }
      list = [wrong]
    } catch {
      // The name of a file that does not exist tells nothing about it.
      let isMissing = error.diagnostics.first?.code == "fileMissing"
      let wrong = isMissing ? nil : WrongFile.finding(findings.source, root: nil, path: findings.path)
      findings.add(wrong.map { [$0] } ?? error.diagnostics)
    }
    return nil
  }
}
