/// Reads the elements of an array inside a property list of any form (XML, binary, OpenStep text) as records.
///
/// The first bytes tell the form. The text forms are read once from start to end in constant memory; the binary form is
/// read at random through a small cache, from the file itself or, if it is a pipe or was packed, from a temporary copy.
/// Columns are paths as for ``NDJSONReader``. Numbers keep their spelling (hexadecimal ones become decimal), dates are
/// ISO 8601, data is base64, arrays and dictionaries are JSON. A dictionary in place of the array is one record;
/// elements that are not dictionaries are records if the column `value` is requested, and otherwise refused.
///
/// A structural fault of the list ends reading with `invalidDocument` after the records before it: lists that contain
/// themselves, elements that property lists do not have, declared entities, truncated text.
public struct PropertyListReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private var reader: StagedReader<Parser>
  private let stream: any ByteStream

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: what opening throws; `invalidPath` for a request that is not a path; `invalidOption` for an
  ///   invalid path of records; for the binary form, `invalidDocument` for a damaged trailer.
  public init(
    source: ByteSource, options: PropertyListOptions = PropertyListOptions(), columns request: ColumnRequest = .all,
    index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  init(
    stream source: any ByteStream, options: PropertyListOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    let input = InputBuffer.around(source)
    stream = input
    _ = try input.need(1024)
    let sample = UnsafeRawBufferPointer(rebasing: input.available.prefix(1024))
    let form = PropertyListForm(sample: sample)
    var builder = try ParserBuilder(path: source.path, options: options)
    switch form {
    case .binary: builder.objects = try BinaryPropertyListObjects(try SpooledStream.randomAccess(input))
    case .xml where options.encoding == nil:
      builder.encoding = try XMLDeclaration.encoding(of: Array(sample), path: source.path)
    case .xml, .text: builder.encoding = options.encoding ?? .automatic
    }
    switch request {
    case .named(let names):
      columns = names
      let paths = try JSONPaths.requested(request, path: source.path, countsBack: false)
      reader = StagedReader(try builder.parser(form, input, paths: paths), index: index)
    case .all:
      let recorder = RecordingStream(input)
      let names = try builder.sampleNames(form, recorder)
      let replayed = PrefixedStream(recorder.recorded, input)
      columns = names.map { JSONPaths.path(toMember: String(decoding: $0, as: UTF8.self)) }
      reader = StagedReader(try builder.parser(form, replayed, paths: names.map { [$0] }, takesAll: true), index: index)
    }
  }

  /// The paths of what a list that is one record, in a text form, has.
  static func paths(of text: [UInt8], _ options: PropertyListOptions) throws(ReadError) -> OccurringPaths {
    let builder = try ParserBuilder(path: "", options: options)
    let form = text.withUnsafeBytes { PropertyListForm(sample: UnsafeRawBufferPointer(rebasing: $0.prefix(1024))) }
    var parser = try builder.parser(form, try ByteSource(bytes: text).open(), paths: [], notesPaths: true)
    var batch = RecordBatch()
    batch.start(columnCount: 0, source: 0)
    while (try? parser.advance(into: &batch)) ?? false {}
    return parser.occurringPaths
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { stream.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the list.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`, `missingRecords`, `recordTooLong`, `expansionLimit`, `fileChanged`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    try reader.read(into: &batch, limit: limit)
  }

  private enum Parser: PushParser {
    case xml(XMLPropertyListParser)
    case text(TextPropertyListParser)
    case binary(BinaryPropertyListParser)

    var columnCount: Int {
      switch self {
      case .xml(let parser): parser.columnCount
      case .text(let parser): parser.columnCount
      case .binary(let parser): parser.columnCount
      }
    }

    mutating func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
      switch self {
      case .xml(let parser): try parser.advance(into: &batch)
      case .text(let parser): try parser.advance(into: &batch)
      case .binary(let parser): try parser.advance(into: &batch)
      }
    }

    /// The names of members found so far.
    var names: [[UInt8]] {
      switch self {
      case .xml(let parser): parser.text.tree.memberNames
      case .text(let parser): parser.text.tree.memberNames
      case .binary(let parser): parser.tree.memberNames
      }
    }

    /// The paths of what records have, where they are noted.
    var occurringPaths: OccurringPaths {
      switch self {
      case .xml(let parser): parser.text.tree.paths ?? OccurringPaths()
      case .text(let parser): parser.text.tree.paths ?? OccurringPaths()
      case .binary(let parser): parser.tree.paths ?? OccurringPaths()
      }
    }

    /// How many bytes of records were read; nil before the first one.
    var sampledBytes: Int? {
      switch self {
      case .xml(let parser): parser.text.firstRecord.map { parser.text.window.end - $0 }
      case .text(let parser): parser.text.firstRecord.map { parser.text.window.end - $0 }
      case .binary(let parser): parser.sampledBytes
      }
    }
  }

  /// Makes parsers: one for a sample, one for the records.
  private struct ParserBuilder {
    let records: JSONRecordsPath
    let recordsMayBeMissing: Bool
    let each: EachPath?
    let maxRecordBytes: Int
    var encoding = TextEncoding.automatic
    var objects: BinaryPropertyListObjects?

    init(path: String, options: PropertyListOptions) throws(ReadError) {
      records = try JSONRecordsPath.option(options.records, path: path)
      recordsMayBeMissing = options.recordsMayBeMissing
      each = try EachPath.option(options.each, path: path)
      maxRecordBytes = min(max(1, options.maxRecordBytes), 1 << 29)
    }

    func parser(
      _ form: PropertyListForm, _ stream: any ByteStream, paths: [[[UInt8]]], isSample: Bool = false,
      takesAll: Bool = false, notesPaths: Bool = false
    )
      throws(ReadError) -> Parser
    {
      // The binary form is read at random: its parser goes to the records itself; the tree meets nothing around them.
      var tree = TreeRecordBuilder(
        records: objects == nil ? records : JSONRecordsPath(), each: each, paths: paths, maxRecordBytes: maxRecordBytes,
        collectsNames: isSample)
      tree.notesSurplus = takesAll
      if notesPaths { tree.paths = OccurringPaths() }
      tree.mayMissRecords = recordsMayBeMissing
      tree.takesScalars = isSample || paths.contains { $0 == [Array("value".utf8)] }
      if let objects {
        return .binary(
          BinaryPropertyListParser(objects, tree: tree, records: records, maxRecordBytes: maxRecordBytes))
      }
      let text = PropertyListText(TextWindow(stream, encoding: encoding), tree: tree, records: records)
      return form == .xml
        ? .xml(XMLPropertyListParser(text, maxRecordBytes: maxRecordBytes))
        : .text(TextPropertyListParser(text, maxRecordBytes: maxRecordBytes))
    }

    /// The names of members of the first records.
    func sampleNames(_ form: PropertyListForm, _ stream: RecordingStream) throws(ReadError) -> [[UInt8]] {
      var parser = try parser(form, stream, paths: [], isSample: true)
      var batch = RecordBatch()
      do throws(ReadError) {
        while (parser.sampledBytes ?? 0) < 1 << 16, !stream.isCut {
          batch.start(columnCount: 0, source: 0)
          if try !parser.advance(into: &batch) { break }
        }
      } catch {
        // The real reading meets it again, behind the records before it.
        if stream.failure != nil { throw error }
      }
      return parser.names
    }
  }
}
