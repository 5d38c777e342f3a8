import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkPipelines

/// The results of `mergewalk test`.
struct TestReport {
  /// The files whose cases ran.
  var files = 0
  /// The cases with the files that they are from, in the order in which they ran.
  var cases: [(path: String, result: PipelineTests.Result)] = []
  /// The reasons why files were not found.
  var findings: [Diagnostic] = []
  /// The errors and warnings about files that were found.
  private var fileFindings: [Diagnostic] = []

  /// Notes what is said of a file: errors keep it from being run.
  mutating func add(file findings: [Diagnostic]) { fileFindings += findings }

  private var hasErrors: Bool { (findings + fileFindings).contains { $0.severity == .error } }

  /// Whether nothing ran and nothing says why.
  var isEmpty: Bool { cases.isEmpty && !hasErrors }

  private func count(_ outcome: PipelineTests.Result.Outcome) -> Int {
    cases.count { $0.result.outcome == outcome }
  }

  /// The exit code, or `nil` for success.
  var status: ExitCode? {
    if hasErrors || count(.broken) > 0 || cases.isEmpty { return ExitStatus.failure }
    return count(.failed) > 0 ? ExitStatus.findings : nil
  }

  /// One sentence.
  var words: String {
    let parts = [
      (count(.passed), "passed"), (count(.failed), "failed"), (count(.broken), "could not be run"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let tally = parts.isEmpty ? "nothing ran" : parts.joined(separator: ", ")
    return "\(Figures.count(cases.count, "case")) in \(Figures.count(files, "file")): \(tally)"
  }

  var json: JSONText {
    [
      "files": .integer(files), "passed": .integer(count(.passed)), "failed": .integer(count(.failed)),
      "broken": .integer(count(.broken)), "findings": FindingsOutput.json(findings + fileFindings),
      "cases": .array(
        cases.map { path, result in
          [
            "file": .string(path), "name": .string(result.name), "line": .integer(result.position.line),
            "outcome": .string(result.outcome.rawValue), "seconds": .decimal(result.seconds, digits: 3),
            "findings": FindingsOutput.json(result.findings),
          ]
        }),
    ]
  }
}
