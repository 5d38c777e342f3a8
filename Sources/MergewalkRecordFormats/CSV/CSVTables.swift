/// The features of a record that show where a table begins and ends: a record without the places of its cells.
struct RecordOutline {
  /// Whether no field has anything in it.
  var isBlank: Bool
  var width: Int
  /// Whether its fields could be the names of columns: none is empty, a value, or the same as another.
  var isNames: Bool
  /// The names, if its fields could be some.
  private var names: [String] = []
  /// The record as it stands in the file.
  var raw: ArraySlice<UInt8>

  init(_ raw: ArraySlice<UInt8>, _ candidate: DialectCandidate) {
    self.raw = raw
    let (isBlank, width, names) = raw.withUnsafeBufferPointer { bytes in
      let table = SampleTable(bytes, candidate, comment: [])
      guard let row = table.rows.first(where: { $0.kind == .record }) else { return (true, 0, [String]()) }
      return Self.look(bytes, table.cells(of: row))
    }
    self.isBlank = isBlank
    self.width = width
    self.names = names
    isNames = !names.isEmpty
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ row: SampleTable.Row) {
    raw = ArraySlice(bytes[row.start..<row.end])
    (isBlank, width, names) = row.kind == .record ? Self.look(bytes, table.cells(of: row)) : (true, 0, [])
    isNames = !names.isEmpty
  }

  /// Whether it is another record again: byte for byte, or the same names in other quotes.
  func isAgain(_ other: RecordOutline) -> Bool { raw == other.raw || (isNames && names == other.names) }

  /// Whether a record may be this one again, by its first and its last byte besides blanks and quotes.
  func mayBeAgain(_ record: UnsafeRawBufferPointer, quote: UInt8?) -> Bool {
    func isText(_ byte: UInt8) -> Bool { byte != 32 && byte != 9 && byte != quote }
    return record.first(where: isText) == raw.first(where: isText)
      && record.last(where: isText) == raw.last(where: isText)
  }

  private static func look(
    _ bytes: UnsafeBufferPointer<UInt8>, _ cells: ArraySlice<SampleTable.Cell>
  ) -> (isBlank: Bool, width: Int, names: [String]) {
    var isBlank = true
    var isNames = true
    var names: [String] = []
    var seen: Set<String> = []
    for cell in cells {
      if !isBlank, !isNames { break }
      let kind = CellKind(bytes, cell.start, cell.end)
      if kind != .empty || cell.isQuoted { isBlank = false }
      if !isNames { continue }
      let name = String(decoding: bytes[cell.start..<cell.end], as: UTF8.self)
      isNames = kind != .empty && kind != .missing && !kind.isTyped && seen.insert(name.lowercased()).inserted
      names.append(name)
    }
    return (isBlank, cells.count, isNames ? names : [])
  }
}

/// The rules by which one file holds several tables; ``CSVOptions/table`` says them in words.
enum TableRules {
  /// So many records must be known to tell a title.
  static let lookahead = 4

  /// Whether a record between two tables is a title: it has one field, and a wider record follows, or nothing but a
  /// blank line.
  static func isTitle(_ next: [RecordOutline]) -> Bool {
    guard let first = next.first, first.width == 1, !first.isBlank else { return false }
    guard let other = next.firstIndex(where: { $0.width != 1 || $0.isBlank }) else { return false }
    return next[other].isBlank ? other == 1 : true
  }

  /// Whether a record is no more part of a table.
  static func ends(
    _ record: RecordOutline, before next: RecordOutline?, width: Int, header: RecordOutline?
  ) -> Bool {
    if record.isBlank { return record.raw.isEmpty || next?.isNames != false }
    if let header, record.isAgain(header) { return true }
    return record.width != width && record.isNames && next?.width == record.width
  }
}

/// Where a reader stands among the tables of a file.
struct CSVTables {
  private let candidate: DialectCandidate
  /// Whether records with other widths than the table's may be good ones.
  private let hasRaggedRecords: Bool
  /// Whether a record that is the header again begins another table.
  let endsAtHeader: Bool
  /// Whether the records of the other tables are refused.
  private let refusesOthers: Bool
  private var header: RecordOutline?
  /// Whether the table's last record was read.
  private var isEnded = false

  init(_ options: CSVOptions) {
    candidate = DialectCandidate(
      delimiter: options.delimiter, quote: options.quote,
      escape: options.escape == options.quote ? nil : options.escape,
      trims: options.trim)
    hasRaggedRecords = options.padShortRecords || options.longRecords != .refuse
    refusesOthers = options.caution?.refusesOtherTables == true
    endsAtHeader = !refusesOthers
  }

  /// Skips what stands before a table, so that its first record is the next one.
  ///
  /// - Throws: `missingTable` when the file ends before; what reading throws.
  mutating func skip(
    to number: Int, _ reader: inout StreamingReader<CSVParser>, hasHeader: Bool
  ) throws(ReadError) {
    var count = 0
    while true {
      let next = try peek(&reader, TableRules.lookahead)
      guard let first = next.first else {
        // A file without anything has the reader's own error.
        if count == 0, number == 1 { return }
        throw ReadError(
          .missingTable, path: reader.path,
          message: "table \(number) is requested, but the file has \(count == 1 ? "one table" : "\(count) tables")")
      }
      if first.isBlank || TableRules.isTitle(next) {
        try consume(&reader, as: count == 0 ? .preamble : .otherTable)
        continue
      }
      count += 1
      header = hasHeader && endsAtHeader ? first : nil
      if count == number {
        reader.parser.recordIndex = 0
        return
      }
      try passTable(width: first.width, &reader)
    }
  }

  /// Skips the records of a table; the first one belongs to it, whatever it is.
  private mutating func passTable(width: Int, _ reader: inout StreamingReader<CSVParser>) throws(ReadError) {
    try consume(&reader, as: .otherTable)
    reader.parser.columns.slots = Array(repeating: -1, count: width)
    reader.parser.columns.width = width
    let limit = BatchLimit(records: 4_096, bytes: 1 << 20)
    var batch = RecordBatch()
    var count = try countRecords(limit, &reader)
    while count > 0 {
      let place = reader.passedLines
      _ = try reader.read(into: &batch, limit: BatchLimit(records: count, bytes: limit.bytes))
      reader.pass(batch.account, as: .otherTable, since: place)
      count = try countRecords(limit, &reader)
    }
    reader.parser.columns = CSVParser.Columns()
    isEnded = false
  }

  /// Fills a batch with the table's next records, and counts what is behind them, or refuses it.
  mutating func read(
    into batch: inout RecordBatch, limit: BatchLimit, _ reader: inout StreamingReader<CSVParser>
  ) throws(ReadError) -> Bool {
    if !isEnded {
      let count = try countRecords(limit, &reader)
      if count > 0 { return try reader.read(into: &batch, limit: BatchLimit(records: count, bytes: limit.bytes)) }
    }
    if refusesOthers {
      reader.parser.isBehindTable = true
      return try reader.read(into: &batch, limit: limit)
    }
    reader.parser.columns = CSVParser.Columns()
    let place = reader.passedLines
    var passed = TextAccount()
    while try reader.read(into: &batch, limit: limit) { passed += batch.account }
    passed += batch.account
    reader.pass(passed, as: .otherTable, since: place)
    // Taken out once more, as it was put in.
    return try reader.read(into: &batch, limit: limit)
  }

  /// How many of the next records are the table's, as many as a batch takes; 0 at its end.
  private mutating func countRecords(
    _ limit: BatchLimit, _ reader: inout StreamingReader<CSVParser>
  ) throws(ReadError) -> Int {
    var batch = RecordBatch()
    var size = BatchLimit(records: limit.records.addingReportingOverflow(1).partialValue, bytes: limit.bytes)
    if size.records < limit.records { size.records = limit.records }
    // Whether a record is the last one, the next one tells.
    var count = 0
    var isLast = false
    repeat {
      _ = try reader.peek(into: &batch, limit: size)
      count = batch.recordCount + batch.errors.count
      isLast = count < size.fitting(columns: reader.parser.columnCount).records && batch.byteCount < size.bytes
      size.bytes *= 2
    } while count < 2 && !isLast && size.bytes < 1 << 30
    var records: [(index: Int, row: Int, isError: Bool)] = []
    for row in 0..<batch.recordCount { records.append((batch.records[row].index, row, false)) }
    for (row, error) in batch.errors.enumerated() { records.append((error.recordIndex, row, true)) }
    if !batch.errors.isEmpty { records.sort { $0.index < $1.index } }
    let candidates = isLast ? records.count : min(records.count, max(1, records.count - 1))
    for (i, record) in records[..<candidates].enumerated() where mayEnd(batch, record.row, record.isError) {
      let outline = outline(batch, record.row, record.isError)
      let next = i + 1 < records.count ? self.outline(batch, records[i + 1].row, records[i + 1].isError) : nil
      if TableRules.ends(outline, before: next, width: reader.parser.width, header: header) {
        isEnded = true
        return i
      }
    }
    if isLast { isEnded = candidates == 0 }
    return candidates
  }

  // MARK: Steps

  /// Whether a record could be behind the table, looked at quickly.
  private func mayEnd(_ batch: RecordBatch, _ row: Int, _ isError: Bool) -> Bool {
    if isError { return true }
    if hasRaggedRecords { return true }
    let (delimiter, quote, header) = (candidate.delimiter, candidate.quote, header)
    return batch.withRawRecord(row) { raw in
      if let header, header.mayBeAgain(raw, quote: quote) { return true }
      return raw.allSatisfy { delimiter.contains($0) || $0 == 32 || $0 == 9 }
    }
  }

  private func outline(_ batch: RecordBatch, _ row: Int, _ isError: Bool) -> RecordOutline {
    RecordOutline((isError ? batch.errors[row].raw : batch.raw(row))[...], candidate)
  }

  /// The next records, which stay unread.
  private func peek(_ reader: inout StreamingReader<CSVParser>, _ count: Int) throws(ReadError) -> [RecordOutline] {
    let columns = reader.parser.columns
    reader.parser.columns = CSVParser.Columns()
    var batch = RecordBatch()
    let found = try reader.peek(into: &batch, limit: BatchLimit(records: count, bytes: 1 << 20))
    reader.parser.columns = columns
    if found == nil { return [] }
    let good = (0..<batch.recordCount).map { (batch.records[$0].index, batch.raw($0)) }
    let all = (good + batch.errors.map { ($0.recordIndex, $0.raw) }).sorted { $0.0 < $1.0 }
    return all.map { RecordOutline($0.1[...], candidate) }
  }

  /// Reads one record and forgets it.
  private func consume(
    _ reader: inout StreamingReader<CSVParser>, as kind: SkippedText.Kind
  ) throws(ReadError) {
    var batch = RecordBatch()
    let place = reader.passedLines
    _ = try reader.read(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 20))
    reader.pass(batch.account, as: kind, since: place)
  }
}
