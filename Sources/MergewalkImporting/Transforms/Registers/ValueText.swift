import MergewalkBytes
import MergewalkObjectModel

/// Values of the types of transforms as texts that conversion reads back without a loss.
enum ValueText {
  /// Appends a value's text; false when there is no room.
  static func append(_ payload: UInt64, _ digits: Int128, _ kind: ValueKind, to sink: inout TextBuffer) -> Bool {
    switch kind {
    case .text: return false
    case .integer: return append(Int64(bitPattern: payload), to: &sink)
    case .boolean: return append(payload != 0 ? "true" : "false", to: &sink)
    case .double: return append(Double(bitPattern: payload), to: &sink)
    case .decimal: return append(digits, exponent: Int(Int64(bitPattern: payload)), to: &sink)
    case .date: return append(date: Double(bitPattern: payload), to: &sink)
    }
  }

  static func append(_ text: StaticString, to sink: inout TextBuffer) -> Bool {
    sink.append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  static func append(_ number: Int64, to sink: inout TextBuffer) -> Bool {
    guard let start = sink.reserve(20) else { return false }
    var rest = number.magnitude
    var count = 0
    if number < 0 {
      start[0] = UInt8(ascii: "-")
      count = 1
    }
    let first = count
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      start[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
      count += 1
    } while rest > 0
    reverse(start, first, count)
    sink.take(count)
    return true
  }

  private static func reverse(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ end: Int) {
    var low = start
    var high = end - 1
    while low < high {
      let byte = bytes[low]
      bytes[low] = bytes[high]
      bytes[high] = byte
      low += 1
      high -= 1
    }
  }

  /// A number with so many digits of its own so many places from the point.
  static func append(_ significand: Int128, exponent: Int, to sink: inout TextBuffer) -> Bool {
    if exponent == 0, let whole = Int64(exactly: significand) { return append(whole, to: &sink) }
    // 39 digits, a sign, a point, and zeros on either side.
    guard exponent.magnitude < 1_000, let start = sink.reserve(48 + Int(exponent.magnitude)) else { return false }
    var count = 0
    if significand < 0 {
      start[0] = UInt8(ascii: "-")
      count = 1
    }
    let first = count
    var places = exponent
    while places > 0 {
      start[count] = UInt8(ascii: "0")
      count += 1
      places -= 1
    }
    if significand == 0, exponent > 0 { count = first }
    var rest = significand.magnitude
    repeat {
      if places < 0, count - first == -exponent {
        start[count] = UInt8(ascii: ".")
        count += 1
        places = 0
      }
      if rest <= UInt128(UInt64.max) {
        let (quotient, digit) = UInt64(truncatingIfNeeded: rest).quotientAndRemainder(dividingBy: 10)
        start[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
        rest = UInt128(quotient)
      } else {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        start[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
        rest = quotient
      }
      count += 1
    } while rest > 0 || (places < 0 && count - first <= -exponent)
    reverse(start, first, count)
    sink.take(count)
    return true
  }

  /// A binary64 number by its shortest digits.
  static func append(_ number: Double, to sink: inout TextBuffer) -> Bool {
    if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { return append(whole, to: &sink) }
    return number.description.withBytes { sink.append($0) }
  }

  /// A date in ISO 8601, with as many decimal places of a second as it has.
  static func append(date seconds: Double, to sink: inout TextBuffer) -> Bool {
    let whole = seconds.rounded(.down)
    guard let total = Int64(exactly: whole), CivilDate.wholeSeconds.contains(total), let start = sink.reserve(32) else {
      return append(seconds, to: &sink)
    }
    var count = CivilTime(secondsSince2001: total).write(to: start)
    if seconds != whole {
      guard let (fraction, digits) = fraction(of: seconds, total) else { return append(seconds, to: &sink) }
      start[count] = UInt8(ascii: ".")
      var rest = fraction
      for place in (1...digits).reversed() {
        start[count + place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      count += 1 + digits
    }
    start[count] = UInt8(ascii: "Z")
    sink.take(count + 1)
    return true
  }

  /// The fewest digits behind the point, at most nine, that are read back as the same number.
  private static func fraction(of seconds: Double, _ whole: Int64) -> (value: UInt64, digits: Int)? {
    for digits in 1...9 {
      let power = Double(CivilTime.powersOfTen[digits])
      let scaled = ((seconds - Double(whole)) * power).rounded()
      guard scaled < power else { continue }
      let value = UInt64(scaled)
      if CivilTime.seconds(whole, fraction: value, digits: digits) == seconds { return (value, digits) }
    }
    return nil
  }
}
