/// Reads lines with columns at fixed positions.
public struct FixedWidthReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<FixedWidthParser>

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: `invalidOption`; what opening throws; `missingColumn` for a requested column that the
  ///   options do not have.
  public init(
    source input: ByteSource, options: FixedWidthOptions, columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    if let fault = options.fault { throw ReadError(.invalidOption, path: input.path, message: fault) }
    try self.init(stream: try input.open(), options: options, columns: request, index: index)
  }

  init(
    stream input: any ByteStream, options: FixedWidthOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    if let fault = options.fault { throw ReadError(.invalidOption, path: input.path, message: fault) }
    let known = options.columns.map(\.name)
    switch request {
    case .all: columns = known
    case .named(let names): columns = names
    }
    var slots = [String: Int]()
    var repeats: [(copy: Int, original: Int)] = []
    for (slot, name) in columns.enumerated() {
      guard known.contains(name) else {
        throw ReadError(missingColumn: name, among: known, path: input.path)
      }
      if let original = slots[name] { repeats.append((slot, original)) } else { slots[name] = slot }
    }
    let spans = options.columns.sorted { $0.start < $1.start }.map { column in
      FixedWidthParser.Span(
        name: column.name, start: column.start - 1, end: column.start - 1 + column.width,
        slot: slots[column.name] ?? -1)
    }
    self.index = index
    reader = try StreamingReader(
      input, parser: FixedWidthParser(options, spans: spans, repeats: repeats, columnCount: columns.count),
      encoding: options.encoding, maxRecordBytes: options.maxRecordBytes)
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the file.
  ///
  /// - Throws: `inputFailed`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }
}
