import MergewalkBytes

/// A text that looks like a date.
struct DateShape: Hashable, Sendable {
  /// The order of day, month and year.
  enum Order: Hashable, Sendable {
    /// `2024-12-31` as ISO 8601 has it, perhaps with a time and a zone.
    case iso
    /// `2024/12/31`, `2024.12.31`
    case yearFirst
    /// `31.12.2024` or `12/31/2024`: which is the day, each value may or may not tell.
    case yearLast
  }

  var order: Order
  /// The byte between day, month and year.
  var separator: UInt8
  /// The separator of date and time; nil when there is no time.
  var timeSeparator: UInt8?
  var hasSeconds = false
  var fractionDigits = 0
  /// Whether it can be a day and a month in the order day, month.
  var fitsDayFirst = false
  /// Whether it can be a month and a day in the order month, day.
  var fitsMonthFirst = false
  /// Whether day or month is written with one digit.
  var hasShortNumbers = false
  /// Whether the hour is written with one digit.
  var hasShortHour = false
  /// Whether AM or PM follows the time.
  var hasDayHalf = false
  /// Whether a blank is before AM or PM.
  var hasBlankBeforeHalf = false

  /// Looks at a text; nil when it is no date, also when there is no such day.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 8, text.count <= 40, text[0].isDigit else { return nil }
    var reader = Reader(text: text)
    guard let first = reader.number(), let mark = reader.mark(), let second = reader.number(), reader.mark() == mark,
      let third = reader.number()
    else { return nil }
    separator = mark
    if first.digits == 4 {
      guard second.digits <= 2, third.digits <= 2, CivilDate.isDay(first.value, second.value, third.value) else {
        return nil
      }
      order = mark == 0x2D ? .iso : .yearFirst
      hasShortNumbers = second.digits == 1 || third.digits == 1
      if order == .iso, hasShortNumbers { return nil }
    } else {
      guard first.digits <= 2, second.digits <= 2, third.digits == 4 else { return nil }
      order = .yearLast
      fitsDayFirst = CivilDate.isDay(third.value, second.value, first.value)
      fitsMonthFirst = CivilDate.isDay(third.value, first.value, second.value)
      if !fitsDayFirst && !fitsMonthFirst { return nil }
      hasShortNumbers = first.digits == 1 || second.digits == 1
    }
    if reader.isAtEnd { return }
    guard time(&reader) else { return nil }
  }

  private mutating func time(_ reader: inout Reader) -> Bool {
    let mark = reader.next()
    guard mark == 0x20 || mark == 0x54 || (mark == 0x74 && order == .iso) else { return false }
    timeSeparator = mark
    guard let hour = reader.number(), hour.digits <= 2, hour.value <= 24, reader.next() == 0x3A,
      let minute = reader.number(), minute.digits == 2, minute.value < 60
    else { return false }
    // 24:00 is the start of the next day, and nothing comes behind it.
    let isEnd = hour.value == 24
    if isEnd, minute.value > 0 { return false }
    hasShortHour = hour.digits == 1
    if order == .iso, hasShortHour { return false }
    if reader.isAtEnd { return true }
    if reader.peek() == 0x3A {
      _ = reader.next()
      guard let second = reader.number(), second.digits == 2, second.value < (isEnd ? 1 : 60) else { return false }
      hasSeconds = true
      if reader.peek() == 0x2E || (reader.peek() == 0x2C && order == .iso) {
        _ = reader.next()
        guard !isEnd, let fraction = reader.digits() else { return false }
        fractionDigits = fraction
      }
    }
    if reader.isAtEnd { return true }
    if order == .iso { return reader.zone() }
    hasDayHalf = true
    hasBlankBeforeHalf = reader.peek() == 0x20
    if hasBlankBeforeHalf { _ = reader.next() }
    let letter = reader.next() | 0x20
    return (letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p"))
      && reader.next() | 0x20 == UInt8(ascii: "m") && reader.isAtEnd && (1...12).contains(hour.value)
  }

  /// The pattern of UTS 35 for values of this shape; nil for ISO 8601, which needs none.
  ///
  /// - Parameters:
  ///   - isDayFirst: which of the first two numbers of `yearLast` is the day.
  ///   - isShort: whether some value has one digit where others have two.
  func pattern(isDayFirst: Bool, isShort: Bool, isShortHour: Bool) -> String? {
    let mark = String(UnicodeScalar(separator))
    let (day, month) = isShort ? ("d", "M") : ("dd", "MM")
    var text: String
    switch order {
    case .iso: return nil
    case .yearFirst: text = "yyyy\(mark)\(month)\(mark)\(day)"
    case .yearLast: text = isDayFirst ? "\(day)\(mark)\(month)\(mark)yyyy" : "\(month)\(mark)\(day)\(mark)yyyy"
    }
    guard let timeSeparator else { return text }
    text += timeSeparator == 0x54 ? "'T'" : " "
    let hour = hasDayHalf ? "h" : "H"
    text += (isShortHour ? hour : hour + hour) + ":mm"
    if hasSeconds { text += ":ss" }
    if fractionDigits > 0 { text += "." + String(repeating: "S", count: fractionDigits) }
    if hasDayHalf { text += hasBlankBeforeHalf ? " a" : "a" }
    return text
  }

  /// The common features of values of one pattern: everything but the numbers of digits and details of single values.
  var family: DateShape {
    var family = self
    family.fitsDayFirst = true
    family.fitsMonthFirst = true
    family.hasShortNumbers = false
    family.hasShortHour = false
    if order == .iso {
      // One reader reads them all.
      family.timeSeparator = nil
      family.hasSeconds = false
      family.fractionDigits = 0
    }
    return family
  }

  /// Reads digits and marks.
  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var i = 0

    var isAtEnd: Bool { i == text.count }

    func peek() -> UInt8 { i < text.count ? text[i] : 0 }

    mutating func next() -> UInt8 {
      let byte = peek()
      i = min(i + 1, text.count)
      return byte
    }

    mutating func mark() -> UInt8? {
      let byte = next()
      return byte == 0x2D || byte == 0x2F || byte == 0x2E ? byte : nil
    }

    mutating func number() -> (value: Int, digits: Int)? {
      let start = i
      var value = 0
      while i < text.count, text[i].isDigit, i - start < 5 {
        value = value * 10 + Int(text[i] - 0x30)
        i += 1
      }
      return i == start || i - start > 4 ? nil : (value, i - start)
    }

    mutating func digits() -> Int? {
      let start = i
      while i < text.count, text[i].isDigit { i += 1 }
      return i == start || i - start > 9 ? nil : i - start
    }

    /// `Z`, `+hh`, `+hhmm`, `+hh:mm`, perhaps behind a blank.
    mutating func zone() -> Bool {
      if peek() == 0x20 { i += 1 }
      let sign = next()
      if sign | 0x20 == 0x7A { return isAtEnd }
      guard sign == 0x2B || sign == 0x2D, let hours = number(), hours.digits == 2 || hours.digits == 4 else {
        return false
      }
      if hours.digits == 4 { return isAtEnd && hours.value / 100 < 24 && hours.value % 100 < 60 }
      if isAtEnd { return hours.value < 24 }
      guard next() == 0x3A, let minutes = number() else { return false }
      return minutes.digits == 2 && minutes.value < 60 && hours.value < 24 && isAtEnd
    }
  }
}
