import CMergewalkScan

/// The parser for the usual form of files, on processors with vector instructions: quotes or none, no escapes, nothing
/// trimmed.
///
/// C marks the ends of fields and the oddities in a piece of the text, see `cscan_csv_fields`; fields are made from the
/// marks, without looking at the bytes between. Records that are not plain are left to `run`, one at a time: comments,
/// blank lines that are records, misplaced quotes, faults of the text, wrong numbers of fields, the end.
extension CSVParser {
  /// Whether the options are those of a plain file, and its columns are known.
  var isPlain: Bool {
    level != CSCAN_NONE && escape == delimiter && long == nil && !trim && !trimsQuoted && width > 0
      && slots.count == width && !isBehindTable && rule.isEmpty
  }

  /// Whether C can make fields of whole runs of records: all columns are stored, in the file's order.
  private var makesRows: Bool {
    cscan_has_rows(level) != 0 && width <= 64 && columnCount == width && (headers.isEmpty || headers.mask != 0)
      && slots.indices.allSatisfy { Int(slots[$0]) == $0 }
  }

  /// Parses records until something stops it; the same as `run`, faster.
  mutating func runPlain(
    _ base: UnsafePointer<UInt8>, _ fields: CSVFieldSink, _ records: UnsafeMutableBufferPointer<RecordPosition>,
    capacity: Int, count: inout Int, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck,
    escapes: inout ContiguousArray<EscapedField>, errors: inout [RecordError]
  ) -> ParseOutcome {
    var marks = CSVMarks(markMemory, level: level, delimiter: delimiter, quote: quote, isFlagged: makesRows)
    while true {
      if linesToSkip == 0 {
        let limits = PlainLimits(
          records: limit.records - errors.count, bytes: limit.bytes, capacity: capacity,
          textFault: check.fault - window.origin)
        plainRecords(base, fields, records, limits, &marks, count: &count, window: &window, escapes: &escapes)
      }
      // One record, or the reason why there is none.
      var one = limit
      one.records = min(limit.records, count + errors.count + 1)
      let outcome = run(
        base, fields, records, capacity: capacity, count: &count, window: &window, limit: one, check: &check,
        escapes: &escapes, errors: &errors)
      guard case .full = outcome, count + errors.count < limit.records, window.cursor < limit.bytes else {
        return outcome
      }
    }
  }

  /// The limits of a run of plain records besides a record that is not plain.
  private struct PlainLimits {
    var records: Int
    var bytes: Int
    var capacity: Int
    var textFault: Int
  }

  /// Appends plain records until one is not, or is not there whole, or a limit is reached.
  ///
  /// Invariant: `base[0 ..< window.end + 64]` is readable.
  private mutating func plainRecords(
    _ base: UnsafePointer<UInt8>, _ fields: CSVFieldSink, _ records: UnsafeMutableBufferPointer<RecordPosition>,
    _ limits: PlainLimits, _ marks: inout CSVMarks, count: inout Int, window: inout ParseWindow,
    escapes: inout ContiguousArray<EscapedField>
  ) {
    let (delimiter, firstComment) = (delimiter, comment.first ?? 10)
    // Where nothing quotes, no field of a good record begins with NUL.
    let openingQuote = quote == delimiter ? 0 : quote
    let (width, columnCount, origin, end) = (width, columnCount, window.origin, window.end)
    let (hasNulls, hasRepeats) = (nullLengths != 0, !repeats.isEmpty)
    let mostRecords = min(limits.records, limits.capacity)
    let makesRows = makesRows
    var sink = fields
    var rows = cscan_rows()
    rows.bytes = base
    rows.width = UInt32(width)
    rows.comment = firstComment
    rows.quote = openingQuote
    rows.is_one_line = quotesAreDoubted ? 1 : 0
    (rows.head, rows.head_mask) = (headers.head, headers.mask)
    (rows.quoted_head, rows.quoted_head_mask) = (headers.quotedHead, headers.quotedMask)
    rows.start_limit = UInt32(clamping: limits.bytes)
    rows.end_limit = UInt32(clamping: limits.textFault)
    rows.most_bytes = UInt32(clamping: maxRecordBytes)
    rows.state = FieldState.text.rawValue
    rows.origin = Int64(origin)
    rows.escapes = markMemory.escapes
    rows.most_escapes = CSVMarks.Memory.mostEscapes
    var (start, stored, line, recordIndex) = (window.cursor, count, line, recordIndex)
    defer { (window.cursor, count, self.line, self.recordIndex) = (start, stored, line, recordIndex) }

    marks.begin(at: start)
    while marks.advance(base, to: end) {
      // Every record that ends at or before this mark is whole, and so is its line end.
      let last = marks.lastLineEnd(base, delimiter: delimiter)
      while marks.next <= last {
        if stored >= mostRecords || start >= limits.bytes { return }
        if makesRows {
          // Runs of records.
          sink.row = stored * columnCount
          marks.fill(&rows, through: last)
          rows.start = UInt32(truncatingIfNeeded: start)
          rows.most_rows = mostRecords - stored
          (rows.index, rows.line) = (Int64(recordIndex), Int64(line))
          let made = sink.addPlainRecords(&rows, at: records, stored, &escapes)
          if made > 0 {
            let kept = countBeforeHeader(base, sink, records, stored, made)
            if hasNulls {
              for _ in 0..<kept {
                sink.findNulls()
                sink.row += columnCount
              }
            }
            stored += kept
            recordIndex += kept
            if kept < made {
              // `run` looks at it again, and ends the reading.
              let met = records[unchecked: stored]
              account.recordBytes += Int(met.rawStart) - start
              (start, line) = (Int(met.rawStart), met.line)
              escapes.removeAll { Int($0.slot) >= stored * columnCount }
              return marks.meetOdd()
            }
            account.recordBytes += Int(rows.start) - start
            (start, line) = (Int(rows.start), Int(rows.line))
            marks.use(rows)
            continue
          }
        }
        let first = base[start]
        if first == 0xEF, ByteOrderMark.end(base, start, end) > start || start + 3 > end {
          return marks.meetOdd()
        }
        if first == 10 || first == 13 || first == firstComment {
          guard skipsBlankLines, first == 10 || first == 13 else { return marks.meetOdd() }
          let isPair = first == 13 && base[start + 1] == 10
          marks.next += isPair ? 2 : 1
          account.skipped.add(.blankLine, lines: 1, bytes: isPair ? 2 : 1)
          start += isPair ? 2 : 1
          line += 1
          continue
        }

        sink.row = stored * columnCount
        let found = sink.addPlainRecord(
          from: start, ends: marks.breaks + marks.next, delimiter: delimiter, quote: openingQuote)
        var mark = marks.next + found
        let at = Int(marks.breaks[mark - 1])
        var behind = at + 1
        if base[at] == 13, base[behind] == 10 {
          behind += 1
          mark += 1
        }
        if found != width || at - start > maxRecordBytes || limits.textFault < behind { return marks.meetOdd() }
        if headers.mayBegin(base + start), isHeaderAgain(base, start, at) { return marks.meetOdd() }
        if !headers.isEmpty {
          let next = marks.next
          let mayBe = headers.mayBeHeader(width: width) { column in
            let from = column == 0 ? start : Int(marks.breaks[next + column - 1]) + 1
            let isQuoted = quote != delimiter && base[from] == quote ? 1 : 0
            return (from + isQuoted, max(0, Int(marks.breaks[next + column]) - from - 2 * isQuoted), base)
          }
          if mayBe, isOtherHeader(base, start, at) { return marks.meetOdd() }
        }
        if hasNulls { sink.findNulls() }

        let escapesBefore = escapes.count
        var newlines = 0
        if marks.hasOdds(before: at) {
          guard let found = readOdds(base, sink, &marks, before: at, &escapes) else {
            escapes.removeLast(escapes.count - escapesBefore)
            return marks.meetOdd()
          }
          newlines = found
          if newlines > 0, quotesAreDoubted {
            escapes.removeLast(escapes.count - escapesBefore)
            return marks.meetOdd()
          }
        }
        if hasRepeats {
          for (copy, original) in repeats { repeatField(sink, original, copy, escapesBefore, &escapes) }
        }
        records[unchecked: stored] = RecordPosition(
          index: recordIndex, line: line, byteOffset: origin + start,
          rawStart: UInt32(truncatingIfNeeded: start), rawLength: UInt32(truncatingIfNeeded: at - start))
        stored += 1
        recordIndex += 1
        account.recordBytes += behind - start
        line += 1 + newlines
        start = behind
        marks.next = mark
      }
    }
  }

  /// Whether `run` has to look at a record, because it is the header in another order, or seems to be that of another file.
  private func isOtherHeader(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    isHeaderReordered(base, start, stop) || seeksNearHeader && isNearlyHeader(base, start, stop)
  }

  /// How many of the records that were made of a run stand before one that is the header of another table.
  private func countBeforeHeader(
    _ base: UnsafePointer<UInt8>, _ fields: CSVFieldSink, _ records: UnsafeMutableBufferPointer<RecordPosition>,
    _ first: Int, _ count: Int
  ) -> Int {
    if headers.isEmpty { return count }
    var record = first
    while let found = fields.findHeader(from: record, to: first + count, headers) {
      let (start, length) = (Int(records[unchecked: found].rawStart), Int(records[unchecked: found].rawLength))
      if isOtherHeader(base, start, start + length) { return found - first }
      record = found + 1
    }
    return count
  }

  /// Looks at what is odd in a record whose plain fields are written: remembers those with doubled quotes.
  ///
  /// - Returns: the number of line ends inside quotes; nil when a quote is misplaced.
  @inline(never)
  private func readOdds(
    _ base: UnsafePointer<UInt8>, _ sink: CSVFieldSink, _ marks: inout CSVMarks, before end: Int,
    _ escapes: inout ContiguousArray<EscapedField>
  ) -> Int? {
    var newlines = 0
    var field = 0
    var mark = marks.next
    var escapedField = -1
    while marks.hasOdds(before: end) {
      let at = marks.takeOdd()
      switch base[at] {
      case 10: newlines += 1
      case 13: if base[at + 1] != 10 { newlines += 1 }
      case quote where base[at - 1] == quote:
        while Int(marks.breaks[mark]) < at {
          mark += 1
          field += 1
        }
        if field == escapedField { continue }
        escapedField = field
        if let (entry, range) = sink.entry(ofField: field) {
          escapes.append(
            EscapedField(
              slot: UInt32(truncatingIfNeeded: entry), start: UInt32(truncatingIfNeeded: range.lowerBound),
              end: UInt32(truncatingIfNeeded: range.upperBound), kind: .quotedCSV))
        }
      default: return nil
      }
    }
    return newlines
  }
}
