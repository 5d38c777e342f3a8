/// How an NDJSON file is read.
public struct NDJSONOptions: Sendable, Hashable {
  /// The longest line in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The path, from a record, of an array of which each element becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The treatment of lines that are JSON but not objects.
  public var scalars = JSONScalars.reject
  /// The treatment of elements that are not objects, and of documents that are not arrays.
  public var duplicates = JSONDuplicates.reject
  /// The file's encoding; the format has no other than UTF-8, but files with marks of UTF-16 there are.
  public var encoding = TextEncoding.automatic

  /// The defaults.
  public init() {}
}

/// Reads the records of an NDJSON (JSON Lines) file: one object a line.
///
/// Lines end with LF or CRLF; a CR alone is white space; lines of white space are skipped; a byte order mark is
/// skipped. Each line is checked whole against RFC 8259. What the RFC leaves open: invalid UTF-8, lone surrogates
/// (escaped), nesting deeper than 512 and a requested member (or one on the way to it) that stands twice are refused;
/// numbers of any size are kept as spelt; members not asked for are checked for their syntax only.
///
/// A request is a path of member names with dots between them, such as `customer.email`. A dot that belongs to a name
/// is written `\.`, a backslash `\\`. A null on the way makes the member null; anything else that is not an object
/// makes it absent. Arrays are not entered.
///
/// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259, and https://github.com/ndjson/ndjson-spec.
public struct NDJSONReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<NDJSONParser>

  /// Opens the source.
  ///
  /// - Parameter index: what `RecordBatch.source` will be.
  /// - Throws: `ReadError`: what opening throws; `invalidPath` for a request that is not a path.
  public init(
    source: ByteSource, options: NDJSONOptions = NDJSONOptions(), columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  init(
    stream source: any ByteStream, options: NDJSONOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    let layout = try JSONLayout(
      each: options.each, scalars: options.scalars, duplicates: options.duplicates, path: source.path)
    let paths = try JSONPaths.requested(request, path: source.path)
    var reader = try StreamingReader(
      source, parser: NDJSONParser(request: layout.request(paths), maxRecordBytes: options.maxRecordBytes),
      encoding: options.encoding, maxRecordBytes: options.maxRecordBytes)
    columns = try reader.columns(request, layout)
    self.index = index
    self.reader = reader
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.bytesRead }

  /// Replaces the batch's content with the next records; false at the end of the file.
  ///
  /// - Throws: `inputFailed`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }
}
