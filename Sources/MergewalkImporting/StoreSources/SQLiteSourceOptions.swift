public import MergewalkRecordFormats

/// How rows of an SQLite database become records.
public struct SQLiteSourceOptions: Sendable, Hashable {
  /// Which rows are read.
  public enum Rows: Sendable, Hashable {
    /// Those of the only table; a database with several is refused.
    case onlyTable
    /// Those of the table or view of this name.
    case table(String)
    /// Those of one statement that only reads.
    case query(String)
  }

  /// How values that are bytes are spelt.
  public enum Blobs: String, Sendable, Hashable, CaseIterable {
    /// In base64, which is how a Binary attribute reads text unless it is told otherwise.
    case base64
    /// In hexadecimal digits, which a UUID attribute reads too.
    case hex
    /// As the text that they are; others are refused.
    case text
  }

  /// Which rows are read.
  public var rows: Rows
  /// How values that are bytes are spelt.
  public var blobs: Blobs
  /// A record that is longer than this, as JSON, is refused; at most 512 MiB.
  public var maxRecordBytes: Int
  /// The seconds of processor time that a recursive query or view may take, because it need not end.
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
  /// All rows are those of one moment. Errors: `unknownTable`, `invalidQuery`, `missingColumn`, `duplicateHeader`,
  /// `locked`, `corrupt`, `truncated`, `recursionLimit`, `unsupportedContainer`, and those of opening files.
  public static func sqlite(_ options: SQLiteSourceOptions = SQLiteSourceOptions()) -> RecordFormat {
    // The names of cases and their values tell any two options apart.
    .custom(
      CustomRecordFormat(identity: "sqlite \(options)") { source, columns, index throws(ReadError) in
        try SQLiteRecordReader(source: source, options: options, columns: columns, index: index)
      })
  }
}
