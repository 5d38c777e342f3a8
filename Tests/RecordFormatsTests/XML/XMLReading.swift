@testable import MergewalkRecordFormats

/// Reads XML that is written in a test.
struct XMLSample {
  var bytes: [UInt8]
  var options = XMLOptions()

  init(_ text: String, _ change: (inout XMLOptions) -> Void = { _ in }) { self.init(bytes: Array(text.utf8), change) }

  init(bytes: [UInt8], _ change: (inout XMLOptions) -> Void = { _ in }) {
    self.bytes = bytes
    change(&options)
  }

  /// What is read, however the bytes arrive.
  func reading(
    _ columns: [String]? = nil, arrivals: [Int] = [Int.max], pieceSize: Int = .max, limit: BatchLimit = BatchLimit()
  ) -> Reading {
    Reading.of(
      { () throws(ReadError) in
        try XMLReader(
          stream: ByteSource(bytes: bytes, chunkSizes: arrivals).open(), options: options,
          columns: columns.map { .named($0) } ?? .all, index: 0, pieceSize: pieceSize)
      }, limit: limit)
  }

  /// The records' columns, one line each.
  func lines(_ columns: [String]? = nil) -> [String] { reading(columns).lines }

  /// The columns that are found when none are asked for.
  func columns() throws(ReadError) -> [String] {
    try XMLReader(source: ByteSource(bytes: bytes), options: options).columns
  }

  /// The first batch.
  func batch(_ columns: [String]) throws(ReadError) -> RecordBatch {
    var reader = try XMLReader(source: ByteSource(bytes: bytes), options: options, columns: .named(columns))
    var batch = RecordBatch()
    _ = try reader.read(into: &batch, limit: BatchLimit())
    return batch
  }
}
