import MergewalkBytes

extension DatePattern {
  /// Writes a day and time; false when there is no room.
  ///
  /// - Parameters:
  ///   - fraction: the part of the second, at least 0 and below 1; digits that the pattern has no room for are cut.
  ///   - offset: the zone that `time` is in, in seconds east of UTC.
  func write(_ time: CivilTime, fraction: Double, offset: Int, to sink: inout TextBuffer) -> Bool {
    for step in steps {
      let done: Bool
      switch step {
      case .literal(let byte): done = sink.append(byte)
      case .number(let part, let digits):
        let value: Int
        switch part {
        case .year: value = time.year
        case .month: value = time.month
        case .day: value = time.day
        case .hour: value = time.hour
        case .hourOfHalf: value = (time.hour + 11) % 12 + 1
        case .minute: value = time.minute
        case .second: value = time.second
        }
        done = Self.append(value, width: digits.lowerBound, &sink)
      case .monthName(let isShort): done = Self.append(Self.months[time.month - 1], isShort, &sink)
      case .weekdayName(let isShort):
        done = Self.append(Self.weekdays[CivilDate.weekday(time.year, time.month, time.day)], isShort, &sink)
      case .dayHalf: done = ValueText.append(time.hour < 12 ? "AM" : "PM", to: &sink)
      case .fraction(let digits):
        let power = Double(CivilTime.powersOfTen[digits])
        // What the binary number lacks to the decimal one must not cost a digit.
        let scaled = (fraction * power + 0.000_01).rounded(.down)
        done = Self.append(Int(min(scaled, power - 1)), width: digits, &sink)
      case .zone(let style): done = Self.append(offset, style, &sink)
      }
      if !done { return false }
    }
    return true
  }

  private static func append(_ number: Int, width: Int, _ sink: inout TextBuffer) -> Bool {
    var width = width
    var power = 1
    for _ in 1..<max(width, 1) { power *= 10 }
    while width > 1, number < power {
      guard sink.append(UInt8(ascii: "0")) else { return false }
      width -= 1
      power /= 10
    }
    return ValueText.append(Int64(number), to: &sink)
  }

  private static func append(_ name: StaticString, _ isShort: Bool, _ sink: inout TextBuffer) -> Bool {
    let bytes = UnsafeBufferPointer(start: name.utf8Start, count: isShort ? 3 : name.utf8CodeUnitCount)
    return sink.append(bytes[0] & ~0x20) && sink.append(UnsafeBufferPointer(rebasing: bytes.dropFirst()))
  }

  private static func append(_ offset: Int, _ style: Zone, _ sink: inout TextBuffer) -> Bool {
    if style.allowsZ, offset == 0 { return sink.append(UInt8(ascii: "Z")) }
    let minutes = abs(offset) / 60
    guard sink.append(UInt8(ascii: offset < 0 ? "-" : "+")), append(minutes / 60, width: 2, &sink) else { return false }
    guard style.hasMinutes ?? (minutes % 60 != 0) else { return true }
    return (!style.hasColon || sink.append(UInt8(ascii: ":"))) && append(minutes % 60, width: 2, &sink)
  }
}
