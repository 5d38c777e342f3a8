extension RecordBatch {
  /// Calls `body` with the batch's bytes and room for `capacity` more behind them, and keeps what it wrote.
  ///
  /// `body` gets the first byte's address and the number of bytes in use, and returns how many bytes it wrote behind
  /// those, at most `capacity`. This is where values go that are decoded from a field, so that cells can refer to
  /// them as to any field. A batch never holds 4 GiB or more.
  ///
  /// - Complexity: O(1) and what `body` costs when earlier batches made room; O(bytes) when the memory grows.
  public mutating func appendBytes(
    atMost capacity: Int, _ body: (_ base: UnsafeMutablePointer<UInt8>, _ used: Int) -> Int
  ) {
    let used = byteCount
    precondition(capacity >= 0 && used + capacity < 1 << 32, "a batch holds less than 4 GiB")
    // At least one byte, so that there is an address.
    let missing = max(1, used + capacity) - bytes.count
    if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
    let written = bytes.withUnsafeMutableBufferPointer { body($0.baseAddress!, used) }
    precondition(written >= 0 && written <= capacity, "more bytes were written than there was room for")
    byteCount = used + written
  }
}
