/// A date and a time of day as written, checked, and turned into an instant.
///
/// The calendar is the proleptic Gregorian one of ISO 8601: its rules hold for all years, also those before 1582.
@usableFromInline package struct CivilTime {
  @usableFromInline package var year: Int
  @usableFromInline package var month: Int
  @usableFromInline package var day: Int
  @usableFromInline package var hour: Int
  @usableFromInline package var minute: Int
  @usableFromInline package var second: Int
  /// The digits behind the second's mark, at most 18 of them, as a number.
  @usableFromInline package var fraction: UInt64
  /// How many digits `fraction` stands for.
  @usableFromInline package var fractionDigits: Int
  /// Seconds east of UTC.
  @usableFromInline package var offset: Int

  /// Whether an instant in seconds since 2001-01-01 UTC has a text of ISO 8601 that reads back as the same number: beyond the
  /// years 0000...9999 there is none, and close to 2001 it would need more than 18 digits.
  @inlinable
  package static func hasText(_ seconds: Double) -> Bool {
    CivilDate.instants.contains(seconds) && (seconds.magnitude >= 1 || seconds == 0)
  }

  /// Midnight of the first of January of the year 0000.
  @inlinable @inline(__always)
  package init() {
    // Here, because other modules would call a function for each value behind a property's declaration.
    (year, month, day, hour, minute, second) = (0, 1, 1, 0, 0, 0)
    (fraction, fractionDigits, offset) = (0, 0, 0)
  }

  /// The day and time of an instant in UTC, of any year, given in seconds since 2001-01-01 UTC.
  @inlinable
  package init(secondsSince2001 total: Int64) {
    let days = (total >= 0 ? total : total - 86_399) / 86_400
    let time = Int(total - days * 86_400)
    self.init()
    (year, month, day) = CivilDate.date(daysSince1970: Int(days) + CivilDate.daysTo2001)
    hour = time / 3_600
    minute = time / 60 % 60
    second = time % 60
  }

  /// The instant in seconds since 2001-01-01 00:00:00 UTC: the Double nearest to it, of which up to 18 fraction digits
  /// are looked at.
  ///
  /// - Throws: `calendar` when there is no such day or time: the 29th of February of other years, hour 24 other than
  ///   24:00:00 exactly (the start of the next day), second 60. Leap seconds have no place in seconds since 2001.
  ///   `range` when the instant is outside the years 0000...9999 of UTC, where its zone or hour 24 may put it.
  @inlinable @inline(__always)
  package func secondsSince2001() throws(DateFailure) -> Double {
    guard CivilDate.isDay(year, month, day) else { throw .calendar }
    guard hour < 24 || (hour == 24 && minute == 0 && second == 0 && fraction == 0), minute < 60, second < 60 else {
      throw .calendar
    }
    let days = CivilDate.daysSince1970(year, month, day)
    let whole = Int64(days * 86_400 + hour * 3_600 + minute * 60 + second - offset) - CivilDate.secondsTo2001
    guard CivilDate.wholeSeconds.contains(whole) else { throw .range }
    guard fraction != 0 else { return Double(whole) }
    return Self.secondsInRange(whole, fraction: fraction, digits: fractionDigits)
  }

  /// The same as `seconds` for a whole second of the years 0...9999; see ``CivilDate/instants``.
  @inline(never)
  @usableFromInline package static func secondsInRange(_ whole: Int64, fraction: UInt64, digits: Int) -> Double {
    min(seconds(whole, fraction: fraction, digits: digits), CivilDate.instants.upperBound)
  }

  /// The Double nearest to `whole + fraction × 10^-digits`; halfway cases go to the even one.
  @inline(never)
  package static func seconds(_ whole: Int64, fraction: UInt64, digits: Int) -> Double {
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

  /// The powers of ten from 10^0 to 10^18.
  package static let powersOfTen: InlineArray<19, UInt64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
  ]
}

/// Why a text is no date.
@usableFromInline package enum DateFailure: Error {
  /// The text has another form.
  case form
  /// There is no such day or time.
  case calendar
  /// The instant is outside the years 0000...9999 of UTC.
  case range
}
