import MergewalkBytes

extension DatePattern {
  /// Returns the instant in seconds since 2001-01-01 00:00:00 UTC.
  ///
  /// - Parameter defaultOffset: the zone when the pattern has none, in seconds east of UTC.
  /// - Throws: `date` when the text has another form, `calendar` when there is no such day or time.
  /// - Complexity: O(length + number of steps).
  func parse(_ bytes: FieldBytes, defaultOffset: Int) throws(ConversionFailureCode) -> Double {
    guard let start = bytes.baseAddress else { throw .date }
    var cursor = DateCursor(start, start + bytes.count)
    var time = CivilTime()
    time.offset = defaultOffset
    var isAfternoon = false
    var weekday: Int?
    for step in steps {
      switch step {
      case .literal(let byte):
        guard !cursor.isAtEnd, cursor.byte(at: 0) == byte else { throw .date }
        cursor.advance(1)
      case .number(let part, let digits):
        let value = try cursor.number(digits)
        switch part {
        case .year: time.year = value
        case .month: time.month = value
        case .day: time.day = value
        case .hour: time.hour = value
        case .hourOfHalf:
          guard value >= 1, value <= 12 else { throw .calendar }
          time.hour = value % 12
        case .minute: time.minute = value
        case .second: time.second = value
        }
      case .monthName(let isShort): time.month = try cursor.name(Self.months, isShort: isShort) + 1
      case .weekdayName(let isShort): weekday = try cursor.name(Self.weekdays, isShort: isShort)
      case .dayHalf: isAfternoon = try cursor.name(Self.dayHalves, isShort: false) == 1
      case .fraction(let digits):
        let value = try cursor.number(digits...digits)
        time.fraction = UInt64(value)
        time.fractionDigits = digits
      case .zone(let zone): time.offset = try cursor.zone(zone)
      }
    }
    guard cursor.isAtEnd else { throw .date }
    if isAfternoon { time.hour += 12 }
    let seconds: Double
    do { seconds = try time.secondsSince2001() } catch { throw ConversionFailureCode(error) }
    if let weekday, weekday != CivilDate.weekday(time.year, time.month, time.day) { throw .calendar }
    return seconds
  }

  static let months: [StaticString] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  static let weekdays: [StaticString] = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  private static let dayHalves: [StaticString] = ["am", "pm"]
}

extension DateCursor {
  /// Reads digits: at least the range's lower bound, at most its upper bound.
  mutating func number(_ digits: ClosedRange<Int>) throws(ConversionFailureCode) -> Int {
    var value = 0
    var count = 0
    while count < digits.upperBound, !isAtEnd {
      let digit = byte(at: 0) &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value * 10 + Int(digit)
      count += 1
      advance(1)
    }
    guard count >= digits.lowerBound else { throw .date }
    return value
  }

  /// Reads one of the names without ASCII case (its first three letters when short) and returns its index.
  mutating func name(_ names: [StaticString], isShort: Bool) throws(ConversionFailureCode) -> Int {
    for index in names.indices {
      let length = isShort ? 3 : names[index].utf8CodeUnitCount
      guard remaining >= length else { continue }
      let letters = names[index].utf8Start
      var same = 0
      while same < length, byte(at: same) | 0x20 == letters[same] { same += 1 }
      if same == length {
        advance(length)
        return index
      }
    }
    throw .date
  }

  /// Reads a zone written as the pattern demands.
  mutating func zone(_ style: DatePattern.Zone) throws(ConversionFailureCode) -> Int {
    guard !isAtEnd else { throw .date }
    let sign = byte(at: 0)
    if style.allowsZ, sign == UInt8(ascii: "Z") {
      advance(1)
      return 0
    }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { throw .date }
    advance(1)
    let hours = try number(2...2)
    var minutes = 0
    if style.hasMinutes ?? (!isAtEnd && byte(at: 0) &- UInt8(ascii: "0") <= 9) {
      if style.hasColon {
        guard !isAtEnd, byte(at: 0) == UInt8(ascii: ":") else { throw .date }
        advance(1)
      }
      minutes = try number(2...2)
    }
    guard hours < 24, minutes < 60 else { throw .calendar }
    let offset = hours * 3_600 + minutes * 60
    return sign == UInt8(ascii: "-") ? -offset : offset
  }
}
