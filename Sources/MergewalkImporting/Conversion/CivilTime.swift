import MergewalkBytes

/// A date and a time of day as written, checked, and turned into an instant.
///
/// The calendar is the proleptic Gregorian one of ISO 8601: its rules hold for all years, also those before 1582.
struct CivilTime {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// The digits behind the second's mark, at most 18 of them, as a number.
  var fraction: UInt64 = 0
  /// How many digits `fraction` stands for.
  var fractionDigits = 0
  /// Seconds east of UTC.
  var offset = 0

  /// Seconds from 1970-01-01 to 2001-01-01, both 00:00:00 UTC.
  static let referenceSeconds: Int64 = 978_307_200

  /// The instant in seconds since 2001-01-01 00:00:00 UTC: the Double nearest to it, of which up to 18 fraction digits
  /// are looked at.
  ///
  /// - Throws: `calendar` when there is no such day or time: the 29th of February of other years, hour 24 other than
  ///   24:00:00 exactly (the start of the next day), second 60. Leap seconds have no place in seconds since 2001.
  ///   `range` when the instant is outside the years 0000...9999 of UTC, where its zone or hour 24 may put it.
  @inline(__always)
  func secondsSince2001() throws(ConversionFailureCode) -> Double {
    guard month &- 1 < 12, month > 0, day > 0 else { throw .calendar }
    guard day <= 28 || day <= CivilDate.length(ofMonth: month, year: year) else { throw .calendar }
    guard hour < 24 || (hour == 24 && minute == 0 && second == 0 && fraction == 0), minute < 60, second < 60 else {
      throw .calendar
    }
    let days = CivilDate.daysSince1970(year, month, day)
    let whole = Int64(days * 86_400 + hour * 3_600 + minute * 60 + second - offset) - Self.referenceSeconds
    guard CivilDate.wholeSeconds.contains(whole) else { throw .range }
    guard fraction != 0 else { return Double(whole) }
    return Self.secondsInRange(whole, fraction: fraction, digits: fractionDigits)
  }

  /// The same as `seconds` for a whole second of the years 0...9999; see ``CivilDate/instants``.
  @inline(never)
  static func secondsInRange(_ whole: Int64, fraction: UInt64, digits: Int) -> Double {
    min(seconds(whole, fraction: fraction, digits: digits), CivilDate.instants.upperBound)
  }

  /// The Double nearest to `whole + fraction × 10^-digits`; halfway cases go to the even one.
  @inline(never)
  static func seconds(_ whole: Int64, fraction: UInt64, digits: Int) -> Double {
    let power = powersOfTen[min(digits, 18)]
    if digits <= 6 {
      // One rounding: numerator (below 2^53) and denominator are exact. All instants of years 0...9999 come here.
      let numerator = whole * Int64(power) + Int64(fraction)
      if numerator.magnitude <= 1 << 53 { return Double(numerator) / Double(power) }
    }
    // Below 2^98, as instants are below 2^38 seconds and powers below 2^60.
    let numerator = Int128(whole) * Int128(power) + Int128(fraction)
    let magnitude = numerator.magnitude
    // A quotient of at least 56 bits, whose last one also says whether anything is left over, rounds as the true one.
    let excess = (128 - magnitude.leadingZeroBitCount) - (64 - power.leadingZeroBitCount)
    let shift = max(0, 57 - excess)
    let (quotient, remainder) = (magnitude << UInt128(shift)).quotientAndRemainder(dividingBy: UInt128(power))
    let rounded = Double(UInt64(truncatingIfNeeded: quotient) | (remainder == 0 ? 0 : 1))
    let value = Double(sign: .plus, exponent: -shift, significand: rounded)
    return numerator < 0 ? -value : value
  }

  static let powersOfTen: InlineArray<19, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
  ]

  /// The day of the week of a date: 0 for Sunday.
  static func weekday(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // 1970-01-01 was a Thursday; 719,530 days before is a multiple of seven away from any negative day.
    (CivilDate.daysSince1970(year, month, day) + 4 + 7 * 200_000) % 7
  }
}
