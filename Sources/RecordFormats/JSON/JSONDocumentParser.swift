import Diagnostics
import Glibc

/// The parser of one JSON document whose records are the elements of an array, without I/O.
struct JSONDocumentParser: RecordParser {
  static let lineEnds = LineEnds.lineFeed
  /// How much text around the records is passed over before its memory is used again.
  private static let outlineBytes = 1 << 16

  /// Where the cursor is.
  private enum Phase {
    /// Around the array of records.
    case outline
    /// Behind the array's opening bracket.
    case first
    /// Behind a comma between elements.
    case next
    /// Behind an element.
    case behind
    /// Inside an element that was refused for its length.
    case skipping
  }

  let maxRecordBytes: Int
  var columnCount: Int
  var paths: JSONPaths
  /// The batch is empty only because the text so far had no record; there is more to read.
  private(set) var yields = false
  private var phase = Phase.outline
  private var outline: JSONOutline
  private var skip = JSONSkip()
  /// The line at the cursor; nil before the first byte.
  private var lines: LineCounter?
  /// The number of the record at the cursor, from 0.
  private(set) var recordIndex = 0
  /// Room to unescape a member's name.
  private var scratch: ContiguousArray<UInt8> = []

  init(records: JSONRecordsPath, paths: JSONPaths, columnCount: Int, maxRecordBytes: Int) {
    self.paths = paths
    self.columnCount = columnCount
    self.maxRecordBytes = min(max(1, maxRecordBytes), Self.largestRecord)
    outline = JSONOutline(path: records, maxTokenBytes: self.maxRecordBytes)
  }

  /// The longest record that can be allowed.
  private static var largestRecord: Int { 1 << 29 - Self.margin }
  /// Whether an element is right may be open until so many bytes behind its longest allowed length are there.
  static var margin: Int { 16 }

  /// The cursor is around the array of records, not in it.
  var isAroundRecords: Bool { phase == .outline }

  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    yields = false
    var lines = self.lines ?? LineCounter(at: window.origin + window.cursor)
    defer { self.lines = lines }
    while true {
      let isEmpty = batch.recordCount == 0 && batch.errors.isEmpty
      switch phase {
      case .outline:
        // Records come from the start of a batch, so that batches do not depend on the text before them.
        let outcome = batch.bytes.withUnsafeBufferPointer { bytes -> ParseOutcome? in
          guard let base = bytes.baseAddress else { return .needsInput }
          return passOutline(base, &window, check, &lines)
        }
        if case .failed = outcome { return outcome ?? .full }
        if outcome == nil || (isEmpty && window.cursor >= Self.outlineBytes) {
          yields = isEmpty
          return .full
        }
        return .needsInput
      case .skipping:
        // The memory of what is passed over is used again.
        if !isEmpty { return .full }
        let isOver = batch.bytes.withUnsafeBufferPointer { bytes -> Bool in
          guard let base = bytes.baseAddress else { return false }
          let start = window.cursor
          let isOver = skip.run(base, &window.cursor, window.end)
          lines.advance(base, start, window.cursor, origin: window.origin)
          if isOver { recheck(base, &check, from: window.cursor, window) }
          return isOver
        }
        if isOver {
          phase = .behind
        } else if window.isLast {
          return endsEarly(window, lines)
        }
        if isOver || window.cursor >= Self.outlineBytes {
          yields = true
          return .full
        }
        return .needsInput
      case .first, .next, .behind:
        guard let outcome = parseElements(into: &batch, &window, limit, &check, &lines) else {
          phase = .outline
          outline.leaveRecords()
          if batch.recordCount > 0 || !batch.errors.isEmpty { return .full }
          continue
        }
        return outcome
      }
    }
  }

  /// Moves the cursor over text around the records; nil: records follow.
  private mutating func passOutline(
    _ base: UnsafePointer<UInt8>, _ window: inout ParseWindow, _ check: TextCheck, _ lines: inout LineCounter
  ) -> ParseOutcome? {
    let start = window.cursor
    let step = outline.run(base, &window.cursor, window.end, isLast: window.isLast)
    var stop = window.cursor
    if case .failed(_, let at, _) = step { stop = at + 1 }
    if check.fault < window.origin + stop {
      return .failed(textFailure(base, check.fault - window.origin, lines, start, window))
    }
    if case .failed(let code, let at, let message) = step {
      let position = lines.position(base, start, at, origin: window.origin)
      return .failed(ParseFailure(code: code, position: position, message: message))
    }
    lines.advance(base, start, window.cursor, origin: window.origin)
    if case .records = step {
      phase = .first
      return nil
    }
    return .needsInput
  }

  /// Parses elements into the batch until something stops it; nil: the array has ended.
  private mutating func parseElements(
    into batch: inout RecordBatch, _ window: inout ParseWindow, _ limit: BatchLimit, _ check: inout TextCheck,
    _ lines: inout LineCounter
  ) -> ParseOutcome? {
    var scratch = ContiguousArray<UInt8>()
    swap(&scratch, &self.scratch)
    defer { swap(&scratch, &self.scratch) }
    let opened = batch.withObjectParser(paths, scratch: &scratch) { object, rows in
      run(&object, &rows, window: &window, limit: limit, check: &check, lines: &lines)
    }
    return opened ?? .needsInput
  }

  private mutating func run(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, window: inout ParseWindow, limit: BatchLimit,
    check: inout TextCheck, lines: inout LineCounter
  ) -> ParseOutcome? {
    let base = rows.base
    while true {
      if rows.count >= rows.capacity { return .needsSpace }
      if let outcome = passSeparator(base, &window, &lines) { return outcome }
      if phase == .outline { return nil }
      let start = window.cursor
      let escapesBefore = object.escapes.count
      object.scanner = JSONScanner(base, from: start, end: window.end)
      var fault: RecordError.Code?
      var faultAt = start
      var isRead: Bool
      if base[start] == UInt8(ascii: "{") {
        isRead = object.parseObject(row: rows.count * columnCount, columnCount: columnCount, record: recordIndex)
        if !isRead, object.scanner.fault == .duplicateMember || object.scanner.fault == .loneSurrogate,
          object.scanner.isDecided(isLast: window.isLast), object.scanner.i - start <= maxRecordBytes
        {
          // The element is refused, but where it ends can be told.
          fault = object.scanner.fault
          faultAt = object.scanner.faultAt
          object.scanner = JSONScanner(base, from: start, end: window.end)
          object.scanner.passesLoneSurrogates = true
          isRead = object.scanner.value(depth: 0)
        }
      } else {
        fault = .notAnObject
        object.scanner.passesLoneSurrogates = true
        isRead = object.scanner.value(depth: 0)
        // A number that touches the end of the text may go on.
        if isRead, object.scanner.i == window.end, !window.isLast { return .needsInput }
      }
      let stop = object.scanner.i
      if !isRead, !object.scanner.isDecided(isLast: window.isLast) {
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        return .needsInput
      }
      if stop - start > maxRecordBytes {
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        rows.errors.append(tooLong(base + start, stop - start, window.origin + start, lines))
        return .full
      }
      if !isRead {
        let at = object.scanner.faultAt
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        if check.fault <= window.origin + at {
          return .failed(textFailure(base, check.fault - window.origin, lines, start, window))
        }
        let position = lines.position(base, start, at, origin: window.origin)
        let message =
          switch object.scanner.fault {
          case .tooDeep: "arrays and objects nest deeper than \(JSONScanner.deepest)"
          default: stop >= window.end ? "the JSON document ends too early" : "not JSON from here on"
          }
        return .failed(ParseFailure(code: .invalidDocument, position: position, message: message))
      }
      if check.fault < window.origin + stop {
        let at = check.fault - window.origin
        if fault == nil || fault == .notAnObject || at <= faultAt {
          fault = .invalidText
          faultAt = at
        }
        recheck(base, &check, from: stop, window)
      }
      if let fault {
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        let raw = UnsafeRawBufferPointer(start: base + start, count: stop - start)
        let position = lines.position(base, start, faultAt, origin: window.origin)
        rows.errors.append(refusal(fault, position, raw))
      } else {
        for (copy, original) in paths.repeats { object.repeatField(original, copy, escapesBefore) }
        rows.records[unchecked: rows.count] = RecordPosition(
          index: recordIndex, line: lines.line, column: lines.column(at: window.origin + start),
          byteOffset: window.origin + start, rawStart: UInt32(truncatingIfNeeded: start),
          rawLength: UInt32(truncatingIfNeeded: stop - start))
        rows.count += 1
      }
      recordIndex += 1
      phase = .behind
      lines.advance(base, start, stop, origin: window.origin)
      window.cursor = stop
      if rows.count + rows.errors.count >= limit.records || stop >= limit.bytes { return .full }
    }
  }

  /// Moves the cursor to the next element, or behind the array (then the phase is `outline`).
  @inline(__always)
  private mutating func passSeparator(
    _ base: UnsafePointer<UInt8>, _ window: inout ParseWindow, _ lines: inout LineCounter
  ) -> ParseOutcome? {
    var scanner = JSONScanner(base, from: window.cursor, end: window.end)
    scanner.skipSpace()
    if phase == .behind, scanner.i < window.end, base[scanner.i] == UInt8(ascii: ",") {
      phase = .next
      scanner.i += 1
      scanner.skipSpace()
    }
    lines.advance(base, window.cursor, scanner.i, origin: window.origin)
    window.cursor = scanner.i
    guard scanner.i < window.end else { return window.isLast ? endsEarly(window, lines) : .needsInput }
    if base[scanner.i] == UInt8(ascii: "]"), phase != .next {
      window.cursor += 1
      phase = .outline
    } else if phase == .behind {
      let position = lines.position(base, scanner.i, scanner.i, origin: window.origin)
      return .failed(
        ParseFailure(
          code: .invalidDocument, position: position,
          message: "not JSON: a comma or a closing bracket is missing here"))
    }
    return nil
  }

  /// Passes over the element at the cursor.
  mutating func startSkipping() {
    phase = .skipping
    skip = JSONSkip()
  }

  /// Returns the number of the record at the cursor and goes on to the next.
  mutating func takeIndex() -> Int {
    defer { recordIndex += 1 }
    return recordIndex
  }

  mutating func refuseLong(into batch: inout RecordBatch, window: inout ParseWindow, limit: Int) -> ParseOutcome {
    let (start, end, origin) = (window.cursor, window.end, window.origin)
    let lines = lines ?? LineCounter(at: origin + start)
    if phase == .outline {
      return .failed(
        ParseFailure(
          code: .recordTooLong,
          position: SourcePosition(
            line: lines.line, column: lines.column(at: origin + start), byteOffset: origin + start),
          message: "a text or number longer than \(maxRecordBytes) bytes"))
    }
    let error = batch.bytes.withUnsafeBufferPointer { bytes -> RecordError? in
      bytes.baseAddress.map { tooLong($0 + start, end - start, origin + start, lines) }
    }
    if let error { batch.errors.append(error) }
    return .full
  }
}
