import MergewalkDiagnostics

extension JSONElements {
  /// Refuses the value in `start..<stop`.
  mutating func refuse(
    _ code: RecordError.Code, _ base: UnsafePointer<UInt8>, at: Int, _ start: Int, _ stop: Int,
    _ rows: inout ObjectRows, _ window: ParseWindow
  ) {
    let message =
      switch code {
      case .notAnObject: "the element is not a JSON object"
      case .duplicateMember: "the object has this member twice"
      case .loneSurrogate: "half of a surrogate pair"
      case .tooDeep: "arrays and objects nest deeper than \(JSONScanner.deepest)"
      case .nulByte: "a NUL byte"
      case .invalidJSON: JSONFaultText.message(base, from: start, at: at, end: stop)
      default: "the bytes from here are not UTF-8"
      }
    rows.errors.append(
      RecordError(
        code: code, position: lines.position(base, start, at, origin: window.origin), recordIndex: takeIndex(),
        message: message, raw: [UInt8](UnsafeBufferPointer(start: base + start, count: stop - start))))
  }

  /// Refuses the value at the cursor for its length; from here on it is skipped.
  mutating func tooLong(_ value: UnsafePointer<UInt8>, _ length: Int, _ offset: Int) -> RecordError {
    startSkipping()
    let kept = min(length, NDJSONParser.keptOfLongLine, maxRecordBytes)
    return RecordError(
      code: .recordTooLong, position: position(of: offset), recordIndex: takeIndex(),
      message: RecordError.tooLong("the element", maxRecordBytes),
      raw: [UInt8](UnsafeBufferPointer(start: value, count: kept)))
  }

  /// Refuses the value at the cursor because it does not end within the longest length.
  mutating func refuseLong(into batch: inout RecordBatch, window: ParseWindow) {
    let error = batch.bytes.withUnsafeBufferPointer { bytes -> RecordError? in
      bytes.baseAddress.map {
        tooLong($0 + window.cursor, window.end - window.cursor, window.origin + window.cursor)
      }
    }
    if let error { batch.errors.append(error) }
  }

  /// The position of the cursor, whose offset in the file this is.
  func position(of offset: Int) -> SourcePosition {
    SourcePosition(line: lines.line, column: lines.column(at: offset), byteOffset: offset)
  }

  /// The failure that the text ends inside a value or before one that must come.
  func endsEarly(_ window: ParseWindow) -> ParseOutcome {
    .failed(
      ParseFailure(
        code: .invalidDocument, position: position(of: window.origin + window.end),
        message: "the JSON text ends too early"))
  }

  /// The failure that the byte at `at` is no text; the cursor is at `reached`.
  func textFailure(_ base: UnsafePointer<UInt8>, _ at: Int, _ reached: Int, _ window: ParseWindow) -> ParseFailure {
    ParseFailure(
      code: .invalidDocument, position: lines.position(base, reached, at, origin: window.origin),
      message: base[at] == 0 ? "a NUL byte" : "the bytes from here are not UTF-8")
  }
}

extension JSONScanner {
  /// Whether a fault stays one whatever text follows `end`.
  func isDecided(isLast: Bool) -> Bool { isLast || !isNearEnd }
}
