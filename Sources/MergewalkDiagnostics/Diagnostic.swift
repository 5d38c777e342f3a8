/// A finding about a file written by a person, such as a pipeline or a model.
///
/// Its `description` is the usual form for compilers, editors and CI: `path:line:column: error: message [code]`,
/// followed by the hint, if there is one.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// The severity of a finding.
  public enum Severity: String, Sendable, Hashable {
    /// The file cannot be used.
    case error
    /// The file can be used, but probably does not express the intention.
    case warning
  }

  /// Whether the finding stops the run.
  public var severity: Severity
  /// The stable code that tests and users match, such as `unknownField`.
  public var code: String
  /// The file's path as given by the user.
  public var path: String
  /// The position in the file.
  public var position: SourcePosition
  /// The message: expected, then found.
  public var message: String
  /// The cure, or `nil`.
  public var hint: String?

  /// Creates a finding; a position in an included file has its own path.
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
  /// It is one line: characters in names of files, members and columns that would begin a new line, or control a
  /// terminal, are shown as `\u{1B}`.
  public var description: String {
    let file = path.isEmpty ? "“”" : path
    let place = position.line == 0 ? file : "\(file):\(position.line):\(position.column)"
    return PrintableText.of("\(place): \(severity.rawValue): \(message)\(hint.map { "; " + $0 } ?? "") [\(code)]")
  }
}

/// A list of findings with at least one error, thrown when a configuration file is read.
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

  /// The findings, one per line.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
