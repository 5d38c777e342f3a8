import MergewalkObjectModel
import MergewalkObjectStore

/// A converted value: a ``CellTag`` and its payload.
struct ConvertedCell {
  var tag: UInt8
  var payload: UInt64

  @inline(__always) init(integer: Int64) {
    tag = CellTag.integer
    payload = UInt64(bitPattern: integer)
  }

  @inline(__always) init(real: Double) {
    tag = CellTag.real
    payload = real.bitPattern
  }

  init(tag: UInt8, payload: UInt64) {
    self.tag = tag
    self.payload = payload
  }
}

/// Decimal numbers as Core Data's `DECIMAL` columns keep them.
///
/// The column has NUMERIC affinity: SQLite keeps whole numbers as 64-bit integers and others as binary64. Up to 15
/// significant digits survive the way through binary64 and back; numbers that need more are refused, not rounded.
/// Source: `coredata-format.md` 2.5; https://www.sqlite.org/datatype3.html, section 3.
enum DecimalText {
  /// Returns the cell of the number that `bytes` spell.
  ///
  /// - Throws: `number` or `length` when the text has another form; `precision` when the column cannot hold the
  ///   number exactly; `range` when `NSDecimalNumber` cannot (its exponent is -128...127 with 38 digits).
  @inline(__always)
  static func parse(_ bytes: FieldBytes, decimalMark: UInt8) throws(ConversionFailureCode) -> ConvertedCell {
    let text = try NumberText(bytes, decimalMark: decimalMark)
    guard text.isExact, text.exponent <= 0, text.exponent >= -15 else { return try parseWide(text, bytes, decimalMark) }
    var digits = text.significand
    var power = text.exponent
    while power < 0 {
      let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { break }
      digits = quotient
      power += 1
    }
    guard power < 0 else {
      guard digits <= UInt64(Int64.max) else { return try parseWide(text, bytes, decimalMark) }
      return ConvertedCell(integer: text.isNegative ? -Int64(digits) : Int64(digits))
    }
    var short = text
    short.significand = digits
    short.exponent = power
    guard digits < 1_000_000_000_000_000, let value = DoubleText.exact(short) else { throw .precision }
    return ConvertedCell(real: value)
  }

  /// Numbers with exponents or many digits.
  @inline(never)
  private static func parseWide(
    _ text: NumberText, _ bytes: FieldBytes, _ decimalMark: UInt8
  ) throws(ConversionFailureCode) -> ConvertedCell {
    if text.isExact, text.significand == 0 { return ConvertedCell(integer: 0) }
    let number = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { buffer -> DecimalNumber? in
      for (index, byte) in bytes.enumerated() {
        buffer[index] = byte == decimalMark ? UInt8(ascii: ".") : byte
      }
      return DecimalNumber(UnsafeBufferPointer(buffer))
    }
    // The form was checked, so what remains is too many digits or too great a power.
    guard let number else { throw text.isExact || text.exponent.magnitude > 165 ? .range : .precision }
    return try cell(number)
  }

  /// The cell that holds exactly `number`.
  static func cell(_ number: DecimalNumber) throws(ConversionFailureCode) -> ConvertedCell {
    let digits = number.significand.magnitude
    var digitCount = 0
    var rest = digits
    while rest > 0 {
      rest /= 10
      digitCount += 1
    }
    guard number.exponent >= -128, number.exponent <= 127 + max(0, 38 - digitCount) else { throw .range }
    if number.exponent >= 0, number.exponent + digitCount <= 19 {
      var whole = number.significand
      for _ in 0..<number.exponent { whole *= 10 }
      if let integer = Int64(exactly: whole) { return ConvertedCell(integer: integer) }
    }
    guard digitCount <= 15 else { throw .precision }
    let text = Array("\(number.significand)e\(number.exponent)".utf8)
    let value = try text.withUnsafeBufferPointer { (utf8) throws(ConversionFailureCode) in
      try DoubleText.parse(utf8, decimalMark: UInt8(ascii: "."))
    }
    return ConvertedCell(real: value)
  }
}
