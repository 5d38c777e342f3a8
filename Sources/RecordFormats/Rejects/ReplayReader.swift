import Diagnostics

/// Reads the records of a rejects file, which somebody has put right, as the format that they were rejected from.
///
/// Each line's record is read by itself, so that what is still wrong with one does not reach the next. Positions are those
/// of the lines of the rejects file. A line whose record is empty is passed over.
public struct ReplayReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  public let columns: [String]
  private var reader: StagedReader<ReplayParser>

  /// Opens a rejects file.
  ///
  /// - Parameters:
  ///   - format: the format that the records were rejected from.
  ///   - part: the import whose records are wanted; nil for all.
  ///   - index: what `RecordBatch.source` will be.
  /// - Throws: what opening a file throws, and `missingHeader` when the columns of a file are not known.
  public init(
    source: ByteSource, format: RecordFormat, part: String? = nil, columns: [String], index: Int = 0
  ) throws(ReadError) {
    self.columns = columns
    let parser = ReplayParser(
      lines: try RejectLines(source), path: source.path, format: format, part: part, columns: columns)
    reader = StagedReader(parser, index: index)
  }

  /// The bytes read from the input so far.
  public var bytesRead: Int { reader.parser.lines.bytesRead }
  /// The names of the columns of the file that the last record was rejected from.
  public var header: [String] { reader.parser.header }

  /// Replaces the batch's content with the next records; false at the end.
  public mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let isMore = try reader.read(into: &batch, limit: limit)
    batch.hasFixedPlaces = true
    return isMore
  }
}

/// Appends the records of one line of a rejects file after the other.
struct ReplayParser: StagingParser {
  var lines: RejectLines
  let path: String
  let format: RecordFormat
  let part: String?
  let columns: [String]
  private(set) var header: [String] = []

  private var headers: [String: [String]] = [:]
  private var lone: LoneRecordFormat?
  private var loneHeader: [String] = []
  private var scratch = RecordBatch()
  private var recordIndex = 0

  init(lines: RejectLines, path: String, format: RecordFormat, part: String?, columns: [String]) {
    self.lines = lines
    self.path = path
    self.format = format
    self.part = part
    self.columns = columns
  }

  var columnCount: Int { columns.count }

  mutating func advance(into batch: inout RecordBatch) throws(ReadError) -> Bool {
    guard let next = try lines.next() else { return false }
    switch next {
    case .failure(var error):
      error.message = "the line of the rejects file is no reject: " + error.message
      refuse(&error, into: &batch)
    case .success(let line):
      if let part, let other = line.part, other != part { return true }
      try append(line, to: &batch)
    }
    return true
  }

  private mutating func append(_ line: RejectLine, to batch: inout RecordBatch) throws(ReadError) {
    let place = SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset)
    func problem(_ code: RecordError.Code, _ message: String) -> RecordError {
      RecordError(code: code, position: place, recordIndex: 0, message: message, raw: line.raw ?? [])
    }
    guard let raw = line.raw else {
      var error = problem(.notAnObject, "the line has no “raw” and no “raw_base64” with the record")
      return refuse(&error, into: &batch)
    }
    if line.isCut {
      var error = problem(
        .recordTooLong, "the rejects file has only the beginning of this record; make it whole and remove “cut”")
      return refuse(&error, into: &batch)
    }
    if raw.allSatisfy({ $0 == 32 || $0 == 10 || $0 == 13 || $0 == 9 }) { return }
    let lone = try format(for: line)
    let source = ByteSource(bytes: lone.text(raw, indent: line.indent), path: path)
    do throws(ReadError) {
      var reader = try lone.format.reader(source: source, columns: lone.columns, index: 0)
      while try reader.read(into: &scratch, limit: BatchLimit(records: 4096, bytes: 1 << 20)) {
        take(at: place, raw, into: &batch)
      }
    } catch {
      var refused = problem(.invalidDocument, error.message)
      refuse(&refused, into: &batch)
    }
  }

  /// Moves what was read of one line to the batch, at the line's place.
  private mutating func take(at place: SourcePosition, _ raw: [UInt8], into batch: inout RecordBatch) {
    var record = 0
    var error = 0
    while record < scratch.recordCount || error < scratch.errors.count {
      let errorIndex = error < scratch.errors.count ? scratch.errors[error].recordIndex : .max
      if record < scratch.recordCount, scratch.records[record].index < errorIndex {
        scratch.records[record].line = place.line
        scratch.records[record].column = place.column
        scratch.records[record].byteOffset = place.byteOffset
        scratch.records[record].index = recordIndex
        batch.append(record, of: scratch)
        recordIndex += 1
        record += 1
      } else {
        var refused = scratch.errors[error]
        refused.position = place
        // What is kept is the record as the user wrote it, without what was put around it.
        refused.raw = raw
        refuse(&refused, into: &batch)
        error += 1
      }
    }
  }

  private mutating func refuse(_ error: inout RecordError, into batch: inout RecordBatch) {
    error.recordIndex = recordIndex
    recordIndex += 1
    batch.appendError(error)
  }

  /// How the record of a line is read.
  private mutating func format(for line: RejectLine) throws(ReadError) -> LoneRecordFormat {
    if LoneRecordFormat.needsHeader(format) {
      let key = "\(line.file)\u{0}\(line.member ?? "")"
      if let names = line.header {
        headers[key] = names
      } else if headers[key] == nil {
        headers[key] = try header(ofFile: line)
      }
      header = headers[key] ?? []
    }
    if let lone, loneHeader == header { return lone }
    let lone = LoneRecordFormat(of: format, columns: columns, header: header)
    self.lone = lone
    loneHeader = header
    return lone
  }

  /// The columns of the file itself, where no line of it carries them any more.
  private func header(ofFile line: RejectLine) throws(ReadError) -> [String] {
    let member = line.member.map { line.file + "/" + $0 } ?? line.file
    let found = try? format.headers(of: ByteSource(path: line.file))
    if let found, let match = found.first(where: { $0.path == member }) ?? found.first { return match.columns }
    throw ReadError(
      .missingHeader, path: path, position: SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset),
      message: "the columns of \(line.file) are not known: keep the first line of each file, whose “header” names them, "
        + "or put the file back in its place")
  }
}
