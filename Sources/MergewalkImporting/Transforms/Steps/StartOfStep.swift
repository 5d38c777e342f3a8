import MergewalkBytes

/// `start_of`: the start of the unit of time that a date is in.
struct StartOfStep: StepAction, DateStep {
  var unit: TransformStep.DateUnit
  var zone: Int

  static let spec = StepSpec(
    "start_of", "The start of the unit of time that contains the date.", example: "months", types: "date → date",
    remark: "`years`, `months`, `weeks` (Monday), `days`, `hours`, `minutes`, `seconds`; also `{ unit: days, zone:"
      + " \"+02:00\" }`",
    shorthand: "unit",
    fields: [
      FieldSpec(
        "unit", .choice(of: TransformStep.DateUnit.self), required: true, "The unit; weeks begin on Monday.",
        example: "months"), ZonedTime.zoneField,
    ]
  ) { value, _ in
    value.choice("unit", as: TransformStep.DateUnit.self).map {
      StartOfStep(unit: $0, zone: value.count(orDefault: "zone"))
    }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.date(input).map { compiler.emit(self, on: $0, .date) }
  }

  func result(_ payload: UInt64) -> UInt64? {
    guard var moment = ZonedTime(payload, zone: zone) else { return nil }
    let daysBack = unit == .weeks ? moment.weekday - 1 : 0
    switch unit {
    case .years: (moment.time.month, moment.time.day) = (1, 1)
    case .months: moment.time.day = 1
    default: break
    }
    switch unit {
    case .seconds: break
    case .minutes: moment.time.second = 0
    case .hours: (moment.time.minute, moment.time.second) = (0, 0)
    default: (moment.time.hour, moment.time.minute, moment.time.second) = (0, 0, 0)
    }
    return moment.wholeSeconds.map { ($0 - Double(daysBack * 86_400)).bitPattern }
  }
}

extension TransformStep.Action {
  /// The start of the date's day, month or other unit.
  public static func startOf(_ unit: TransformStep.DateUnit, zone: Int) -> Self {
    Self("start_of", StartOfStep(unit: unit, zone: zone))
  }
}
