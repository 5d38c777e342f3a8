/// Options for reading a JSON document.
public struct JSONOptions: Sendable, Hashable {
  /// The path of the array of records: `$.data.items[*]` or `data.items`; nil if the document itself is the array.
  public var records: String?
  /// Whether a document with nothing, or null, at ``records`` has no records; otherwise that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of an array whose elements become records of their own, see ``EachPath``.
  public var each: String?
  /// The treatment of elements that are not objects, and of documents that are not arrays.
  public var scalars = JSONScalars.reject
  /// The treatment of objects with a repeated requested member.
  public var duplicates = JSONDuplicates.reject
  /// The maximum length of an element, name or value in bytes, at most 512 MiB; a longer element is refused.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; RFC 8259 allows only UTF-8, but files with UTF-16 marks exist.
  public var encoding = TextEncoding.automatic

  /// Creates the default options.
  public init() {}
}

/// Reads the elements of one array inside a JSON document as records.
///
/// The document is read once from start to end in constant memory, whatever surrounds the array and however large it
/// is, and is checked completely against RFC 8259. Each element is a record with the rules and requests of
/// ``NDJSONReader``. An element that is not an object, or has a repeated requested member, half a surrogate pair or
/// bytes that are not UTF-8, is refused alone. After a syntax error, nothing can be trusted, so reading ends with
/// `invalidDocument` after the records before it. The same happens if the array's path occurs twice.
///
/// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259; paths: RFC 9535, https://www.rfc-editor.org/rfc/rfc9535.
public struct JSONReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<JSONDocumentParser>

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: what opening throws; `invalidPath` for a request that is not a path; `invalidOption` for an
  ///   invalid path of records. With all columns, also the errors of reading up to the first records.
  public init(
    source: ByteSource, options: JSONOptions = JSONOptions(), columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  init(
    stream source: any ByteStream, options: JSONOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    let records = try JSONRecordsPath.option(options.records, path: source.path)
    let layout = try JSONLayout(
      each: options.each, scalars: options.scalars, duplicates: options.duplicates, path: source.path)
    let paths = try JSONPaths.requested(request, path: source.path)
    let parser = JSONDocumentParser(
      records: records, mayBeMissing: options.recordsMayBeMissing, request: layout.request(paths),
      maxRecordBytes: options.maxRecordBytes)
    reader = try StreamingReader(
      source, parser: parser, encoding: options.encoding,
      maxRecordBytes: parser.maxRecordBytes + JSONElements.margin)
    self.index = index
    columns = try reader.columns(request, layout)
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the array and of the document.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`, `missingRecords`, `recordTooLong`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }

  /// The name of the top-level member that a path denotes; nil if it goes deeper, or is malformed.
  public static func memberName(ofPath path: String) -> String? {
    guard let names = JSONPaths.split(path), names.count == 1 else { return nil }
    return String(decoding: names[0], as: UTF8.self)
  }

  /// The names of the members on the way that a path denotes; nil if it is malformed.
  package static func memberNames(ofPath path: String) -> [String]? {
    JSONPaths.split(path).map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The path of the top-level member at the start of a path, or nil if it is malformed.
  public static func firstMember(ofPath path: String) -> String? {
    JSONPaths.split(path).map { JSONPaths.path(toMember: String(decoding: $0[0], as: UTF8.self)) }
  }
}
