import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectModel
import MergewalkRecordFormats
import MergewalkYAML

/// Runs one case in a folder of its own and compares what comes out.
struct TestRun {
  private let testCase: TestCase
  private let tests: PipelineTests
  private let findings: Findings
  private let folder: ScratchFolder?

  init(_ testCase: TestCase, of tests: PipelineTests, findings: Findings) {
    self.testCase = testCase
    self.tests = tests
    self.findings = findings
    folder = ScratchFolder()
  }

  private var store: String { folder?.file("store.sqlite") ?? "" }

  /// Checks what the case says about its pipeline and the model; nothing is run.
  func check() {
    guard let folder else { return noFolder() }
    for (index, run) in testCase.earlierRuns.enumerated() { _ = prepare(run, number: index + 1, in: folder) }
    guard let definition = prepare(testCase.run, number: 0, in: folder, failing: testCase.expectation.text("error"))
    else { return }
    _ = rows(testCase.before?.tree("rows"), definition.model)
    _ = Expectation(testCase.expectation, model: definition.model, findings: findings)
  }

  func run() -> PipelineTests.Result.Outcome {
    guard let folder else {
      noFolder()
      return .broken
    }
    let expectation = testCase.expectation
    for (index, run) in testCase.earlierRuns.enumerated() where index == 0 && testCase.before?.has("rows") == true {
      // The model of the rows is that of the first pipeline that uses them.
      guard let definition = prepare(run, number: 1, in: folder), fill(definition.model) else { return .broken }
    }
    for (index, run) in testCase.earlierRuns.enumerated() {
      guard let definition = prepare(run, number: index + 1, in: folder), runBefore(definition, run) else {
        return .broken
      }
    }
    let mark = findings.count
    guard
      let definition = prepare(
        testCase.run, number: 0, in: folder, failing: expectation.text("error"))
    else {
      if findings.count == mark { return expectsFailure() }
      return .broken
    }
    if testCase.earlierRuns.isEmpty, testCase.before?.has("rows") == true, !fill(definition.model) { return .broken }
    guard let expected = Expectation(expectation, model: definition.model, findings: findings) else { return .broken }
    return compare(definition, expected)
  }

  private func noFolder() {
    findings.add(
      .unreadableFile, at: testCase.name.position, "there is no folder for temporary files",
      hint: "set TMPDIR to one that can be written")
  }

  // MARK: Pipelines

  /// Reads a pipeline with the inputs of the case.
  ///
  /// - Parameter wanted: the code of the finding that has to keep it from being read; then that is no finding here.
  /// - Returns: `nil` when findings keep it from being read.
  private func prepare(
    _ run: TestCase.Run, number: Int, in folder: ScratchFolder, failing wanted: Located<String>? = nil
  ) -> ImportDefinition? {
    var settings = PipelineSettings()
    settings.variables = tests.variables.setting(testCase.run.variables).setting(run.variables)
    settings.storePath = store
    let path = run.pipeline.map(findings.resolve) ?? tests.pipeline
    var paths: [(files: [String], input: TestCase.Input)] = []
    for (index, input) in run.inputs.enumerated() {
      guard let files = files(input, folder: folder, number: "\(number)-\(index)", pipeline: path, settings) else {
        return nil
      }
      paths.append((files, input))
      if let replaced = input.replaced {
        settings.sourceReplacements[replaced.value] = files
      } else {
        settings.sourcePaths = files
      }
    }
    do throws(DiagnosticList) {
      let pipeline = try Pipeline.read(path, settings: settings)
      findings.hide(pipeline.redaction)
      let used = Set(pipeline.definition.allSources.map(\.path))
      for (files, input) in paths where input.text != nil && !files.contains(where: used.contains) {
        findings.add(
          .unreadableFile, at: input.position,
          "the pipeline does not list a file “\(input.replaced?.value ?? "")” that this could replace")
        return nil
      }
      return pipeline.definition
    } catch {
      let errors = error.diagnostics.filter { $0.severity == .error }.map(plain)
      if let wanted, errors.contains(where: { $0.code == wanted.value }) { return nil }
      findings.add(errors)
      if let wanted {
        findings.add(.testDiffers, at: wanted.position, "the pipeline has no error “\(wanted.value)”, but others")
      }
      return nil
    }
  }

  /// A finding that names files of the case as the case does, and not where they lie for now.
  private func plain(_ finding: Diagnostic) -> Diagnostic {
    guard let folder else { return finding }
    var finding = finding
    finding.message = Self.plain(finding.message, folder.path)
    finding.path = Self.plain(finding.path, folder.path)
    return finding
  }

  /// The text without the folder of inputs, `FOLDER/input-0-0/`.
  private static func plain(_ text: String, _ folder: String) -> String {
    let parts = text.split(separator: folder + "/input-", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      text + (part.firstIndex(of: "/").map { part[part.index(after: $0)...] } ?? part)
    }
  }

  /// The files of an input; `nil` when one cannot be made.
  private func files(
    _ input: TestCase.Input, folder: ScratchFolder, number: String, pipeline: String, _ settings: PipelineSettings
  ) -> [String]? {
    guard let text = input.text else { return input.files.map(findings.resolve) }
    let name = input.fileName ?? input.replaced?.value ?? Self.firstFile(ofPipeline: pipeline, settings) ?? "input"
    let plain = String((name.split(separator: "/").last ?? "input").map { "*?[]".contains($0) ? "-" : $0 })
    guard let path = folder.write(text, to: "input-\(number)/\(plain)") else {
      noFolder()
      return nil
    }
    return [path]
  }

  /// The name of the first file that a pipeline reads, which may tell its format.
  private static func firstFile(ofPipeline path: String, _ settings: PipelineSettings) -> String? {
    let root = ConfigurationFile(settings.variables, checksUse: false, findings: Findings(path: path))?.root
    guard let source = root?["source"] else { return nil }
    let files = source["files"] ?? source
    return files.text ?? files.items?.first?.text
  }

  // MARK: Before

  private func rows(_ tree: YAMLNode?, _ model: ManagedObjectModel) -> [ExpectedRow]? {
    guard let tree else { return [] }
    return RowReader(model: model, findings: findings).rows(tree)
  }

  /// Fills the store with the rows that it has before.
  private func fill(_ model: ManagedObjectModel) -> Bool {
    guard let rows = rows(testCase.before?.tree("rows"), model) else { return false }
    return RowFiller(model: model, findings: findings).fill(store, rows)
  }

  private func runBefore(_ definition: ImportDefinition, _ run: TestCase.Run) -> Bool {
    let place = run.pipeline?.position ?? testCase.name.position
    var definition = definition
    definition.rejects.path = nil
    switch Self.run(definition) {
    case .success(let summary):
      guard summary.rejected == 0 else {
        findings.add(
          .testDiffers, at: place,
          "“\(summary.pipeline)”, which runs before, rejects \(summary.rejected) of its records",
          hint: summary.rejectCounts.keys.sorted().joined(separator: ", "))
        return false
      }
      return true
    case .failure(let failure):
      findings.add(.testDiffers, at: place, "“\(definition.name)”, which runs before, fails: \(failure.message)")
      return false
    }
  }

  // MARK: The run

  /// Why a run did not take place.
  private struct Failure: Error {
    var code: String
    var message: String
  }

  private static func run(_ definition: ImportDefinition) -> Swift.Result<ImportSummary, Failure> {
    var definition = definition
    // A test leaves nothing behind, and is compared with no earlier run.
    definition.reporting = RunReporting()
    do {
      return .success(try ImportSession(definition).run())
    } catch let error as ImportError {
      return .failure(Failure(code: error.code.rawValue, message: error.message))
    } catch let error as DiagnosticList {
      return .failure(Failure(code: error.diagnostics.first?.code ?? "", message: error.description))
    } catch {
      return .failure(Failure(code: "", message: "\(error)"))
    }
  }

  /// Compares the expected exit code with 2, that of a pipeline that cannot be read.
  private func expectsFailure() -> PipelineTests.Result.Outcome {
    guard let exit = testCase.expectation.count("exit"), exit != 2 else { return .passed }
    findings.add(
      .testDiffers, at: testCase.expectation.keyPosition("exit"),
      "the exit code is 2, not \(exit): the pipeline cannot run")
    return .failed
  }

  private func compare(_ definition: ImportDefinition, _ expected: Expectation) -> PipelineTests.Result.Outcome {
    var definition = definition
    definition.rejects.path = folder?.file("rejects.ndjson")
    switch Self.run(definition) {
    case .success(let summary):
      let rejects = RejectList.read(definition.rejects.path)
      expected.compare(summary, rejects, findings)
      if !expected.rows.isEmpty || !expected.objects.isEmpty {
        RowComparison(model: definition.model, findings: findings).compare(store, expected)
      }
    case .failure(let failure):
      expected.compare(failureCode: failure.code, failure.message, findings)
    }
    return findings.hasErrors ? .failed : .passed
  }
}
