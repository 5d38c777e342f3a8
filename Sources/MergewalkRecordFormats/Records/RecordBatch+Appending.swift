extension RecordBatch {
  /// Calls `body` with the batch's bytes and room for `capacity` more behind them, and keeps what it wrote.
  ///
  /// `body` gets the first byte's address and the number of bytes in use, and returns how many bytes it wrote behind
  /// those, at most `capacity`. This is where values go that are decoded from a field, so that cells can refer to
  /// them as to any field. A batch never holds 4 GiB or more.
  ///
  /// - Complexity: O(1) and what `body` costs when earlier batches made room; O(bytes) when the memory grows.
  package mutating func appendBytes(
    atMost capacity: Int, _ body: (_ base: UnsafeMutablePointer<UInt8>, _ used: Int) -> Int
  ) {
    let used = byteCount
    precondition(capacity >= 0 && used + capacity < 1 << 32, "a batch holds less than 4 GiB")
    // At least one byte, so that there is an address.
    let missing = max(1, used + capacity) - bytes.count
    // A page at least, as most values are short; zeros of an array, as those of `repeatElement` take long in tests.
    if missing > 0 { bytes.append(contentsOf: [UInt8](repeating: 0, count: max(missing, 4096))) }
    let written = bytes.withUnsafeMutableBufferPointer { body($0.baseAddress!, used) }
    precondition(written >= 0 && written <= capacity, "more bytes were written than there was room for")
    byteCount = used + written
  }
}

extension RecordBatch {
  /// Appends a record of another batch without its fields: its position and its raw bytes.
  ///
  /// The batch must have been cleared to no columns (``clearToRawRecords(source:)``) before the first one.
  public mutating func appendRawRecord(_ record: Int, of other: RecordBatch) {
    precondition(columnCount == 0, "raw records have no fields")
    var position = other.records[record]
    let start = byteCount
    other.withRawRecord(record) { raw in
      appendBytes(atMost: raw.count) { base, used in
        UnsafeMutableRawBufferPointer(start: base + used, count: raw.count).copyMemory(from: raw)
        return raw.count
      }
    }
    position.rawStart = UInt32(start)
    appendPosition(position)
  }

  /// Appends the position of a record whose raw bytes are already in the batch.
  public mutating func appendPosition(_ position: RecordPosition) {
    if records.count > recordCount { records[recordCount] = position } else { records.append(position) }
    recordCount += 1
  }

  /// Removes all records and prepares for records without fields.
  public mutating func clearToRawRecords(source: Int) {
    clear(columnCount: 0)
    self.source = source
  }
}
