import ArgumentParser
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats

/// Reads the records of a source and writes them; memory does not grow with their number.
struct Preview {
  private let definition: SourceDefinition
  private let format: PreviewFormat
  private let limit: Int
  private let sink = ByteSink(descriptor: STDOUT_FILENO)
  private var batch = RecordBatch()

  private var read = 0
  private var rejected = 0
  /// The first rejects; the first of each kind with what to do.
  private var rejects: [Diagnostic] = []
  /// The reason why the rest is not read or shown, in words, and the exit code.
  private var refusal: (words: String, status: ExitCode)?
  /// The outcomes of the text that was read.
  private var account = TextAccount()
  /// The bytes that were read of all inputs.
  private var bytes = 0
  /// Where a record has members that are no columns.
  private var surplus: String?
  /// Whether the first line of NDJSON is an array.
  private var beginsWithArray = false

  private static let shownRejects = 10

  init(_ definition: SourceDefinition, format: PreviewFormat, limit: Int) {
    self.definition = definition
    self.format = format
    self.limit = limit
  }

  // MARK: Reading

  /// Writes the records of all inputs, up to the limit or a fault.
  mutating func run() throws(OutputError) {
    var writer: RecordWriter?
    var columns: [String]?
    for (index, source) in definition.sources.enumerated() where isGoing {
      guard var reader = open(source, index, like: columns) else { break }
      defer { bytes += reader.bytesRead }
      if format == .table {
        try writeTable(&reader, source)
        continue
      }
      if writer == nil || columns != reader.columns {
        try writer?.flush()
        writer = RecordWriter(form(isFirst: writer == nil), columns: names(reader.columns), to: sink)
        columns = reader.columns
      }
      while let writer, next(&reader, source) {
        guard try writer.write(batch, records: 0..<batch.recordCount) else { break }
      }
    }
    try writer?.flush()
  }

  private var isGoing: Bool { refusal == nil && read < limit && !sink.isReaderGone }

  /// Opens an input; CSV needs the same columns in all of them.
  private mutating func open(_ source: ByteSource, _ index: Int, like columns: [String]?) -> (any RecordReader)? {
    do throws(ReadError) {
      let reader = try definition.format.reader(source: source, columns: .all, index: index)
      guard format == .csv, let columns, columns != reader.columns else { return reader }
      if Set(columns) == Set(reader.columns) {
        return try definition.format.reader(source: source, columns: .named(columns), index: index)
      }
      let words =
        "\(source.path): error: its columns are not those of “\(definition.sources[0].path)”; look at it alone, or as"
        + " NDJSON [otherColumns]"
      refusal = (words, ExitStatus.failure)
    } catch {
      refuse(error)
    }
    return nil
  }

  private mutating func refuse(_ error: ReadError) {
    let finding = error.diagnostic
    refusal = (SourceDefinition.advised([finding])[0].description, ExitStatus.of(DiagnosticList([finding])))
  }

  /// Reads the next records into the batch; false at the end, at the limit and at a fault.
  private mutating func next(_ reader: inout any RecordReader, _ source: ByteSource) -> Bool {
    guard isGoing else { return false }
    var size = BatchLimit()
    size.records = min(size.records, limit - read)
    do throws(ReadError) {
      let isMore = try reader.read(into: &batch, limit: size)
      account += batch.account
      for member in batch.emptyMembers {
        Console.words("\(source.path): warning: \(ByteSource.emptyNote("\(source.path)/\(member)")) [emptyFile]")
      }
      if !isMore { return false }
    } catch {
      refuse(error)
      return false
    }
    if read == 0, case .ndjson = definition.format, batch.recordCount > 0 {
      beginsWithArray = batch.raw(0).first { $0 > 32 } == UInt8(ascii: "[")
    }
    read += batch.recordCount + batch.errors.count
    rejected += batch.errors.count
    for error in batch.errors where rejects.count < Self.shownRejects {
      let code = RejectCode(error.code)
      let isNew = !rejects.contains { $0.code == code.rawValue }
      rejects.append(
        Diagnostic(
          .error, code: code.rawValue, path: path(source), position: error.position, message: error.message,
          hint: isNew ? RejectCure.text(error) : nil))
    }
    if surplus == nil, definition.hasRawJSON, format != .ndjson, let record = batch.firstSurplusRecord {
      surplus = "\(path(source)):\(batch.records[record].line):\(batch.records[record].column)"
    }
    if surplus == nil, let position = batch.surplus {
      surplus = "\(path(source)):\(position.line):\(position.column)"
    }
    return true
  }

  /// The path of the batch's input, with its archive's member.
  private func path(_ source: ByteSource) -> String { source.path + (batch.member.map { "/" + $0 } ?? "") }

  // MARK: Raw records

  private func form(isFirst: Bool) -> RecordWriter.Form {
    if format == .ndjson { return .ndjson(usesRaw: definition.hasRawJSON) }
    if case .csv(let options) = definition.format, options.header == .none { return .csv(hasHeader: false) }
    return .csv(hasHeader: isFirst)
  }

  /// The names of columns as the format writes them.
  private func names(_ columns: [String]) -> [String] {
    if format == .csv || definition.format.hasFixedColumns { return columns }
    return columns.map { JSONReader.memberName(ofPath: $0) ?? $0 }
  }

  // MARK: Table

  private mutating func writeTable(_ reader: inout any RecordReader, _ source: ByteSource) throws(OutputError) {
    let columns = reader.columns
    var writer: RowWriter?
    var types: [ColumnType] = []
    if definition.sources.count > 1 {
      if read > 0 { Console.data("") }
      Console.data(source.path)
    }
    while next(&reader, source) {
      if writer == nil {
        // The first records decide the types.
        var sampler = TypeSampler(columnCount: columns.count, format: definition.format)
        sampler.add(batch)
        types = sampler.types
        writer = tableWriter(columns, types)
      }
      for record in 0..<batch.recordCount {
        guard let writer, try writeRow(record, types, writer) else { break }
      }
    }
    // Of an empty source there is nothing to show.
    if writer == nil, columns.isEmpty { return }
    try (writer ?? tableWriter(columns, columns.map { _ in .text })).finish()
  }

  private func tableWriter(_ columns: [String], _ types: [ColumnType]) -> RowWriter {
    var options = TableOptions(width: Console.outputWidth)
    options.subtitles = ["", ""] + types.map(\.name)
    return RowWriter(.table(options), columns: ["line", "byte"] + columns, to: sink)
  }

  private func writeRow(_ record: Int, _ types: [ColumnType], _ writer: RowWriter) throws(OutputError) -> Bool {
    let position = batch.records[record]
    writer.integer(Int64(position.line))
    writer.integer(Int64(position.byteOffset))
    for (column, type) in types.enumerated() {
      switch batch.state(record, column) {
      case .absent, .null: writer.null()
      case .true: writer.boolean(true)
      case .false: writer.boolean(false)
      case .text, .quoted, .number, .json:
        batch.withField(record, column) { text in
          let isNumber = type.isNumber && !text.isEmpty && text.allSatisfy { $0 > 32 && $0 < 0x3A || $0 | 0x20 == 0x65 }
          if isNumber { writer.decimal(text) } else { writer.text(text) }
        }
      }
    }
    return try writer.endRow()
  }

  // MARK: Report

  /// The text that was skipped, besides headers and the text between records; nil for none.
  private var passed: String? {
    let parts = account.skipped.kinds.filter { ![.byteOrderMark, .header, .structure].contains($0) }.map { kind in
      let amount = account.skipped[kind]
      return "\(kind.words) (\(Figures.count(amount.lines, "line")), \(Figures.bytes(amount.bytes)))"
    }
    return parts.isEmpty ? nil : "skipped: " + parts.joined(separator: ", ")
  }

  /// Says what was read and what was not, and returns the exit status of anything but success.
  func report() -> ExitCode? {
    FindingsOutput.words(SourceDefinition.advised(rejects))
    if rejected > rejects.count { Console.words("... and \(Figures.count(rejected - rejects.count, "more reject"))") }
    if let surplus {
      Console.words(
        "\(PrintableText.of(surplus)): warning: a member is not a column, because the first records do not have it; "
          + (definition.hasRawJSON ? "--format ndjson shows all" : "a pipeline that names it reads it")
          + " [lateMember]")
    }
    if beginsWithArray {
      Console.words(
        "\(definition.sources[0].path): warning: the first line is an array; a file that is one array of records has the"
          + " format json [arrayLine]")
    }
    if let passed { Console.words(passed) }
    if format == .table, !sink.isReaderGone, refusal == nil || read > 0 {
      let count = Figures.count(read, "record")
      let what = read >= limit ? (read == 1 ? "the first record" : "the first \(count)") : count
      Console.data(
        "\(definition.formatName.rawValue): \(what) read,"
          + " \(Figures.grouped(rejected)) rejected")
    }
    if let refusal {
      Console.words(lines: refusal.words)
      return refusal.status
    }
    if bytes == 0, limit > 0, !sink.isReaderGone, definition.sources.allSatisfy({ $0.fileSize ?? 0 == 0 }) {
      Console.words("\(definition.sources[0].path): error: the file is empty [emptyInput]")
      return ExitStatus.findings
    }
    return rejected > 0 ? ExitStatus.findings : nil
  }
}

extension ColumnType {
  /// Whether its values stand at the right of a column.
  fileprivate var isNumber: Bool { self == .integer || self == .decimal || self == .double }
}
