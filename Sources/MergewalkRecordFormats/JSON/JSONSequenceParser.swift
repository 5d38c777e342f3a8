import MergewalkSystem

/// The parser of JSON values that follow each other, without I/O; see ``JSONSequenceReader``.
struct JSONSequenceParser: JSONRecordParser {
  static let lineEnds = LineEnds.lineFeed
  /// The record separator of RFC 7464.
  static let separator: UInt8 = 0x1E
  /// How much of a value that is skipped is kept before its memory is used again.
  private static let skippedBytes = 1 << 16

  /// How the values are distinguished.
  private enum Form { case unknown, separated, concatenated }

  private struct Place {
    var form = Form.unknown
    /// Behind a number or a word, whose end must be seen.
    var isBehindWord = false
  }

  var account: TextAccount {
    get { elements.account }
    set { elements.account = newValue }
  }
  private var elements: JSONElements
  private var place = Place()
  private var hasBegun = false

  init(request: JSONRequest, maxRecordBytes: Int) {
    elements = JSONElements(request, maxRecordBytes: maxRecordBytes)
  }

  var columnCount: Int { elements.request.columnCount }
  var maxRecordBytes: Int { elements.maxRecordBytes }
  var request: JSONRequest {
    get { elements.request }
    set { elements.request = newValue }
  }

  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    if !hasBegun {
      elements.lines = LineCounter(at: window.origin + window.cursor)
      hasBegun = true
    }
    if elements.isSkipping {
      // The memory of skipped text is used again.
      if batch.recordCount > 0 || !batch.errors.isEmpty { return .full }
      let isOver =
        place.form == .separated
        ? !elements.skipToSeparator(batch, &window, &check) : !elements.skipMore(batch, &window, &check)
      if isOver || window.cursor >= Self.skippedBytes { return .full }
      return window.isLast && place.form == .concatenated ? elements.endsEarly(window) : .needsInput
    }
    var reached = place
    let outcome = elements.open(&batch) { elements, object, rows in
      Self.run(&reached, &elements, &object, &rows, window: &window, limit: limit, check: &check)
    }
    place = reached
    return outcome ?? .needsInput
  }

  /// Reads records into the batch until something stops it.
  private static func run(
    _ place: inout Place, _ elements: inout JSONElements, _ object: inout JSONObjectParser, _ rows: inout ObjectRows,
    window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    let base = rows.base
    while true {
      if rows.count >= rows.capacity { return .needsSpace }
      let before = window.cursor
      var scanner = JSONScanner(base, from: before, end: window.end)
      scanner.skipSpace()
      if place.form == .unknown, scanner.i < window.end {
        place.form = base[scanner.i] == separator ? .separated : .concatenated
      }
      while place.form == .separated, scanner.i < window.end, base[scanner.i] == separator {
        scanner.i += 1
        scanner.skipSpace()
      }
      if elements.pass(base, to: scanner.i, &window) { return .full }
      if scanner.i > before { place.isBehindWord = false }
      guard scanner.i < window.end else { return .needsInput }
      let byte = base[scanner.i]
      if place.form == .separated, !elements.isExpanding {
        if let outcome = text(&elements, &object, &rows, &window, &check) { return outcome }
        if !elements.isExpanding, isFull(rows, window, limit) { return .full }
        continue
      }
      let isWord = !isBracketOrQuote(byte)
      if isWord, place.isBehindWord {
        return .failed(
          ParseFailure(
            code: .invalidDocument, position: elements.position(of: window.origin + scanner.i),
            message: "not JSON: a number or a word ends before this"))
      }
      if let outcome = elements.read(&object, &rows, window: &window, limit: limit, check: &check) { return outcome }
      place.isBehindWord = isWord
      if isFull(rows, window, limit) { return .full }
    }
  }

  private static func isFull(_ rows: ObjectRows, _ window: ParseWindow, _ limit: BatchLimit) -> Bool {
    rows.count + rows.errors.count >= limit.records || window.cursor >= limit.bytes
  }

  private static func isBracketOrQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
  }

  /// Reads the text from the cursor to the next separator, whatever it is; nil: it was read, or its record is next.
  private static func text(
    _ elements: inout JSONElements, _ object: inout JSONObjectParser, _ rows: inout ObjectRows,
    _ window: inout ParseWindow, _ check: inout TextCheck
  ) -> ParseOutcome? {
    let start = rows.base + window.cursor
    var stop = window.end
    if let found = memchr(start, Int32(Self.separator), window.end - window.cursor) {
      stop = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - rows.base
    } else if !window.isLast {
      return .needsInput
    }
    return elements.readText(&object, &rows, stop, window: &window, check: &check) ? nil : .full
  }

  mutating func refuseLong(into batch: inout RecordBatch, window: inout ParseWindow, limit: Int) -> ParseOutcome {
    elements.refuseLong(into: &batch, window: window)
    return .full
  }
}
