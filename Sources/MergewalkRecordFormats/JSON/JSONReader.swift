/// How a JSON document is read.
public struct JSONOptions: Sendable, Hashable {
  /// Where the array of records is: `$.data.items[*]` or `data.items`; nil when the document itself is the array.
  public var records: String?
  /// Whether a document that has nothing at ``records``, or null, has no records; else that is an error.
  public var recordsMayBeMissing = false
  /// The path, from a record, of an array of which each element becomes a record of its own, see ``EachPath``.
  public var each: String?
  /// The treatment of elements that are not objects, and of documents that are not arrays.
  public var scalars = JSONScalars.reject
  /// The treatment of objects that have a requested member twice.
  public var duplicates = JSONDuplicates.reject
  /// The longest element, name or value in bytes, at most 512 MiB; a longer element is refused.
  public var maxRecordBytes = 16 << 20
  /// The file's encoding; RFC 8259 has no other than UTF-8, but files with marks of UTF-16 there are.
  public var encoding = TextEncoding.automatic

  /// The defaults.
  public init() {}
}

/// Reads records that are the elements of one array inside a JSON document.
///
/// The document is read once from start to end in flat memory, whatever stands around the array and however large it
/// is, and is checked whole against RFC 8259. Each element is a record with the rules and requests of
/// ``NDJSONReader``. An element that is not an object, or has a requested member twice, half a surrogate pair or bytes
/// that are no UTF-8, is refused alone. Behind a fault of the syntax nothing can be trusted, so reading ends with
/// `invalidDocument` after the records before it. So it does when the array's path stands twice.
///
/// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259; paths: RFC 9535, https://www.rfc-editor.org/rfc/rfc9535.
public struct JSONReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let index: Int
  private var reader: StreamingReader<JSONDocumentParser>

  /// Opens the source.
  ///
  /// - Parameter index: what `RecordBatch.source` will be.
  /// - Throws: `ReadError`: what opening throws; `invalidPath` for a request that is not a path; `invalidOption` for a
  ///   path of records that is none. With all columns also what reading up to the first records throws.
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

  /// Replaces the batch's content with the next records; false at the end of the array and of the document.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`, `missingRecords`, `recordTooLong`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    return try reader.read(into: &batch, limit: limit)
  }

  /// The name of the top-level member that a path is; nil if it goes further, or is malformed.
  public static func memberName(ofPath path: String) -> String? {
    guard let names = JSONPaths.split(path), names.count == 1 else { return nil }
    return String(decoding: names[0], as: UTF8.self)
  }

  /// The path that names the top-level member that a path goes through, or nil if it is malformed.
  public static func firstMember(ofPath path: String) -> String? {
    JSONPaths.split(path).map { JSONPaths.path(toMember: String(decoding: $0[0], as: UTF8.self)) }
  }
}
