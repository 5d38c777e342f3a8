import CMergewalkScan
import MergewalkBytes

/// Writes the fields of one record into a batch's arrays.
///
/// Invariant: the arrays have room for the record at `row`; `slots` holds -1 or a number below the column count.
struct CSVFieldSink {
  private let base: UnsafePointer<UInt8>
  private let starts: UnsafeMutableBufferPointer<UInt32>
  private let lengths: UnsafeMutableBufferPointer<UInt32>
  private let states: UnsafeMutableBufferPointer<UInt8>
  private let slots: UnsafeBufferPointer<Int32>
  private let trim: Bool
  private let trimsQuoted: Bool
  private let escape: UInt8?
  private let quotedNulls: Bool
  private let nullLengths: UInt64
  private let nullTokens: [[UInt8]]
  /// Where the current record's fields start in the arrays.
  var row = 0
  /// The number of fields of the current record so far.
  var fieldCount = 0
  /// Whether anything is in the fields of the current record behind the last column.
  private(set) var hasSurplus = false
  /// Where the first of these fields begins.
  private(set) var surplusStart = 0

  init(
    base: UnsafePointer<UInt8>, starts: UnsafeMutableBufferPointer<UInt32>,
    lengths: UnsafeMutableBufferPointer<UInt32>, states: UnsafeMutableBufferPointer<UInt8>,
    slots: UnsafeBufferPointer<Int32>, parser: borrowing CSVParser
  ) {
    self.base = base
    self.starts = starts
    self.lengths = lengths
    self.states = states
    self.slots = slots
    trim = parser.trim
    trimsQuoted = parser.trimsQuoted
    escape = parser.escape == parser.delimiter ? nil : parser.escape
    quotedNulls = parser.quotedNulls
    nullLengths = parser.nullLengths
    nullTokens = parser.nullTokens
  }

  /// Begins with the record whose fields go to the entries from `row` on.
  @inline(__always)
  mutating func begin(_ row: Int) {
    self.row = row
    fieldCount = 0
    hasSurplus = false
  }

  /// Adds an unquoted field and returns the entry it was written to, or -1 if it was not asked for.
  @inline(__always) @discardableResult
  mutating func addText(_ from: Int, _ to: Int) -> Int {
    let field = fieldCount
    fieldCount += 1
    if field >= slots.count {
      if field == slots.count { surplusStart = from }
      if !hasSurplus { hasSurplus = trim ? (from..<to).contains { !isBlank(base[$0]) } : to > from }
      return -1
    }
    let slot = Int(slots[unchecked: field])
    if slot < 0 { return -1 }
    var start = from
    var end = to
    if trim {
      while start < end, isBlank(base[start]) { start += 1 }
      while start < end, isBlank(base[end - 1]) { end -= 1 }
    }
    var state = FieldState.text
    if nullLengths >> UInt64(min(63, end - start)) & 1 != 0, isNull(start, end) { state = .null }
    set(row + slot, start, end, state)
    return row + slot
  }

  /// Adds the inside of a quoted field and returns the entry it was written to, or -1.
  ///
  /// - Parameter isWhole: whether there is no text behind the closing quote; otherwise nothing is trimmed.
  @inline(__always) @discardableResult
  mutating func addQuoted(_ from: Int, _ to: Int, isWhole: Bool = true) -> Int {
    let (start, end) = trimsQuoted && isWhole ? inside(from, to) : (from, to)
    let field = fieldCount
    fieldCount += 1
    if field >= slots.count {
      if field == slots.count { surplusStart = from - 1 }
      hasSurplus = true
      return -1
    }
    let slot = Int(slots[unchecked: field])
    if slot < 0 { return -1 }
    let null = quotedNulls && nullLengths >> UInt64(min(63, end - start)) & 1 != 0 && isNull(start, end)
    set(row + slot, start, end, null ? .null : .quoted)
    return row + slot
  }

  /// The inside of a quoted field without the blanks at its ends; one behind an escape is text.
  @inline(never)
  func inside(_ from: Int, _ to: Int) -> (start: Int, end: Int) {
    var (start, end) = (from, to)
    while start < end, isBlank(base[start]) { start += 1 }
    while start < end, isBlank(base[end - 1]) { end -= 1 }
    guard end < to, let escape else { return (start, end) }
    var first = end
    while first > start, base[first - 1] == escape { first -= 1 }
    return (start, end + (end - first) % 2)
  }

  /// Writes the fields of a record without misplaced quotes; null tokens are not looked for.
  ///
  /// - Parameter ends: where its fields end, and those of what follows; one of them is a line end.
  /// - Returns: the number of its fields; those that are more than the slots are counted only.
  @inline(never)
  func addPlainRecord(from start: Int, ends: UnsafePointer<UInt32>, delimiter: UInt8, quote: UInt8) -> Int {
    // Plain pointers, and nothing else, so that all of the loop is in registers.
    guard let slots = slots.baseAddress, let starts = starts.baseAddress, let lengths = lengths.baseAddress,
      let states = states.baseAddress
    else { return 0 }
    let (base, width) = (base, self.slots.count)
    let (rowStarts, rowLengths, rowStates) = (starts + row, lengths + row, states + row)
    var fieldStart = start
    var field = 0
    while field < width {
      let at = Int(ends[field])
      let slot = Int(slots[field])
      if slot >= 0 {
        // Without a branch: which fields are quoted cannot be predicted.
        let isQuoted: Int = base[fieldStart] == quote ? 1 : 0
        let from = fieldStart &+ isQuoted
        rowStarts[slot] = UInt32(truncatingIfNeeded: from)
        rowLengths[slot] = UInt32(truncatingIfNeeded: at &- from &- isQuoted)
        rowStates[slot] = FieldState.text.rawValue &+ UInt8(truncatingIfNeeded: isQuoted)
      }
      field &+= 1
      if base[at] != delimiter { return field }
      fieldStart = at &+ 1
    }
    while base[Int(ends[field])] == delimiter { field &+= 1 }
    return field &+ 1
  }

  /// Writes plain records in C, from that at `row` on; every column of the file is the batch's.
  ///
  /// - Parameters:
  ///   - rows: what they are made of; where they go is filled in here.
  ///   - first: the place of the first one among the records.
  /// - Returns: the number of records.
  func addPlainRecords(
    _ rows: inout cscan_rows, at records: UnsafeMutableBufferPointer<RecordPosition>, _ first: Int,
    _ escapes: inout ContiguousArray<EscapedField>
  ) -> Int {
    guard let starts = starts.baseAddress, let lengths = lengths.baseAddress, let states = states.baseAddress,
      let records = records.baseAddress
    else { return 0 }
    rows.starts = starts + row
    rows.lengths = lengths + row
    rows.states = states + row
    rows.slot = UInt32(truncatingIfNeeded: row)
    rows.positions = UnsafeMutableRawPointer(records + first).assumingMemoryBound(to: cscan_position.self)
    rows.escape_count = 0
    let count = cscan_csv_rows(&rows)
    for i in 0..<rows.escape_count {
      let field = rows.escapes[i]
      escapes.append(EscapedField(slot: field.slot, start: field.start, end: field.end, kind: .quotedCSV))
    }
    return count
  }

  /// The first record, of those that C made, that may be a header, as the first bytes and the lengths of its fields tell.
  @inline(never)
  func findHeader(from first: Int, to end: Int, _ headers: RepeatedHeaders) -> Int? {
    var record = first
    while record < end {
      let entry = record * slots.count
      let mayBe = headers.mayBeHeader(width: slots.count) { column in
        (Int(starts[unchecked: entry + column]), Int(lengths[unchecked: entry + column]), base)
      }
      if mayBe { return record }
      record += 1
    }
    return nil
  }

  /// Looks for null tokens in the current record, whose fields are all there.
  @inline(never)
  func findNulls() {
    for slot in slots where slot >= 0 {
      let entry = row + Int(slot)
      let length = Int(lengths[entry])
      guard nullLengths >> UInt64(min(63, length)) & 1 != 0 else { continue }
      let isCompared = quotedNulls || states[entry] == FieldState.text.rawValue
      if isCompared, isNull(Int(starts[entry]), Int(starts[entry]) + length) {
        states[entry] = FieldState.null.rawValue
      }
    }
  }

  /// Where field number `field` of the current record was written to, and where it lies; nil if it was not asked for.
  func entry(ofField field: Int) -> (entry: Int, range: Range<Int>)? {
    let slot = Int(slots[field])
    if slot < 0 { return nil }
    let start = Int(starts[row + slot])
    return (row + slot, start..<start + Int(lengths[row + slot]))
  }

  /// Where an entry of state `text` lies.
  func textRange(_ entry: Int) -> Range<Int>? {
    if states[entry] != FieldState.text.rawValue { return nil }
    return Int(starts[entry])..<Int(starts[entry]) + Int(lengths[entry])
  }

  /// Marks all fields from `fieldCount` on as absent.
  func fillAbsent() {
    var field = fieldCount
    while field < slots.count {
      let slot = Int(slots[field])
      if slot >= 0 { set(row + slot, 0, 0, .absent) }
      field += 1
    }
  }

  /// Copies an entry of the current record to another.
  func copy(_ from: Int, to: Int) {
    starts[row + to] = starts[row + from]
    lengths[row + to] = lengths[row + from]
    states[row + to] = states[row + from]
  }

  @inline(__always)
  private func set(_ entry: Int, _ start: Int, _ end: Int, _ state: FieldState) {
    starts[unchecked: entry] = UInt32(truncatingIfNeeded: start)
    lengths[unchecked: entry] = UInt32(truncatingIfNeeded: end - start)
    states[unchecked: entry] = state.rawValue
  }

  @inline(__always)
  func isBlank(_ byte: UInt8) -> Bool { byte.isBlank }

  @inline(never)
  private func isNull(_ start: Int, _ end: Int) -> Bool {
    let field = UnsafeBufferPointer(start: base + start, count: end - start)
    return nullTokens.contains { $0.elementsEqual(field) }
  }
}

extension UnsafeBufferPointer {
  /// The element at an index the caller has proven to be in bounds; checked in debug builds.
  subscript(unchecked index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return baseAddress.unsafelyUnwrapped[index]
    }
  }
}

extension UnsafeMutableBufferPointer {
  /// The element at an index the caller has proven to be in bounds; checked in debug builds.
  subscript(unchecked index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return baseAddress.unsafelyUnwrapped[index]
    }
    @inline(__always) nonmutating set {
      assert(index >= 0 && index < count)
      baseAddress.unsafelyUnwrapped[index] = newValue
    }
  }
}
