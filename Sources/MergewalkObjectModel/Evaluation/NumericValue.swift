import MergewalkSystem

/// A number as predicates compute with it: an integer, a decimal, or a binary64 number that is not NaN.
///
/// Booleans are 1 and 0. Decimals are decimals with ``ArithmeticPolicy/exact`` only; else they are as the store keeps them,
/// integers when whole and within 64 bits.
package enum NumericValue: Sendable {
  /// A whole number.
  case integer(Int64)
  /// A decimal number, whole or not.
  case decimal(ExactDecimal)
  /// Any other number, also infinity.
  case double(Double)

  /// The number as binary64.
  package var asDouble: Double {
    switch self {
    case .integer(let value): Double(value)
    case .decimal(let value): value.number.number.asDouble
    case .double(let value): value
    }
  }

  /// The number cut toward zero; `nil` beyond 64 bits.
  package var truncated: Int64? {
    switch self {
    case .integer(let value): value
    case .decimal(let value): value.rounded(0, .towardZero).integer
    case .double(let value): Int64(exactly: value.rounded(.towardZero))
    }
  }

  package var attributeValue: AttributeValue {
    switch self {
    case .integer(let value): .integer(value)
    case .decimal(let value): .decimal(value.number)
    case .double(let value): .double(value)
    }
  }

  /// Whether it is a binary64 number.
  package var isDouble: Bool { if case .double = self { true } else { false } }

  /// The number as a decimal; `nil` for a binary64 number.
  package var exactDecimal: ExactDecimal? {
    switch self {
    case .integer(let value): ExactDecimal(Int128(value), 0)
    case .decimal(let value): value
    case .double: nil
    }
  }

  /// -1, 0 or 1 by the exact values, whichever way they are kept; beside a binary64 number a decimal counts as it is
  /// stored, so that 0.1 is 0.1.
  package static func compare(_ left: NumericValue, _ right: NumericValue) -> Int {
    switch (left, right) {
    case (.integer(let first), .integer(let second)): first == second ? 0 : first < second ? -1 : 1
    case (.double(let first), .double(let second)): first == second ? 0 : first < second ? -1 : 1
    case (.integer(let first), .double(let second)): compare(first, second)
    case (.double(let first), .integer(let second)): -compare(second, first)
    case (.decimal(let first), .double): compare(first.number.number, right)
    case (.double, .decimal(let second)): compare(left, second.number.number)
    case (.decimal(let first), .decimal(let second)): ExactDecimal.compare(first, second)
    case (.decimal(let first), .integer(let second)): ExactDecimal.compare(first, ExactDecimal(Int128(second), 0))
    case (.integer(let first), .decimal(let second)): ExactDecimal.compare(ExactDecimal(Int128(first), 0), second)
    }
  }

  private static func compare(_ integer: Int64, _ double: Double) -> Int {
    // 2^63 and -2^63 are exact.
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = double.rounded(.towardZero)
    let cut = Int64(whole)
    if integer != cut { return integer < cut ? -1 : 1 }
    return double == whole ? 0 : whole < double ? -1 : 1
  }
}

extension AttributeValue {
  /// The number; `nil` for null, NaN and what is no number.
  @inline(__always)
  package var number: NumericValue? {
    switch self {
    case .integer(let value): .integer(value)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .double(let value): value.isNaN ? nil : .double(value)
    case .decimal(let value): value.number
    default: nil
    }
  }

  @inline(__always)
  package func number(_ policy: ArithmeticPolicy) -> NumericValue? {
    if policy == .exact, case .decimal(let value) = self { return .decimal(ExactDecimal(value)) }
    return number
  }

  /// A binary64 number, or null for NaN.
  @inline(__always)
  package static func number(_ value: Double) -> AttributeValue { value.isNaN ? .null : .double(value) }
}

extension DecimalNumber {
  /// The number as a store keeps it: an integer when whole and within 64 bits, else the nearest binary64 number.
  package var number: NumericValue {
    // A larger significand is beyond 64 bits already, and would overflow 128 with 18 zeros behind it.
    if exponent >= 0, exponent <= 18, significand.magnitude <= UInt128(UInt64.max) {
      var whole = significand
      for _ in 0..<exponent { whole *= 10 }
      if let integer = Int64(exactly: whole) { return .integer(integer) }
    }
    // Both numbers are exact, so one rounding gives the nearest.
    if significand.magnitude < 1 << 53, (-22...22).contains(exponent) {
      let power = Self.powers[abs(exponent)]
      return .double(exponent < 0 ? Double(significand) / power : Double(significand) * power)
    }
    return .double(strtod("\(significand)e\(exponent)", nil))
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}
