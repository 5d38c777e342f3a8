import CMergewalkScan

/// The CSV parser: from bytes to records, without I/O.
///
/// Advice for the next editor: `parse` is the hot loop. It knows three things about a field, all decided by the next
/// special byte: unquoted and plain, quoted and plain, or anything else, which `CSVParser+Fields.swift` handles. The
/// record's fields are written into the batch as they are found; nothing is committed until the record is complete, so
/// "need more input" is simply leaving the loop.
struct CSVParser: RecordParser {
  static let lineEnds = LineEnds.any

  /// The first byte of the delimiter.
  let delimiter: UInt8
  /// All of a delimiter that has several bytes.
  let long: DelimiterMatcher?
  /// The quote and the escape, or `delimiter` where there is none: the delimiter is always tested first.
  let quote: UInt8
  let escape: UInt8
  let lenient: Bool
  let trim: Bool
  let trimsQuoted: Bool
  let pads: Bool
  let longRecords: CSVOptions.LongRecords
  let skipsBlankLines: Bool
  let quotedNulls: Bool
  let comment: [UInt8]
  let caution: CSVCaution?
  let nullTokens: [[UInt8]]
  /// Bit n is set if a null token has n bytes; bit 63 stands for 63 and more.
  let nullLengths: UInt64
  let maxRecordBytes: Int
  /// The instructions that the processor has.
  let level: cscan_level
  /// Copies of the parser share it: they are used one after the other.
  let markMemory = CSVMarks.Memory()

  /// The handling of the columns of the file.
  struct Columns {
    /// The batch column of each file column, or -1; empty while the file's columns are being counted.
    var slots: [Int32] = []
    /// Batch columns that repeat another one: (copy, original).
    var repeats: [(copy: Int, original: Int)] = []
    var stored = 0
    /// The number of fields that a record must have; 0 while it is unknown.
    var width = 0
  }

  var columns = Columns()
  var slots: [Int32] { columns.slots }
  var repeats: [(copy: Int, original: Int)] { columns.repeats }
  var columnCount: Int { columns.stored }
  var width: Int { columns.width }
  /// The number of fields that the last record had.
  var lastFieldCount = 0

  /// The records of the header, if one of them is no record where it stands again.
  var headers = RepeatedHeaders()
  /// The line that draws a rule below the header; empty for none.
  var rule: [UInt8] = []
  /// The first record that seems to be the header of another file.
  var nearHeader: RecordPosition?
  var seeksNearHeader: Bool { nearHeader == nil && !headers.isEmpty }
  /// The table has ended: what follows is refused.
  var isBehindTable = false
  /// Whether the text ends right behind the last delimiter of a record, without a line end.
  var isOpenEnded = false
  var account = TextAccount()
  /// Lines still to skip at the start of the file.
  var linesToSkip: Int
  /// The line at the cursor, from 1.
  var line = 1
  /// The number of the record at the cursor, from 0.
  var recordIndex = 0

  init(_ options: CSVOptions, level: cscan_level = .current) {
    self.level = level
    delimiter = options.delimiter.first
    long = options.delimiter.count == 1 ? nil : DelimiterMatcher(options.delimiter)
    quote = options.quote ?? options.delimiter.first
    escape = options.escape == options.quote ? options.delimiter.first : options.escape ?? options.delimiter.first
    lenient = options.lenientQuotes
    trim = options.trim
    trimsQuoted = options.trimQuoted
    pads = options.padShortRecords
    longRecords = options.longRecords
    caution = options.caution
    skipsBlankLines = options.blankLines == .skip
    quotedNulls = options.quotedNulls
    comment = Array((options.comment ?? "").utf8)
    nullTokens = options.nullTokens.map { Array($0.utf8) }
    nullLengths = nullTokens.reduce(0) { $0 | 1 << UInt64(min(63, $1.count)) }
    maxRecordBytes = min(max(1, options.maxRecordBytes), 1 << 29)
    linesToSkip = options.skippedLines
  }

  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    batch.csvQuote = quote == delimiter ? nil : quote
    batch.hasNullTokens = !nullTokens.isEmpty
    batch.csvEscape = escape == delimiter ? nil : escape
    // Taken out of the batch so that they can be appended to while its other arrays are open.
    var escapes = ContiguousArray<EscapedField>()
    var errors: [RecordError] = []
    swap(&escapes, &batch.escapes)
    swap(&errors, &batch.errors)
    defer {
      swap(&escapes, &batch.escapes)
      swap(&errors, &batch.errors)
    }
    let columnCount = columnCount
    let slots = slots
    let room = max(0, batch.starts.count - RecordBatch.fieldPadding)
    let capacity = columnCount == 0 ? batch.records.count : min(batch.records.count, room / columnCount)
    var count = batch.recordCount
    let outcome = batch.bytes.withUnsafeBufferPointer { bytes -> ParseOutcome in
      batch.starts.withUnsafeMutableBufferPointer { starts in
        batch.lengths.withUnsafeMutableBufferPointer { lengths in
          batch.states.withUnsafeMutableBufferPointer { states in
            batch.records.withUnsafeMutableBufferPointer { records in
              slots.withUnsafeBufferPointer { slots in
                // An empty window has nothing to parse; otherwise the pointer exists.
                guard let base = bytes.baseAddress, window.cursor < window.end else { return .needsInput }
                let sink = CSVFieldSink(
                  base: base, starts: starts, lengths: lengths, states: states, slots: slots,
                  parser: self)
                if isPlain {
                  return runPlain(
                    base, sink, records, capacity: capacity, count: &count, window: &window, limit: limit,
                    check: &check, escapes: &escapes, errors: &errors)
                }
                return run(
                  base, sink, records, capacity: capacity, count: &count, window: &window, limit: limit, check: &check,
                  escapes: &escapes, errors: &errors)
              }
            }
          }
        }
      }
    }
    batch.recordCount = count
    return outcome
  }
}
