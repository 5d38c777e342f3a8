extension CSVParser {
  /// The outcome for a line that may not be a record.
  enum LineSkip {
    case notSkipped
    case needsInput
    /// Skipped text: its kind, and where the next line starts.
    case skipped(SkippedText.Kind, Int)
    /// It could be a comment as well as a record, and ends here; the next line starts there.
    case doubted(Int, Int)
  }

  /// Skips the line at `start` if it is blank, a comment, or among the first ones that are to be skipped.
  @inline(never)
  mutating func skipLine(
    _ base: UnsafePointer<UInt8>, _ scan: inout SpecialScanner, _ start: Int, _ end: Int, _ isLast: Bool
  ) -> LineSkip {
    var kind = SkippedText.Kind.preamble
    if linesToSkip == 0 {
      let isBlank = base[start] == 10 || base[start] == 13
      kind = isBlank ? .blankLine : .comment
      if isBlank {
        if !skipsBlankLines { return .notSkipped }
      } else {
        // A line that is cut inside what may be the prefix cannot be judged yet.
        for (i, byte) in comment.enumerated() {
          if start + i >= end { return isLast ? .notSkipped : .needsInput }
          if base[start + i] != byte { return .notSkipped }
        }
      }
    }
    let atStart = scan
    var at = scan.next()
    while at < end, base[at] != 10, base[at] != 13 { at = scan.next() }
    let stop = min(at, end)
    if at >= end {
      if !isLast { return .needsInput }
    } else if base[at] == 13 {
      if at + 1 >= end, !isLast { return .needsInput }
      if at + 1 < end, base[at + 1] == 10 { at = scan.next() }
    }
    if linesToSkip > 0 {
      if isBelowPreamble(base, start, stop) {
        linesToSkip = 0
        scan = atStart
        return .notSkipped
      }
      linesToSkip -= 1
    } else if kind == .comment, caution?.doubtsComments == true, fieldCount(base, start, stop) == width {
      return .doubted(stop, min(at + 1, end))
    }
    return .skipped(kind, min(at + 1, end))
  }

  /// Handles a field that is not plain: `at` is a quote or an escape, the first special byte at or after `start`.
  @inline(never)
  func field(
    _ base: UnsafePointer<UInt8>, _ scan: inout SpecialScanner, _ sink: inout CSVFieldSink, _ start: Int, _ at: Int,
    _ end: Int, _ isLast: Bool, _ fault: inout Fault?, _ escapes: inout ContiguousArray<EscapedField>
  ) -> FieldEnd {
    var open = start
    if trim { while open < at, sink.isBlank(base[open]) { open += 1 } }
    if base[at] != quote || open != at {
      return unquoted(base, &scan, &sink, start, at, end, isLast, &fault, &escapes, strayQuotes: false)
    }
    var doubled = false
    var close = scan.next()
    while close < end {
      let byte = base[close]
      if byte == quote {
        if close + 1 >= end {
          if !isLast { return .needsInput }
          break
        }
        if base[close + 1] != quote { break }
        doubled = true
        _ = scan.next()
      } else if byte == escape, byte != delimiter {
        doubled = true
        guard let next = behindEscape(base, close, end, isLast, &fault) else {
          return .needsInput
        }
        scan.skip(to: next)
      }
      close = scan.next()
    }
    if close >= end {
      if !isLast { return .needsInput }
      if fault == nil || (quotesAreDoubted && fault?.code != .unterminatedQuote) {
        fault = Fault(code: .unterminatedQuote, at: open)
      }
      sink.addQuoted(open + 1, end)
      return .at(end)
    }
    var behind = close + 1
    if trim || lenient {
      while behind < end, sink.isBlank(base[behind]), !isDelimiter(base, behind, end) {
        if !isLast, isCut(base, behind, end) { return .needsInput }
        behind += 1
      }
    }
    if behind >= end {
      if !isLast { return .needsInput }
    } else if !isDelimiter(base, behind, end), base[behind] != 10, base[behind] != 13 {
      if !isLast, isCut(base, behind, end) { return .needsInput }
      if quotesAreDoubted, fault?.code != .unterminatedQuote, Self.lineEnds(base, open, close) > 0 {
        fault = Fault(code: .unterminatedQuote, at: open)
      } else if !lenient, fault == nil {
        fault = Fault(code: .textAfterQuote, at: behind)
      }
      // The rest is read as ordinary text, quotes included, to find the end of the field.
      let stop = unquotedEnd(base, &scan, scan.next(), end, isLast, &fault, strayQuotes: true)
      guard let stop else { return .needsInput }
      append(sink.addQuoted(open + 1, stop.at, isWhole: false), open + 1, stop.at, .quotedCSV, &escapes)
      return .at(stop.at)
    }
    scan.skip(to: behind)
    let terminator = scan.next()
    let (from, to) = trimsQuoted && doubled ? sink.inside(open + 1, close) : (open + 1, close)
    let entry = sink.addQuoted(from, to)
    if doubled { append(entry, from, to, .quotedCSV, &escapes) }
    return .at(terminator)
  }

  /// Whether the whole delimiter stands at `at`.
  @inline(__always)
  func isDelimiter(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Bool {
    guard base[at] == delimiter else { return false }
    guard let long else { return true }
    return long.match(base, at, end) == .delimiter
  }

  /// Whether what may be the delimiter goes on behind the text that is there.
  private func isCut(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Bool {
    long?.match(base, at, end) == .cut
  }

  private func unquoted(
    _ base: UnsafePointer<UInt8>, _ scan: inout SpecialScanner, _ sink: inout CSVFieldSink, _ start: Int, _ at: Int,
    _ end: Int, _ isLast: Bool, _ fault: inout Fault?, _ escapes: inout ContiguousArray<EscapedField>,
    strayQuotes: Bool
  ) -> FieldEnd {
    guard let stop = unquotedEnd(base, &scan, at, end, isLast, &fault, strayQuotes: strayQuotes) else {
      return .needsInput
    }
    let entry = sink.addText(start, stop.at)
    if stop.escaped { append(entry, sink, base, fieldEnd: stop.at, &escapes) }
    return .at(stop.at)
  }

  /// Finds the end of unquoted text, from the special byte at `at` on; nil if the text that is there does not tell.
  private func unquotedEnd(
    _ base: UnsafePointer<UInt8>, _ scan: inout SpecialScanner, _ at: Int, _ end: Int, _ isLast: Bool,
    _ fault: inout Fault?, strayQuotes: Bool
  ) -> (at: Int, escaped: Bool)? {
    var at = at
    var escaped = false
    while at < end {
      let byte = base[at]
      if byte == 10 || byte == 13 || isDelimiter(base, at, end) { return (at, escaped) }
      if byte == delimiter {
        // Of several bytes, and not all of it.
        if !isLast, isCut(base, at, end) { return nil }
      } else if byte == quote {
        if !lenient, !strayQuotes, fault == nil { fault = Fault(code: .strayQuote, at: at) }
      } else {
        escaped = true
        guard let next = behindEscape(base, at, end, isLast, &fault) else { return nil }
        scan.skip(to: next)
      }
      at = scan.next()
    }
    return isLast ? (end, escaped) : nil
  }

  /// The index behind what the escape at `at` makes ordinary: one byte, or CRLF; nil if that is not there yet.
  private func behindEscape(
    _ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int, _ isLast: Bool, _ fault: inout Fault?
  ) -> Int? {
    if at + 1 >= end {
      if !isLast { return nil }
      if fault == nil { fault = Fault(code: .danglingEscape, at: at) }
      return end
    }
    // A header is names: what they lose is no data.
    if let caution, caution.doubtsEscapes, width > 0 {
      if !isLast, at + 2 >= end || isCut(base, at + 2, end) { return nil }
      if fault == nil, !isEscaped(base, at, end) { fault = Fault(code: .doubtfulEscape, at: at) }
    }
    if base[at + 1] != 13 { return at + 2 }
    if at + 2 >= end { return isLast ? end : nil }
    return base[at + 2] == 10 ? at + 3 : at + 2
  }

  private func append(
    _ entry: Int, _ start: Int, _ end: Int, _ kind: EscapedField.Kind, _ escapes: inout ContiguousArray<EscapedField>
  ) {
    if entry < 0 { return }
    escapes.append(
      EscapedField(
        slot: UInt32(truncatingIfNeeded: entry), start: UInt32(truncatingIfNeeded: start),
        end: UInt32(truncatingIfNeeded: end), kind: kind))
  }

  /// Remembers that an unquoted field, already stored and perhaps trimmed, contains escapes; a null one needs nothing.
  private func append(
    _ entry: Int, _ sink: CSVFieldSink, _ base: UnsafePointer<UInt8>, fieldEnd: Int,
    _ escapes: inout ContiguousArray<EscapedField>
  ) {
    guard entry >= 0, let range = sink.textRange(entry) else { return }
    // Trimming may have taken a blank that is escaped: it is text.
    var trailing = range.upperBound
    while trailing > range.lowerBound, base[trailing - 1] == escape { trailing -= 1 }
    let isCut = (range.upperBound - trailing) % 2 == 1 && range.upperBound < fieldEnd
    append(entry, range.lowerBound, range.upperBound + (isCut ? 1 : 0), .unquotedCSV, &escapes)
  }

  /// Copies a field to a second column that requested it too.
  @inline(never)
  func repeatField(
    _ sink: CSVFieldSink, _ original: Int, _ copy: Int, _ escapesBefore: Int,
    _ escapes: inout ContiguousArray<EscapedField>
  ) {
    sink.copy(original, to: copy)
    for i in escapesBefore..<escapes.count where Int(escapes[i].slot) == sink.row + original {
      var second = escapes[i]
      second.slot = UInt32(truncatingIfNeeded: sink.row + copy)
      escapes.append(second)
      break
    }
  }
}
