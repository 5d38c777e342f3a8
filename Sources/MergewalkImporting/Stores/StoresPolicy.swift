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

  /// The limits on stores of a published family that go when another takes its place.
  public struct Gone: Sendable, Hashable {
    /// The greatest number of stores that may go; `nil` for any.
    public var limit: Int?
    /// The greatest share (0...1) of the stores that may go; `nil` for any.
    public var ratio: Double?
    /// Whether an input without a single good record empties the family; else it is refused.
    public var allowsEmpty = false

    /// Lets any number of stores go, but not all records.
    public init() {}
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
  /// The limits on stores that go when the family takes the place of one that was published before.
  public var gone = Gone()

  /// Spreads records by a column.
  public init(column: String, path: StorePathTemplate) {
    self.column = column
    self.path = path
  }
}
