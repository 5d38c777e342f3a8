import MergewalkBytes
import MergewalkRecordFormats

/// A step that makes a value of each date; beyond the years 0000 to 9999 there is none.
protocol DateStep: ColumnStep {
  /// The result for a date in a register, or nil.
  func result(_ payload: UInt64) -> UInt64?
}

extension DateStep {
  @inline(__always)
  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let overflow = RegisterMachine.Cell.failed(.overflow, index)
    machine.each(from, &output) { payload in result(payload).map { .value($0) } ?? overflow }
  }
}

/// The day and time of a date in a zone that is a fixed offset, in the proleptic Gregorian calendar.
struct ZonedTime {
  var time: CivilTime
  /// The part of the second.
  let fraction: Double
  private let zone: Int

  static let zoneField = FieldSpec(
    "zone", .zone, default: "UTC", "The time zone to calculate in: `UTC` or an offset.", example: "\"+02:00\""
  )

  /// The time of a register's value; nil beyond the years 0000...9999.
  @inline(__always)
  init?(_ payload: UInt64, zone: Int) {
    let seconds = Double(bitPattern: payload)
    let whole = seconds.rounded(.down)
    guard let total = Int64(exactly: whole), CivilDate.wholeSeconds.contains(total),
      CivilDate.wholeSeconds.contains(total + Int64(zone))
    else { return nil }
    time = CivilTime(secondsSince2001: total + Int64(zone))
    fraction = seconds - whole
    self.zone = zone
  }

  /// The seconds since 2001 UTC of the whole second, whatever was changed; nil when there is no such time.
  var wholeSeconds: Double? {
    var time = time
    time.offset = zone
    return try? time.secondsSince2001()
  }

  /// 1 for Monday to 7 for Sunday.
  var weekday: Int {
    let day = CivilDate.weekday(time.year, time.month, time.day)
    return day == 0 ? 7 : day
  }

  /// The day of the year, from 1.
  var dayOfYear: Int {
    CivilDate.daysSince1970(time.year, time.month, time.day) - CivilDate.daysSince1970(time.year, 1, 1) + 1
  }

  /// The week of ISO 8601: that of the year in which its Thursday is.
  var week: Int {
    let week = (dayOfYear - weekday + 10) / 7
    if week < 1 { return Self.weeks(time.year - 1) }
    return week > Self.weeks(time.year) ? 1 : week
  }

  /// Whether a year has 52 or 53 weeks: 53 when its first or its last day is a Thursday.
  private static func weeks(_ year: Int) -> Int {
    CivilDate.weekday(year, 1, 1) == 4 || CivilDate.weekday(year, 12, 31) == 4 ? 53 : 52
  }
}

extension TransformStep {
  /// A unit of time for moving or truncating dates.
  public enum DateUnit: String, Sendable, Hashable, CaseIterable {
    /// Calendar years; 29 February becomes the 28th.
    case years
    /// Calendar months; the day is limited to the month's length.
    case months
    /// Seven days.
    case weeks
    /// 24 hours: zones are fixed offsets.
    case days
    /// 60 minutes.
    case hours
    /// 60 seconds.
    case minutes
    /// Seconds.
    case seconds
  }
}
