/// Records that another module reads, such as the rows of a table.
public struct CustomRecordFormat: Sendable {
  /// Opens a source; the number becomes `RecordBatch.source`.
  public typealias Opening =
    @Sendable (_ source: ByteSource, _ columns: ColumnRequest, _ index: Int) throws(ReadError) -> any RecordReader

  /// Distinguishes formats with different options, such as a query.
  public let identity: String
  /// Opens a source.
  public let open: Opening
  /// Whether the records are objects of a store: their values have the form of exports, and they have more columns than
  /// needed, so unused columns are not reported.
  public let readsObjects: Bool
  /// See ``RecordFormat/hasElements``.
  public let hasElements: Bool
  /// How each record by itself is read, when it is a line of delimited text within something else.
  package var lineOptions: CSVOptions?

  /// Creates a format; two with the same identity are the same.
  public init(
    identity: String, readsObjects: Bool = false, hasElements: Bool = false, open: @escaping Opening
  ) {
    self.identity = identity
    self.readsObjects = readsObjects
    self.hasElements = hasElements
    self.open = open
  }
}

extension CustomRecordFormat: Hashable {
  /// Whether the identities are the same.
  public static func == (left: CustomRecordFormat, right: CustomRecordFormat) -> Bool {
    left.identity == right.identity
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
