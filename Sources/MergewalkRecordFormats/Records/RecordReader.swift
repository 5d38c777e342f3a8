/// How much one batch may hold.
public struct BatchLimit: Sendable, Hashable {
  /// The most records, refused ones included.
  public var records: Int
  /// A batch is full once its raw bytes reach this number, which its last record may exceed; at most 512 MiB.
  public var bytes: Int

  /// Creates a limit; both are at least 1.
  public init(records: Int = 4096, bytes: Int = 1 << 20) {
    self.records = max(1, records)
    self.bytes = min(max(1, bytes), 1 << 29)
  }

  /// The limit for records of so many columns: a batch has at most half a million cells, because those that nothing is
  /// in take memory, too.
  public func fitting(columns: Int) -> BatchLimit {
    BatchLimit(records: min(records, max(1, Self.mostCells / max(1, columns))), bytes: bytes)
  }

  private static let mostCells = 1 << 19
}

/// Which columns a reader stores.
public enum ColumnRequest: Sendable, Hashable {
  /// All columns of a CSV header, in its order. For NDJSON the top-level members of the first records (those in the
  /// first 64 KiB), in order of first appearance: meant for previews.
  case all
  /// These, in this order: CSV header names (or numbers from 1 when the file has no header), or NDJSON paths such as
  /// `customer.email`.
  case named([String])
}

/// Reads the records of one input, batch by batch.
///
/// Batches depend on the limit only, not on how the input's bytes arrive: the same input gives the same batches.
public protocol RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  var columns: [String] { get }
  /// The names of all columns that the input says it has; none for formats whose records name their fields themselves.
  ///
  /// With an archive they are those of the member that is being read.
  var header: [String] { get }
  /// The bytes read from the input so far, for progress.
  var bytesRead: Int { get }
  /// Replaces the batch's content with the next records, keeping its memory.
  ///
  /// - Returns: false at the end of the input, and then the batch has no record and only accounts for what was passed
  ///   over behind the last one; true otherwise.
  /// - Throws: `ReadError` when the input cannot be read further; the records before the fault were returned first.
  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool
}

extension RecordReader {
  /// No names, because the records name their fields themselves.
  public var header: [String] { [] }
}
