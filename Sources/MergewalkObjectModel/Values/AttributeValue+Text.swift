import MergewalkBytes

extension AttributeValue {
  /// Reads a default or a bound of this type as written in model files.
  ///
  /// Integers may have a zero fraction (`0.0`), Booleans as `YES`, `NO`, `true`, `false`, `1` or `0`; dates are read by
  /// `DateText`. Values of type Float are rounded to binary32.
  ///
  /// - Returns: `nil` if the text has no such meaning, or the type has no textual values (Binary, Transformable, Object
  ///   ID, Composite, Undefined).
  public init?(text: String, type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64:
      if let value = Int64(text) {
        self = .integer(value)
      } else if let decimal = DecimalNumber(text), decimal.exponent >= 0, decimal.exponent < 19,
        let value = Int64(decimal.description)
      {
        self = .integer(value)
      } else {
        return nil
      }
    case .decimal:
      guard let value = DecimalNumber(text) else { return nil }
      self = .decimal(value)
    case .double, .float:
      guard let value = Double(text), value.isFinite else { return nil }
      self = .double(type == .float ? Double(Float(value)) : value)
    case .string:
      self = .string(text)
    case .boolean:
      guard let value = XMLText.boolean(text) else { return nil }
      self = .boolean(value)
    case .date:
      guard let value = DateText.seconds(text) else { return nil }
      self = .date(value)
    case .uuid:
      guard let halves = UUIDText.halves(text) else { return nil }
      self = .uuid(halves.high, halves.low)
    case .uri:
      self = .uri(text)
    case .undefined, .binary, .transformable, .objectID, .composite:
      return nil
    }
  }
}

extension AttributeValue {
  /// The text that ``init(text:type:)`` reads again; `nil` for dates, which model files have as seconds, and for what
  /// they cannot hold.
  var modelText: String? {
    switch self {
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    case .double(let value): value.isFinite ? String(value) : nil
    case .decimal(let value): value.description
    case .string(let text), .uri(let text): text
    case .uuid(let high, let low): UUIDText.text(high, low)
    case .null, .date, .binary: nil
    }
  }
}

/// The spelling of points in time in model files.
package enum DateText {
  /// Reads `YYYY-MM-DD`, optionally `T` or a space and `hh:mm[:ss[.fff]]`, optionally `Z` or `±hh[:]mm`.
  ///
  /// Without a zone the time is UTC, so that the same file means the same everywhere.
  ///
  /// - Returns: seconds since 2001-01-01 00:00:00 UTC, or `nil` when the text has another form or its zone puts it outside
  ///   the years 0...9999.
  package static func seconds(_ text: String) -> Double? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
      let day = scanner.digits(2), (1...12).contains(month), day >= 1,
      day <= CivilDate.length(ofMonth: month, year: year)
    else { return nil }
    var whole = (CivilDate.daysSince1970(year, month, day) - CivilDate.daysTo2001) * 86_400
    if scanner.isAtEnd { return Double(whole) }
    guard scanner.take("T") || scanner.take(" "), let hour = scanner.digits(2), scanner.take(":"),
      let minute = scanner.digits(2), hour < 24, minute < 60
    else { return nil }
    whole += hour * 3600 + minute * 60
    var fraction = 0.0
    if scanner.take(":") {
      guard let second = scanner.digits(2), second < 60 else { return nil }
      whole += second
      if scanner.take(".") {
        guard let digits = scanner.fraction() else { return nil }
        fraction = digits
      }
    }
    if scanner.isAtEnd { return seconds(whole, fraction) }
    _ = scanner.take(" ")
    if scanner.take("Z") { return scanner.isAtEnd ? seconds(whole, fraction) : nil }
    let isEast = scanner.take("+")
    guard isEast || scanner.take("-"), let hours = scanner.digits(2) else { return nil }
    _ = scanner.take(":")
    guard let minutes = scanner.digits(2), hours < 24, minutes < 60, scanner.isAtEnd else { return nil }
    return seconds(whole - (isEast ? 1 : -1) * (hours * 3600 + minutes * 60), fraction)
  }

  private static func seconds(_ whole: Int, _ fraction: Double) -> Double? {
    guard CivilDate.wholeSeconds.contains(Int64(whole)) else { return nil }
    return min(Double(whole) + fraction, CivilDate.instants.upperBound)
  }

  /// Writes a point in time as `YYYY-MM-DDThh:mm:ssZ` when that says it exactly, else `nil`.
  package static func text(_ seconds: Double) -> String? {
    guard seconds == seconds.rounded(), CivilDate.instants.contains(seconds) else { return nil }
    let total = Int(seconds)
    let days = Int((seconds / 86_400).rounded(.down))
    let time = total - days * 86_400
    let (year, month, day) = CivilDate.date(daysSince1970: days + CivilDate.daysTo2001)
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(time / 3600, 2))"
      + ":\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))Z"
  }

  private struct Scanner {
    let bytes: [UInt8]
    var next = 0
    var isAtEnd: Bool { next == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard next < bytes.count, bytes[next] == UInt8(ascii: character) else { return false }
      next += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int? {
      guard next + count <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[next..<next + count] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      next += count
      return value
    }

    mutating func fraction() -> Double? {
      let start = next
      while next < bytes.count, bytes[next] >= UInt8(ascii: "0"), bytes[next] <= UInt8(ascii: "9") { next += 1 }
      guard next > start else { return nil }
      return Double("0." + String(decoding: bytes[start..<next], as: UTF8.self))
    }
  }
}
