/// A decimal number to compute with, `digits × 10^exponent` of up to 38 digits: a result is exact, or rounded as asked
/// for, or refused.
///
/// It keeps the zeros at its end, `2.50` has two decimal places, but they decide about nothing: numbers that are equal
/// have equal results, or none.
package struct ExactDecimal: Sendable {
  package var digits: Int128
  /// The power of ten.
  package var exponent: Int

  /// `digits × 10^exponent`.
  package init(_ digits: Int128, _ exponent: Int) {
    self.digits = digits
    self.exponent = exponent
  }

  package init(_ number: DecimalNumber) { self.init(number.significand, number.exponent) }

  /// The number without zeros at its end.
  package var number: DecimalNumber { DecimalNumber(significand: digits, exponent: exponent) }

  /// The same without zeros at its end.
  package var normalised: ExactDecimal {
    if digits == 0 { return ExactDecimal(0, 0) }
    var (digits, exponent) = (digits, exponent)
    while digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return ExactDecimal(digits, exponent)
  }

  /// The number when it is whole and within 64 bits.
  package var integer: Int64? {
    let number = exponent < 0 ? normalised : self
    return Self.scaled(number.digits, number.exponent).flatMap { Int64(exactly: $0) }
  }

  /// Whether it has no digits behind the point.
  package var isWhole: Bool { exponent >= 0 || normalised.exponent >= 0 }

  // MARK: Operations

  /// The result of `+ - * /` or the modulus.
  ///
  /// - Parameter places: the decimal places of a quotient; `nil` for ``defaultPlaces``, or fewer where a column of
  ///   decimals would not keep them.
  package static func compute(
    _ function: ExpressionFunction, _ a: ExactDecimal, _ b: ExactDecimal, places: Int? = nil
  ) throws(ArithmeticFailure) -> ExactDecimal {
    let result: ExactDecimal?
    switch function {
    case .add: result = sum(a, b) ?? sum(a.normalised, b.normalised)
    case .subtract:
      let other = ExactDecimal(0 - b.digits, b.exponent)
      result = sum(a, other) ?? sum(a.normalised, other.normalised)
    case .multiply: result = product(a, b) ?? product(a.normalised, b.normalised)
    case .modulus:
      if b.digits == 0 { throw .divisionByZero }
      let same = aligned(a, b) ?? aligned(a.normalised, b.normalised)
      result = same.map { ExactDecimal($0.first % $0.second, $0.exponent) }
    case .divide:
      if b.digits == 0 { throw .divisionByZero }
      let (left, right) = (a.normalised, b.normalised)
      if let places { result = quotient(left, right, places) } else { result = quotient(left, right) }
    default: throw .undefined
    }
    guard let result else { throw .overflow }
    return result
  }

  /// Both numbers by one power of ten; `nil` when that takes more than 38 digits.
  private static func aligned(
    _ a: ExactDecimal, _ b: ExactDecimal
  ) -> (first: Int128, second: Int128, exponent: Int)? {
    let exponent = a.digits == 0 ? b.exponent : b.digits == 0 ? a.exponent : min(a.exponent, b.exponent)
    guard let first = scaled(a.digits, a.exponent - exponent), let second = scaled(b.digits, b.exponent - exponent)
    else { return nil }
    return (first, second, exponent)
  }

  private static func sum(_ a: ExactDecimal, _ b: ExactDecimal) -> ExactDecimal? {
    guard let same = aligned(a, b) else { return nil }
    let (digits, overflow) = same.first.addingReportingOverflow(same.second)
    return overflow || digits.magnitude > greatest ? nil : ExactDecimal(digits, same.exponent)
  }

  private static func product(_ a: ExactDecimal, _ b: ExactDecimal) -> ExactDecimal? {
    let (digits, overflow) = a.digits.multipliedReportingOverflow(by: b.digits)
    if overflow || digits.magnitude > greatest { return nil }
    let result = ExactDecimal(digits, a.exponent + b.exponent)
    // Zeros at the end may make the power smaller than it is.
    if result.exponent.magnitude <= 127 { return result }
    let normalised = result.normalised
    return normalised.exponent.magnitude <= 165 ? normalised : nil
  }

  // MARK: Quotients

  /// The decimal places of a quotient when nothing is said about them.
  private static let defaultPlaces = 10
  /// The digits that a column of decimals keeps in any case.
  private static let keptDigits = 15

  /// The quotient of numbers without zeros at their end to decimal places, halves away from zero.
  private static func quotient(_ a: ExactDecimal, _ b: ExactDecimal, _ places: Int) -> ExactDecimal? {
    if a.digits == 0 { return ExactDecimal(0, 0) }
    // a / b × 10^places, in whole numbers.
    let shift = a.exponent - b.exponent + places
    guard let numerator = shift > 0 ? scaled(a.digits, shift) : a.digits else { return nil }
    // What is below any digit asked for is nothing.
    guard let denominator = shift < 0 ? scaled(b.digits, -shift) : b.digits else { return ExactDecimal(0, 0) }
    return ExactDecimal(divide(numerator, denominator, .toNearestOrAwayFromZero), -places).normalised
  }

  /// The quotient to ``defaultPlaces``, or to fewer when it has more digits than columns keep.
  private static func quotient(_ a: ExactDecimal, _ b: ExactDecimal) -> ExactDecimal? {
    // A quotient that is too long with places is a long one without.
    guard let result = quotient(a, b, defaultPlaces) else { return quotient(a, b, 0) }
    let surplus = digitCount(result.digits) + result.exponent + defaultPlaces - keptDigits
    guard surplus > 0, result.exponent < 0 else { return result }
    // Anew from the numbers themselves, so that it is rounded once.
    return quotient(a, b, max(0, defaultPlaces - surplus))
  }

  /// The quotient by a number of values, with as many digits as there is room for, halves away from zero.
  func mean(of count: Int64) -> ExactDecimal {
    let (total, count) = (normalised, ExactDecimal(Int128(count), 0).normalised)
    let places = 38 - Self.digitCount(total.digits) - total.exponent + count.exponent
    return Self.quotient(total, count, min(places, 127)) ?? ExactDecimal(0, 0)
  }

  // MARK: Rounding

  /// The number rounded to decimal places; negative ones are in front of the point.
  package func rounded(_ places: Int, _ rule: FloatingPointRoundingRule) -> ExactDecimal {
    let excess = -places - exponent
    guard excess > 0 else { return self }
    guard excess <= 38, let divisor = Self.power(excess) else {
      // Beyond 38 digits nothing but the sign is left.
      let isUp = (rule == .up && digits > 0) || (rule == .down && digits < 0)
      return ExactDecimal(isUp ? digits.signum() : 0, -places)
    }
    return ExactDecimal(Self.divide(digits, divisor, rule), -places)
  }

  /// A quotient of whole numbers, rounded.
  private static func divide(
    _ numerator: Int128, _ denominator: Int128, _ rule: FloatingPointRoundingRule
  ) -> Int128 {
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    if remainder == 0 { return quotient }
    let isNegative = (numerator < 0) != (denominator < 0)
    let away: Int128 = isNegative ? -1 : 1
    let rest = remainder.magnitude
    let half = denominator.magnitude - rest
    switch rule {
    case .towardZero: return quotient
    case .awayFromZero: return quotient + away
    case .down: return isNegative ? quotient - 1 : quotient
    case .up: return isNegative ? quotient : quotient + 1
    case .toNearestOrEven where rest == half: return quotient % 2 == 0 ? quotient : quotient + away
    default: return rest >= half ? quotient + away : quotient
    }
  }

  // MARK: Order

  /// -1, 0 or 1 as the first number is smaller, equal or greater.
  package static func compare(_ a: ExactDecimal, _ b: ExactDecimal) -> Int {
    if a.exponent == b.exponent { return a.digits == b.digits ? 0 : a.digits < b.digits ? -1 : 1 }
    let (left, right) = (a.normalised, b.normalised)
    if left.digits.signum() != right.digits.signum() { return left.digits < right.digits ? -1 : 1 }
    if left.digits == 0 { return 0 }
    let sign = left.digits < 0 ? -1 : 1
    // By the power of the first digit, then by the digits.
    let (heightA, heightB) = (digitCount(left.digits) + left.exponent, digitCount(right.digits) + right.exponent)
    if heightA != heightB { return heightA < heightB ? -sign : sign }
    guard let same = aligned(left, right) else { return left.exponent < right.exponent ? -sign : sign }
    return same.first == same.second ? 0 : same.first < same.second ? -1 : 1
  }

  // MARK: Digits

  /// The greatest magnitude of 38 digits.
  private static let greatest: UInt128 = 99_999_999_999_999_999_999_999_999_999_999_999_999

  /// 10^power; `nil` beyond 38.
  private static func power(_ power: Int) -> Int128? {
    guard power >= 0, power <= 38 else { return nil }
    var result: Int128 = 1
    for _ in 0..<power { result *= 10 }
    return result
  }

  /// `digits × 10^power`; `nil` beyond 38 digits.
  private static func scaled(_ digits: Int128, _ power: Int) -> Int128? {
    if power == 0 || digits == 0 { return digits }
    guard let factor = Self.power(power) else { return nil }
    let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
    return overflow || product.magnitude > greatest ? nil : product
  }

  private static func digitCount(_ digits: Int128) -> Int {
    var rest = digits.magnitude
    var count = 0
    while rest > 0 {
      rest /= 10
      count += 1
    }
    return count
  }
}
