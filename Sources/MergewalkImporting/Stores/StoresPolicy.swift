public import MergewalkDiagnostics

/// The distribution of a definition's records over many stores: one for each value of a column.
public struct StoresPolicy: Sendable, Hashable {
  /// The treatment of records whose column is absent, null or empty.
  public enum Missing: Sendable, Hashable {
    /// They are rejected with `store.badName`.
    case reject
    /// They are counted as skipped.
    case skip
    /// They go into the store with this value.
    case value(String)
  }

  /// The limits on stores of a published family that are removed when another replaces it.
  public struct Gone: Sendable, Hashable {
    /// The maximum number of stores to remove; `nil` for any.
    public var limit: Int?
    /// The maximum share (0...1) of the stores to remove; `nil` for any.
    public var ratio: Double?
    /// Whether an input without a single valid record empties the family; otherwise it is refused.
    public var allowsEmpty = false

    /// Creates limits that allow removing any number of stores, but not all records.
    public init() {}
  }

  /// The column: one of the source, or a computed one.
  public var column: String
  /// The position of the column's name.
  public var position = SourcePosition.file
  /// The paths of the stores, relative to the family's folder.
  public var path: StorePathTemplate
  /// Pipelines that run into each store first; paths.
  public var shared: [String] = []
  /// The treatment of records without a value.
  public var missing = Missing.reject
  /// The limits on stores to remove when the family replaces one that was published earlier.
  public var gone = Gone()

  /// Distributes records by a column.
  public init(column: String, path: StorePathTemplate) {
    self.column = column
    self.path = path
  }
}
