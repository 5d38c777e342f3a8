/// Filling a batch record by record, for readers that are not parsers of delimited text or JSON.
extension RecordBatch {
  /// Removes all records and prepares for those of one input.
  public mutating func start(columnCount: Int, source: Int) {
    clear(columnCount: columnCount)
    self.source = source
    lineEnds = .any
  }

  /// Appends a record whose fields are all absent and returns its number.
  ///
  /// - Complexity: O(columns), amortised.
  @discardableResult
  public mutating func appendRecord(_ position: RecordPosition) -> Int {
    let record = recordCount
    if records.count <= record || starts.count < (record + 1) * columnCount {
      reserveRecords(max(64, 2 * record))
    }
    records[record] = position
    let first = record * columnCount
    for slot in first..<first + columnCount {
      starts[slot] = position.rawStart
      lengths[slot] = 0
      states[slot] = FieldState.absent.rawValue
    }
    recordCount += 1
    return record
  }

  /// Appends a record, and calls `body` with its fields to fill: where each starts, its length and its state.
  ///
  /// Every field must be set. It is ``appendRecord(_:)`` and ``setField(_:of:_:_:origin:)`` in one go.
  ///
  /// - Complexity: O(columns), amortised.
  mutating func appendRecord(
    _ position: RecordPosition,
    _ body: (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    let record = recordCount
    let first = record * columnCount
    if records.count <= record || starts.count <= first + columnCount { reserveRecords(max(64, 2 * record) + 1) }
    records[record] = position
    starts.withUnsafeMutableBufferPointer { starts in
      lengths.withUnsafeMutableBufferPointer { lengths in
        states.withUnsafeMutableBufferPointer { states in
          guard let starts = starts.baseAddress, let lengths = lengths.baseAddress, let states = states.baseAddress
          else { return }
          body(starts + first, lengths + first, states + first)
        }
      }
    }
    recordCount += 1
  }

  /// Notes where a field of the last record stands in its raw text, because its bytes are elsewhere.
  mutating func noteOrigin(_ column: Int, _ origin: Int) {
    let slot = UInt32(truncatingIfNeeded: (recordCount - 1) * columnCount + column)
    let start = UInt32(truncatingIfNeeded: origin)
    escapes.append(EscapedField(slot: slot, start: start, end: start, kind: .copied))
  }

  /// Sets a field to a range of the batch's bytes.
  ///
  /// - Parameter origin: the position of the field's text in the raw record, as an index into the batch's bytes, if the
  ///   range is a copy elsewhere; nil if the range is itself part of the raw record.
  public mutating func setField(
    _ column: Int, of record: Int, _ state: FieldState, _ range: Range<Int>, origin: Int? = nil
  ) {
    let slot = record * columnCount + column
    starts[slot] = UInt32(truncatingIfNeeded: range.lowerBound)
    lengths[slot] = UInt32(truncatingIfNeeded: range.count)
    states[slot] = state.rawValue
    if let origin {
      let start = UInt32(truncatingIfNeeded: origin)
      escapes.append(EscapedField(slot: UInt32(truncatingIfNeeded: slot), start: start, end: start, kind: .copied))
    }
  }

  /// Copies bytes behind those in use and returns where they are.
  package mutating func appendBytes(_ source: UnsafeRawBufferPointer) -> Range<Int> {
    let used = byteCount
    let end = used + source.count
    precondition(end < 1 << 32, "a batch holds less than 4 GiB")
    if bytes.count < end { reserveBytes(used: used, end) }
    bytes.withUnsafeMutableBytes { target in
      UnsafeMutableRawBufferPointer(rebasing: target[used..<end]).copyMemory(from: source)
    }
    byteCount = end
    return used..<end
  }

  /// Copies bytes behind those in use and returns their range, for ``setField(_:of:_:_:origin:)``.
  public mutating func appendBytes(_ source: [UInt8]) -> Range<Int> { source.withUnsafeBytes { appendBytes($0) } }

  /// Appends a refused record.
  public mutating func appendError(_ error: RecordError) {
    errors.append(error)
    errorBytes += error.raw.count
  }

  /// Appends a record of another batch with the same columns, with its fields and its raw text.
  ///
  /// Records are appended one after the other from the same batch: those of one element, which share their raw text and
  /// the values of the whole, share them here too.
  mutating func append(_ record: Int, of other: RecordBatch) {
    precondition(columnCount == other.columnCount, "the batches have other columns")
    var position = other.records[record]
    let oldRaw = Int(position.rawStart)
    let isSibling = recordCount > 0 && record > 0 && other.sharesRawText(record, record - 1)
    let rawRange: Range<Int>
    if isSibling {
      let start = Int(records[recordCount - 1].rawStart)
      rawRange = start..<start + Int(position.rawLength)
    } else {
      rawRange = other.withRawRecord(record) { appendBytes($0) }
    }
    position.rawStart = UInt32(truncatingIfNeeded: rawRange.lowerBound)
    let rawEnd = oldRaw + rawRange.count
    let new = appendRecord(position)
    for column in 0..<columnCount {
      let slot = record * columnCount + column
      let state = other.states[slot]
      if state == FieldState.absent.rawValue { continue }
      let start = Int(other.starts[slot])
      let count = Int(other.lengths[slot])
      if start >= oldRaw, start + count <= rawEnd {
        let moved = rawRange.lowerBound + start - oldRaw
        setField(column, of: new, other.state(record, column), moved..<moved + count)
        continue
      }
      let before = slot - columnCount
      var range = 0..<0
      if isSibling, other.starts[before] == other.starts[slot], other.lengths[before] == other.lengths[slot] {
        let copied = Int(starts[(new - 1) * columnCount + column])
        range = copied..<copied + count
      } else {
        range = other.withField(record, column) { appendBytes($0) }
      }
      let origin = other.rawStart(ofEscaped: slot).map { rawRange.lowerBound + $0 - oldRaw }
      setField(column, of: new, other.state(record, column), range, origin: origin)
    }
  }

  /// Whether two records are of one element.
  private func sharesRawText(_ first: Int, _ second: Int) -> Bool {
    records[first].rawStart == records[second].rawStart && records[first].rawLength == records[second].rawLength
  }

  /// Forgets the records and errors behind the first ones.
  mutating func truncate(records count: Int, errors errorCount: Int) {
    let firstSlot = count * columnCount
    while let last = escapes.last, Int(last.slot) >= firstSlot { escapes.removeLast() }
    recordCount = count
    errors.removeLast(errors.count - errorCount)
  }
}
