/// A decimal number of any size that 38 digits hold: digits times a power of ten.
struct ExactDecimal: Hashable, CustomStringConvertible {
  var digits: Int128
  /// How many of the digits stand behind the point.
  var places: Int

  init(_ digits: Int128, places: Int = 0) {
    var (digits, places) = (digits, places)
    while places > 0, digits % 10 == 0 {
      digits /= 10
      places -= 1
    }
    self.digits = digits
    self.places = places
  }

  /// Reads `-12.50`; nil for anything else.
  init?(_ text: String) {
    guard let match = ReferencePattern.decimal.match(text), match.2.count + (match.3?.count ?? 0) > 0,
      match.2.count + (match.3?.count ?? 0) < 38, let digits = Int128(match.2 + (match.3 ?? ""))
    else { return nil }
    self.init(match.1 == "-" ? -digits : digits, places: match.3?.count ?? 0)
  }

  private static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  /// Both numbers' digits with as many places.
  private static func aligned(_ a: ExactDecimal, _ b: ExactDecimal) -> (Int128, Int128, Int) {
    let places = max(a.places, b.places)
    return (a.digits * power(places - a.places), b.digits * power(places - b.places), places)
  }

  static func + (a: ExactDecimal, b: ExactDecimal) -> ExactDecimal {
    let (x, y, places) = aligned(a, b)
    return ExactDecimal(x + y, places: places)
  }

  static func - (a: ExactDecimal, b: ExactDecimal) -> ExactDecimal {
    let (x, y, places) = aligned(a, b)
    return ExactDecimal(x - y, places: places)
  }

  static func * (a: ExactDecimal, b: ExactDecimal) -> ExactDecimal {
    ExactDecimal(a.digits * b.digits, places: a.places + b.places)
  }

  static func < (a: ExactDecimal, b: ExactDecimal) -> Bool {
    let (x, y, _) = aligned(a, b)
    return x < y
  }

  /// The quotient, to so many places, halves away from zero; nil for a division by zero.
  func divided(by other: ExactDecimal, places: Int) -> ExactDecimal? {
    guard other.digits != 0 else { return nil }
    let (x, y, _) = Self.aligned(self, other)
    let scaled = x * Self.power(places)
    var quotient = scaled / y
    let rest = scaled % y
    if rest.magnitude * 2 >= y.magnitude { quotient += (x < 0) == (y < 0) ? 1 : -1 }
    return ExactDecimal(quotient, places: places)
  }

  /// The number with at most so many places, halves away from zero.
  func rounded(_ count: Int) -> ExactDecimal {
    guard places > count else { return self }
    let divisor = Self.power(places - count)
    var quotient = digits / divisor
    if (digits % divisor).magnitude * 2 >= divisor.magnitude { quotient += digits < 0 ? -1 : 1 }
    return ExactDecimal(quotient, places: count)
  }

  /// The greatest whole number that is not greater, or the least that is not less.
  func whole(up: Bool) -> ExactDecimal {
    guard places > 0 else { return self }
    let divisor = Self.power(places)
    let quotient = digits / divisor
    let goesOn = digits % divisor != 0 && (digits > 0) == up
    return ExactDecimal(goesOn ? quotient + (up ? 1 : -1) : quotient)
  }

  /// Plain digits.
  var description: String {
    let text = String(digits.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
    let sign = digits < 0 ? "-" : ""
    guard places > 0 else { return sign + padded }
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }
}
