public import MergewalkDiagnostics

/// How the records of a definition are spread over many stores: one for each value of a column.
public struct StoresPolicy: Sendable, Hashable {
  /// The treatment of records whose column has no value: it is absent, null or empty.
  public enum Missing: Sendable, Hashable {
    /// They are rejected with `store.badName`.
    case reject
    /// They are counted as skipped.
    case skip
    /// They go into the store of this value.
    case value(String)
  }

  /// The column: one of the source, or one that is made.
  public var column: String
  /// Where the column is named.
  public var position = SourcePosition.file
  /// The paths of the stores, relative to the family's folder.
  public var path: StorePathTemplate
  /// Pipelines that run into each store first; paths.
  public var shared: [String] = []
  /// The treatment of records without a value.
  public var missing = Missing.reject

  /// Spreads records by a column.
  public init(column: String, path: StorePathTemplate) {
    self.column = column
    self.path = path
  }
}
