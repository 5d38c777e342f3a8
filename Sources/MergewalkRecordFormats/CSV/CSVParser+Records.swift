extension CSVParser {
  /// Why the text of a record does not follow the rules.
  struct Fault {
    var code: RecordError.Code
    var at: Int
  }

  /// The outcome for a field that was not plain.
  enum FieldEnd {
    /// It ends at the special byte, or the end of the text, at this index.
    case at(Int)
    /// It may go on behind the text that is there.
    case needsInput
  }

  /// Parses records until something stops it.
  ///
  /// Invariant: `base[0 ..< window.end + 64]` is readable.
  mutating func run(
    _ base: UnsafePointer<UInt8>, _ fields: CSVFieldSink, _ records: UnsafeMutableBufferPointer<RecordPosition>,
    capacity: Int, count: inout Int, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck,
    escapes: inout ContiguousArray<EscapedField>, errors: inout [RecordError]
  ) -> ParseOutcome {
    let (delimiter, long, quote, escape) = (delimiter, long, quote, escape)
    let (end, origin, isLast, columnCount) = (window.end, window.origin, window.isLast, columnCount)
    let firstComment = comment.first ?? 10
    var sink = fields
    var scan = SpecialScanner(base, from: window.cursor, end: end, delimiter: delimiter, quote: quote, escape: escape)
    var start = window.cursor
    var textFault = check.fault - origin
    var stored = count

    records: while true {
      // `start` is the start of a record, and of a line; the scanner is there too. Commit.
      window.cursor = start
      count = stored
      if stored + errors.count >= limit.records || start >= limit.bytes { return .full }
      if start >= end { return .needsInput }
      if stored >= capacity { return .needsSpace }

      let first = base[start]
      // The mark of a file that was put behind another.
      if first == 0xEF, linesToSkip == 0 {
        let marks = ByteOrderMark.countBeforeRecord(base, start, end, isLast: isLast, columnCount: columnCount)
        guard let marks else { return .needsInput }
        if marks > 0 {
          account.skipped.add(.byteOrderMark, lines: 0, bytes: marks)
          start += marks
          scan = SpecialScanner(base, from: start, end: end, delimiter: delimiter, quote: quote, escape: escape)
          continue records
        }
      }
      if linesToSkip > 0 || first == 10 || first == 13 || first == firstComment {
        switch skipLine(base, &scan, start, end, isLast) {
        case .notSkipped: break
        case .needsInput: return .needsInput
        case .doubted(let stop, let next):
          let raw = UnsafeRawBufferPointer(start: base + start, count: stop - start)
          errors.append(
            refusal(Fault(code: .doubtfulComment, at: start), raw, start: start, origin: origin, found: width))
          account.recordBytes += next - start
          recordIndex += 1
          start = next
          line += 1
          continue records
        case .skipped(let kind, let next):
          // Its line end, of one or two bytes, does not count.
          if next - start > maxRecordBytes {
            var stop = next
            while stop > max(start, next - 2), base[stop - 1] == 10 || base[stop - 1] == 13 { stop -= 1 }
            if stop - start > maxRecordBytes { return .failed(tooLong(base, from: start, origin: origin)) }
          }
          account.skipped.add(kind, lines: 1, bytes: next - start)
          start = next
          line += 1
          continue records
        }
      }

      sink.begin(stored * columnCount)
      let escapesBefore = escapes.count
      var newlines = 0
      var countsNewlines = false
      var fault: Fault?
      var fieldStart = start
      var at: Int
      fields: while true {
        at = scan.next()
        if at < end {
          let byte = base[at]
          if byte == delimiter {
            var behind = at + 1
            if let long {
              switch long.match(base, at, end) {
              case .delimiter: behind = at + long.count
              case .cut where !isLast:
                escapes.removeLast(escapes.count - escapesBefore)
                return .needsInput
              case .cut, .other: continue fields
              }
              scan.skip(to: behind)
            }
            sink.addText(fieldStart, at)
            fieldStart = behind
            continue fields
          }
          if byte == quote, at == fieldStart {
            // A quoted field. The common case is finished here: nothing doubled, a delimiter or line end behind.
            let atQuote = scan
            var close = scan.next()
            var inner: UInt8 = 0
            while close < end {
              inner = base[close]
              if inner != 10 && inner != 13 && inner != delimiter { break }
              if inner == 10 || (inner == 13 && base[close + 1] != 10) { newlines += 1 }
              close = scan.next()
            }
            if close < end, inner == quote, close + 1 < end {
              let after = base[close + 1]
              if after == delimiter, isDelimiter(base, close + 1, end) {
                let behind = close + 1 + (long?.count ?? 1)
                sink.addQuoted(fieldStart + 1, close)
                if long == nil { _ = scan.next() } else { scan.skip(to: behind) }
                fieldStart = behind
                continue fields
              }
              if after == 10 || after == 13 {
                at = scan.next()
                sink.addQuoted(fieldStart + 1, close)
                break fields
              }
            }
            // Anything else is looked at again, slowly, from the quote on.
            scan = atQuote
          }
          if byte == quote || byte == escape {
            countsNewlines = true
            let result = field(
              base, &scan, &sink, fieldStart, at, end, isLast, &fault, &escapes)
            guard case .at(let terminator) = result else {
              escapes.removeLast(escapes.count - escapesBefore)
              return .needsInput
            }
            at = terminator
            if at < end, base[at] == delimiter {
              fieldStart = at + (long?.count ?? 1)
              if long != nil { scan.skip(to: fieldStart) }
              continue fields
            }
            break fields
          }
        } else if !isLast {
          escapes.removeLast(escapes.count - escapesBefore)
          return .needsInput
        }
        sink.addText(fieldStart, at)
        break fields
      }

      if quotesAreDoubted, countsNewlines || newlines > 0 || fault?.code == .unterminatedQuote {
        if fault == nil, let open = quoteAroundRecords(base, start, at) {
          fault = Fault(code: .unterminatedQuote, at: open)
        }
        if let open = fault, open.code == .unterminatedQuote {
          // Only the line of the quote is refused; what it takes in may be records.
          countsNewlines = true
          at = open.at
          while at < end, base[at] != 10, base[at] != 13 { at += 1 }
          scan = SpecialScanner(base, from: at, end: end, delimiter: delimiter, quote: quote, escape: escape)
          if at < end { _ = scan.next() }
        }
      }
      // The record is base[start..<at]; what ends it is LF, CR, CRLF or the end of the text.
      var next = at
      if at < end {
        next = at + 1
        if base[at] == 13 {
          if next < end {
            if base[next] == 10 {
              _ = scan.next()
              next += 1
            }
          } else if !isLast {
            escapes.removeLast(escapes.count - escapesBefore)
            return .needsInput
          }
        }
      }
      let length = at - start
      if length > maxRecordBytes {
        escapes.removeLast(escapes.count - escapesBefore)
        return .failed(tooLong(base, from: start, origin: origin))
      }
      let isRule = !rule.isEmpty && isRuleAgain(base, start, at)
      if isRule || headers.mayBegin(base + start) && isHeaderAgain(base, start, at) {
        escapes.removeLast(escapes.count - escapesBefore)
        let lines = 1 + Self.lineEnds(base, start, at)
        account.skipped.add(isRule ? .rule : .repeatedHeader, lines: lines, bytes: next - start)
        line += lines
        start = next
        continue records
      }
      if isHeaderReordered(base, start, at) {
        escapes.removeLast(escapes.count - escapesBefore)
        return .failed(reordered(base, start, at, origin: origin))
      }
      let isTaken = takes(fields: sink.fieldCount, hasSurplus: sink.hasSurplus)
      if isTaken, sink.fieldCount != width, fault == nil,
        let failure = headerOfOtherColumns(base, start, at, fields: sink.fieldCount, origin: origin)
      {
        escapes.removeLast(escapes.count - escapesBefore)
        return .failed(failure)
      }
      lastFieldCount = sink.fieldCount
      if textFault < next {
        if let found = check.takeFault(base, from: start, to: next, window), (fault?.at ?? .max) >= found.at {
          fault = Fault(code: found.code, at: found.at)
        }
        textFault = check.fault - origin
      }
      if isBehindTable {
        if length == 0 {
          account.skipped.add(.blankLine, lines: 1, bytes: next - start)
          line += 1
          start = next
          continue records
        }
        fault = fault ?? Fault(code: .otherTable, at: start)
      }
      if fault == nil, !isTaken {
        fault = Fault(code: .fieldCount, at: sink.fieldCount < width ? at : start)
      }
      if let fault {
        escapes.removeLast(escapes.count - escapesBefore)
        let raw = UnsafeRawBufferPointer(start: base + start, count: length)
        errors.append(refusal(fault, raw, start: start, origin: origin, found: sink.fieldCount))
      } else {
        if sink.fieldCount < slots.count { sink.fillAbsent() }
        for (copy, original) in repeats { repeatField(sink, original, copy, escapesBefore, &escapes) }
        records[unchecked: stored] = RecordPosition(
          index: recordIndex, line: line, byteOffset: origin + start,
          rawStart: UInt32(truncatingIfNeeded: start), rawLength: UInt32(truncatingIfNeeded: length))
        if seeksNearHeader, isNearlyHeader(base, start, at) { nearHeader = records[unchecked: stored] }
        stored += 1
        isOpenEnded = at >= end && fieldStart == at && origin + start > 0 && sink.fieldCount > 1
      }
      if countsNewlines { newlines = Self.lineEnds(base, start, at) }
      var dropped = 0
      if fault == nil, sink.hasSurplus, longRecords == .truncate, width != 0, sink.fieldCount > width {
        dropped = at - sink.surplusStart
        account.skipped.add(.surplusFields, lines: 0, bytes: dropped)
      }
      // Whoever has looked at a field slowly has looked for escapes.
      if fault == nil, countsNewlines, escape != delimiter {
        let count = needlessEscapes(base, start, at - dropped)
        if count > 0 { account.skipped.add(.escape, lines: 0, bytes: count) }
        dropped += count
      }
      account.recordBytes += next - start - dropped
      recordIndex += 1
      line += 1 + newlines
      start = next
    }
  }
}
