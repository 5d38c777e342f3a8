import MergewalkBytes
import MergewalkDiagnostics

/// Reads the records of a rejects file that was corrected, as the format that they were rejected from.
///
/// Each line's record is read separately, so that a remaining mistake in one does not affect the next. Positions are
/// those of the lines of the rejects file. A line with an empty record is skipped. Lines that tell of several elements of
/// one record (`each`) all have the whole record, which is read once. All records of a batch are from one file, with the
/// same columns; a line with many child records may make a batch longer than its limit.
package struct ReplayReader: RecordReader {
  /// The names of the stored columns; column i of a batch is name i.
  package let columns: [String]
  /// The names of the columns of the file that the records of the last batch were rejected from.
  package private(set) var header: [String] = []

  private let path: String
  private let format: RecordFormat
  private let pipeline: String?
  private let part: String?
  private let known: Set<String>?
  private let mayLackColumns: Bool
  private let index: Int
  /// The form of the records that a family of stores has rejected, where it is not that of their source.
  private let rows: RecordFormat?
  private var lines: RejectLines
  /// The line that was read and belongs to the next batch.
  private var pending: Result<RejectLine, RecordError>?
  private var failure: ReadError?
  /// The file of the last line, and the columns that its records have.
  private var place = (file: RejectedFile(RejectLine()), names: [String]())
  private var headers: [RejectedFile: [String]] = [:]
  private var lone: LoneRecordFormat?
  /// The record of the last line, where records have elements.
  private var whole: RejectedWhole?
  private var scratch = RecordBatch()
  private var recordIndex = 0

  /// Opens a rejects file.
  ///
  /// - Parameters:
  ///   - format: the format that the records were rejected from.
  ///   - pipeline: the name of the pipeline that replays the file; records of others end the reading. nil for any.
  ///   - part: the import whose records are wanted; nil for all.
  ///   - known: the imports that others read; lines of further ones are refused. nil to skip what others read.
  ///   - mayLackColumns: whether columns that a file's header lacks are absent; else they are an error.
  ///   - index: what `RecordBatch.source` will be.
  /// - Throws: what opening a file throws; reading throws `missingHeader` when the columns of a file are not known, and
  ///   `otherPipeline`.
  package init(
    source: ByteSource, format: RecordFormat, pipeline: String? = nil, part: String? = nil, known: Set<String>? = nil,
    columns: [String], mayLackColumns: Bool = false, index: Int = 0
  ) throws(ReadError) {
    self.columns = columns
    self.format = format
    self.pipeline = pipeline
    self.part = part
    self.known = known
    self.mayLackColumns = mayLackColumns
    self.index = index
    let spool = SpoolForm(format, columns: [])
    rows = spool.isRewritten ? spool.format : nil
    path = source.path
    lines = try RejectLines(source, reasons: false)
  }

  /// The bytes read from the input so far.
  package var bytesRead: Int { lines.bytesRead }

  /// Replaces the batch's content with the next records; false at the end.
  package mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    batch.start(columnCount: columns.count, source: index)
    batch.isReplayed = true
    do throws(ReadError) {
      while failure == nil, batch.recordCount + batch.errors.count < limit.records,
        batch.byteCount + batch.errorBytes < limit.bytes, try advance(&batch)
      {}
    } catch {
      failure = error
    }
    batch.hasFixedPlaces = true
    if batch.recordCount + batch.errors.count > 0 { return true }
    if let failure { throw failure }
    return false
  }

  /// Appends the records of the next line; false at the end, and before a line of another file, or of one with other
  /// columns.
  private mutating func advance(_ batch: inout RecordBatch) throws(ReadError) -> Bool {
    var next = pending
    pending = nil
    if next == nil { next = try lines.next() }
    guard let next else { return false }
    switch next {
    case .failure(var error):
      error.message = "the line of the rejects file is not a reject: " + error.message
      refuse(&error, into: &batch)
    case .success(let line):
      try checkPipeline(of: line)
      var other: String?
      if let part, let name = line.part, name != part { other = name }
      if let other, known?.contains(other) ?? true { return true }
      var names = header
      if other != nil {
        names = line.header ?? []
      } else if LoneRecordFormat.needsHeader(format), line.raw != nil {
        names = try header(of: line)
      }
      let file = RejectedFile(line)
      // A batch begins without a member.
      if batch.member == nil || file != place.file || names != place.names {
        if batch.recordCount + batch.errors.count > 0 {
          pending = next
          return false
        }
        place = (file, names)
        batch.member = ([file.path, file.member ?? ""] + names).joined(separator: "\u{0}")
        if names != header {
          header = names
          lone = nil
        }
      }
      batch.note(namespaces: line.namespaces, from: recordIndex)
      if let other { refuse(line, otherImport: other, into: &batch) } else { append(line, to: &batch) }
    }
    return true
  }

  /// Refuses the whole file for a record of another pipeline, which would become objects of this one.
  private func checkPipeline(of line: RejectLine) throws(ReadError) {
    guard let pipeline, let name = line.pipeline, name != pipeline, line.raw != nil else { return }
    let mark = RejectLine.replayMark
    let other = name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    if other == pipeline { return }
    throw ReadError(
      .otherPipeline, path: path, position: SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset),
      message: "the record was rejected by the pipeline “\(other)”, but is being replayed by “\(pipeline)”; replay it"
        + " by its own pipeline, or if this one has taken its place, give it that name (“pipeline: …”)")
  }

  private mutating func append(_ line: RejectLine, to batch: inout RecordBatch) {
    let place = SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset)
    func problem(_ code: RecordError.Code, _ message: String) -> RecordError {
      RecordError(code: code, position: place, recordIndex: 0, message: message, raw: line.raw ?? [])
    }
    // An object that was kept from being deleted is no record.
    if line.object != nil, line.raw == nil { return }
    guard let raw = line.raw else {
      var error = problem(.notAnObject, "the line has no “raw” and no “raw_base64” with the record")
      return refuse(&error, into: &batch)
    }
    if line.isCut {
      var error = problem(
        .recordTooLong, "the rejects file has only the beginning of this record; make it whole and remove “cut”")
      return refuse(&error, into: &batch)
    }
    if line.code == "read.otherTable" {
      var error = problem(
        .otherTable,
        "the record is of another table than the one that is read; take “code” out of its line if it is one of this")
      return refuse(&error, into: &batch)
    }
    if raw.allSatisfy({ $0.isDocumentSpace }) { return }
    if format.eachPath != nil {
      if let whole, whole.hasElement(of: line, raw) { return }
      whole = RejectedWhole(line, raw)
    }
    let lone = lone ?? LoneRecordFormat(of: format, columns: asked, header: header)
    self.lone = lone
    var (text, form) = lone.reading(raw, indent: line.indent, namespaces: line.namespaces)
    var request = lone.columns
    if let rows, SpoolRow.isRow(raw) { (text, form, request) = (raw + [10], rows, ColumnRequest.named(asked)) }
    let source = ByteSource(bytes: text, path: path)
    let before = batch.recordCount + batch.errors.count
    do throws(ReadError) {
      var reader = try form.reader(source: source, columns: request, index: 0)
      while try reader.read(into: &scratch, limit: BatchLimit(records: 4096, bytes: 1 << 20)) {
        for (column, name) in asked.enumerated() where name != columns[column] { scratch.setAbsent(column: column) }
        take(at: place, raw, indent: line.indent, into: &batch)
      }
      // A record without elements of “each” is none in its file either.
      if format.eachPath == nil, batch.recordCount + batch.errors.count == before {
        var nothing = problem(
          .invalidDocument, "there is no record, only text such as a comment; empty “raw” to drop the record")
        nothing.indent = line.indent
        refuse(&nothing, into: &batch)
      }
    } catch {
      var refused = problem(.invalidDocument, error.message)
      refused.indent = line.indent
      refuse(&refused, into: &batch)
    }
    whole?.count = batch.recordCount + batch.errors.count - before
  }

  /// The columns to request from a line's record: another one stands in for one that its file lacks, and may lack.
  private var asked: [String] {
    guard mayLackColumns, let there = LoneRecordFormat.names(of: format, header: header), let first = there.first
    else { return columns }
    return columns.map { there.contains($0) ? $0 : first }
  }

  /// Moves what was read of one line to the batch, at the line's place.
  private mutating func take(
    at place: SourcePosition, _ raw: [UInt8], indent: Int, into batch: inout RecordBatch
  ) {
    batch.hasNullTokens = batch.hasNullTokens || scratch.hasNullTokens
    var record = 0
    var error = 0
    while record < scratch.recordCount || error < scratch.errors.count {
      let errorIndex = error < scratch.errors.count ? scratch.errors[error].recordIndex : .max
      if record < scratch.recordCount, scratch.records[record].index < errorIndex {
        scratch.records[record].line = place.line
        // Where spaces matter, the column says how many there are, for the case that the record is rejected again.
        scratch.records[record].column = place.column + indent
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
        refused.indent = indent
        refuse(&refused, into: &batch)
        error += 1
      }
    }
  }

  /// Refuses the record of an import that the pipeline does not have.
  private mutating func refuse(_ line: RejectLine, otherImport name: String, into batch: inout RecordBatch) {
    var error = RecordError(
      code: .invalidDocument, position: SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset),
      recordIndex: 0, message: "the record is of the import “\(name)”, which the pipeline does not have",
      raw: line.raw ?? [])
    error.indent = line.indent
    refuse(&error, into: &batch)
  }

  private mutating func refuse(_ error: inout RecordError, into batch: inout RecordBatch) {
    error.recordIndex = recordIndex
    recordIndex += 1
    batch.appendError(error)
  }

  /// The columns of the file that a line's record is from.
  private mutating func header(of line: RejectLine) throws(ReadError) -> [String] {
    let file = RejectedFile(line)
    if let names = line.header {
      headers[file] = names
      return names
    }
    if let known = headers[file] { return known }
    let names = try header(ofFile: line)
    headers[file] = names
    return names
  }

  /// The columns of the file itself, where no line of it carries them any more.
  private func header(ofFile line: RejectLine) throws(ReadError) -> [String] {
    let member = line.member.map { line.file + "/" + $0 } ?? line.file
    var container = ContainerOptions()
    // What else is in the archive may be no table at all.
    container.members = [line.member].compactMap(\.self)
    let found = try? format.headers(of: ByteSource(path: line.file, container: container))
    if let found, let match = found.first(where: { $0.path == member }) ?? found.first { return match.columns }
    throw ReadError(
      .missingHeader, path: path, position: SourcePosition(line: line.line, column: 1, byteOffset: line.byteOffset),
      message:
        "the columns of \(line.file) are unknown: keep the first line of each file, whose “header” names them, "
        + "or put the file back in its place")
  }
}

/// A file that records were rejected from.
struct RejectedFile: Hashable {
  var path: String
  /// The path inside it of the member that the records are from; nil when it is no archive.
  var member: String?

  init(_ line: RejectLine) {
    path = line.file
    member = line.member
  }
}
