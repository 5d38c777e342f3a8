import MergewalkDiagnostics
import MergewalkSystem

/// The NDJSON parser: from bytes to records, without I/O.
struct NDJSONParser: JSONRecordParser {
  static let lineEnds = LineEnds.lineFeed
  /// How much of a line that is too long is kept.
  static let keptOfLongLine = 1 << 16

  let maxRecordBytes: Int
  var request: JSONRequest
  var account = TextAccount()
  /// The line at the cursor, from 1.
  private var line = 1
  /// The number of the record at the cursor, from 0.
  private var recordIndex = 0
  /// The cursor is inside a line that was refused for its length.
  private var skipsLine = false
  /// The part of the record at the cursor that became rows in earlier batches.
  private var expansion: JSONExpansion?
  /// Room to unescape a member's name.
  private var scratch: ContiguousArray<UInt8> = []

  init(request: JSONRequest, maxRecordBytes: Int) {
    self.request = request
    self.maxRecordBytes = min(max(1, maxRecordBytes), 1 << 29)
  }

  var columnCount: Int { request.columnCount }

  mutating func parse(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: BatchLimit, check: inout TextCheck
  ) -> ParseOutcome {
    if skipsLine {
      // The memory of skipped text is used again, and records come from the start of a batch.
      if batch.recordCount > 0 || !batch.errors.isEmpty { return .full }
      skipMore(batch, &window)
      return !skipsLine || window.cursor >= Self.keptOfLongLine ? .full : .needsInput
    }
    var scratch = ContiguousArray<UInt8>()
    swap(&scratch, &self.scratch)
    var request = request
    defer {
      swap(&scratch, &self.scratch)
      if request.each != nil { self.request = request }
    }
    let outcome = batch.withObjectParser(&request, scratch: &scratch) { object, rows in
      window.cursor < window.end
        ? run(&object, &rows, window: &window, limit: limit, check: &check) : .needsInput
    }
    return outcome ?? .needsInput
  }

  /// Moves the cursor over more of a line that was refused for its length.
  private mutating func skipMore(_ batch: RecordBatch, _ window: inout ParseWindow) {
    batch.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      let cursor = window.cursor
      defer { account.recordBytes += window.cursor - cursor }
      let start = base + cursor
      if let found = memchr(start, 10, window.end - window.cursor) {
        window.cursor = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base + 1
        skipsLine = false
        line += 1
      } else {
        window.cursor = window.end
      }
    }
  }

  /// Parses lines until something stops it.
  private mutating func run(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, window: inout ParseWindow, limit: BatchLimit,
    check: inout TextCheck
  ) -> ParseOutcome {
    let base = rows.base
    while true {
      var start = window.cursor
      if rows.count + rows.errors.count >= limit.records || start >= limit.bytes { return .full }
      if start >= window.end { return .needsInput }
      if rows.count >= rows.capacity { return .needsSpace }
      if expansion != nil {
        if let outcome = expand(&object, &rows, &window, limit) { return outcome }
        continue
      }
      // The marks of files that were put behind another; at once, as they do not count for the length of the line.
      if case let text = ByteOrderMark.endOfAll(base, start, window.end), text > start {
        account.skipped.add(.byteOrderMark, lines: 0, bytes: text - start)
        (start, window.cursor) = (text, text)
      }
      if start >= window.end { return .needsInput }
      var stop = window.end
      var next = window.end
      if let found = memchr(base + start, 10, window.end - start) {
        stop = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
        next = stop + 1
      } else if !window.isLast {
        return .needsInput
      }
      window.cursor = next
      if stop > start, base[stop - 1] == 13 { stop -= 1 }
      let isLong = stop - start > maxRecordBytes
      object.scanner = JSONScanner(base, from: start, end: stop, readable: rows.readable)
      object.scanner.skipSpace()
      if isLong {
        rows.errors.append(
          tooLong(UnsafeRawBufferPointer(start: base + start, count: stop - start), window.origin + start))
        account.recordBytes += next - start
        recordIndex += 1
        line += 1
        return .full
      }
      if object.scanner.i == stop {
        account.skipped.add(.blankLine, lines: 1, bytes: next - start)
        line += 1
        continue
      }
      let escapesBefore = object.escapes.count
      var fault: RecordError.Code?
      var faultAt = 0
      if !object.parse(row: request.row(rows.count), columnCount: request.width) {
        fault = object.scanner.fault
        faultAt = object.scanner.faultAt
        if fault == .notAnObject, request.takesScalars, rows.each == nil {
          fault = nil
          object.scanner.i = faultAt
          _ = object.scanner.value(depth: 0)
          object.setScalar(
            row: rows.count * columnCount, columnCount: columnCount, column: request.valueColumn, faultAt,
            object.scanner.i)
        }
      }
      if let found = check.takeFault(base, from: start, to: next, window),
        fault == nil || fault == .notAnObject || found.at <= faultAt
      {
        (fault, faultAt) = found
      }
      if let fault {
        object.escapes.removeLast(object.escapes.count - escapesBefore)
        let raw = UnsafeRawBufferPointer(start: base + start, count: stop - start)
        rows.errors.append(refusal(fault, at: faultAt - start, raw, window.origin + start))
      } else if let each = rows.each {
        for (copy, original) in request.paths.repeats { object.repeatField(original, copy, escapesBefore) }
        expansion = JSONExpansion(object, rows, each, start: start, length: stop - start)
        if expansion != nil {
          // It is at the cursor until all its elements are rows.
          window.cursor = start
          continue
        }
        object.escapes.removeAll(keepingCapacity: true)
        account.addChildless(
          UnsafeRawBufferPointer(start: base + start, count: stop - start), lines: 1, bytes: next - start)
        line += 1
        continue
      } else {
        for (copy, original) in request.paths.repeats { object.repeatField(original, copy, escapesBefore) }
        rows.records[unchecked: rows.count] = RecordPosition(
          index: recordIndex, line: line, byteOffset: window.origin + start,
          rawStart: UInt32(truncatingIfNeeded: start), rawLength: UInt32(truncatingIfNeeded: stop - start))
        rows.count += 1
      }
      account.recordBytes += next - start
      recordIndex += 1
      line += 1
    }
  }

  /// Makes rows of the elements of the record at the cursor; nil: all are, and the cursor is on the next line.
  private mutating func expand(
    _ template: inout JSONObjectParser, _ rows: inout ObjectRows, _ window: inout ParseWindow, _ limit: BatchLimit
  ) -> ParseOutcome? {
    guard var state = expansion, var each = rows.each else { return nil }
    let start = window.cursor
    let stop = start + state.length
    var next = stop
    // What of the line end is there is enough, unless more may follow.
    while next < window.end, rows.base[next] == 13 { next += 1 }
    if next < window.end { next += 1 } else if !window.isLast { return .needsInput }
    if rows.count == 0 { state.goOn() }
    rows.each = nil
    let place = RecordPosition(
      index: recordIndex, line: line, byteOffset: window.origin + start, rawStart: UInt32(truncatingIfNeeded: start),
      rawLength: UInt32(truncatingIfNeeded: state.length))
    let step = state.run(template, &rows, &each, place: place, limit: limit)
    rows.each = each
    expansion = nil
    switch step {
    case .done: recordIndex += state.rows
    case .full:
      expansion = state
      window.kept = stop
      return .full
    case .needsSpace:
      expansion = state
      return .needsSpace
    case .refused(let fault, let at):
      let raw = UnsafeRawBufferPointer(start: rows.base + start, count: state.length)
      rows.errors.append(refusal(fault, at: at - start, raw, window.origin + start))
      recordIndex += 1
    }
    template.escapes.removeAll(keepingCapacity: true)
    account.recordBytes += next - start
    window.cursor = next
    line += 1
    return nil
  }

  mutating func refuseLong(
    into batch: inout RecordBatch, window: inout ParseWindow, limit: Int
  ) -> ParseOutcome {
    let (start, end) = (window.cursor, window.end)
    let offset = window.origin + start
    batch.errors.append(
      batch.bytes.withUnsafeBytes { tooLong(UnsafeRawBufferPointer(rebasing: $0[start..<end]), offset) })
    account.recordBytes += end - start
    recordIndex += 1
    window.cursor = end
    skipsLine = true
    return .full
  }

  private func tooLong(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> RecordError {
    RecordError(
      code: .recordTooLong, position: SourcePosition(line: line, column: 1, byteOffset: offset),
      recordIndex: recordIndex,
      message: RecordError.tooLong("the line", maxRecordBytes) + "; a file that is one document has the format json",
      raw: [UInt8](raw.prefix(min(Self.keptOfLongLine, maxRecordBytes))))
  }

  @inline(never)
  private func refusal(_ code: RecordError.Code, at: Int, _ raw: UnsafeRawBufferPointer, _ offset: Int) -> RecordError {
    let message =
      switch code {
      case .notAnObject: "the line is not a JSON object" + arrayHint(raw)
      case .duplicateMember: "the object has this member twice"
      case .loneSurrogate: "half of a surrogate pair"
      case .tooDeep: "arrays and objects nest deeper than \(JSONScanner.deepest)"
      case .nulByte: "the line contains a NUL byte"
      case .invalidText: "the bytes from here are not UTF-8"
      default: syntaxMessage(raw, at) + arrayHint(raw)
      }
    return RecordError(
      code: code,
      position: SourcePosition(in: raw, at: at, line: line, byteOffset: offset, lineEnds: .lineFeed),
      recordIndex: recordIndex, message: message, raw: [UInt8](raw))
  }

  /// Advice about a file that is one array.
  private func arrayHint(_ raw: UnsafeRawBufferPointer) -> String {
    let isArray = recordIndex == 0 && raw.first { $0 > 32 } == UInt8(ascii: "[")
    return isArray ? "; a file that is one array of records has the format json" : ""
  }

  /// Describes the syntax error at `at` of a line.
  private func syntaxMessage(_ raw: UnsafeRawBufferPointer, _ at: Int) -> String {
    if at >= raw.count { return "the JSON text ends too early" }
    if raw[at] == UInt8(ascii: "{"), let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress {
      var scanner = JSONScanner(base, from: 0, end: at)
      if scanner.document() { return "another object begins here; the format json-seq reads several on a line" }
    }
    guard let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress else { return "the JSON text ends too early" }
    return JSONFaultText.message(base, from: 0, at: at, end: raw.count)
  }
}
