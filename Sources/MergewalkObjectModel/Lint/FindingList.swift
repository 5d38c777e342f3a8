import MergewalkDiagnostics

/// Collects the findings about one file.
struct FindingList {
  let path: String
  private(set) var diagnostics: [Diagnostic] = []

  mutating func error(_ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil) {
    diagnostics.append(
      Diagnostic(.error, code: code, path: path, position: position, message: message, hint: hint))
  }

  mutating func warning(_ code: String, _ position: SourcePosition, _ message: String, hint: String? = nil) {
    diagnostics.append(
      Diagnostic(.warning, code: code, path: path, position: position, message: message, hint: hint))
  }

  /// The hint that names the nearest candidate, if one is near.
  ///
  /// Names beyond mistypings are too long to be compared.
  static func didYouMean(_ name: String, _ candidates: some Sequence<String>) -> String? {
    guard name.utf8.count <= 100 else { return nil }
    return NearestName.find(name, in: candidates.lazy.filter { $0.utf8.count <= 150 }).map { "did you mean “\($0)”?" }
  }
}
