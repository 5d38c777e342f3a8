/// The parser of one JSON document whose records are the elements of an array, without I/O.
struct JSONDocumentParser: JSONRecordParser {
  static let lineEnds = LineEnds.lineFeed
  /// How much text around the records is skipped before its memory is used again.
  private static let outlineBytes = 1 << 16

  private enum Phase {
    /// Before a document that may be one record.
    case start
    /// Around the array of records.
    case outline
    /// Behind the array's opening bracket.
    case first
    /// Behind a comma between elements.
    case next
    /// Behind an element.
    case behind
    /// Before a document that is one record.
    case only
    /// Behind it.
    case end
  }

  var account: TextAccount {
    get { elements.account }
    set { elements.account = newValue }
  }
  private var phase: Phase
  private var outline: JSONOutline
  private var elements: JSONElements
  private var hasBegun = false

  /// - Parameter mayBeMissing: whether a document without the array has no records.
  init(records: JSONRecordsPath, mayBeMissing: Bool = false, request: JSONRequest, maxRecordBytes: Int) {
    elements = JSONElements(request, maxRecordBytes: maxRecordBytes)
    outline = JSONOutline(path: records, mayBeMissing: mayBeMissing, maxTokenBytes: elements.maxRecordBytes)
    phase = request.takesScalars && records.names.isEmpty ? .start : .outline
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
    while true {
      let isEmpty = batch.recordCount == 0 && batch.errors.isEmpty
      if elements.isSkipping {
        // The memory of skipped text is used again.
        if !isEmpty { return .full }
        let isOver = !elements.skipMore(batch, &window, &check)
        if isOver { phase = phase == .only ? .end : .behind }
        if isOver || window.cursor >= Self.outlineBytes { return .full }
        return window.isLast ? elements.endsEarly(window) : .needsInput
      }
      switch phase {
      case .start, .outline:
        // Records come from the start of a batch, so that batches do not depend on the text before them.
        let outcome = batch.bytes.withUnsafeBufferPointer { bytes -> ParseOutcome? in
          guard let base = bytes.baseAddress else { return .needsInput }
          return phase == .start ? passStart(base, &window) : passOutline(base, &window, check)
        }
        switch outcome {
        case .failed, .full: return outcome ?? .full
        default: break
        }
        if outcome == nil || (isEmpty && window.cursor >= Self.outlineBytes) { return .full }
        return .needsInput
      case .first, .next, .behind, .only, .end:
        var reached = phase
        let outcome = elements.open(&batch) { elements, object, rows in
          Self.run(&reached, &elements, &object, &rows, window: &window, limit: limit, check: &check)
        }
        phase = reached
        guard let outcome = outcome ?? .needsInput else {
          phase = .outline
          outline.leaveRecords()
          if batch.recordCount > 0 || !batch.errors.isEmpty { return .full }
          continue
        }
        return outcome
      }
    }
  }
  /// Moves the cursor to the first byte of a document that may be one record; nil: it is known what it is.
  private mutating func passStart(_ base: UnsafePointer<UInt8>, _ window: inout ParseWindow) -> ParseOutcome? {
    var scanner = JSONScanner(base, from: window.cursor, end: window.end)
    scanner.skipSpace()
    if elements.pass(base, to: scanner.i, &window) { return .full }
    guard scanner.i < window.end else {
      if !window.isLast { return .needsInput }
      phase = .outline
      return nil
    }
    phase = base[scanner.i] == UInt8(ascii: "[") ? .outline : .only
    return nil
  }

  /// Moves the cursor over text around the records; nil: records follow.
  private mutating func passOutline(
    _ base: UnsafePointer<UInt8>, _ window: inout ParseWindow, _ check: TextCheck
  ) -> ParseOutcome? {
    let start = window.cursor
    let before = outline
    let step = outline.run(base, &window.cursor, window.end, isLast: window.isLast)
    var stop = window.cursor
    if case .failed(_, let at, _) = step {
      if !window.isLast, at < window.end, base[at] >= 0x80, at + 4 > window.end, check.fault >= window.origin + at {
        // Whether this is text at all is not known yet; what stands before it is passed.
        outline = before
        window.cursor = start
        _ = outline.run(base, &window.cursor, at, isLast: false)
        countOutline(base, start, window)
        return .needsInput
      }
      stop = at + 1
    }
    if check.fault < window.origin + stop {
      return .failed(elements.textFailure(base, check.fault - window.origin, start, window))
    }
    if case .failed(let code, let at, let message) = step {
      let position = elements.lines.position(base, start, at, origin: window.origin)
      return .failed(ParseFailure(code: code, position: position, message: message))
    }
    countOutline(base, start, window)
    if case .records = step {
      phase = .first
      return nil
    }
    return .needsInput
  }

  /// Counts what the cursor has moved over.
  private mutating func countOutline(_ base: UnsafePointer<UInt8>, _ start: Int, _ window: ParseWindow) {
    var passed = window
    passed.cursor = start
    _ = elements.pass(base, to: window.cursor, &passed)
    elements.endGap()
  }

  /// Reads records into the batch until something stops it; nil: the array has ended.
  private static func run(
    _ phase: inout Phase, _ elements: inout JSONElements, _ object: inout JSONObjectParser, _ rows: inout ObjectRows,
    window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome? {
    while true {
      if rows.count >= rows.capacity { return .needsSpace }
      if let outcome = passSeparator(&phase, &elements, rows.base, &window) { return outcome }
      if phase == .outline { return nil }
      if let outcome = elements.read(&object, &rows, window: &window, limit: limit, check: &check) { return outcome }
      phase = phase == .only ? .end : .behind
      if rows.count + rows.errors.count >= limit.records || window.cursor >= limit.bytes { return .full }
    }
  }

  /// Moves the cursor to the next element, or behind the array (then the phase is `outline`).
  @inline(__always)
  private static func passSeparator(
    _ phase: inout Phase, _ elements: inout JSONElements, _ base: UnsafePointer<UInt8>, _ window: inout ParseWindow
  ) -> ParseOutcome? {
    var scanner = JSONScanner(base, from: window.cursor, end: window.end)
    scanner.skipSpace()
    if phase == .behind, scanner.i < window.end, base[scanner.i] == UInt8(ascii: ",") {
      phase = .next
      scanner.i += 1
      scanner.skipSpace()
    }
    if elements.pass(base, to: scanner.i, &window) { return .full }
    guard scanner.i < window.end else {
      return window.isLast && phase != .end ? elements.endsEarly(window) : .needsInput
    }
    if phase == .only { return nil }
    if phase == .end { return failure("something follows the JSON document", elements, window) }
    if base[scanner.i] == UInt8(ascii: "]"), phase != .next {
      _ = elements.pass(base, to: window.cursor + 1, &window)
      phase = .outline
    } else if phase == .behind {
      return failure("not JSON: a comma or a closing bracket is missing here", elements, window)
    }
    return nil
  }

  /// The failure that the byte at the cursor must not be there.
  private static func failure(_ message: String, _ elements: JSONElements, _ window: ParseWindow) -> ParseOutcome {
    .failed(
      ParseFailure(
        code: .invalidDocument, position: elements.position(of: window.origin + window.cursor), message: message))
  }

  mutating func refuseLong(into batch: inout RecordBatch, window: inout ParseWindow, limit: Int) -> ParseOutcome {
    if phase == .outline || phase == .start {
      return .failed(
        ParseFailure(
          code: .recordTooLong, position: elements.position(of: window.origin + window.cursor),
          message: RecordError.tooLong("a text or number", maxRecordBytes)))
    }
    elements.refuseLong(into: &batch, window: window)
    return .full
  }
}
