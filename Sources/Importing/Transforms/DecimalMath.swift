/// Arithmetic of decimals of up to 38 digits: a result is exact, or rounded as asked for, or refused.
enum DecimalMath {
  /// `digits × 10^exponent`, not normalised: `2.50` has two decimal places.
  struct Number {
    var digits: Int128
    var exponent: Int

    init(_ digits: Int128, _ exponent: Int) {
      self.digits = digits
      self.exponent = exponent
    }
  }

  /// The greatest magnitude of 38 digits.
  private static let greatest: Int128 = 99_999_999_999_999_999_999_999_999_999_999_999_999

  /// 10^power; nil beyond 38.
  static func power(_ power: Int) -> Int128? {
    guard power >= 0, power <= 38 else { return nil }
    var result: Int128 = 1
    for _ in 0..<power { result *= 10 }
    return result
  }

  /// `digits × 10^power`; nil beyond 38 digits.
  static func scaled(_ digits: Int128, _ power: Int) -> Int128? {
    if power == 0 { return digits }
    if digits == 0 { return 0 }
    guard let factor = Self.power(power) else { return nil }
    let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
    return overflow || product.magnitude > greatest.magnitude ? nil : product
  }

  /// The result of an operation, or why there is none.
  ///
  /// - Parameter places: the decimal places of a quotient; nil for ``defaultPlaces``, or fewer where a column of
  ///   decimals would not keep them.
  static func compute(
    _ operation: TransformStep.Arithmetic, _ a: Number, _ b: Number, places: Int?
  ) -> (value: Number, failure: TransformFailure?) {
    let none = Number(0, 0)
    switch operation {
    case .add, .subtract, .modulo, .quotient:
      // The same power of ten on both sides; trailing zeros make room where they can.
      var (left, right) = (a, b)
      if left.exponent.distance(to: right.exponent).magnitude > 30 { (left, right) = (normalised(a), normalised(b)) }
      let exponent =
        left.digits == 0 ? right.exponent : right.digits == 0 ? left.exponent : min(left.exponent, right.exponent)
      guard let first = scaled(left.digits, left.digits == 0 ? 0 : left.exponent - exponent),
        let second = scaled(right.digits, right.digits == 0 ? 0 : right.exponent - exponent)
      else { return (none, .overflow) }
      switch operation {
      case .modulo:
        if second == 0 { return (none, .division) }
        return (Number(first % second, exponent), nil)
      case .quotient:
        if second == 0 { return (none, .division) }
        return (Number(first / second, 0), nil)
      default:
        let result = operation == .add ? first + second : first - second
        return result.magnitude > greatest.magnitude ? (none, .overflow) : (Number(result, exponent), nil)
      }
    case .multiply:
      var (left, right) = (a, b)
      var (product, overflow) = left.digits.multipliedReportingOverflow(by: right.digits)
      if overflow || product.magnitude > greatest.magnitude {
        (left, right) = (normalised(a), normalised(b))
        (product, overflow) = left.digits.multipliedReportingOverflow(by: right.digits)
      }
      let exponent = left.exponent + right.exponent
      guard !overflow, product.magnitude <= greatest.magnitude, exponent.magnitude <= 165 else {
        return (none, .overflow)
      }
      return (Number(product, exponent), nil)
    case .divide:
      let (left, right) = (normalised(a), normalised(b))
      guard right.digits != 0 else { return (none, .division) }
      guard left.digits != 0 else { return (none, nil) }
      guard let places else { return quotient(left, right) }
      // left / right × 10^places, in whole numbers.
      let shift = left.exponent - right.exponent + places
      let numerator = shift > 0 ? scaled(left.digits, shift) : left.digits
      let denominator = shift < 0 ? scaled(right.digits, -shift) : right.digits
      guard let numerator else { return (none, .overflow) }
      // What is below any digit asked for is nothing.
      guard let denominator else { return (none, nil) }
      return (normalised(Number(divide(numerator, denominator, .halfUp), -places)), nil)
    }
  }

  /// The decimal places of a quotient when nothing is said about them.
  static let defaultPlaces = 10
  /// The digits that a column of decimals keeps in any case.
  private static let keptDigits = 15

  /// The quotient to ``defaultPlaces``, or to fewer when it has more digits than columns keep.
  private static func quotient(_ a: Number, _ b: Number) -> (value: Number, failure: TransformFailure?) {
    let result = compute(.divide, a, b, places: defaultPlaces)
    guard result.failure == nil else { return result }
    let surplus = digitCount(result.value.digits) + result.value.exponent + defaultPlaces - keptDigits
    guard surplus > 0, result.value.exponent < 0 else { return result }
    // Anew from the numbers themselves, so that it is rounded once.
    return compute(.divide, a, b, places: max(0, defaultPlaces - surplus))
  }

  /// Rounds to decimal places; negative ones are in front of the point.
  static func round(_ number: Number, _ places: Int, _ rounding: TransformStep.Rounding) -> Number {
    let excess = -places - number.exponent
    guard excess > 0 else { return number }
    let divisor = power(min(excess, 38)) ?? 1
    // Beyond 38 digits nothing but the sign is left.
    if excess > 38 {
      let isUp = (rounding == .ceiling && number.digits > 0) || (rounding == .floor && number.digits < 0)
      return Number(isUp ? (number.digits > 0 ? 1 : -1) : 0, -places)
    }
    return Number(divide(number.digits, divisor, rounding), -places)
  }

  /// A quotient of whole numbers, rounded.
  private static func divide(_ numerator: Int128, _ denominator: Int128, _ rounding: TransformStep.Rounding) -> Int128 {
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    if remainder == 0 { return quotient }
    let isNegative = (numerator < 0) != (denominator < 0)
    let away: Int128 = isNegative ? -1 : 1
    let rest = remainder.magnitude
    let half = denominator.magnitude - rest
    switch rounding {
    case .truncate: return quotient
    case .floor: return isNegative ? quotient - 1 : quotient
    case .ceiling: return isNegative ? quotient : quotient + 1
    case .halfUp: return rest >= half ? quotient + away : quotient
    case .halfEven:
      if rest == half { return quotient % 2 == 0 ? quotient : quotient + away }
      return rest > half ? quotient + away : quotient
    }
  }

  /// Without zeros at the end.
  static func normalised(_ number: Number) -> Number {
    if number.digits == 0 { return Number(0, 0) }
    var (digits, exponent) = (number.digits, number.exponent)
    while digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    return Number(digits, exponent)
  }

  /// -1, 0 or 1 as the first number is smaller, equal or greater.
  static func compare(_ a: Number, _ b: Number) -> Int {
    if a.exponent == b.exponent { return a.digits == b.digits ? 0 : a.digits < b.digits ? -1 : 1 }
    let (left, right) = (normalised(a), normalised(b))
    if left.digits.signum() != right.digits.signum() { return left.digits < right.digits ? -1 : 1 }
    if left.digits == 0 { return 0 }
    let sign = left.digits < 0 ? -1 : 1
    // By the power of the first digit, then by the digits.
    let (heightA, heightB) = (digitCount(left.digits) + left.exponent, digitCount(right.digits) + right.exponent)
    if heightA != heightB { return heightA < heightB ? -sign : sign }
    let exponent = min(left.exponent, right.exponent)
    guard let first = scaled(left.digits, left.exponent - exponent),
      let second = scaled(right.digits, right.exponent - exponent)
    else { return left.exponent < right.exponent ? -sign : sign }
    return first == second ? 0 : first < second ? -1 : 1
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
