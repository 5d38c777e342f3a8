import ArgumentParser
import MergewalkDiagnostics
import MergewalkPipelines
import MergewalkRecordFormats

/// `mergewalk test`: run the tests of pipelines.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run tests of pipelines: cases with inputs and expected results.",
    discussion: HelpText.flow(
      """
      Runs files with tests; in folders and their subfolders, it finds *_test.yaml. Each case runs in a \
      temporary store. Differences go to standard output as path:line:column: error: message [testDiffers], with \
      the location of the expectation; messages go to standard error.

      EXIT CODES
        0   all cases passed
        1   a case failed
        2   a case or a file could not be run, or there is no case to run

      EXAMPLES
        mergewalk test
        mergewalk test pipelines --json
        mergewalk test pipelines/orders_test.yaml --filter "twice"
      """))

  @Argument(help: "Files with tests, globs, and folders to search for them.", completion: .file(extensions: ["yaml"]))
  var paths: [String] = ["."]

  @Option(help: ArgumentHelp("Run only cases whose names contain this text.", valueName: "text"))
  var filter: String?

  @OptionGroup var variables: VariableOptions

  @Flag(help: "Print one JSON object with the cases.")
  var json = false

  @Flag(help: "Print only findings.")
  var quiet = false

  func run() throws {
    var report = TestReport()
    for path in files(&report) { run(path, &report) }
    if report.isEmpty {
      report.findings.append(
        Diagnostic(
          .error, code: "noTests", path: paths.joined(separator: ", "), position: .file,
          message: filter.map { "no case has “\($0)” in its name" } ?? "there is no case to run"))
    }
    if json {
      Console.data(report.json)
    } else {
      FindingsOutput.data(report.findings)
    }
    if !quiet { Console.words(report.words) }
    if let status = report.status { throw status }
  }

  /// The files that the paths name; what names none is a finding.
  private func files(_ report: inout TestReport) -> [String] {
    var finder = FileFinder()
    finder.pattern = "*" + PipelineTests.suffix
    finder.isRecursive = true
    var files: [String] = []
    for path in paths {
      do throws(ReadError) {
        files += try finder.find(path).filter { $0.foundBefore == nil }.map(\.path)
      } catch {
        report.findings.append(error.diagnostic)
      }
    }
    return files
  }

  private func run(_ path: String, _ report: inout TestReport) {
    var tests: PipelineTests?
    let findings: [Diagnostic]
    do throws(DiagnosticList) {
      let read = try PipelineTests.read(path, variables: variables.variables)
      tests = read
      findings = read.warnings
    } catch {
      findings = error.diagnostics
    }
    report.add(file: findings)
    if !json { FindingsOutput.data(findings) }
    guard let tests else { return }
    report.files += 1
    for (index, name) in tests.names.enumerated() {
      if let filter, !name.contains(filter) { continue }
      let result = tests.run(index)
      report.cases.append((path, result))
      if !quiet { Console.words("\(result.outcome.rawValue)  \(path): \(name) (\(Figures.duration(result.seconds)))") }
      if !json { FindingsOutput.data(result.findings) }
    }
  }
}
