/// The byte order mark of UTF-8.
///
/// It stands inside a text where a file was put behind another one.
enum ByteOrderMark {
  /// Where the text behind a mark at `start` begins; `start` where there is none.
  @inline(__always)
  static func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ stop: Int) -> Int {
    let isThere = stop - start >= 3 && base[start] == 0xEF && base[start + 1] == 0xBB && base[start + 2] == 0xBF
    return isThere ? start + 3 : start
  }
}
