import Diagnostics

extension JSONDocumentParser {
  /// Refuses the element at the cursor for its length; from here on it is passed over.
  mutating func tooLong(
    _ element: UnsafePointer<UInt8>, _ length: Int, _ offset: Int, _ lines: LineCounter
  ) -> RecordError {
    startSkipping()
    let kept = min(length, NDJSONParser.keptOfLongLine, maxRecordBytes)
    return RecordError(
      code: .recordTooLong,
      position: SourcePosition(line: lines.line, column: lines.column(at: offset), byteOffset: offset),
      recordIndex: takeIndex(), message: "the element is longer than \(maxRecordBytes) bytes",
      raw: [UInt8](UnsafeBufferPointer(start: element, count: kept)))
  }

  @inline(never)
  func refusal(_ code: RecordError.Code, _ position: SourcePosition, _ raw: UnsafeRawBufferPointer) -> RecordError {
    let message =
      switch code {
      case .notAnObject: "the element is not a JSON object"
      case .duplicateMember: "the object has this member twice"
      case .loneSurrogate: "half of a surrogate pair"
      default: "the bytes from here are not UTF-8"
      }
    return RecordError(code: code, position: position, recordIndex: recordIndex, message: message, raw: [UInt8](raw))
  }

  /// The failure that the document ends inside the array of records.
  func endsEarly(_ window: ParseWindow, _ lines: LineCounter) -> ParseOutcome {
    let offset = window.origin + window.end
    return .failed(
      ParseFailure(
        code: .invalidDocument,
        position: SourcePosition(line: lines.line, column: lines.column(at: offset), byteOffset: offset),
        message: "the JSON document ends too early"))
  }

  /// The failure that the byte at `at` is no text; the cursor was at `reached`.
  func textFailure(
    _ base: UnsafePointer<UInt8>, _ at: Int, _ lines: LineCounter, _ reached: Int, _ window: ParseWindow
  ) -> ParseFailure {
    ParseFailure(
      code: .invalidDocument, position: lines.position(base, reached, at, origin: window.origin),
      message: base[at] == 0 ? "a NUL byte" : "the bytes from here are not UTF-8")
  }

  /// Looks for faults of the text anew, from `offset` of the window on.
  func recheck(_ base: UnsafePointer<UInt8>, _ check: inout TextCheck, from offset: Int, _ window: ParseWindow) {
    check.resume(at: window.origin + offset)
    check.advance(base, origin: window.origin, end: window.end, isLast: window.isLast)
  }
}

extension JSONScanner {
  /// Whether a fault stays one whatever text follows `end`.
  func isDecided(isLast: Bool) -> Bool { isLast || !isNearEnd }
}
