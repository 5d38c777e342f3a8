/// One finding about a file that a person wrote: a pipeline, a model.
///
/// Its `description` is the form that compilers, editors and CI read:
/// `path:line:column: error: message [code]`, followed by the hint when there is one.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// How much the finding weighs.
  public enum Severity: String, Sendable, Hashable {
    /// The file cannot be used.
    case error
    /// The file can be used, but probably does not say what was meant.
    case warning
  }

  /// Whether the finding stops the run.
  public var severity: Severity
  /// The stable code that tests and users match, such as `unknownField`.
  public var code: String
  /// The file's path as the user gave it.
  public var path: String
  /// Where in the file.
  public var position: SourcePosition
  /// The message: expected, then found.
  public var message: String
  /// The cure, or `nil`.
  public var hint: String?

  /// Creates a finding; a position in an included file brings its own path.
  public init(
    _ severity: Severity, code: String, path: String, position: SourcePosition, message: String, hint: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.path = position.includedPath ?? path
    self.position = position
    self.message = message
    self.hint = hint
  }

  /// `path:line:column: severity: message [code]`, then `; hint`.
  ///
  /// It is one line: names of files, members and columns may have characters that would begin another one, or make a
  /// terminal do something; they are shown as `\u{1B}`.
  public var description: String {
    let place = position.line == 0 ? path : "\(path):\(position.line):\(position.column)"
    return PrintableText.of("\(place): \(severity.rawValue): \(message)\(hint.map { "; " + $0 } ?? "") [\(code)]")
  }
}

/// A list of findings of which at least one is an error: what reading a configuration file throws.
public struct DiagnosticList: Error, Sendable, CustomStringConvertible {
  /// All findings, sorted by position.
  public let diagnostics: [Diagnostic]

  /// Sorts the findings by path and position.
  public init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics.sorted { ($0.path, $0.position) < ($1.path, $1.position) }
  }

  /// Lists one error, about a file as a whole unless a position is given.
  package init(error code: String, path: String, position: SourcePosition = .file, message: String, hint: String? = nil)
  {
    self.init([Diagnostic(.error, code: code, path: path, position: position, message: message, hint: hint)])
  }

  /// One finding a line.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
