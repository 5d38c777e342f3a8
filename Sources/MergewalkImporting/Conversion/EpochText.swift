import MergewalkBytes

/// Dates written as a count of seconds or milliseconds.
enum EpochText {
  /// Returns the instant in seconds since 2001-01-01 00:00:00 UTC.
  ///
  /// - Parameters:
  ///   - scale: the power of ten of the unit: 0 for seconds, 3 for milliseconds.
  ///   - epoch: the count's zero, in seconds before 2001-01-01 UTC.
  /// - Throws: `number` or `length` when the text is not a number; `range` when the instant is outside the years
  ///   0000...9999, as milliseconds read as seconds are.
  @inline(__always)
  static func parse(
    _ bytes: FieldBytes, decimalMark: UInt8, scale: Int, epoch: Int64
  ) throws(ConversionFailureCode) -> Double {
    let text = try NumberText(bytes, decimalMark: decimalMark)
    let digits = scale - text.exponent
    if text.isExact, digits >= 0, digits <= 18 {
      let (quotient, remainder) = text.significand.quotientAndRemainder(
        dividingBy: CivilTime.powersOfTen[digits])
      guard quotient <= 400_000_000_000 else { throw .range }
      var whole = Int64(quotient)
      var fraction = remainder
      if text.isNegative {
        whole = -whole
        if remainder > 0 {
          whole -= 1
          fraction = CivilTime.powersOfTen[digits] - remainder
        }
      }
      whole -= epoch
      guard CivilTime.secondsRange.contains(whole) else { throw .range }
      guard fraction != 0 else { return Double(whole) }
      guard let seconds = CivilTime.secondsInRange(whole, fraction: fraction, digits: digits) else { throw .range }
      return seconds
    }
    return try parseWide(bytes, decimalMark, scale, epoch)
  }

  /// Counts with exponents or many digits, by way of Double.
  @inline(never)
  private static func parseWide(
    _ bytes: FieldBytes, _ decimalMark: UInt8, _ scale: Int, _ epoch: Int64
  ) throws(ConversionFailureCode) -> Double {
    let count = try DoubleText.parse(bytes, decimalMark: decimalMark)
    let seconds = (scale == 3 ? count / 1_000 : count) - Double(epoch)
    let range = CivilTime.secondsRange
    guard seconds >= Double(range.lowerBound), seconds < Double(range.upperBound) + 1 else { throw .range }
    return seconds
  }
}
