import MergewalkEventLogs

/// Reads elements of an XML document as records.
///
/// The document is read once from start to end in constant memory and checked completely for well-formedness.
/// `docs/xml.md` explains columns: `name` is a child's text, `@id` an attribute, `customer.email` a grandchild's text,
/// `#text` the record's own. An element with elements inside is JSON text, and so are the values of a repeated element.
/// A record with mixed content, with a reference to an entity that is not declared or with bytes that are not text is
/// refused alone; after a syntax error, nothing can be trusted, so reading ends with `invalidDocument` after the
/// records before it.
///
/// No file, no network and no external entity or document type is ever touched, and the expansion of the document's own
/// entities is limited.
///
/// Sources: XML 1.0 (fifth edition), https://www.w3.org/TR/xml/; Namespaces in XML 1.0,
/// https://www.w3.org/TR/xml-names/; libxml2's SAX2 interface, https://gnome.pages.gitlab.gnome.org/libxml2/.
public struct XMLReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private var reader: StagedReader<XMLRecordParser>
  private let stream: any ByteStream

  /// Opens the source and reads its first bytes, which determine the encoding.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: the errors of opening and reading; `invalidPath` for a request that is not a path;
  ///   `invalidOption` for an invalid path of records or child records; `unknownEncoding`; `invalidDocument` if the
  ///   bytes are not in the declared encoding.
  public init(
    source: ByteSource, options: XMLOptions = XMLOptions(), columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  ///
  /// - Parameters:
  ///   - pieceSize: the most bytes that libxml2 gets at once, for tests.
  ///   - splitsAt: how much of the text is read before libxml2 gets a thread of its own.
  init(
    stream: any ByteStream, options: XMLOptions, columns request: ColumnRequest, index: Int, pieceSize: Int = .max,
    splitsAt: Int = ParserChannel.usualStart
  ) throws(ReadError) {
    var stream = stream
    self.stream = stream
    // What cannot be a path is said before anything is read.
    let requested = try JSONPaths.requested(request, path: stream.path)
    let encoding = try Self.encoding(of: &stream, options)
    switch request {
    case .named(let names): columns = names
    case .all: columns = try Self.members(of: &stream, options, encoding)
    }
    let paths: [[[UInt8]]]
    if case .all = request {
      paths = try JSONPaths.requested(.named(columns), path: stream.path)
    } else {
      paths = requested
    }
    let parser = try XMLRecordParser(
      TextWindow(stream, encoding: encoding), path: stream.path, options: options, columns: paths, requested: columns,
      pieceSize: pieceSize, splitsAt: splitsAt)
    if case .all = request { parser.noteSurplus() }
    reader = StagedReader(parser, index: index)
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { stream.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the document.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`, `missingRecords`, `expansionLimit`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    try reader.read(into: &batch, limit: limit)
  }

  // MARK: Opening

  private static func encoding(of stream: inout any ByteStream, _ options: XMLOptions) throws(ReadError) -> TextEncoding
  {
    if let encoding = options.encoding, encoding != .automatic { return encoding }
    let prefixed = PrefixedStream([], stream)
    let first = try prefixed.prefix(XMLDeclaration.longest)
    stream = prefixed
    return try XMLDeclaration.encoding(of: first, path: stream.path)
  }

  /// The columns of the first records: those in the first 64 KiB, or the first one if it ends later, within 16 MiB.
  private static func members(
    of stream: inout any ByteStream, _ options: XMLOptions, _ encoding: TextEncoding
  ) throws(ReadError) -> [String] {
    let recorder = RecordingStream(stream)
    let parser = try XMLRecordParser(
      TextWindow(recorder, encoding: encoding), path: stream.path, options: options, columns: [], requested: [],
      collectsMembers: true)
    var batch = RecordBatch()
    batch.start(columnCount: 0, source: 0)
    do throws(ReadError) {
      while try parser.advance(into: &batch) {
        if recorder.recorded.count >= sampleSize, parser.recordCount > 0 { break }
        batch.start(columnCount: 0, source: 0)
      }
    } catch {
      // Behind records the real reading meets it again.
      if recorder.failure != nil || (parser.recordCount == 0 && !recorder.isCut) { throw error }
    }
    stream = PrefixedStream(recorder.recorded, stream)
    return parser.members
  }

  private static let sampleSize = 1 << 16
}
