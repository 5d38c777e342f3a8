/// Steps over the characters of UTF-8.
enum UTF8Scalars {
  /// Reads one character of two to four bytes; bytes that are not UTF-8 read as U+FFFD.
  @inline(__always)
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar {
    let lead = bytes[index]
    index += 1
    if lead < 0x80 { return Unicode.Scalar(lead) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for _ in 1..<length where index < bytes.count {
      value = value << 6 | UInt32(bytes[index] & 0x3F)
      index += 1
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Where the character after the one at `index` begins.
  @inline(__always)
  static func next(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
    var next = index + 1
    while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}
