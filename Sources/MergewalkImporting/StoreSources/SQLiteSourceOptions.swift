public import MergewalkRecordFormats

/// Options for reading rows of an SQLite database as records.
public struct SQLiteSourceOptions: Sendable, Hashable {
  /// The rows to read.
  public enum Rows: Sendable, Hashable {
    /// Those of the only table; a database with several is refused.
    case onlyTable
    /// Those of the table or view of this name.
    case table(String)
    /// Those of one read-only statement.
    case query(String)
  }

  /// The text form of byte values.
  public enum Blobs: String, Sendable, Hashable, CaseIterable {
    /// In base64, the default encoding of Binary attributes.
    case base64
    /// In hexadecimal digits, which a UUID attribute reads, too.
    case hex
    /// As text; bytes that are not text are refused.
    case text
  }

  /// The rows to read.
  public var rows: Rows
  /// The text form of byte values.
  public var blobs: Blobs
  /// The maximum length of a record as JSON; longer ones are refused; at most 512 MiB.
  public var maxRecordBytes: Int
  /// The seconds of processor time for a recursive query or view, because it might not end.
  public var recursionSeconds: Double

  /// Creates options.
  public init(
    rows: Rows = .onlyTable, blobs: Blobs = .base64, maxRecordBytes: Int = 16 << 20, recursionSeconds: Double = 10
  ) {
    self.rows = rows
    self.blobs = blobs
    self.maxRecordBytes = maxRecordBytes
    self.recursionSeconds = recursionSeconds
  }
}

extension RecordFormat {
  /// The rows of a table, a view or a query of an SQLite database, which is only read.
  ///
  /// All rows belong to one snapshot. Errors: `unknownTable`, `invalidQuery`, `missingColumn`, `duplicateHeader`,
  /// `locked`, `corrupt`, `truncated`, `recursionLimit`, `unsupportedContainer`, and those of opening files.
  public static func sqlite(_ options: SQLiteSourceOptions = SQLiteSourceOptions()) -> RecordFormat {
    // The names of cases and their values tell any two options apart.
    .custom(
      CustomRecordFormat(identity: "sqlite \(options)") { source, columns, index throws(ReadError) in
        try SQLiteRecordReader(source: source, options: options, columns: columns, index: index)
      })
  }
}
