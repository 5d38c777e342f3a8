/// Options for reading an NDJSON file.
public struct NDJSONOptions: Sendable, Hashable {
  /// The maximum length of a line in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20
  /// The path, from a record, of an array whose elements become records of their own, see ``EachPath``.
  public var each: String?
  /// The treatment of lines that are JSON but not objects.
  public var scalars = JSONScalars.reject
  /// The treatment of objects with a repeated requested member.
  public var duplicates = JSONDuplicates.reject
  /// The file's encoding; the format allows only UTF-8, but files with UTF-16 marks exist.
  public var encoding = TextEncoding.automatic

  /// Creates the default options.
  public init() {}
}

/// Reads the records of an NDJSON (JSON Lines) file: one object per line.
///
/// Lines end with LF or CRLF; a CR alone is white space; lines of white space are skipped; a byte order mark is
/// skipped. Each line is checked completely against RFC 8259. Where the RFC leaves a choice: invalid UTF-8, lone
/// surrogates (escaped), nesting deeper than 512 and a repeated requested member (or one on the path to it) are
/// refused; numbers of any size are kept as written; only the syntax of other members is checked.
///
/// A request is a path of member names separated by dots, such as `customer.email`. A dot in a name is written `\.`, a
/// backslash `\\`. A null on the path makes the member null; anything else that is not an object makes it absent.
/// Arrays are not entered.
///
/// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259, and https://github.com/ndjson/ndjson-spec.
public struct NDJSONReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<NDJSONParser>

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
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

  /// Replaces the batch's content with the next records; returns false at the end of the file.
  ///
  /// - Throws: `inputFailed`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }
}
