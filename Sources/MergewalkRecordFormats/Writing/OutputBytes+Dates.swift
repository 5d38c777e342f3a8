import MergewalkBytes

/// Points in time for people, spelled as in all outputs.
package enum InstantText {
  /// ISO 8601 in UTC with as many fraction digits as needed; the number of seconds where a calendar has no such time.
  ///
  /// - Parameter seconds: seconds since 2001-01-01 00:00:00 UTC.
  package static func text(_ seconds: Double) -> String {
    var output = OutputBytes()
    output.append(date: seconds)
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

extension OutputBytes {
  /// Appends a point in time as ISO 8601 in UTC: `2024-01-31T12:00:00Z`, with as many fraction digits as it needs to read
  /// back as the same number, at most 18.
  ///
  /// Years beyond 0000...9999 have a sign and at least six digits (ISO 8601 expanded representation). What is no
  /// point in time that a calendar names (2^53 seconds and more, infinity) is the number of seconds itself.
  ///
  /// - Parameter seconds: seconds since 2001-01-01 00:00:00 UTC.
  mutating func append(date seconds: Double) {
    guard seconds.magnitude < 9_007_199_254_740_992 else { return append(double: seconds) }
    var whole = Int64(seconds.rounded(.down))
    if Double(whole) == seconds { return appendInstant(whole, fraction: 0) }
    // Nearly all times are whole microseconds; the numerator is exact, so the quotient is the nearest number to it.
    let microseconds = ((seconds - Double(whole)) * 1e6).rounded()
    let numerator = Double(whole) * 1e6 + microseconds
    if numerator.magnitude < 9_007_199_254_740_992, microseconds < 1e6, numerator / 1e6 == seconds {
      return appendInstant(whole, fraction: UInt64(microseconds))
    }
    let mark = bytes.count
    // The fraction's digits are made first, because rounding them may give a whole second.
    if appendFraction(seconds) { whole += 1 }
    let fraction = bytes[mark...]
    bytes.removeSubrange(mark...)
    bytes.append(CivilTime(secondsSince2001: whole))
    bytes.append(contentsOf: fraction)
    append(UInt8(ascii: "Z"))
  }

  private mutating func appendInstant(_ seconds: Int64, fraction microseconds: UInt64) {
    bytes.append(CivilTime(secondsSince2001: seconds))
    if microseconds > 0 {
      append(UInt8(ascii: "."))
      bytes.append(digits: microseconds, width: 6)
      while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }
    append(UInt8(ascii: "Z"))
  }

  /// Appends `.` and the digits behind the point of the shortest decimal number that reads back as `seconds`; of negative
  /// numbers the digits of what is missing to the next greater whole second's predecessor, so that the whole seconds are
  /// those rounded down.
  ///
  /// - Returns: whether what is left after 18 digits is a whole second more.
  private mutating func appendFraction(_ seconds: Double) -> Bool {
    let start = bytes.count
    seconds.magnitude.write(to: &self)
    // Take apart [digits][.digits][e-digits].
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") {
        point = digits.count
      } else if byte == UInt8(ascii: "e") {
        // Only small numbers have a fraction and an exponent, so it is negative and short.
        for digit in bytes[(index + 2)...] { exponent = exponent * 10 + Int(digit - UInt8(ascii: "0")) }
        break
      } else {
        digits.append(byte - UInt8(ascii: "0"))
      }
      index += 1
    }
    bytes.removeSubrange(start...)
    let wholeDigits = (point ?? digits.count) - exponent
    var fraction: [UInt8] =
      wholeDigits >= 0
      ? Array(digits.dropFirst(wholeDigits)) : Array(repeating: 0, count: min(18, -wholeDigits)) + digits
    if fraction.count > 18 { fraction.removeSubrange(18...) }
    if seconds < 0 {
      // The ten's complement.
      var borrow: UInt8 = 0
      for index in fraction.indices.reversed() {
        let value = (10 - fraction[index] - borrow) % 10
        borrow = fraction[index] + borrow > 0 ? 1 : 0
        fraction[index] = value
      }
      // Everything was beyond the 18th digit: the time is the next whole second.
      if borrow == 0 { return true }
    }
    while fraction.last == 0 { fraction.removeLast() }
    guard !fraction.isEmpty else { return false }
    append(UInt8(ascii: "."))
    for digit in fraction { append(UInt8(ascii: "0") + digit) }
    return false
  }
}
