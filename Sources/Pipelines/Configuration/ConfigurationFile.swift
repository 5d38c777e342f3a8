import Diagnostics
import Importing
import YAML

/// Reads a YAML file that people write, with everything that it includes and with its variables replaced.
struct ConfigurationFile {
  /// The whole tree.
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
      let bytes = try SourceFile.read(findings.path, limit: YAMLLimits.standard.maximumBytes)
      findings.source = bytes
      var list: [Diagnostic] = []
      defer { findings.add(list) }
      return try YAMLDocument.parse(bytes, path: findings.path, findings: &list)
    } catch {
      findings.add(error.diagnostics)
      return nil
    }
  }
}
