import MergewalkDiagnostics
import MergewalkImporting

/// One case of a file with tests, as it stands there.
struct TestCase: Sendable {
  /// The input in place of files.
  struct Input: Sendable {
    /// The text that names the files in the pipeline; `nil` for all of them.
    var replaced: Located<String>?
    /// The content of one file.
    var text: String?
    var fileName: String?
    /// Files, relative to the file with the tests.
    var files: [Located<String>]
    var position: SourcePosition
  }
  /// A pipeline and its inputs.
  struct Run: Sendable {
    /// The pipeline's path; `nil` for the tested one.
    var pipeline: Located<String>?
    var variables: [(name: Located<String>, value: Located<String>)]?
    var inputs: [Input]
  }

  let name: Located<String>
  let run: Run
  /// The rows that the store has before.
  let before: ComponentValue?
  let earlierRuns: [Run]
  let expectation: ComponentValue

  /// Reads a case; `nil` when it lacks what it needs, which is a finding already.
  init?(_ component: ComponentValue, _ findings: Findings) {
    guard let name = component.text("name"), let expectation = component.component("expect") else { return nil }
    self.name = name
    self.expectation = expectation
    run = Self.run(component, findings)
    before = component.component("before")
    earlierRuns = before?.components("runs").map { Self.run($0, findings) } ?? []
  }

  private static func run(_ component: ComponentValue, _ findings: Findings) -> Run {
    var inputs: [Input] = []
    if let input = component.component("input") { inputs.append(Self.input(input, nil, findings)) }
    for named in component.named("inputs") {
      if let value = named.value { inputs.append(Self.input(value, named.name, findings)) }
    }
    if component.has("input"), component.has("inputs") {
      findings.add(
        .invalidOption, at: component.keyPosition("inputs"), "“inputs” cannot be combined with “input”",
        hint: "name every file under “inputs”")
    }
    return Run(pipeline: component.text("pipeline"), variables: component.pairs("variables"), inputs: inputs)
  }

  private static func input(_ component: ComponentValue, _ name: Located<String>?, _ findings: Findings) -> Input {
    let files = component.texts("files")
    if component.has("text") == component.has("files") {
      findings.add(
        component.has("text") ? .invalidOption : .missingField, at: component.position,
        "an input is either a “text” or “files”")
    }
    return Input(
      replaced: name, text: component.text("text")?.value, fileName: component.text("name")?.value, files: files ?? [],
      position: name?.position ?? component.position)
  }
}
