import CMergewalkScan
import MergewalkDiagnostics

/// Reads the records of a CSV file.
///
/// Source: RFC 4180, https://www.rfc-editor.org/rfc/rfc4180; for other dialects, see `CSVOptions`.
public struct CSVReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  /// The names of all columns of the file, in its order.
  ///
  /// Empty for an empty file without a header.
  public let header: [String]
  private let index: Int
  private var reader: StreamingReader<CSVParser>
  /// Where the table ends, in a file that holds several.
  private var tables: CSVTables?
  private var isNearHeaderTold = false
  /// The last record so far, where it seems to sum up the others.
  private var footer: RecordPosition?

  /// Opens the source and reads its header.
  ///
  /// - Parameter index: the value for `RecordBatch.source`.
  /// - Throws: `ReadError`: `invalidOption`; what opening throws; `missingTable`; `missingHeader`, `invalidHeader`,
  ///   `emptyHeader` and `duplicateHeader` for a header that cannot be used; `missingColumn` for a requested column it
  ///   does not have.
  public init(
    source input: ByteSource, options: CSVOptions = CSVOptions(), columns request: ColumnRequest = .all, index: Int = 0
  ) throws(ReadError) {
    if let fault = options.fault { throw ReadError(.invalidOption, path: input.path, message: fault) }
    try self.init(stream: try input.open(), options: options, columns: request, index: index)
  }

  /// Reads the header of an open input.
  ///
  /// - Parameters:
  ///   - level: what the parser may ask of the processor.
  ///   - size: how much of a file is read ahead by a thread.
  init(
    stream input: any ByteStream, options: CSVOptions, columns request: ColumnRequest, index: Int,
    level: cscan_level = .current, ahead size: ReadAheadSize = ReadAheadSize()
  ) throws(ReadError) {
    if let fault = options.fault { throw ReadError(.invalidOption, path: input.path, message: fault) }
    var read = options
    // Blank lines end a table.
    if options.table != nil { read.blankLines = .record }
    let ahead = input.canReadAhead ? TextAheadStream(input, size) : nil
    var reader = try StreamingReader(
      ahead ?? input, parser: CSVParser(read, level: level), encoding: options.encoding,
      maxRecordBytes: options.maxRecordBytes)
    if let table = options.table {
      var tables = CSVTables(options)
      try tables.skip(to: table, &reader, hasHeader: options.header == .firstRecord)
      self.tables = tables
    }
    var position = SourcePosition.file
    let passesRules = options.repeatedHeaders == .skip && options.header != .none
    if passesRules, options.header == .firstRecord { _ = try reader.passRules(below: nil) }
    var headers: [[UInt8]] = []
    switch options.header {
    case .names(let names): header = names
    case .none:
      var count = options.columnCount
      if count == nil { count = try reader.countFields() }
      header = (0..<(count ?? 0)).map { String($0 + 1) }
    case .firstRecord:
      let found = try reader.readHeader(rows: options.headerRows)
      (header, position) = (found.names, found.position)
      // With `table`, the header again begins another one; one column could well have its name as a value.
      if options.repeatedHeaders == .skip, header.count > 1, tables?.endsAtHeader != true {
        headers = found.records
      }
    }
    if options.header == .firstRecord, header.count == 1, !header[0].isEmpty,
      header[0].utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    {
      throw ReadError(
        .missingHeader, path: input.path, position: position,
        message: "the first line is blank; a line with the column names is expected")
    }
    if options.header != .none { try Self.check(header, path: input.path, position) }
    if passesRules, header.count > 1 { reader.parser.rule = try reader.passRules(below: header) }
    // While the width is unknown, each record would be held against the header.
    if !headers.isEmpty { reader.parser.headers = reader.parser.repeatedHeaders(headers) }
    reader.parser.columns.width = header.count
    columns = try reader.parser.choose(request, header, path: input.path, position)
    self.index = index
    self.reader = reader
    if reader.isUTF8 { ahead?.readAhead() }
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.bytesRead }

  /// Replaces the batch's content with the next records; returns false at the end of the file.
  ///
  /// - Throws: `inputFailed`; `recordTooLong` at a record beyond `CSVOptions.maxRecordBytes`; `reorderedHeader`.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.source = index
    let isMore: Bool
    if tables == nil {
      isMore = try reader.read(into: &batch, limit: limit)
    } else {
      isMore = try tables?.read(into: &batch, limit: limit, &reader) ?? false
    }
    if reader.parser.isOpenEnded { noteOpenEnd(&batch) }
    if !isNearHeaderTold, let found = reader.parser.nearHeader {
      isNearHeaderTold = true
      batch.doubtfulHeader = found
    }
    if isMore { noteFooter(batch) } else { batch.footer = footer }
    return isMore
  }

  /// Remembers the last record of a batch where it seems to sum up the others, of which there are three at least.
  private mutating func noteFooter(_ batch: RecordBatch) {
    footer = nil
    let last = batch.recordCount - 1
    guard last >= 0 else { return }
    let record = batch.records[last]
    if record.index < 3 || record.index < batch.errors.last?.recordIndex ?? 0 { return }
    if batch.withRawRecord(last, { reader.parser.isFooter($0) }) { footer = record }
  }

  /// Notes that the last record of the file may be cut; not where other records of the batch have nothing in their last
  /// column either.
  private func noteOpenEnd(_ batch: inout RecordBatch) {
    let last = batch.recordCount - 1
    guard last >= 0, reader.parser.long == nil else { return }
    let delimiter = reader.parser.delimiter
    if (0..<last).contains(where: { batch.withRawRecord($0) { $0.last == delimiter } }) { return }
    batch.doubtfulEnd = batch.records[last]
  }

  private static func check(_ header: [String], path: String, _ position: SourcePosition) throws(ReadError) {
    var seen: [String: Int] = [:]
    for (i, name) in header.enumerated() {
      if name.isEmpty, i == 1, header.count == 2, header[0] == "sep=" {
        throw ReadError(
          .emptyHeader, path: path, position: position,
          message: "the line names the delimiter, as Excel writes it, and is not the header; set"
            + " “skip_lines: 1”", hasCure: true)
      }
      if name.isEmpty {
        throw ReadError(.emptyHeader, path: path, position: position, message: "column \(i + 1) has no name")
      }
      if let other = seen.updateValue(i, forKey: name.lowercased()) {
        let difference = header[other] == name ? "are both" : "differ only in case:"
        throw ReadError(
          .duplicateHeader, path: path, position: position,
          message: "columns \(other + 1) and \(i + 1) \(difference) \"\(name)\"")
      }
    }
  }
}

extension StreamingReader<CSVParser> {
  /// The number of fields of the first record, which stays unread; 0 if there is none.
  fileprivate mutating func countFields() throws(ReadError) -> Int {
    var batch = RecordBatch()
    let count = try peek(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 20))?.lastFieldCount ?? 0
    if count > CSVOptions.mostColumns {
      throw ReadError(
        .invalidHeader, path: path, position: SourcePosition(line: parser.line, column: 1, byteOffset: 0),
        message: "the first record has \(count) fields; a table has at most \(CSVOptions.mostColumns) columns")
    }
    return count
  }

  /// Reads the first records as names.
  fileprivate mutating func readHeader(
    rows: Int
  ) throws(ReadError) -> (names: [String], position: SourcePosition, records: [[UInt8]]) {
    var header = try readNames()
    var records = [header.raw]
    for _ in 1..<max(1, rows) {
      let more = try readNames()
      // The upper records may name several columns at once, and end early.
      header.names += Array(repeating: "", count: max(0, more.names.count - header.names.count))
      for (i, name) in more.names.enumerated() where !name.isEmpty {
        header.names[i] += header.names[i].isEmpty ? name : " " + name
      }
      header.position = more.position
      records.append(more.raw)
    }
    parser.recordIndex = 0
    return (header.names, header.position, records)
  }

  /// The line at the cursor, less those that are counted already as skipped and in the account of the next batch.
  var passedLines: Int { parser.line - parser.account.skipped.total.lines }

  /// Counts text whose records are none after all.
  ///
  /// - Parameter place: `passedLines` before they were read.
  mutating func pass(_ account: TextAccount, as kind: SkippedText.Kind, since place: Int) {
    var account = account
    let lines = parser.line - account.skipped.total.lines - place
    account.skipped.add(kind, lines: lines, bytes: account.recordBytes)
    account.recordBytes = 0
    parser.account += account
  }

  private mutating func readNames() throws(ReadError) -> (names: [String], position: SourcePosition, raw: [UInt8]) {
    let count = try countFields()
    if count == 0 {
      let skipped = parser.linesToSkip
      let found =
        skipped > 0
        ? "the file has nothing after the \(PrintableText.count(skipped, "line")) of “skip_lines”"
        : "the file \(parser.recordIndex == 0 ? "is empty" : "ends in its header")"
      throw ReadError(
        .missingHeader, path: path, message: found + "; a line with the column names is expected")
    }
    parser.columns.slots = (0..<count).map { Int32(truncatingIfNeeded: $0) }
    parser.columns.stored = count
    var batch = RecordBatch()
    let place = passedLines
    _ = try read(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 20))
    pass(batch.account, as: .header, since: place)
    if let fault = batch.errors.first {
      let cure =
        fault.code == .nulByte
        ? wideEncoding(fault.raw).map { "; this is UTF-16 without a mark: set “encoding: \($0)”" }
          ?? "; the file may be binary or UTF-16: set “encoding”" : ""
      throw ReadError(
        .invalidHeader, path: path, position: fault.position, message: "the header: " + fault.message + cure)
    }
    let names = (0..<count).map { column in batch.withField(0, column) { String(decoding: $0, as: UTF8.self) } }
    return (names, batch.position(0, 0), batch.raw(0))
  }
}

extension CSVParser {
  /// Sets which columns are stored, and returns their names.
  mutating func choose(
    _ request: ColumnRequest, _ header: [String], path: String, _ position: SourcePosition
  ) throws(ReadError) -> [String] {
    columns.slots = Array(repeating: -1, count: header.count)
    columns.repeats = []
    guard case .named(let names) = request else {
      for i in header.indices { columns.slots[i] = Int32(truncatingIfNeeded: i) }
      columns.stored = header.count
      return header
    }
    columns.stored = names.count
    // A file without a header and without a record has no columns, and nothing to miss in them.
    if header.isEmpty { return names }
    var places: [String: Int] = [:]
    for (i, name) in header.enumerated() { places[name] = i }
    for (i, name) in names.enumerated() {
      guard let place = places[name] else {
        throw ReadError(missingColumn: name, among: header, path: path, position: position)
      }
      if slots[place] >= 0 {
        columns.repeats.append((copy: i, original: Int(slots[place])))
      } else {
        columns.slots[place] = Int32(truncatingIfNeeded: i)
      }
    }
    return names
  }
}

/// The form of UTF-16 in which a record of mostly Latin letters has a NUL byte beside each of them; `nil` for none.
private func wideEncoding(_ raw: [UInt8]) -> String? {
  let odd = raw.indices.count { raw[$0] == 0 && !$0.isMultiple(of: 2) }
  let even = raw.indices.count { raw[$0] == 0 && $0.isMultiple(of: 2) }
  guard raw.count >= 4, (odd + even) * 5 >= raw.count * 2 else { return nil }
  return even == 0 ? "utf-16le" : odd == 0 ? "utf-16be" : nil
}
