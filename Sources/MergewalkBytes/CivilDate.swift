/// Days of the proleptic Gregorian calendar of ISO 8601: its rules hold for all years, also those before 1582.
@usableFromInline package enum CivilDate {
  /// Days from 1970-01-01 to 2001-01-01.
  @inlinable package static var daysTo2001: Int { 11_323 }
  /// Seconds from 1970-01-01 to 2001-01-01, both 00:00:00 UTC.
  @inlinable package static var secondsTo2001: Int64 { 978_307_200 }

  /// The whole seconds of the years 0...9999, since 2001-01-01 00:00:00 UTC.
  @inlinable package static var wholeSeconds: ClosedRange<Int64> { -63_145_526_400...252_423_993_599 }

  /// The instants of the years 0...9999, in seconds since 2001-01-01 00:00:00 UTC.
  ///
  /// The last one is the greatest number before the year 10000, which a time in the last second before it becomes where
  /// the nearest number is the start of that year: `9999-12-31T23:59:59.999999Z` means the end of time to many programs.
  @inlinable package static var instants: ClosedRange<Double> { -63_145_526_400...252_423_993_599.99997 }

  /// How many days a month from 1 to 12 has.
  @inlinable @inline(__always)
  package static func length(ofMonth month: Int, year: Int) -> Int {
    // 31 for January, March, May, July and, shifted by one, for August, October, December.
    if month != 2 { return 30 + ((month + (month >> 3)) & 1) }
    return year & 3 == 0 && (year % 100 != 0 || year & 15 == 0) ? 29 : 28
  }

  /// Whether there is such a day; months and days count from 1.
  @inlinable @inline(__always)
  package static func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    month > 0 && month <= 12 && day > 0 && (day <= 28 || day <= length(ofMonth: month, year: year))
  }

  /// The day of the week of a date: 0 for Sunday.
  @inlinable
  package static func weekday(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // 1970-01-01 was a Thursday; 1,400,000 days, whole weeks, keep what is divided from being negative.
    (daysSince1970(year, month, day) + 4 + 7 * 200_000) % 7
  }

  /// Days from 1970-01-01 to a date of the years -1...9999.
  ///
  /// Years begin in March, so that the leap day is the last one and months follow a straight line: the days before
  /// month m (from 0 for March) are (153 m + 2) / 5.
  @inlinable @inline(__always)
  package static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // 4800 is a multiple of 400, so that nothing is negative.
    let marchYear = UInt32(truncatingIfNeeded: year &+ 4_800 &- (month < 3 ? 1 : 0))
    let marchMonth = UInt32(truncatingIfNeeded: month < 3 ? month &+ 9 : month &- 3)
    let century = marchYear / 100
    let leapDays = marchYear / 4 &- century &+ century / 4
    let dayOfYear = (153 &* marchMonth &+ 2) / 5 &+ UInt32(truncatingIfNeeded: day)
    // 2,472,633 days lie between 1 March -4800 and 1970-01-01, counting `day` from 1.
    return Int(marchYear &* 365 &+ leapDays &+ dayOfYear) - 2_472_633
  }

  /// The date of a day, of any year.
  @inlinable
  package static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    // Days since 0000-03-01; 146,097 of them are 400 years.
    let days = daysSince1970 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }
}
