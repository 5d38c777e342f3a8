/// The byte order mark of UTF-8.
///
/// It stands inside a text where a file was put behind another one.
enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Where the text behind a mark at `start` begins; `start` where there is none.
  @inline(__always)
  static func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    let isThere = stop - start >= 3 && base[start] == 0xEF && base[start + 1] == 0xBB && base[start + 2] == 0xBF
    return isThere ? start + 3 : start
  }

  /// Whether the mark of a file stands before the record at `start`. Marks without text behind them, on their line, are
  /// text themselves.
  ///
  /// - Returns: nil when more text has to be read to tell.
  @inline(__always)
  static func isBeforeRecord(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int, isLast: Bool) -> Bool? {
    if stop - start < 6, !isLast { return nil }
    let text = end(base, start, stop)
    return text > start && text < stop && base[text] != 10 && base[text] != 13 && end(base, text, stop) == text
  }
}
