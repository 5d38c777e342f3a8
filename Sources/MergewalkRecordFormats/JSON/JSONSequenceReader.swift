/// Reads consecutive JSON values as records.
///
/// If the file begins with a record separator (the character 0x1E), it is a JSON text sequence: each separator begins a
/// value, which may have several lines. A damaged or truncated value is a reject, and reading continues at the next
/// separator. Nothing between two separators is not a value. A number, `true`, `false` or `null` must be followed by
/// white space, because otherwise it may be truncated.
///
/// Any other file has consecutive values, with white space or nothing between them, as `jq` reads them; a number or
/// word must be followed by white space, a bracket or a quote. After a syntax error, nothing can be trusted there, so
/// reading ends with `invalidDocument` after the records before it.
///
/// A value is a record with the rules and requests of ``NDJSONReader``; anything but an object, including an array, is
/// refused.
///
/// Source: RFC 7464, https://www.rfc-editor.org/rfc/rfc7464.
public struct JSONSequenceReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<JSONSequenceParser>

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: what opening throws; `invalidPath` for a request that is not a path; `invalidOption`.
  public init(
    source: ByteSource, options: JSONSequenceOptions = JSONSequenceOptions(), columns request: ColumnRequest = .all,
    index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  init(
    stream source: any ByteStream, options: JSONSequenceOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    let layout = try JSONLayout(
      each: options.each, scalars: options.scalars, duplicates: options.duplicates, path: source.path)
    let paths = try JSONPaths.requested(request, path: source.path)
    let parser = JSONSequenceParser(request: layout.request(paths), maxRecordBytes: options.maxRecordBytes)
    reader = try StreamingReader(
      source, parser: parser, encoding: options.encoding, maxRecordBytes: parser.maxRecordBytes + JSONElements.margin)
    self.index = index
    columns = try reader.columns(request, layout)
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the file.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }
}
