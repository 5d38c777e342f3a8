import Diagnostics

extension CSVParser {
  mutating func refuseLong(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: Int
  ) -> ParseOutcome {
    .failed(tooLong(at: openQuote >= 0 ? openQuote : window.origin + window.cursor, batch, window))
  }

  /// The failure of a record that is too long, when its line is all that is known.
  func tooLong(at offset: Int) -> ParseFailure {
    ParseFailure(
      code: .recordTooLong, position: SourcePosition(line: line, column: 1, byteOffset: offset),
      message: "the record is longer than \(maxRecordBytes) bytes")
  }

  private func tooLong(at offset: Int, _ batch: RecordBatch, _ window: ParseWindow) -> ParseFailure {
    var failure = tooLong(at: offset)
    let start = window.cursor
    failure.position = batch.bytes.withUnsafeBytes { all in
      SourcePosition(
        in: UnsafeRawBufferPointer(rebasing: all[start..<window.end]), at: offset - window.origin - start, line: line,
        byteOffset: window.origin + start, lineEnds: .any)
    }
    if openQuote >= 0 { failure.message += "; the quote that opens here is probably never closed" }
    return failure
  }

  /// Looks for faults of the text anew, from `offset` of the window on.
  func recheck(_ base: UnsafePointer<UInt8>, _ check: inout TextCheck, from offset: Int, _ window: ParseWindow) {
    check.resume(at: window.origin + offset)
    check.advance(base, origin: window.origin, end: window.end, isLast: window.isLast)
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
      case .fieldCount: "expected \(width) fields, found \(found)"
      case .strayQuote: "a quote inside an unquoted field; quote the whole field and double the quotes inside"
      case .textAfterQuote: "text behind a closing quote; double a quote that belongs to the value"
      case .unterminatedQuote: "the quote that opens here is never closed"
      case .danglingEscape: "the file ends after an escape character"
      case .nulByte: "the record contains a NUL byte"
      default: "the bytes from here are not valid text in the file's encoding"
      }
    return RecordError(
      code: fault.code,
      position: SourcePosition(
        in: raw, at: fault.at - start, line: line, byteOffset: origin + start, lineEnds: .any),
      recordIndex: recordIndex, message: message, raw: [UInt8](raw))
  }
}
