package import MergewalkDiagnostics
import MergewalkImporting

/// The tests of a pipeline: a file of cases, each with its input and its expected result.
///
/// Each case runs in a temporary store, with the pipeline as it is and other inputs. `docs/pipeline-tests.md` describes
/// the files.
package struct PipelineTests: Sendable {
  package struct Result: Sendable {
    /// How a case ends.
    package enum Outcome: String, Sendable {
      /// All came out as expected.
      case passed
      /// Something came out otherwise.
      case failed
      /// The case itself is wrong, or the machine did not let it run.
      case broken
    }

    package var name: String
    /// Where it stands in the file.
    package var position: SourcePosition
    package var outcome: Outcome
    /// The differences, at the place of the expectation, or the reason why the case does not run.
    package var findings: [Diagnostic]
    /// How long it took.
    package var seconds: Double
  }

  /// The file's path as the user gave it.
  package let path: String
  /// The names of the cases, in the order of the file.
  package var names: [String] { cases.map(\.name.value) }
  /// Findings about the file that do not keep it from running.
  package let warnings: [Diagnostic]

  let cases: [TestCase]
  let variables: Variables
  let redaction: Redaction
  let pipeline: String

  /// The end of the names of files with tests.
  package static let suffix = "_test.yaml"

  /// Reads and checks a file with tests, but not yet what its cases say about the pipeline.
  ///
  /// - Parameter variables: variables for all cases; those that the file sets hide them.
  /// - Throws: every finding about the file.
  package static func read(_ path: String, variables: Variables = Variables()) throws(DiagnosticList) -> PipelineTests {
    let findings = Findings(path: path)
    guard let tests = PipelineTests(variables, findings: findings), !findings.hasErrors else {
      throw DiagnosticList(findings.list)
    }
    return tests
  }

  private init?(_ variables: Variables, findings: Findings) {
    guard let file = ConfigurationFile(variables, checksUse: false, findings: findings) else { return nil }
    if let pipeline = WrongFile.pipeline(file.root, path: findings.path) {
      findings.add([pipeline])
      return nil
    }
    guard
      let component = ComponentReader(registry: .tests, findings: findings).read(file.root, as: .pipelineTests)
    else { return nil }
    path = findings.path
    self.variables = variables.setting(component.pairs("variables"))
    let named = component.text("pipeline")
    pipeline = named.map(findings.resolve) ?? Self.pipeline(ofTests: findings.path)
    if named == nil, pipeline == path {
      findings.add(
        .missingField, at: .file,
        "the name of the file does not end in “\(Self.suffix)”, so it does not say which pipeline is tested",
        hint: "name it with “pipeline”")
    } else if let finding = Self.missingFile(pipeline) {
      findings.add(
        .unreadableFile, at: named?.position ?? .file, "the pipeline “\(pipeline)”: \(finding)",
        hint: named == nil ? "name it with “pipeline”" : nil)
    }
    var cases: [TestCase] = []
    for item in component.components("cases") {
      guard let built = TestCase(item, findings) else { continue }
      if let first = cases.first(where: { $0.name.value == built.name.value }) {
        findings.add(
          .invalidOption, at: built.name.position,
          "a case is called “\(built.name.value)” on line \(first.name.position.line) already")
      }
      cases.append(built)
    }
    self.cases = cases
    redaction = findings.redaction
    warnings = DiagnosticList(findings.list).diagnostics
  }

  /// Runs one case by its place in ``names``.
  package func run(_ index: Int) -> Result {
    let start = ContinuousClock.now
    let findings = Findings(path: path)
    let testCase = cases[index]
    let outcome = TestRun(testCase, of: self, findings: findings).run()
    return Result(
      name: testCase.name.value, position: testCase.name.position, outcome: outcome,
      findings: DiagnosticList(findings.list.map { redaction($0) }).diagnostics,
      seconds: (ContinuousClock.now - start) / .seconds(1))
  }

  /// Every finding about a file with tests, its pipeline included, without running anything.
  package static func lint(_ path: String, variables: Variables = Variables()) -> [Diagnostic] {
    let findings = Findings(path: path)
    guard let tests = PipelineTests(variables, findings: findings), !findings.hasErrors else {
      return DiagnosticList(findings.list).diagnostics
    }
    for testCase in tests.cases { TestRun(testCase, of: tests, findings: findings).check() }
    return DiagnosticList(findings.list.map { tests.redaction($0) }).diagnostics
  }

  /// The pipeline that tests are called after; their own path when they are called after none.
  private static func pipeline(ofTests path: String) -> String {
    path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) + ".yaml" : path
  }

  private static func missingFile(_ path: String) -> String? {
    do throws(DiagnosticList) {
      _ = try SourceFile.read(path)
      return nil
    } catch {
      return error.diagnostics.first?.message
    }
  }
}

extension Variables {
  /// The variables with more of them set.
  func setting(_ pairs: [(name: Located<String>, value: Located<String>)]?) -> Variables {
    var result = self
    for pair in pairs ?? [] { result.assignments[pair.name.value] = pair.value.value }
    return result
  }
}
