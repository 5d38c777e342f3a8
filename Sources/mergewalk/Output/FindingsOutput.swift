import MergewalkBytes
import MergewalkDiagnostics

/// How findings are shown: one line each, in the form that compilers, editors and CI read.
enum FindingsOutput {
  /// Writes the findings to standard error.
  static func words(_ findings: [Diagnostic]) {
    for finding in findings { Console.words(finding.description) }
  }

  /// Does what may be refused; the findings go to standard error then, and the command fails.
  ///
  /// - Parameter advised: Adds what applies to the command.
  static func orFail<Result>(
    advised: ([Diagnostic]) -> [Diagnostic] = { $0 }, _ body: () throws(DiagnosticList) -> Result
  ) throws -> Result {
    do throws(DiagnosticList) { return try body() } catch {
      words(advised(error.diagnostics))
      throw ExitStatus.of(error)
    }
  }

  /// Writes the findings to standard output.
  static func data(_ findings: [Diagnostic]) {
    for finding in findings { Console.data(finding.description) }
  }

  /// `2 errors, 1 warning`, or `no findings`.
  static func tally(_ findings: [Diagnostic]) -> String {
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count - errors
    let parts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { Figures.count($0.0, $0.1) }
    return parts.isEmpty ? "no findings" : parts.joined(separator: ", ")
  }

  /// The findings as an array of objects.
  static func json(_ findings: [Diagnostic]) -> JSONText {
    .array(
      findings.map { finding in
        [
          "severity": .string(finding.severity.rawValue), "code": .string(finding.code), "path": .string(finding.path),
          "line": .integer(finding.position.line), "column": .integer(finding.position.column),
          "message": .string(finding.message), "hint": .text(finding.hint),
        ]
      })
  }
}
