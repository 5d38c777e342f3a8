/// The byte order mark of UTF-8.
///
/// It appears inside a text if files were concatenated.
enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Where the text behind a mark at `start` begins; `start` where there is none.
  @inline(__always)
  static func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    let isThere = stop - start >= 3 && base[start] == 0xEF && base[start + 1] == 0xBB && base[start + 2] == 0xBF
    return isThere ? start + 3 : start
  }

  /// Where the text behind all marks at `start` begins.
  @inline(__always)
  static func endOfAll(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    var text = start
    while case let next = end(base, text, stop), next > text { text = next }
    return text
  }

  /// Whether all there is up to `stop` is the first part of a mark, or nothing.
  @inline(__always)
  static func isBegun(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Bool {
    stop - start < 3 && (start == stop || base[start] == 0xEF) && (stop - start < 2 || base[start + 1] == 0xBB)
  }

  /// Counts the bytes of the marks of files before the record at `start`.
  ///
  /// In a table of one column, marks that no text follows on their line are text themselves.
  ///
  /// - Returns: nil when more text has to be read to tell.
  @inline(__always)
  static func countBeforeRecord(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, isLast: Bool, columnCount: Int
  ) -> Int? {
    let text = endOfAll(base, start, stop)
    if !isLast, isBegun(base, text, stop), text == start || columnCount <= 1 { return nil }
    return columnCount > 1 || text < stop && base[text] != 10 && base[text] != 13 ? text - start : 0
  }
}
