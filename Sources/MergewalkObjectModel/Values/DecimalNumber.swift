/// A decimal number `significand × 10^exponent`, exact to 38 digits.
///
/// Values are always normalised (no trailing zero digits in the significand; zero has exponent 0), so equal numbers are
/// equal values. Core Data's `NSDecimalNumber` has 38 digits and exponents of -128...127.
public struct DecimalNumber: Hashable, Sendable, CustomStringConvertible {
  /// The digits with their sign, at most 38 of them.
  public let significand: Int128
  /// The power of ten.
  public let exponent: Int

  /// Creates `significand × 10^exponent`, normalised.
  ///
  /// The least significand, which has no positive counterpart, loses its last digit. Exponents beyond ±1,000,000 are
  /// taken as that: no store holds such a number.
  public init(significand: Int128, exponent: Int) {
    var digits = significand == .min ? significand / 10 : significand
    var power = max(-1_000_000, min(exponent, 1_000_000)) + (significand == .min ? 1 : 0)
    while digits != 0, digits % 10 == 0 {
      digits /= 10
      power += 1
    }
    self.significand = digits
    self.exponent = digits == 0 ? 0 : power
  }

  /// Parses `[+-]digits[.digits][(e|E)[+-]digits]`.
  ///
  /// - Returns: `nil` if the text has another form, more than 38 significant digits, or a power of ten outside
  ///   -165...165.
  public init?(_ text: some Collection<UInt8>) {
    var bytes = text[...]
    var isNegative = false
    if let first = bytes.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      isNegative = first == UInt8(ascii: "-")
      bytes = bytes.dropFirst()
    }
    var digits: Int128 = 0
    var significantDigits = 0
    var pendingZeros = 0
    var power = 0
    var sawDigit = false
    var sawPoint = false
    while let byte = bytes.first {
      if byte == UInt8(ascii: "."), !sawPoint {
        sawPoint = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        sawDigit = true
        if sawPoint { power -= 1 }
        if byte == UInt8(ascii: "0") {
          // Zeros count only when another digit follows them.
          if significantDigits > 0 { pendingZeros += 1 }
        } else {
          significantDigits += pendingZeros + 1
          guard significantDigits <= 38 else { return nil }
          for _ in 0..<pendingZeros { digits *= 10 }
          pendingZeros = 0
          digits = digits * 10 + Int128(byte - UInt8(ascii: "0"))
        }
      } else {
        break
      }
      bytes = bytes.dropFirst()
    }
    guard sawDigit else { return nil }
    power += pendingZeros
    if let mark = bytes.first {
      guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
      bytes = bytes.dropFirst()
      var isExponentNegative = false
      if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        isExponentNegative = sign == UInt8(ascii: "-")
        bytes = bytes.dropFirst()
      }
      guard !bytes.isEmpty else { return nil }
      var value = 0
      for byte in bytes {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000)
      }
      power += isExponentNegative ? -value : value
    }
    guard digits == 0 || (-165...165).contains(power) else { return nil }
    self.init(significand: isNegative ? -digits : digits, exponent: digits == 0 ? 0 : power)
  }

  /// Parses the text's UTF-8 bytes.
  public init?(_ text: String) { self.init(text.utf8) }

  /// Plain decimal digits without an exponent, such as `-12.5` or `1200`.
  public var description: String {
    if exponent == 0 { return String(significand) }
    if exponent > 0 { return String(significand) + String(repeating: "0", count: exponent) }
    let digits = String(significand.magnitude)
    let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    let split = padded.index(padded.endIndex, offsetBy: exponent)
    return (significand < 0 ? "-" : "") + padded[..<split] + "." + padded[split...]
  }
}

extension DecimalNumber {
  /// The number as a store holds it when it is whole and fits 64 bits.
  package var storedInteger: Int64? {
    // A larger significand is beyond 64 bits already, and would overflow 128 with 18 zeros behind it.
    guard exponent >= 0, exponent <= 18, significand.magnitude <= UInt128(UInt64.max) else { return nil }
    var whole = significand
    for _ in 0..<exponent { whole *= 10 }
    return Int64(exactly: whole)
  }

  /// The number as a store holds it when it is not whole, or too large: binary64 that gives back the same 15 digits.
  package var storedReal: Double? {
    guard significand.magnitude < 1_000_000_000_000_000,
      let number = Double("\(significand)e\(exponent)"), number.isFinite
    else { return nil }
    return number
  }

  /// Whether a column of type DECIMAL holds the number exactly.
  package var isStoredExactly: Bool { storedInteger != nil || storedReal != nil }
}
