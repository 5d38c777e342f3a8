import MergewalkBytes

/// `date_part`: a number that a date has.
struct DatePartStep: StepAction, DateStep {
  var part: TransformStep.DatePart
  var zone: Int

  static let spec = StepSpec(
    "date_part", "A part of a date, as a number.", example: "year", types: "date → integer",
    remark:
      "also `{ part: week, zone: \"+02:00\" }`: `year` … `second`, `weekday`, `day_of_year`, `quarter`, `week` (ISO"
      + " 8601), `unix`",
    shorthand: "part",
    fields: [
      FieldSpec(
        "part", .choice(of: TransformStep.DatePart.self), required: true,
        "The part; weeks and weekdays follow ISO 8601.", example: "month"), ZonedTime.zoneField,
    ]
  ) { value, _ in
    value.choice("part", as: TransformStep.DatePart.self).map {
      DatePartStep(part: $0, zone: value.count(orDefault: "zone"))
    }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.date(input).map { compiler.emit(self, on: $0, .integer) }
  }

  func result(_ payload: UInt64) -> UInt64? {
    guard let moment = ZonedTime(payload, zone: zone) else { return nil }
    let number: Int
    switch part {
    case .year: number = moment.time.year
    case .month: number = moment.time.month
    case .day: number = moment.time.day
    case .hour: number = moment.time.hour
    case .minute: number = moment.time.minute
    case .second: number = moment.time.second
    case .weekday: number = moment.weekday
    case .dayOfYear: number = moment.dayOfYear
    case .quarter: number = (moment.time.month + 2) / 3
    case .week: number = moment.week
    case .unix: number = Int(Double(bitPattern: payload).rounded(.down)) + Int(CivilDate.secondsTo2001)
    }
    return UInt64(bitPattern: Int64(number))
  }
}

extension TransformStep {
  /// A numeric part of a date.
  public enum DatePart: String, Sendable, Hashable, CaseIterable {
    /// The year.
    case year
    /// The month, 1 to 12.
    case month
    /// The day of the month, from 1.
    case day
    /// The hour, 0 to 23.
    case hour
    /// The minute.
    case minute
    /// The whole second.
    case second
    /// The day of the week in ISO 8601: 1 for Monday to 7 for Sunday.
    case weekday
    /// The day of the year, from 1.
    case dayOfYear = "day_of_year"
    /// The quarter, 1 to 4.
    case quarter
    /// The week of ISO 8601, 1 to 53.
    case week
    /// Whole seconds since 1970-01-01 UTC.
    case unix
  }
}

extension TransformStep.Action {
  /// Extracts a part of a date.
  public static func datePart(_ part: TransformStep.DatePart, zone: Int) -> Self {
    Self("date_part", DatePartStep(part: part, zone: zone))
  }
}
