import ObjectModel
import ObjectStore
import RecordFormats

/// Dates: seconds since 2001-01-01 UTC in zones that are fixed offsets, in the proleptic Gregorian calendar.
extension TransformMachine {
  /// The day and time in a zone and the fraction of the second; nil beyond the years 0000...9999.
  @inline(__always)
  private func civil(_ payload: UInt64, _ zone: Int) -> (time: CivilTime, fraction: Double)? {
    let seconds = Double(bitPattern: payload)
    let whole = seconds.rounded(.down)
    guard let total = Int64(exactly: whole), CivilTime.secondsRange.contains(total),
      CivilTime.secondsRange.contains(total + Int64(zone))
    else { return nil }
    return (CivilTime(secondsSince2001: total + Int64(zone)), seconds - whole)
  }

  /// Moves dates by calendar months and by seconds.
  func addToDate(_ from: Int, _ months: Int, _ seconds: Int64, _ zone: Int, _ index: Int, _ output: inout Register) {
    let overflow = Cell.failed(.overflow, index)
    let range = CivilTime.secondsRange
    each(from, &output) { payload in
      var date = Double(bitPattern: payload)
      if months != 0 {
        guard var (time, fraction) = civil(payload, zone) else { return overflow }
        let month = time.year * 12 + time.month - 1 + months
        guard month >= 0, month < 120_000 else { return overflow }
        time.year = month / 12
        time.month = month % 12 + 1
        time.day = min(time.day, CivilTime.length(ofMonth: time.month, year: time.year))
        time.offset = zone
        guard let whole = try? time.secondsSince2001() else { return overflow }
        fraction += whole
        date = fraction
      }
      date += Double(seconds)
      guard date >= Double(range.lowerBound), date < Double(range.upperBound) + 1 else { return overflow }
      return .value(date.bitPattern)
    }
  }

  /// Takes a number from dates.
  func datePart(_ from: Int, _ part: TransformStep.DatePart, _ zone: Int, _ index: Int, _ output: inout Register) {
    let overflow = Cell.failed(.overflow, index)
    each(from, &output) { payload in
      guard let (time, _) = civil(payload, zone) else { return overflow }
      let number: Int
      switch part {
      case .year: number = time.year
      case .month: number = time.month
      case .day: number = time.day
      case .hour: number = time.hour
      case .minute: number = time.minute
      case .second: number = time.second
      case .weekday: number = Self.weekday(time)
      case .dayOfYear: number = Self.dayOfYear(time)
      case .quarter: number = (time.month + 2) / 3
      case .week: number = Self.week(time)
      case .unix: number = Int(Double(bitPattern: payload).rounded(.down)) + Int(CivilTime.referenceSeconds)
      }
      return .value(UInt64(bitPattern: Int64(number)))
    }
  }

  /// 1 for Monday to 7 for Sunday.
  private static func weekday(_ time: CivilTime) -> Int {
    let day = CivilTime.weekday(time.year, time.month, time.day)
    return day == 0 ? 7 : day
  }

  private static func dayOfYear(_ time: CivilTime) -> Int {
    CivilTime.daysSince1970(time.year, time.month, time.day) - CivilTime.daysSince1970(time.year, 1, 1) + 1
  }

  /// The week of ISO 8601: that of the year in which its Thursday is.
  private static func week(_ time: CivilTime) -> Int {
    let week = (dayOfYear(time) - weekday(time) + 10) / 7
    if week < 1 { return weeks(time.year - 1) }
    return week > weeks(time.year) ? 1 : week
  }

  /// Whether a year has 52 or 53 weeks: 53 when it ends, or the one before ends, around a Thursday.
  private static func weeks(_ year: Int) -> Int {
    func lastDay(_ year: Int) -> Int { (year + year / 4 - year / 100 + year / 400) % 7 }
    return lastDay(year) == 4 || lastDay(year - 1) == 3 ? 53 : 52
  }

  /// Cuts dates to the start of a unit.
  func startOf(_ from: Int, _ unit: TransformStep.DateUnit, _ zone: Int, _ index: Int, _ output: inout Register) {
    let overflow = Cell.failed(.overflow, index)
    each(from, &output) { payload in
      guard var (time, _) = civil(payload, zone) else { return overflow }
      var daysBack = 0
      switch unit {
      case .years: (time.month, time.day, time.hour, time.minute, time.second) = (1, 1, 0, 0, 0)
      case .months: (time.day, time.hour, time.minute, time.second) = (1, 0, 0, 0)
      case .weeks:
        daysBack = Self.weekday(time) - 1
        (time.hour, time.minute, time.second) = (0, 0, 0)
      case .days: (time.hour, time.minute, time.second) = (0, 0, 0)
      case .hours: (time.minute, time.second) = (0, 0)
      case .minutes: time.second = 0
      case .seconds: break
      }
      time.offset = zone
      guard let whole = try? time.secondsSince2001() else { return overflow }
      return .value((whole - Double(daysBack * 86_400)).bitPattern)
    }
  }

  /// Writes dates by a pattern.
  func formatDate(
    _ from: Int, _ pattern: DatePattern, _ zone: Int, _ index: Int, _ output: inout Register,
    _ records: inout RecordBatch
  ) {
    sink.start(base: records.byteCount)
    each(from, &output) { payload in
      guard let (time, fraction) = civil(payload, zone) else { return .failed(.overflow, index) }
      let start = sink.position
      guard pattern.write(time, fraction: fraction, offset: zone, to: &sink) else {
        sink.cut(to: start)
        return .failed(.tooLong, index)
      }
      return .range(start, sink.position - start)
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
  }
}
