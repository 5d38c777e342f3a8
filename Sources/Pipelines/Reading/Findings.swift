import Diagnostics
import RecordFormats

/// Collects what is wrong with one pipeline file.
final class Findings {
  /// The path of the pipeline file as the user gave it.
  let path: String
  /// What was found, unsorted.
  private(set) var list: [Diagnostic] = []

  init(path: String) { self.path = path }

  /// Whether an error was found.
  var hasErrors: Bool { list.contains { $0.severity == .error } }

  /// Adds a finding about the pipeline file.
  func add(_ code: LintCode, at position: SourcePosition, _ message: String, hint: String? = nil) {
    add([
      Diagnostic(
        code.severity, code: code.rawValue, path: path, position: position, message: message, hint: hint)
    ])
  }

  /// Adds findings of another module or about another file; what is there already is not added again.
  func add(_ findings: [Diagnostic]) {
    for finding in findings where !list.contains(finding) { list.append(finding) }
  }

  /// Adds what keeps an input from being read: about members at their place in the pipeline, else about the input.
  func add(_ error: ReadError, of input: SourceFiles.Input, _ source: ComponentValue) {
    switch error.code {
    case .missingMember, .severalMembers:
      add(
        .unknownMember, at: source.texts("member")?.first?.position ?? input.position,
        "“\(error.path)”: \(error.message)")
    default: if !addDatabase(error, of: input, source) { add([error.diagnostic]) }
    }
  }

  /// Adds a finding about a name that does not exist, with the nearest one that does.
  func addUnknown(
    _ code: LintCode, at position: SourcePosition, _ message: String, name: String, candidates: [String]
  ) {
    var hint: String?
    if let nearest = NearestName.find(name, in: candidates) {
      hint = "did you mean “\(nearest)”?"
    } else if !candidates.isEmpty {
      hint = "there is " + candidates.prefix(12).joined(separator: ", ") + (candidates.count > 12 ? " ..." : "")
    }
    add(code, at: position, message, hint: hint)
  }
}
