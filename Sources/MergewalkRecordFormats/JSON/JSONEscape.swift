import MergewalkBytes

/// The escapes of JSON strings.
enum JSONEscape {
  /// The number that four hexadecimal digits spell, or nil.
  static func unit(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> UInt32? {
    guard start + 4 <= end else { return nil }
    var result: UInt32 = 0
    for k in start..<start + 4 {
      let digit = Hexadecimal.value(base[k])
      guard digit <= 15 else { return nil }
      result = result << 4 | UInt32(digit)
    }
    return result
  }

  /// Copies `base[start..<end]`, a string that was scanned, to `target` without its escapes; returns the length.
  ///
  /// `target` may be behind the string in the same memory and needs `end - start` bytes: no escape grows.
  static func unescape(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, to target: UnsafeMutablePointer<UInt8>)
    -> Int
  {
    var i = start
    var written = 0
    while i < end {
      let byte = base[i]
      if byte != UInt8(ascii: "\\") || i + 1 >= end {
        target[written] = byte
        written += 1
        i += 1
        continue
      }
      let kind = base[i + 1]
      i += 2
      switch kind {
      case UInt8(ascii: "b"): target[written] = 8
      case UInt8(ascii: "f"): target[written] = 12
      case UInt8(ascii: "n"): target[written] = 10
      case UInt8(ascii: "r"): target[written] = 13
      case UInt8(ascii: "t"): target[written] = 9
      case UInt8(ascii: "u"):
        var scalar = unit(base, i, end) ?? 0xFFFD
        i += 4
        if scalar & 0xFC00 == 0xD800, let low = unit(base, i + 2, end) {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
          i += 6
        }
        written += put(scalar, target + written)
        continue
      default: target[written] = kind
      }
      written += 1
    }
    return written
  }

  private static func put(_ scalar: UInt32, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    let valid = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    var count = 0
    for unit in UTF8.encode(valid).unsafelyUnwrapped {
      target[count] = unit
      count += 1
    }
    return count
  }
}
