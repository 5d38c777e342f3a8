import Diagnostics

/// How an NDJSON file is read.
public struct NDJSONOptions: Sendable, Hashable {
  /// The longest line in bytes, at most 512 MiB; a longer one is refused.
  public var maxRecordBytes = 16 << 20

  /// The defaults.
  public init() {}
}

/// Reads the records of an NDJSON (JSON Lines) file: one object a line.
///
/// Lines end with LF or CRLF; a CR alone is white space; lines of white space are skipped; a byte order mark is
/// skipped. Each line is checked whole against RFC 8259. What the RFC leaves open: invalid UTF-8, lone surrogates
/// (escaped), nesting deeper than 512 and a requested member (or one on the way to it) that stands twice are refused;
/// numbers of any size are kept as spelt; members nobody asked for are checked for their syntax only.
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
    var paths: [[[UInt8]]] = []
    if case .named(let names) = request {
      for name in names {
        guard let path = JSONPaths.split(name) else {
          throw ReadError(
            .invalidPath, path: source.path,
            message: "\"\(name)\" is not a path of member names; write a dot inside a name as \\.")
        }
        paths.append(path)
      }
    }
    var reader = try StreamingReader(
      source,
      parser: NDJSONParser(paths: JSONPaths(paths), columnCount: paths.count, maxRecordBytes: options.maxRecordBytes),
      encoding: .utf8, maxRecordBytes: options.maxRecordBytes)
    switch request {
    case .named(let names): columns = names
    case .all:
      let members = try reader.sampleMembers()
      columns = members.map { JSONPaths.path(toMember: $0) }
      reader.parser.paths = JSONPaths(members.map { [Array($0.utf8)] })
      reader.parser.columnCount = members.count
    }
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

extension StreamingReader<NDJSONParser> {
  /// The names of the top-level members of the first records, which stay unread.
  fileprivate mutating func sampleMembers() throws(ReadError) -> [String] {
    let before = parser
    var batch = RecordBatch()
    _ = try read(into: &batch, limit: BatchLimit(records: .max, bytes: 1 << 16), keep: true)
    parser = before
    var names: [String] = []
    var seen: Set<String> = []
    for record in 0..<batch.recordCount {
      batch.withRawRecord(record) { raw in
        guard let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        var scanner = JSONScanner(base, from: 0, end: raw.count)
        // The line was checked when it was read, so these steps succeed until the object ends.
        guard scanner.expect(UInt8(ascii: "{")) else { return }
        while true {
          scanner.skipSpace()
          let start = scanner.i + 1
          guard scanner.string() else { return }
          let end = scanner.i - 1
          let name = String(unsafeUninitializedCapacity: end - start) { room in
            room.baseAddress.map { JSONEscape.unescape(base, start, end, to: $0) } ?? 0
          }
          if seen.insert(name).inserted { names.append(name) }
          guard scanner.expect(UInt8(ascii: ":")), scanner.value(depth: 1), scanner.expect(UInt8(ascii: ",")) else {
            return
          }
        }
      }
    }
    return names
  }
}
