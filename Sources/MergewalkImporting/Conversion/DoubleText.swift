/// Binary floating-point numbers: the value of type Double or Float that is nearest to the text's.
package enum DoubleText {
  /// Returns the Double nearest to the number that `bytes` spell; halfway cases go to the even one.
  ///
  /// Minus zero becomes zero, because SQLite stores it so; a later import would see a change otherwise.
  ///
  /// - Throws: `number` or `length` when the text has another form, `range` when the number is too large for a
  ///   Double or becomes zero only by rounding. The words `inf` and `nan` are not numbers.
  @inline(__always)
  package static func parse(_ bytes: FieldBytes, decimalMark: UInt8) throws(ConversionFailureCode) -> Double {
    let text = try NumberText(bytes, decimalMark: decimalMark)
    if let exact = exact(text) { return exact }
    return try nearest(bytes, decimalMark)
  }

  /// Returns the Float nearest to the number that `bytes` spell, as a Double.
  ///
  /// - Throws: As ``parse(_:decimalMark:)``, `range` with the bounds of Float.
  @inline(__always)
  package static func parseFloat(_ bytes: FieldBytes, decimalMark: UInt8) throws(ConversionFailureCode) -> Double {
    let text = try NumberText(bytes, decimalMark: decimalMark)
    if let exact = exact(text) {
      // Rounding twice goes wrong only when the Double lies halfway between two Floats: its 29 excess bits are then
      // 1000…; or in the range of subnormal Floats, where more bits are excess.
      let isHalfway = exact.bitPattern & 0x1FFF_FFFF == 0x1000_0000
      if !isHalfway, exact == 0 || exact.magnitude >= Double(Float.leastNormalMagnitude) {
        let rounded = Float(exact)
        guard rounded.isFinite else { throw .range }
        return Double(rounded)
      }
    }
    return try nearestFloat(bytes, decimalMark)
  }

  /// The value when one correctly rounded operation on two exact operands gives it: at most 2^53 and 10^±22.
  ///
  /// Source: Clinger, "How to Read Floating Point Numbers Accurately" (PLDI 1990).
  @inline(__always)
  static func exact(_ text: NumberText) -> Double? {
    guard text.isExact, text.significand <= 1 << 53 else { return nil }
    let digits = Double(Int64(bitPattern: text.significand))
    let power = text.exponent
    var value = digits
    if power < 0 {
      guard power >= -22 else { return digits == 0 ? 0 : nil }
      value = digits / powersOfTen[-power]
    } else if power > 0 {
      guard power <= 22 else { return digits == 0 ? 0 : nil }
      value = digits * powersOfTen[power]
    }
    // Zero stays plus zero.
    return text.isNegative ? 0 - value : value
  }

  /// 10^0 to 10^22, all exact.
  private static let powersOfTen: InlineArray<23, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  @inline(never)
  static func nearest(_ bytes: FieldBytes, _ decimalMark: UInt8) throws(ConversionFailureCode) -> Double {
    guard let value = Double(plainText(bytes, decimalMark)), value.isFinite, value != 0 || isZero(bytes) else {
      throw .range
    }
    return value + 0
  }

  @inline(never)
  static func nearestFloat(_ bytes: FieldBytes, _ decimalMark: UInt8) throws(ConversionFailureCode) -> Double {
    guard let value = Float(plainText(bytes, decimalMark)), value.isFinite, value != 0 || isZero(bytes) else {
      throw .range
    }
    return Double(value) + 0
  }

  /// Whether all digits before the exponent are zero.
  private static func isZero(_ bytes: FieldBytes) -> Bool {
    for byte in bytes {
      if byte | 0x20 == UInt8(ascii: "e") { return true }
      if byte > UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { return false }
    }
    return true
  }

  /// The text with a point as its mark.
  ///
  /// The standard library's conversions of strings round correctly, whatever the process's locale is. They cost an
  /// allocation, which only numbers of many digits or great powers pay.
  private static func plainText(_ bytes: FieldBytes, _ decimalMark: UInt8) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[index] = byte == decimalMark ? UInt8(ascii: ".") : byte
      }
      return bytes.count
    }
  }
}
