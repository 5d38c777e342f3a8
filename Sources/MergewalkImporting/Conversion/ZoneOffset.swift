extension ConversionOptions {
  /// The seconds east of UTC of `UTC`, `Z`, `+02:00`, `-0330` or `+2`; nil for anything else or beyond 18 hours.
  public static func zoneOffset(_ text: String) -> Int? {
    if text == "UTC" || text == "Z" { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let rest = text.dropFirst()
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    let digits = parts.count == 1 && rest.utf8.count == 4 ? [rest.prefix(2), rest.suffix(2)] : parts
    guard digits.count <= 2, let hours = number(digits[0]), let minutes = digits.count == 2 ? number(digits[1]) : 0,
      minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    guard seconds <= 18 * 3600 else { return nil }
    return sign == "-" ? -seconds : seconds
  }

  /// One or two digits.
  private static func number(_ text: Substring) -> Int? {
    (1...2).contains(text.utf8.count) && text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? Int(text) : nil
  }
}
