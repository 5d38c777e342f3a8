public import MergewalkDiagnostics

/// A program that receives the records of an import, one JSON object per line, and answers each with one line.
///
/// An object replaces the columns that it names; `null` skips the record; `{"$reject": "why"}` rejects it. The program
/// is started once for each import, without a shell, and must write each answer immediately, not when a buffer is full.
public struct ProcessTransform: Sendable, Hashable {
  /// The program and its arguments; a name without a slash is searched for in `PATH`.
  public var command: [String]
  /// The folder that the program starts in; nil for the current one.
  public var folder: String?
  /// The columns that it receives and may replace; empty for all that the import uses.
  public var columns: [String] = []
  /// Further columns that it returns, with their types unless they are text.
  public var gives: [Column] = []
  /// The time limit for answering a record, and for ending, in seconds.
  public var timeout = 30.0
  /// The maximum number of records that wait for an answer.
  public var inFlight = 1_000
  /// The maximum length of a line that it writes, in bytes.
  public var lineLimit = 1 << 20
  /// The position of the definition.
  public var position = SourcePosition.file

  /// A column that a program returns.
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
