public import MergewalkDiagnostics

/// The allowed differences between a source and the schema that the pipeline knows.
public struct SchemaContract: Sendable, Hashable {
  /// The treatment of a difference.
  public enum Policy: String, Sendable, Hashable, CaseIterable {
    /// It is accepted, and the summary says so.
    case evolve
    /// The run ends, and the store is as before.
    case freeze
    /// It is accepted in silence.
    case discard
    /// The records that differ are rejected.
    case reject
  }

  /// Columns of a header or members of a record that the import does not use; nil to not look.
  public var newColumns: Policy?
  /// Columns that a header should have and has not; nil for an error when the file is opened.
  ///
  /// With `evolve` and `discard` the values are absent.
  public var missingColumns: Policy?
  /// Values of another JSON type than the first of their column; nil to not look.
  public var types: Policy?
  /// Columns that are known and not used.
  public var ignored: [String] = []
  /// The position of the definition.
  public var position = SourcePosition.file

  /// Creates a contract that looks at nothing.
  public init() {}
}
