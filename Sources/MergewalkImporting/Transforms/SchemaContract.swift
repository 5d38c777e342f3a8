public import MergewalkDiagnostics

/// The allowed differences between a source and the schema that the pipeline knows.
public struct SchemaContract: Sendable, Hashable {
  /// The treatment of a difference.
  public enum Policy: String, Sendable, Hashable, CaseIterable {
    /// It is accepted, with a warning in the summary.
    case evolve
    /// The run ends, and the store is unchanged.
    case freeze
    /// It is accepted silently.
    case discard
    /// The records that differ are rejected.
    case reject
  }

  /// Columns of a header or members of a record that the import does not use; nil to ignore them.
  public var newColumns: Policy?
  /// Columns that the header lacks; nil for an error when the file is opened.
  ///
  /// With `evolve` and `discard` the values are absent.
  public var missingColumns: Policy?
  /// Values whose JSON type differs from that of the first value of their column; nil to ignore this.
  public var types: Policy?
  /// Known columns that are not used.
  public var ignored: [String] = []
  /// The position of the definition.
  public var position = SourcePosition.file

  /// Creates a contract without checks.
  public init() {}
}
