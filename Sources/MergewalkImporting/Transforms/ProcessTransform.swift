public import MergewalkDiagnostics

/// A program that sees the records of an import, one JSON object a line, and answers with one line for each.
///
/// An object replaces the columns that it names; `null` skips the record; `{"$reject": "why"}` rejects it. The program
/// is started once for each import, without a shell, and must write each answer out at once, not when a buffer is full.
public struct ProcessTransform: Sendable, Hashable {
  /// The program and its arguments; a name without a slash is looked for in `PATH`.
  public var command: [String]
  /// The folder that the program starts in; nil for the current one.
  public var folder: String?
  /// The columns that it is given and may replace; empty for all that the import names.
  public var columns: [String] = []
  /// Further columns that it gives, and their types where they are not text.
  public var gives: [Column] = []
  /// The longest time that it may leave a record unanswered, in seconds, and that it may take to end.
  public var timeout = 30.0
  /// The most records that are on their way to it at once.
  public var inFlight = 1_000
  /// The longest line that it may write, in bytes.
  public var lineLimit = 1 << 20
  /// The position of the definition.
  public var position = SourcePosition.file

  /// A column that a program gives.
  public struct Column: Sendable, Hashable {
    /// The column's name.
    public var name: String
    /// The type of its values; nil for text.
    public var kind: ValueKind?

    /// Creates a column.
    public init(name: String, kind: ValueKind? = nil) {
      self.name = name
      self.kind = kind
    }
  }

  /// Creates a transform by a program.
  public init(command: [String]) { self.command = command }
}
