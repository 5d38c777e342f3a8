/// Reads the values of a text that holds several: the elements of an array, or values that follow each other.
///
/// It is shared by all formats whose records may span several lines; the text between the values is handled elsewhere.
struct JSONElements {
  let maxRecordBytes: Int
  var request: JSONRequest
  var lines = LineCounter(at: 0)
  /// The outcomes of the text, except the text between values.
  private var counted = TextAccount()
  /// The bytes between values, and how many of them follow each other.
  private var between = 0
  private var gap = 0
  /// The number of the record at the cursor, from 0.
  private(set) var recordIndex = 0
  /// The cursor is inside a value that was refused for its length.
  var isSkipping = false
  private var skip = JSONSkip()
  /// The part of the record at the cursor that became rows in earlier batches.
  private var expansion: JSONExpansion?
  /// Room to unescape a member's name.
  private var scratch: ContiguousArray<UInt8> = []

  init(_ request: JSONRequest, maxRecordBytes: Int) {
    self.request = request
    self.maxRecordBytes = min(max(1, maxRecordBytes), Self.largestRecord)
  }

  /// The longest record that can be allowed.
  private static var largestRecord: Int { 1 << 29 - Self.margin }
  /// Whether a value is right may be open until so many bytes behind its longest allowed length are there.
  static var margin: Int { 16 }

  /// The outcomes of the text since they were last taken out.
  var account: TextAccount {
    get {
      var account = counted
      if between > 0 { account.skipped.add(.structure, lines: 0, bytes: between) }
      return account
    }
    set {
      counted = newValue
      between = 0
    }
  }

  /// Text between values that is longer than this is not kept with the records.
  private static let longestGap = 1 << 16

  /// Moves the cursor over text between values.
  ///
  /// - Returns: whether the batch has to end, because so much text has no record: what follows begins another one, so
  ///   that memory is used again and batches do not depend on how the text arrives.
  @inline(__always)
  mutating func pass(_ base: UnsafePointer<UInt8>, to stop: Int, _ window: inout ParseWindow) -> Bool {
    let count = stop - window.cursor
    lines.advance(base, window.cursor, stop, origin: window.origin)
    between += count
    gap += count
    window.cursor = stop
    let isLong = gap > Self.longestGap
    if stop < window.end {
      gap = 0
      return isLong
    }
    return isLong && !window.isLast
  }

  /// Ends the text between values: other text follows.
  mutating func endGap() { gap = 0 }

  /// Skips the value at the cursor.
  mutating func startSkipping() {
    isSkipping = true
    skip = JSONSkip()
  }

  /// Returns the number of the record at the cursor and goes on to the next.
  mutating func takeIndex() -> Int {
    defer { recordIndex += 1 }
    return recordIndex
  }

  /// Moves the cursor over more of a value that was refused for its length; false once it is behind it.
  mutating func skipMore(_ batch: RecordBatch, _ window: inout ParseWindow, _ check: inout TextCheck) -> Bool {
    batch.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      let start = window.cursor
      isSkipping = !skip.run(base, &window.cursor, window.end)
      lines.advance(base, start, window.cursor, origin: window.origin)
      counted.recordBytes += window.cursor - start
      if !isSkipping { check.resume(base, from: window.cursor, window) }
    }
    return isSkipping
  }

  /// The record at the cursor has elements that are no rows yet.
  var isExpanding: Bool { expansion != nil }

  /// Calls `body` with the batch's memory; nil if there is no text.
  mutating func open<Result>(
    _ batch: inout RecordBatch,
    _ body: (inout JSONElements, inout JSONObjectParser, inout ObjectRows) -> Result
  ) -> Result? {
    var scratch = ContiguousArray<UInt8>()
    swap(&scratch, &self.scratch)
    var request = request
    defer {
      swap(&scratch, &self.scratch)
      if request.each != nil { self.request = request }
    }
    return batch.withObjectParser(&request, scratch: &scratch) { object, rows in body(&self, &object, &rows) }
  }

  /// Reads the value at the cursor; nil: it is a record, or was refused, and the cursor is behind it.
  mutating func read(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, window: inout ParseWindow, limit: BatchLimit,
    check: inout TextCheck
  ) -> ParseOutcome? {
    if expansion != nil { return expand(&object, &rows, window: &window, limit: limit) }
    let base = rows.base
    let start = window.cursor
    let escapesBefore = object.escapes.count
    object.scanner = JSONScanner(base, from: start, end: window.end, readable: rows.readable)
    var fault: RecordError.Code?
    var faultAt = start
    var isRead: Bool
    if base[start] == UInt8(ascii: "{") {
      isRead = object.parseObject(row: request.row(rows.count), columnCount: request.width)
      if !isRead, object.scanner.fault == .duplicateMember || object.scanner.fault == .loneSurrogate,
        object.scanner.isDecided(isLast: window.isLast), object.scanner.i - start <= maxRecordBytes
      {
        // The element is refused, but where it ends can be told.
        fault = object.scanner.fault
        faultAt = object.scanner.faultAt
        object.scanner = JSONScanner(base, from: start, end: window.end, readable: rows.readable)
        object.scanner.passesLoneSurrogates = true
        isRead = object.scanner.value(depth: 0)
      }
    } else {
      isRead = scalar(&object, &rows, start, isLast: window.isLast, &fault, &faultAt)
      // A number that touches the end of the text may go on.
      if isRead, object.scanner.i == window.end, !window.isLast {
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        return .needsInput
      }
    }
    let stop = object.scanner.i
    if !isRead, !object.scanner.isDecided(isLast: window.isLast) {
      object.escapes.removeLast(object.escapes.count - escapesBefore)
      return .needsInput
    }
    if stop - start > maxRecordBytes {
      object.escapes.removeLast(object.escapes.count - escapesBefore)
      rows.errors.append(tooLong(base + start, stop - start, window.origin + start))
      return .full
    }
    if !isRead {
      let at = object.scanner.faultAt
      object.escapes.removeLast(object.escapes.count - escapesBefore)
      if check.fault <= window.origin + at {
        return .failed(textFailure(base, check.fault - window.origin, start, window))
      }
      let position = lines.position(base, start, at, origin: window.origin)
      let message =
        switch object.scanner.fault {
        case .tooDeep: "arrays and objects nest deeper than \(JSONScanner.deepest)"
        default: JSONFaultText.message(base, from: start, at: stop >= window.end ? stop : at, end: window.end)
        }
      return .failed(ParseFailure(code: .invalidDocument, position: position, message: message))
    }
    if check.fault < window.origin + stop {
      let at = check.fault - window.origin
      if fault == nil || fault == .notAnObject || at <= faultAt {
        fault = .invalidText
        faultAt = at
      }
      check.resume(base, from: stop, window)
    }
    if let fault {
      object.escapes.removeLast(object.escapes.count - escapesBefore)
      refuse(fault, base, at: faultAt, start, stop, &rows, window)
      leave(base, stop, &window)
      return nil
    }
    if keep(&object, &rows, stop, escapesBefore, window) {
      return expand(&object, &rows, window: &window, limit: limit)
    }
    leave(base, stop, &window)
    return nil
  }

  /// Makes a record of what was parsed, from the cursor to `stop`; true: its elements are to become rows.
  mutating func keep(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, _ stop: Int, _ escapesBefore: Int,
    _ window: ParseWindow
  ) -> Bool {
    for (copy, original) in request.paths.repeats { object.repeatField(original, copy, escapesBefore) }
    if let each = rows.each {
      expansion = JSONExpansion(object, rows, each, start: window.cursor, length: stop - window.cursor)
      if expansion != nil { return true }
      object.escapes.removeAll(keepingCapacity: true)
      noteChildless(UnsafeRawBufferPointer(start: rows.base + window.cursor, count: stop - window.cursor))
      return false
    }
    rows.records[unchecked: rows.count] = place(window, stop - window.cursor)
    rows.count += 1
    recordIndex += 1
    return false
  }

  /// Counts the record at the cursor, which has none of the elements that are wanted, as skipped.
  private mutating func noteChildless(_ raw: UnsafeRawBufferPointer) {
    counted.addChildless(raw, lines: 0, bytes: raw.count)
    counted.recordBytes -= raw.count
  }

  private func place(_ window: ParseWindow, _ length: Int) -> RecordPosition {
    let offset = window.origin + window.cursor
    return RecordPosition(
      index: recordIndex, line: lines.line, column: lines.column(at: offset), byteOffset: offset,
      rawStart: UInt32(truncatingIfNeeded: window.cursor), rawLength: UInt32(truncatingIfNeeded: length))
  }

  /// Reads a value that is no object.
  private mutating func scalar(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, _ start: Int, isLast: Bool,
    _ fault: inout RecordError.Code?, _ faultAt: inout Int
  ) -> Bool {
    if request.takesScalars, rows.each == nil {
      if object.scanner.value(depth: 0) {
        object.setScalar(
          row: request.row(rows.count), columnCount: request.width, column: request.valueColumn, start,
          object.scanner.i)
        return true
      }
      if object.scanner.fault != .loneSurrogate || !object.scanner.isDecided(isLast: isLast) { return false }
      fault = .loneSurrogate
      faultAt = object.scanner.faultAt
      object.scanner = JSONScanner(rows.base, from: start, end: object.scanner.end, readable: rows.readable)
    } else {
      fault = .notAnObject
    }
    object.scanner.passesLoneSurrogates = true
    return object.scanner.value(depth: 0)
  }

  /// Makes rows of the elements of the record at the cursor.
  private mutating func expand(
    _ template: inout JSONObjectParser, _ rows: inout ObjectRows, window: inout ParseWindow, limit: BatchLimit
  ) -> ParseOutcome? {
    guard var state = expansion, var each = rows.each else { return nil }
    if window.end - window.cursor < state.length { return .needsInput }
    rows.each = nil
    if rows.count == 0 { state.goOn() }
    let step = state.run(template, &rows, &each, place: place(window, state.length), limit: limit)
    rows.each = each
    expansion = nil
    let stop = window.cursor + state.length
    switch step {
    case .done: recordIndex += state.rows
    case .full:
      expansion = state
      window.kept = stop
      return .full
    case .needsSpace:
      expansion = state
      return .needsSpace
    case .refused(let fault, let at): refuse(fault, rows.base, at: at, window.cursor, stop, &rows, window)
    }
    template.escapes.removeAll(keepingCapacity: true)
    leave(rows.base, stop, &window)
    return nil
  }

  /// Moves the cursor behind a value.
  @inline(__always)
  mutating func leave(_ base: UnsafePointer<UInt8>, _ stop: Int, _ window: inout ParseWindow) {
    lines.advance(base, window.cursor, stop, origin: window.origin)
    counted.recordBytes += stop - window.cursor
    window.cursor = stop
  }

  mutating func countRecord(_ bytes: Int) { counted.recordBytes += bytes }
}
