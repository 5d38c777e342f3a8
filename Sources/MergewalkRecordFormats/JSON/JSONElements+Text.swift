import MergewalkSystem
import MergewalkBytes

/// A JSON text that others end: what is wrong with it is a matter of this text alone.
extension JSONElements {
  /// Reads the text from the cursor, which is at no white space, to `stop`, and moves the cursor behind it; if it is a
  /// record of which elements become rows, the cursor stays and it is expanded next.
  ///
  /// - Returns: false if the text is too long and is skipped next.
  mutating func readText(
    _ object: inout JSONObjectParser, _ rows: inout ObjectRows, _ stop: Int, window: inout ParseWindow,
    check: inout TextCheck
  ) -> Bool {
    let base = rows.base
    let start = window.cursor
    var end = stop
    while end > start, base[end - 1].isDocumentSpace { end -= 1 }
    if end - start > maxRecordBytes || stop - start > maxRecordBytes + Self.margin {
      rows.errors.append(tooLong(base + start, stop - start, window.origin + start))
      return false
    }
    let escapesBefore = object.escapes.count
    object.scanner = JSONScanner(base, from: start, end: end, readable: rows.readable)
    var fault: RecordError.Code?
    var faultAt = start
    if !object.parse(row: request.row(rows.count), columnCount: request.width) {
      fault = object.scanner.fault
      faultAt = object.scanner.faultAt
    }
    let isWord = ![UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(base[start])
    if fault == .notAnObject, isWord, end == stop {
      // The text may be cut.
      fault = .invalidJSON
      faultAt = end
    } else if fault == .notAnObject, request.takesScalars, rows.each == nil {
      fault = nil
      object.scanner = JSONScanner(base, from: start, end: end, readable: rows.readable)
      _ = object.scanner.value(depth: 0)
      object.setScalar(
        row: request.row(rows.count), columnCount: request.width, column: request.valueColumn, start, end)
    }
    if let found = check.takeFault(base, from: start, to: stop, window),
      fault == nil || fault == .notAnObject || found.at <= faultAt
    {
      (fault, faultAt) = found
    }
    if let fault {
      object.escapes.removeLast(object.escapes.count - escapesBefore)
      refuse(fault, base, at: faultAt, start, end, &rows, window)
    } else if keep(&object, &rows, end, escapesBefore, window) {
      return true
    }
    leave(base, stop, &window)
    return true
  }

  /// Skips the rest of a text that was refused for its length; false once the cursor is at a separator.
  mutating func skipToSeparator(_ batch: RecordBatch, _ window: inout ParseWindow, _ check: inout TextCheck) -> Bool {
    batch.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      let start = window.cursor
      let found = memchr(base + start, Int32(JSONSequenceParser.separator), window.end - start)
      window.cursor = found.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) - base } ?? window.end
      lines.advance(base, start, window.cursor, origin: window.origin)
      countRecord(window.cursor - start)
      if found != nil {
        isSkipping = false
        check.resume(base, from: window.cursor, window)
      }
    }
    return isSkipping
  }
}
