import MergewalkEventLogs

/// Reads the mappings of a YAML stream as records.
///
/// Each document is a sequence of records, or one record, or has its records at a path. Scalars have the meaning of
/// YAML 1.2's core schema and keep their spelling, so `no`, `010` and `1e3` arrive in a column of text as written.
/// Aliases and merge keys are followed within limits. A record that is not a mapping, has a repeated requested member,
/// a wrong alias or bytes that are not text is refused alone. After a syntax error, nothing can be trusted, so reading
/// ends with `invalidDocument` after the records before it.
///
/// Source: https://yaml.org/spec/1.2.2/, https://yaml.org/type/merge.html; the syntax is libyaml's.
public struct YAMLReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private let window: TextWindow
  private var reader: StagedReader<YAMLParser>

  /// Opens the source.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: the errors of opening; `invalidPath` for a request that is not a path; `invalidOption` for
  ///   a path of records or of `each` that is invalid. With all columns, also the errors of reading the first 64 KiB.
  public init(
    source: ByteSource, options: YAMLOptions = YAMLOptions(), columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    try self.init(stream: try source.open(), options: options, columns: request, index: index)
  }

  /// Reads an open input.
  ///
  /// - Parameter splitsAt: how much of the text is read before libyaml gets a thread of its own.
  init(
    stream source: any ByteStream, options: YAMLOptions, columns request: ColumnRequest, index: Int,
    splitsAt: Int = ParserChannel.usualStart
  ) throws(ReadError) {
    let records = try JSONRecordsPath.option(options.records, path: source.path, array: "a sequence")
    let each = try EachPath.option(options.each, path: source.path)
    var stream = source
    switch request {
    case .named(let names): columns = names
    case .all:
      let prefixed = PrefixedStream([], source)
      columns = try Self.sample(prefixed, options, records, each)
      stream = prefixed
    }
    let paths: [[[UInt8]]]
    if case .all = request {
      paths = columns.map { JSONPaths.split($0) ?? [[]] }
    } else {
      paths = try JSONPaths.requested(request, path: source.path, countsBack: false)
    }
    var parser = Self.parser(stream, options, records, each, paths, splitsAt: splitsAt)
    if case .all = request { parser.tree.notesSurplus = true }
    window = parser.text.window
    reader = StagedReader(parser, index: index)
  }

  private static func parser(
    _ stream: any ByteStream, _ options: YAMLOptions, _ records: JSONRecordsPath, _ each: EachPath?,
    _ paths: [[[UInt8]]], collectsNames: Bool = false, splitsAt: Int = .max
  ) -> YAMLParser {
    let limit = min(max(1, options.maxRecordBytes), 1 << 29)
    var tree = TreeRecordBuilder(
      records: records, each: each, paths: paths, maxRecordBytes: limit, collectsNames: collectsNames)
    tree.takesScalars = options.takesScalars
    tree.keepsIndent = true
    tree.mayMissRecords = options.recordsMayBeMissing
    tree.hasDocuments = true
    return YAMLParser(
      window: TextWindow(stream, encoding: options.encoding), options: options, records: records, tree: tree,
      splitsAt: splitsAt)
  }

  /// The paths of the members of the first records, which stay unread: of those in the first 64 KiB, or where these
  /// have none, in twice as much, and so on up to 16 MiB.
  private static func sample(
    _ stream: PrefixedStream, _ options: YAMLOptions, _ records: JSONRecordsPath, _ each: EachPath?
  ) throws(ReadError) -> [String] {
    var size = 1 << 16
    while true {
      let prefix = try stream.prefix(size)
      var parser = Self.parser(
        try ByteSource(bytes: prefix, path: stream.path).open(), options, records, each, [], collectsNames: true)
      var batch = RecordBatch()
      batch.start(columnCount: 0, source: 0)
      do throws(ReadError) {
        while try parser.advance(into: &batch) { batch.clear() }
      } catch {
        // The prefix is cut; what is wrong in it is met again.
      }
      let names = parser.tree.memberNames.map { JSONPaths.path(toMember: String(decoding: $0, as: UTF8.self)) }
      if !names.isEmpty || stream.isWhole || size >= 16 << 20 { return names }
      size *= 2
    }
  }

  /// The paths of what a text that is one record has.
  static func paths(of text: [UInt8], _ options: YAMLOptions) throws(ReadError) -> OccurringPaths {
    var parser = Self.parser(try ByteSource(bytes: text).open(), options, JSONRecordsPath(), nil, [])
    parser.tree.paths = OccurringPaths()
    var batch = RecordBatch()
    batch.start(columnCount: 0, source: 0)
    // As far as it goes: what is cut has names, too.
    while (try? parser.advance(into: &batch)) ?? false {}
    return parser.tree.paths ?? OccurringPaths()
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { window.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the stream.
  ///
  /// - Throws: `inputFailed`, `invalidDocument`, `missingRecords`, `recordTooLong`, `expansionLimit`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    try reader.read(into: &batch, limit: limit)
  }
}
