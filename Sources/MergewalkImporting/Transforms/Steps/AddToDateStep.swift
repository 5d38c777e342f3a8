import MergewalkBytes

struct AddToDateStep: StepAction {
  var units: [TransformStep.DateUnit: Int]
  var zone: Int

  static let spec = StepSpec(
    "date_add", "Adds to a date; numbers may be negative.", example: "{ days: 30 }", types: "date → date",
    remark: "`{ months: 1, days: -1 }`: months first, cut to the month's length",
    fields: TransformStep.DateUnit.allCases.map {
      FieldSpec($0.rawValue, .integer, default: "0", "How many \($0.rawValue).", example: "1")
    } + [ZonedTime.zoneField]
  ) { value, _ in
    var units: [TransformStep.DateUnit: Int] = [:]
    for unit in TransformStep.DateUnit.allCases { units[unit] = value.count(unit.rawValue) }
    return AddToDateStep(units: units, zone: value.count(orDefault: "zone"))
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let date = compiler.date(input) else { return nil }
    var months = 0
    var seconds: Int64 = 0
    for (unit, amount) in units {
      guard amount.magnitude <= 1_000_000_000 else {
        return compiler.refuse("\(amount) \(unit.rawValue) are beyond any date")
      }
      switch unit {
      case .years: months += 12 * amount
      case .months: months += amount
      case .weeks: seconds += 604_800 * Int64(amount)
      case .days: seconds += 86_400 * Int64(amount)
      case .hours: seconds += 3_600 * Int64(amount)
      case .minutes: seconds += 60 * Int64(amount)
      case .seconds: seconds += Int64(amount)
      }
    }
    return compiler.emit(MoveDates(months: months, seconds: seconds, zone: zone), on: date, .date)
  }
}

/// Moves dates by calendar months and by seconds.
private struct MoveDates: DateStep {
  var months: Int
  var seconds: Int64
  var zone: Int

  func result(_ payload: UInt64) -> UInt64? {
    var date = Double(bitPattern: payload)
    if months != 0 {
      guard var moment = ZonedTime(payload, zone: zone) else { return nil }
      let month = moment.time.year * 12 + moment.time.month - 1 + months
      guard month >= 0, month < 120_000 else { return nil }
      moment.time.year = month / 12
      moment.time.month = month % 12 + 1
      moment.time.day = min(
        moment.time.day, CivilDate.length(ofMonth: moment.time.month, year: moment.time.year))
      guard let whole = moment.wholeSeconds else { return nil }
      date = whole + moment.fraction
    }
    date += Double(seconds)
    return CivilDate.instants.contains(date) ? date.bitPattern : nil
  }
}

extension TransformStep.Action {
  /// Moves a date.
  public static func addToDate(_ units: [TransformStep.DateUnit: Int], zone: Int) -> Self {
    Self("date_add", AddToDateStep(units: units, zone: zone))
  }
}
