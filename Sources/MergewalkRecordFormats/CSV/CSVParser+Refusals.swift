import MergewalkDiagnostics

extension CSVParser {
  mutating func refuseLong(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: Int
  ) -> ParseOutcome {
    batch.bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { .failed(tooLong($0, from: window.cursor, origin: window.origin)) } ?? .needsInput
    }
  }

  /// The failure of a record or a line that is too long: where the quote opens that is probably never closed, or where
  /// the record starts.
  ///
  /// It depends on the first `maxRecordBytes` bytes alone, and so not on how many more are there.
  func tooLong(_ base: UnsafePointer<UInt8>, from start: Int, origin: Int) -> ParseFailure {
    let open = openQuote(base, from: start, to: start + maxRecordBytes)
    let raw = UnsafeRawBufferPointer(start: base + start, count: maxRecordBytes)
    var message = RecordError.tooLong("the record", maxRecordBytes)
    if open != nil { message += "; the quote that opens here is probably never closed" }
    return ParseFailure(
      code: .recordTooLong,
      position: SourcePosition(
        in: raw, at: (open ?? start) - start, line: line, byteOffset: origin + start, lineEnds: .any),
      message: message)
  }

  /// The quote that is open at `end`, of those of the record that starts at `start`.
  private func openQuote(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
    let isComment =
      !comment.isEmpty && UnsafeBufferPointer(start: base + start, count: end - start).starts(with: comment)
    if linesToSkip > 0 || isComment || quote == delimiter { return nil }
    var open: Int?
    var isFieldStart = true
    var i = start
    while i < end {
      let byte = base[i]
      i += 1
      if byte == escape, escape != delimiter {
        i += 1
        isFieldStart = false
      } else if open != nil {
        // A doubled quote closes the text and opens it again.
        if byte == quote {
          if i < end, base[i] == quote { i += 1 } else { open = nil }
        }
      } else if byte == delimiter {
        let isWhole = isDelimiter(base, i - 1, end)
        if isWhole { i += (long?.count ?? 1) - 1 }
        isFieldStart = isWhole || (isFieldStart && trim && (byte == 32 || byte == 9))
      } else if byte == quote, isFieldStart {
        open = i - 1
        isFieldStart = false
      } else if !trim || (byte != 32 && byte != 9) {
        isFieldStart = false
      }
    }
    return open
  }

  /// The number of line ends inside a record.
  static func lineEnds(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var count = 0
    var i = start
    while i < end {
      if base[i] == 10 || (base[i] == 13 && !(i + 1 < end && base[i + 1] == 10)) { count += 1 }
      i += 1
    }
    return count
  }

  @inline(never)
  func refusal(
    _ fault: Fault, _ raw: UnsafeRawBufferPointer, start: Int, origin: Int, found: Int
  ) -> RecordError {
    let message =
      switch fault.code {
      case .fieldCount: "expected \(PrintableText.count(width, "field")), found \(found)"
      case .strayQuote: "a quote inside an unquoted field"
      case .textAfterQuote: "text after a closing quote; double quotes that belong to the value"
      case .unterminatedQuote where quotesAreDoubted:
        "the quote that opens here spans other lines, and its closing quote does not end a field; only its own line is rejected"
      case .unterminatedQuote: "the quote that opens here is never closed"
      case .doubtfulComment:
        "the line has \(PrintableText.count(width, "field")) like a record, but begins like lines that seem to be comments;"
          + " set “comment” if it is one, and “comment: none” if there are none"
      case .doubtfulEscape:
        "what seems to be an escape character precedes an ordinary character and would be dropped; set “escape” if it should be"
          + " dropped, or double it"
      case .danglingEscape: "the file ends after an escape character"
      case .otherTable:
        "the record belongs to another table than the first; set “table” to the one to read, and the others are skipped"
      case .nulByte: "the record contains a NUL byte"
      default: "the bytes from here are not valid text in the file's encoding"
      }
    var error = RecordError(
      code: fault.code,
      position: SourcePosition(
        in: raw, at: fault.at - start, line: line, byteOffset: origin + start, lineEnds: .any),
      recordIndex: recordIndex, message: message, raw: [UInt8](raw))
    if fault.code == .fieldCount { error.width = found < width ? .missing : .surplus }
    return error
  }
}
