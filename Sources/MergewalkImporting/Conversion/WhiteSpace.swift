import MergewalkBytes

/// White space around values.
package enum WhiteSpace {
  /// Returns the range of `bytes` without the characters of Unicode's White_Space property at both ends.
  ///
  /// The bytes are valid UTF-8. The range is empty, at the start, when there is nothing else.
  @inline(__always)
  package static func trimmed(_ bytes: FieldBytes) -> Range<Int> {
    // Most fields begin and end with a printable ASCII character.
    guard bytes.count > 0 else { return 0..<0 }
    let first = bytes[0]
    let last = bytes[bytes.count - 1]
    if first > 0x20, first < 0x80, last > 0x20, last < 0x80 { return 0..<bytes.count }
    return trimmedSlowly(bytes)
  }

  @inline(never)
  private static func trimmedSlowly(_ bytes: FieldBytes) -> Range<Int> {
    var start = 0
    var end = bytes.count
    while start < end {
      let length = spaceLength(bytes, start, end)
      guard length > 0 else { break }
      start += length
    }
    guard start < end else { return 0..<0 }
    while end > start {
      // The character that ends here begins at the nearest byte that is not a continuation.
      var head = end - 1
      while head > start, bytes[head] & 0xC0 == 0x80 { head -= 1 }
      guard spaceLength(bytes, head, end) == end - head else { break }
      end = head
    }
    return start..<end
  }

  /// The length of the white-space character at `start`, or 0 when there is another one.
  private static func spaceLength(_ bytes: FieldBytes, _ start: Int, _ end: Int) -> Int {
    let first = bytes[start]
    if first.isSpace { return 1 }
    if first == 0xC2, start + 1 < end, bytes[start + 1] == 0x85 || bytes[start + 1] == 0xA0 { return 2 }
    guard first >= 0xE1, first <= 0xE3, start + 2 < end else { return 0 }
    let scalar = UInt32(first & 0x0F) << 12 | UInt32(bytes[start + 1] & 0x3F) << 6 | UInt32(bytes[start + 2] & 0x3F)
    switch scalar {
    case 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: return 3
    default: return 0
    }
  }
}
