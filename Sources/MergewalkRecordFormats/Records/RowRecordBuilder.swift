import MergewalkBytes
import MergewalkDiagnostics

/// Makes records of typed values: the rows of a table, the objects of a store.
///
/// Call one function for each column, in order, then ``endRecord(index:into:)``. The record's raw text is a JSON object
/// with the names and values of the columns, so that a rejected row can be read and, corrected, imported as NDJSON. Its
/// line is its number from 1, because a row has no place in a text.
///
/// A value that is not text, or a row that is too long, makes the record a refused one; the calls for its other columns
/// must still follow.
package struct RowRecordBuilder {
  private struct Field {
    var state: FieldState
    /// In the raw text, or in `copies`.
    var start: Int
    var end: Int
    /// Where a field that is in `copies` stands in the raw text; -1 for one that is there itself.
    var origin: Int
  }

  private struct Fault {
    var code: RecordError.Code
    var offset: Int
    var message: String
  }

  private let names: [String]
  /// For each column the one before it that has its name, or -1.
  private let repeats: [Int]
  /// Where the last value's name begins in the raw text.
  private var nameStart = 0
  /// The text before each value in the raw text.
  private let prefixes: [[UInt8]]
  private let maxRecordBytes: Int
  private var raw = OutputBytes()
  /// Values that are spelt otherwise in the raw text.
  private var copies: [UInt8] = []
  private var fields: [Field] = []
  private var fault: Fault?

  /// Prepares for records with these columns.
  ///
  /// - Parameter maxRecordBytes: the length of the raw text from which on a record is refused, at most 512 MiB.
  package init(columns: [String], maxRecordBytes: Int = 16 << 20) {
    names = columns
    repeats = columns.enumerated().map { index, name in columns[..<index].firstIndex(of: name) ?? -1 }
    self.maxRecordBytes = min(max(1, maxRecordBytes), 1 << 29)
    prefixes = columns.enumerated().map { index, name in
      var prefix = [UInt8(ascii: index == 0 ? "{" : ",")]
      Array(name.utf8).withUnsafeBytes { prefix.append(json: $0, .least) }
      prefix.append(UInt8(ascii: ":"))
      return prefix
    }
    fields.reserveCapacity(columns.count)
  }

  // MARK: Values

  package mutating func null() {
    begin()
    let start = raw.bytes.count
    raw.append("null" as StaticString)
    end(.null, start)
  }

  package mutating func integer(_ value: Int64) {
    begin()
    let start = raw.bytes.count
    raw.append(integer: value)
    end(.number, start)
  }

  /// A binary64 number, with as many digits as bring it back; `Infinity` and `-Infinity` as a text; NaN is no value.
  package mutating func double(_ value: Double) {
    if value.isNaN { return null() }
    if value.isInfinite { return plain { $0.append(value < 0 ? "-Infinity" : "Infinity" as StaticString) } }
    begin()
    let start = raw.bytes.count
    raw.append(double: value)
    end(.number, start)
  }

  /// True or false.
  package mutating func boolean(_ value: Bool) {
    begin()
    let start = raw.bytes.count
    raw.append(value ? "true" : "false" as StaticString)
    end(value ? .true : .false, start)
  }

  /// A point in time, given in seconds since 2001-01-01 00:00:00 UTC: ISO 8601, or a number where that has no spelling.
  package mutating func date(_ seconds: Double) {
    guard CivilTime.hasText(seconds) else { return double(seconds) }
    plain { $0.append(date: seconds) }
  }

  /// A UUID, given as its first and last eight bytes as big-endian numbers.
  package mutating func uuid(_ high: UInt64, _ low: UInt64) { plain { $0.append(uuid: high, low) } }

  package mutating func base64(_ bytes: UnsafeRawBufferPointer) {
    guard fits(bytes.count / 3 * 4) else { return null() }
    plain { $0.append(base64: bytes) }
  }

  /// Bytes as hexadecimal digits.
  package mutating func hexadecimal(_ bytes: UnsafeRawBufferPointer) {
    guard fits(bytes.count * 2) else { return null() }
    plain { for byte in bytes { $0.append(hexadecimal: byte) } }
  }

  /// Text; what is not UTF-8, or has a NUL, makes the record one that is refused.
  package mutating func text(_ bytes: UnsafeRawBufferPointer) {
    guard fits(bytes.count) else { return null() }
    begin()
    let start = raw.bytes.count
    raw.bytes.append(json: bytes, .least)
    if bytes.contains(0) {
      refuse(.nulByte, start, "the text of “\(names[fields.count])” contains a NUL byte")
    } else if !bytes.isUTF8 {
      refuse(.invalidText, start, "the text of “\(names[fields.count])” is not valid UTF-8")
    }
    if raw.bytes.count - start == bytes.count + 2 {
      fields.append(Field(state: .quoted, start: start + 1, end: raw.bytes.count - 1, origin: -1))
    } else {
      let copy = copies.count
      copies.append(contentsOf: bytes)
      fields.append(Field(state: .quoted, start: copy, end: copies.count, origin: start + 1))
    }
  }

  /// A value that cannot be read, so that the record is refused.
  ///
  /// - Parameter text: what stands for it in the raw text; nil for `null`.
  package mutating func unreadable(
    _ code: RecordError.Code, _ message: String, shownAs text: UnsafeRawBufferPointer? = nil
  ) {
    refuse(code, raw.bytes.count + prefixes[fields.count].count, message)
    if let text { self.text(text) } else { null() }
  }

  // MARK: Records

  /// Ends a record, for which every column was given, and appends it to a batch, to its errors if it is refused.
  ///
  /// - Parameter index: the record's number in its source, from 0.
  package mutating func endRecord(index: Int, into batch: inout RecordBatch) {
    precondition(fields.count == names.count, "a record has \(names.count) columns, not \(fields.count)")
    dropRepeat()
    if names.isEmpty { raw.append(UInt8(ascii: "{")) }
    raw.append(UInt8(ascii: "}"))
    if raw.bytes.count > maxRecordBytes { tooLong() }
    if let fault {
      let length = fault.code == .recordTooLong ? min(raw.bytes.count, 1 << 16) : raw.bytes.count
      batch.appendError(
        RecordError(
          code: fault.code, position: SourcePosition(line: index + 1, column: fault.offset + 1, byteOffset: 0),
          recordIndex: index, message: fault.message, raw: Array(raw.bytes[..<length])))
    } else {
      append(index, to: &batch)
    }
    raw.bytes.removeAll(keepingCapacity: true)
    copies.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    fault = nil
  }

  private func append(_ index: Int, to batch: inout RecordBatch) {
    let range = raw.bytes.withUnsafeBytes { batch.appendBytes($0) }
    let copied = copies.isEmpty ? 0..<0 : copies.withUnsafeBytes { batch.appendBytes($0) }
    let record = batch.appendRecord(
      RecordPosition(
        index: index, line: index + 1, byteOffset: 0, rawStart: UInt32(range.lowerBound),
        rawLength: UInt32(range.count)))
    for (column, field) in fields.enumerated() {
      if field.origin < 0 {
        let shift = range.lowerBound
        batch.setField(column, of: record, field.state, field.start + shift..<field.end + shift)
      } else {
        let shift = copied.lowerBound
        batch.setField(
          column, of: record, field.state, field.start + shift..<field.end + shift,
          origin: field.origin + range.lowerBound)
      }
    }
  }

  // MARK: Parts

  private mutating func begin() {
    precondition(fields.count < names.count, "a record has only \(names.count) columns")
    dropRepeat()
    nameStart = raw.bytes.count
    raw.bytes.append(contentsOf: prefixes[fields.count])
  }

  /// Takes the last value out of the raw text when it has the name of another column: an object names a member once.
  private mutating func dropRepeat() {
    guard let last = fields.indices.last, repeats[last] >= 0 else { return }
    raw.bytes.removeLast(raw.bytes.count - nameStart)
    fields[last] = fields[repeats[last]]
  }

  private mutating func end(_ state: FieldState, _ start: Int) {
    fields.append(Field(state: state, start: start, end: raw.bytes.count, origin: -1))
  }

  /// Appends a text without anything to escape.
  private mutating func plain(_ body: (inout OutputBytes) -> Void) {
    begin()
    raw.append(UInt8(ascii: "\""))
    let start = raw.bytes.count
    body(&raw)
    end(.quoted, start)
    raw.append(UInt8(ascii: "\""))
  }

  private mutating func refuse(_ code: RecordError.Code, _ offset: Int, _ message: String) {
    if fault == nil { fault = Fault(code: code, offset: offset, message: message) }
  }

  /// Whether a value of this length leaves the record short enough; if not, it is refused.
  private mutating func fits(_ length: Int) -> Bool {
    if raw.bytes.count + length <= maxRecordBytes { return true }
    tooLong()
    return false
  }

  private mutating func tooLong() {
    // Whatever else is wrong with it, its raw text is not whole.
    fault = Fault(
      code: .recordTooLong, offset: 0,
      message: "the record is longer than \(maxRecordBytes) bytes; allow more, or leave columns out")
  }
}
