import MergewalkDiagnostics

/// The parser of fixed-width text: from bytes to records, without I/O.
struct FixedWidthParser: RecordParser {
  static let lineEnds = LineEnds.any
  /// How much of a line that is too long is kept.
  private static let keptOfLongLine = 1 << 16

  /// A column: the characters `start ..< end` of a line, counted from 0.
  struct Span {
    var name: String
    var start: Int
    var end: Int
    /// The batch column, or -1.
    var slot: Int
  }

  /// The kind of a line that is skipped piece by piece.
  private enum LongLine {
    case refused
    case skipped(SkippedText.Kind)
  }

  /// An error in a line.
  struct Fault {
    var code: RecordError.Code
    var at: Int
    /// The column before which the line ends.
    var column: Int?
  }

  /// All columns in the order of their places.
  let spans: [Span]
  /// Batch columns that repeat another one: (copy, original).
  let repeats: [(copy: Int, original: Int)]
  let columnCount: Int
  let trim: FixedWidthOptions.Trim
  let nullTokens: [[UInt8]]
  /// Bit n is set if a null token has n bytes; bit 63 stands for 63 and more.
  private let nullLengths: UInt64
  private let comment: [UInt8]
  private let skipsBlankLines: Bool
  private let pads: Bool
  private let truncates: Bool
  private let maxRecordBytes: Int

  var account = TextAccount()
  /// Lines still to skip at the start of the file.
  private var linesToSkip: Int
  /// The line at the cursor, from 1.
  private var line = 1
  /// The number of the record at the cursor, from 0.
  private var recordIndex = 0
  /// The cursor is inside a line that is longer than a record may be: refused, or no record at all.
  private var rest: LongLine?

  init(_ options: FixedWidthOptions, spans: [Span], repeats: [(copy: Int, original: Int)], columnCount: Int) {
    self.spans = spans
    self.repeats = repeats
    self.columnCount = columnCount
    trim = options.trim
    nullTokens = options.nullTokens.map { Array($0.utf8) }
    nullLengths = nullTokens.reduce(0) { $0 | 1 << UInt64(min(63, $1.count)) }
    comment = Array((options.comment ?? "").utf8)
    skipsBlankLines = options.blankLines == .skip
    pads = options.padShortLines
    truncates = options.truncateLongLines
    maxRecordBytes = min(max(1, options.maxRecordBytes), 1 << 29)
    linesToSkip = options.skippedLines
  }

  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    batch.hasNullTokens = !nullTokens.isEmpty
    var errors: [RecordError] = []
    swap(&errors, &batch.errors)
    defer { swap(&errors, &batch.errors) }
    let columnCount = columnCount
    let capacity = columnCount == 0 ? batch.records.count : min(batch.records.count, batch.starts.count / columnCount)
    var count = batch.recordCount
    let outcome = batch.bytes.withUnsafeBufferPointer { bytes -> ParseOutcome in
      batch.starts.withUnsafeMutableBufferPointer { starts in
        batch.lengths.withUnsafeMutableBufferPointer { lengths in
          batch.states.withUnsafeMutableBufferPointer { states in
            batch.records.withUnsafeMutableBufferPointer { records in
              guard let base = bytes.baseAddress, window.cursor < window.end else { return .needsInput }
              let fields = FixedWidthFields(base: base, starts: starts, lengths: lengths, states: states)
              return run(
                fields, records, capacity: capacity, count: &count, window: &window, limit: limit, check: &check,
                errors: &errors)
            }
          }
        }
      }
    }
    batch.recordCount = count
    return outcome
  }

  /// Parses lines until something stops it.
  ///
  /// Invariant: `base[0 ..< window.end + 64]` is readable.
  private mutating func run(
    _ fields: FixedWidthFields, _ records: UnsafeMutableBufferPointer<RecordPosition>, capacity: Int,
    count: inout Int, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck,
    errors: inout [RecordError]
  ) -> ParseOutcome {
    let base = fields.base
    let end = window.end
    // Only line ends are special.
    var scan = SpecialScanner(base, from: window.cursor, end: end, delimiter: 10, quote: 10, escape: 10)
    while true {
      var start = window.cursor
      let found = count + errors.count
      if found >= limit.records || start >= limit.bytes { return .full }
      // The memory of skipped text is used again, and records come from the start of a batch.
      if let rest {
        if found > 0 { return .full }
        return pass(rest, &scan, base, &window)
      }
      // The marks of files that were put behind another; at once, as they do not count for the length of the line.
      if case let text = ByteOrderMark.endOfAll(base, start, end), text > start {
        account.skipped.add(.byteOrderMark, lines: 0, bytes: text - start)
        (start, window.cursor) = (text, text)
      }
      if start >= end { return .needsInput }
      if count >= capacity { return .needsSpace }
      let stop = scan.next()
      var next = min(stop + 1, end)
      if next == end, !window.isLast, stop >= end || base[stop] == 13 { return .needsInput }
      if next < end, base[stop] == 13, base[next] == 10 { next = scan.next() + 1 }
      window.cursor = next
      if let kind = skips(base, start, stop) {
        account.skipped.add(kind, lines: 1, bytes: next - start)
        line += 1
        continue
      }
      let raw = UnsafeRawBufferPointer(start: base + start, count: stop - start)
      let isLong = raw.count > maxRecordBytes
      var surplus = 0
      if isLong {
        errors.append(tooLong(raw, window.origin + start))
      } else if let found = check.takeFault(base, from: start, to: next, window) {
        errors.append(refusal(Fault(code: found.code, at: found.at), raw, start: start, origin: window.origin))
      } else if let fault = split(fields, start, stop, row: count * columnCount, surplus: &surplus) {
        errors.append(refusal(fault, raw, start: start, origin: window.origin))
      } else {
        for (copy, original) in repeats { fields.copy(count * columnCount + original, to: count * columnCount + copy) }
        records[unchecked: count] = RecordPosition(
          index: recordIndex, line: line, byteOffset: window.origin + start,
          rawStart: UInt32(truncatingIfNeeded: start), rawLength: UInt32(truncatingIfNeeded: stop - start))
        count += 1
      }
      if surplus > 0 { account.skipped.add(.surplusFields, lines: 0, bytes: surplus) }
      account.recordBytes += next - start - surplus
      recordIndex += 1
      line += 1
      // As when its end is not there yet.
      if isLong { return .full }
    }
  }

  /// Moves over more of a line that is too long.
  private mutating func pass(
    _ kind: LongLine, _ scan: inout SpecialScanner, _ base: UnsafePointer<UInt8>, _ window: inout ParseWindow
  ) -> ParseOutcome {
    let start = window.cursor
    let stop = min(scan.next(), window.end)
    var next = stop
    // A CR at the end may be half of the line's end.
    let isEnd = stop < window.end && (base[stop] == 10 || stop + 1 < window.end || window.isLast)
    if isEnd { next += base[stop] == 13 && stop + 1 < window.end && base[stop + 1] == 10 ? 2 : 1 }
    window.cursor = next
    switch kind {
    case .refused: account.recordBytes += next - start
    case .skipped(let kind): account.skipped.add(kind, lines: isEnd ? 1 : 0, bytes: next - start)
    }
    if isEnd {
      rest = nil
      line += 1
    }
    return isEnd || next >= Self.keptOfLongLine ? .full : .needsInput
  }

  mutating func refuseLong(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: Int
  ) -> ParseOutcome {
    let (start, end) = (window.cursor, window.end)
    let kind = batch.bytes.withUnsafeBufferPointer { bytes in bytes.baseAddress.flatMap { skips($0, start, end) } }
    // A CR at the end may end the line.
    window.cursor = end > start && batch.bytes[end - 1] == 13 ? end - 1 : end
    if let kind {
      account.skipped.add(kind, lines: 0, bytes: window.cursor - start)
      rest = .skipped(kind)
    } else {
      let offset = window.origin + start
      batch.errors.append(
        batch.bytes.withUnsafeBytes { tooLong(UnsafeRawBufferPointer(rebasing: $0[start..<end]), offset) })
      account.recordBytes += window.cursor - start
      recordIndex += 1
      rest = .refused
    }
    return .full
  }

  /// The kind of a line that is not a record: one of the first, a comment, or blank.
  private mutating func skips(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> SkippedText.Kind? {
    if linesToSkip > 0 {
      linesToSkip -= 1
      return .preamble
    }
    if stop == start { return skipsBlankLines ? .blankLine : nil }
    let line = UnsafeBufferPointer(start: base + start, count: stop - start)
    return !comment.isEmpty && line.starts(with: comment) ? .comment : nil
  }

  // MARK: Fields

  /// Writes the fields of the line `start..<stop`, which is text.
  ///
  /// - Parameter surplus: set to the number of bytes that are dropped behind the last column, unless all are blank.
  private func split(
    _ fields: FixedWidthFields, _ start: Int, _ stop: Int, row: Int, surplus: inout Int
  ) -> Fault? {
    var place = CharacterPlace(fields.base, start, stop)
    for i in spans.indices {
      let (from, to) = (place.advance(to: spans[i].start), place.advance(to: spans[i].end))
      if from == stop, !pads { return Fault(code: .fieldCount, at: stop, column: i) }
      let slot = spans[i].slot
      if slot < 0 { continue }
      if from == stop { fields.setAbsent(row + slot) } else { store(fields, row + slot, from, to) }
    }
    var i = place.offset
    while i < stop, fields.isBlank(i) { i += 1 }
    if i < stop {
      if !truncates { return Fault(code: .fieldCount, at: i) }
      surplus = stop - place.offset
    }
    return nil
  }

  private func store(_ fields: FixedWidthFields, _ entry: Int, _ from: Int, _ to: Int) {
    var (start, end) = (from, to)
    if trim != .none { while end > start, fields.isBlank(end - 1) { end -= 1 } }
    if trim == .both { while start < end, fields.isBlank(start) { start += 1 } }
    let isNull = nullLengths >> UInt64(min(63, end - start)) & 1 != 0 && fields.isOne(of: nullTokens, start, end)
    fields.set(entry, start, end, isNull ? .null : .text)
  }

  // MARK: Refusals

  private func tooLong(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> RecordError {
    // What is kept does not depend on how much is there.
    RecordError(
      code: .recordTooLong, position: SourcePosition(line: line, column: 1, byteOffset: offset),
      recordIndex: recordIndex, message: RecordError.tooLong("the line", maxRecordBytes),
      raw: [UInt8](raw.prefix(min(Self.keptOfLongLine, maxRecordBytes))))
  }

  @inline(never)
  private func refusal(_ fault: Fault, _ raw: UnsafeRawBufferPointer, start: Int, origin: Int) -> RecordError {
    let message: String
    switch (fault.code, fault.column) {
    case (.fieldCount, let column?):
      let span = spans[column]
      let length = raw.count { $0 & 0xC0 != 0x80 }
      message =
        "the line ends after \(PrintableText.count(length, "character")), before the column “\(span.name)” "
        + "(\(span.start + 1)-\(span.end)); short lines can be padded"
    case (.fieldCount, nil):
      message = "text after the last column, which ends with character \(spans.last?.end ?? 0)"
    case (.nulByte, _): message = "the line contains a NUL byte"
    default: message = "the bytes from here are not valid text in the file's encoding"
    }
    var error = RecordError(
      code: fault.code,
      position: SourcePosition(
        in: raw, at: fault.at - start, line: line, byteOffset: origin + start, lineEnds: .any),
      recordIndex: recordIndex, message: message, raw: [UInt8](raw))
    if fault.code == .fieldCount { error.width = fault.column == nil ? .surplus : .missing }
    return error
  }
}
