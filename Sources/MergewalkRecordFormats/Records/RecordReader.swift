/// The maximum size of a batch.
public struct BatchLimit: Sendable, Hashable {
  /// The maximum number of records, including refused ones.
  public var records: Int
  /// A batch is full once its raw bytes reach this number, which its last record may exceed; at most 512 MiB.
  public var bytes: Int

  /// Creates a limit; both are at least 1.
  public init(records: Int = 4096, bytes: Int = 1 << 20) {
    self.records = max(1, records)
    self.bytes = min(max(1, bytes), 1 << 29)
  }

  /// The limit for records with a number of columns: a batch has at most half a million cells, because empty ones take
  /// memory, too.
  public func fitting(columns: Int) -> BatchLimit {
    BatchLimit(records: min(records, max(1, Self.mostCells / max(1, columns))), bytes: bytes)
  }

  private static let mostCells = 1 << 19
}

/// The columns that a reader stores.
public enum ColumnRequest: Sendable, Hashable {
  /// All columns of a CSV header, in its order. For NDJSON, the top-level members of the first records (those in the
  /// first 64 KiB), in order of first appearance: intended for previews.
  case all
  /// These, in this order: CSV header names (or numbers from 1 if the file has no header), or NDJSON paths such as
  /// `customer.email`.
  case named([String])
}

/// Reads the records of one input, batch by batch.
///
/// Batches depend only on the limit, not on how the input's bytes arrive: the same input gives the same batches.
public protocol RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  var columns: [String] { get }
  /// The names of all columns in the input's header; none for formats whose records name their own fields.
  ///
  /// In an archive, they are those of the current member.
  var header: [String] { get }
  /// The bytes read from the input so far, for progress.
  var bytesRead: Int { get }
  /// Replaces the batch's content with the next records, keeping its memory.
  ///
  /// - Returns: false at the end of the input, in which case the batch has no records and only accounts for the text
  ///   after the last one; true otherwise.
  /// - Throws: `ReadError` if the input cannot be read further; the records before the fault are returned first.
  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool
}

extension RecordReader {
  /// No names, because records name their own fields.
  public var header: [String] { [] }
}
