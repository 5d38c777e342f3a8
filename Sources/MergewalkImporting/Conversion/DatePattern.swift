import MergewalkBytes
import MergewalkDiagnostics

/// A date pattern in the letters of Unicode UTS 35, compiled once for many values.
///
/// Supported: `y` `yyyy` (year), `M` `MM` `MMM` `MMMM` (month; names in English), `d` `dd`, `E`…`EEEE` (day of the
/// week in English; must agree with the date), `H` `HH`, `h` `hh` with `a`, `m` `mm`, `s` `ss`, `S`…`SSSSSSSSS`
/// (fraction), `Z` (`±hhmm`), `ZZZZZ` (`±hh:mm` or `Z`), `X` `XX` `XXX` `x` `xx` `xxx` (ISO 8601 zones); text in
/// single quotes and all other characters stand for themselves.
///
/// Parsing is strict: two letters of a number mean two digits, one letter means one or two (`y`: one to four).
/// Source: Unicode Technical Standard 35, part 4, "Date Field Symbol Table".
struct DatePattern: Sendable {
  enum Step: Sendable, Hashable {
    case literal(UInt8)
    case number(Part, digits: ClosedRange<Int>)
    case monthName(isShort: Bool)
    case weekdayName(isShort: Bool)
    case dayHalf
    case fraction(digits: Int)
    case zone(Zone)
  }
  /// The meaning of a number.
  enum Part: Sendable, Hashable, CaseIterable { case year, month, day, hour, hourOfHalf, minute, second }
  struct Zone: Sendable, Hashable {
    /// Whether `Z` may stand for UTC.
    var allowsZ: Bool
    /// Whether hours and minutes are separated by a colon.
    var hasColon: Bool
    /// Whether minutes are there; `nil` when they may be.
    var hasMinutes: Bool?
  }

  /// The steps of parsing, in order.
  private(set) var steps: [Step] = []

  /// An error in a pattern, or a doubt about it.
  struct Finding: Error, Hashable {
    var isError: Bool
    var message: String
    var hint: String?
  }

  /// The word that names a format without a pattern, for a text that is nearly one, or what other tools call it.
  private static func word(meantBy pattern: String) -> String? {
    let letters = pattern.lowercased().filter { $0.isLetter || $0.isNumber }
    let words = ["iso8601", "unix", "unix_ms", "core_data"]
    if let word = words.first(where: { $0.filter { $0 != "_" } == letters }) { return word }
    switch letters {
    case "iso", "rfc3339": return "iso8601"
    case "epoch", "timestamp", "unixtime", "posix": return "unix"
    // One or two letters are a pattern, such as “d”, and no word that is misspelt.
    default: return pattern.count > 2 ? NearestName.find(pattern, in: words) : nil
    }
  }

  /// Compiles a pattern; `findings` gets what is wrong with it, and there is no result when that includes errors.
  ///
  /// - Parameter isForWriting: Whether dates are only written, so that parts may be missing.
  static func compile(_ pattern: String, isForWriting: Bool = false, findings: inout [Finding]) -> DatePattern? {
    var compiled = DatePattern()
    let before = findings.count
    let bytes = Array(pattern.utf8)
    if let other = translated(bytes) {
      findings.append(
        Finding(isError: true, message: "the date pattern is written as for strftime", hint: "write “\(other)”"))
      return nil
    }
    if let word = word(meantBy: pattern) {
      findings.append(Finding(isError: true, message: "“\(pattern)” is not a date pattern", hint: "write “\(word)”"))
      return nil
    }
    if !bytes.contains(where: { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }),
      bytes.contains(where: \.isDigit)
    {
      findings.append(
        Finding(
          isError: true, message: "“\(pattern)” is a date and no pattern",
          hint: "write letters for its digits, such as dd.MM.yyyy"))
      return nil
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "'") {
        index = compiled.appendQuoted(bytes, from: index, findings: &findings)
      } else if byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
        var end = index
        while end < bytes.count, bytes[end] == byte { end += 1 }
        if let step = step(byte, count: end - index, findings: &findings) { compiled.steps.append(step) }
        index = end
      } else {
        compiled.steps.append(.literal(byte))
        index += 1
      }
    }
    if !isForWriting { compiled.check(isWhole: !findings[before...].contains(where: \.isError), &findings) }
    return findings[before...].contains(where: \.isError) ? nil : compiled
  }

  /// A pattern of strftime in our letters; `nil` when it is none, or has conversions that have no letters here.
  private static func translated(_ bytes: [UInt8]) -> String? {
    guard bytes.contains(UInt8(ascii: "%")) else { return nil }
    var result = ""
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "%") {
        guard index < bytes.count, let letters = conversions[UnicodeScalar(bytes[index])] else { return nil }
        result += letters
        index += 1
      } else if byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
        result += "'\(Character(UnicodeScalar(byte)))'"
      } else {
        result.unicodeScalars.append(UnicodeScalar(byte))
      }
    }
    return result
  }

  private static let conversions: [UnicodeScalar: String] = [
    "d": "dd", "e": "d", "m": "MM", "Y": "yyyy", "H": "HH", "I": "hh", "M": "mm", "S": "ss", "f": "SSSSSS", "p": "a",
    "b": "MMM", "B": "MMMM", "a": "EEE", "A": "EEEE", "z": "Z", "F": "yyyy-MM-dd", "T": "HH:mm:ss",
  ]

  /// Takes over the literal text behind the quote at `start`; returns the index behind its end.
  private mutating func appendQuoted(_ bytes: [UInt8], from start: Int, findings: inout [Finding]) -> Int {
    let quote = UInt8(ascii: "'")
    if start + 1 < bytes.count, bytes[start + 1] == quote {
      steps.append(.literal(quote))
      return start + 2
    }
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == quote {
        guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index + 1 }
        index += 1
      }
      steps.append(.literal(bytes[index]))
      index += 1
    }
    findings.append(Finding(isError: true, message: "the quote in the date pattern is never closed", hint: nil))
    return index
  }

  private static func step(_ letter: UInt8, count: Int, findings: inout [Finding]) -> Step? {
    let spelling = String(repeating: String(UnicodeScalar(letter)), count: count)
    var hint: String?
    switch UnicodeScalar(letter) {
    case "y", "u":
      if count == 1 { return .number(.year, digits: 1...4) }
      if count == 4 { return .number(.year, digits: 4...4) }
      hint = "years have four digits here: yyyy"
    case "M", "L":
      if count <= 2 { return .number(.month, digits: numberDigits(count)) }
      if count <= 4 { return .monthName(isShort: count == 3) }
    case "d":
      if count <= 2 { return .number(.day, digits: numberDigits(count)) }
    case "H":
      if count <= 2 { return .number(.hour, digits: numberDigits(count)) }
    case "h":
      if count <= 2 { return .number(.hourOfHalf, digits: numberDigits(count)) }
    case "m":
      if count <= 2 { return .number(.minute, digits: numberDigits(count)) }
    case "s":
      if count <= 2 { return .number(.second, digits: numberDigits(count)) }
    case "S":
      if count <= 9 { return .fraction(digits: count) }
    case "a":
      if count == 1 { return .dayHalf }
      hint = "a is AM or PM"
    case "E":
      if count <= 4 { return .weekdayName(isShort: count < 4) }
    case "Z":
      if count <= 3 { return .zone(Zone(allowsZ: false, hasColon: false, hasMinutes: true)) }
      if count == 5 { return .zone(Zone(allowsZ: true, hasColon: true, hasMinutes: true)) }
      hint = "Z is +hhmm, ZZZZZ is +hh:mm"
    case "X", "x":
      let allowsZ = letter == UInt8(ascii: "X")
      if count == 1 { return .zone(Zone(allowsZ: allowsZ, hasColon: false, hasMinutes: nil)) }
      if count <= 3 { return .zone(Zone(allowsZ: allowsZ, hasColon: count == 3, hasMinutes: true)) }
      hint = "XXX is +hh:mm or Z"
    case "Y": hint = "Y is the year of the week, which differs around New Year; the calendar year is yyyy"
    case "D": hint = "D is the day of the year; the day of the month is dd"
    case "k", "K": hint = "hours are HH (00-23), or hh (01-12) with a"
    case "z", "v", "V", "O": hint = "zones are numbers here: Z (+hhmm) or XXX (+hh:mm or Z)"
    case "T": hint = "write text in quotes: 'T'"
    default: break
    }
    findings.append(
      Finding(isError: true, message: "the date pattern does not support \"\(spelling)\"", hint: hint))
    return nil
  }

  private static func numberDigits(_ count: Int) -> ClosedRange<Int> { count == 1 ? 1...2 : 2...2 }

  /// Looks for parts that are missing, doubled or at odds.
  ///
  /// - Parameter isWhole: Whether every field is supported. One that is not may well be the part that would be missed:
  ///   one mistake, one finding.
  private func check(isWhole: Bool, _ findings: inout [Finding]) {
    func error(_ message: String, _ hint: String? = nil) {
      findings.append(Finding(isError: true, message: message, hint: hint))
    }
    var parts: Set<Part> = []
    var sawZone = false
    var sawHalf = false
    var sawFraction = false
    for step in steps {
      var part: Part?
      switch step {
      case .number(let number, _): part = number
      case .monthName: part = .month
      case .dayHalf: sawHalf = true
      case .zone:
        if sawZone { error("the date pattern has two zones") }
        sawZone = true
      case .fraction: sawFraction = true
      case .literal, .weekdayName: break
      }
      if let part, !parts.insert(part).inserted { error("the date pattern has two fields for the \(part)") }
    }
    let hasHour = parts.contains(.hour) || parts.contains(.hourOfHalf)
    if parts.contains(.minute), !hasHour { error("the date pattern has minutes but no hour", "months are MM") }
    if parts.contains(.second), !parts.contains(.minute) { error("the date pattern has seconds but no minutes") }
    if sawFraction, !parts.contains(.second) { error("the date pattern has a fraction but no seconds") }
    if isWhole, !parts.contains(.year) { error("the date pattern has no year", "the year is yyyy") }
    if isWhole, !parts.contains(.month) { error("the date pattern has no month", "the month is MM") }
    if isWhole, !parts.contains(.day) { error("the date pattern has no day", "the day is dd") }
    if parts.contains(.hour), parts.contains(.hourOfHalf) { error("the date pattern has two fields for the hour") }
    if parts.contains(.hourOfHalf), !sawHalf {
      error("the date pattern has hours 1-12 without AM or PM", "hours 0-23 are HH; or add a")
    }
    if sawHalf, !parts.contains(.hourOfHalf) { error("the date pattern has AM or PM without hours 1-12", "use hh") }
  }
}
