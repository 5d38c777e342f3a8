import MergewalkBytes

/// Conversions of text that spells what a store holds, as exports write it: every binary64 number comes back bit for bit.

/// Double and Float: as ``DoubleConversion``, and `Infinity`, `-Infinity`; Floats are not rounded again.
struct StoredDoubleConversion: FieldConversion, Sendable {
  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    let last = bytes[bytes.count - 1]
    if last == UInt8(ascii: "y") { return ConvertedCell(real: try Self.infinity(bytes)) }
    return ConvertedCell(real: try DoubleText.parse(bytes, decimalMark: UInt8(ascii: ".")))
  }

  @inline(never)
  private static func infinity(_ bytes: FieldBytes) throws(ConversionFailureCode) -> Double {
    if bytes.elementsEqual("Infinity".utf8) { return .infinity }
    guard bytes.elementsEqual("-Infinity".utf8) else { throw .number }
    return -.infinity
  }
}

/// Decimal: an integer of 64 bits when it is one, else the nearest binary64 number.
///
/// The numbers of a `DECIMAL` column are not decimal any more, so up to 17 digits are right here: those that spell a
/// binary64 number. Other digits would be lost without a word, so they are refused.
struct StoredDecimalConversion: FieldConversion, Sendable {
  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    if let integer = try? IntegerText.parse(bytes) { return ConvertedCell(integer: integer) }
    // What steps compute keeps its places: `5.00` is the integer that the column has, or each run would change it.
    if let cell = try? DecimalText.parse(bytes, decimalMark: UInt8(ascii: ".")) { return cell }
    let cell = try StoredDoubleConversion().convert(bytes, offset: offset, output: &output)
    try Self.check(bytes, cell)
    return cell
  }

  /// Refuses digits that the nearest binary64 number does not have.
  @inline(never)
  private static func check(_ bytes: FieldBytes, _ cell: ConvertedCell) throws(ConversionFailureCode) {
    let value = Double(bitPattern: cell.payload)
    guard value.isFinite else { return }
    // The powers of ten are equal, or the number would be another one by far.
    guard digits(bytes) == digits(value.description.utf8) else { throw .precision }
  }

  /// The digits of a number from the first to the last that is no zero.
  private static func digits(_ text: some Collection<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    for byte in text {
      if byte | 0x20 == UInt8(ascii: "e") { break }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { continue }
      if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return digits
  }
}

/// Date: ISO 8601, or seconds since 2001-01-01 UTC as a number, of any size.
struct StoredDateConversion: FieldConversion, Sendable {
  /// Whether the number may be infinite.
  let takesInfinity: Bool

  @inline(__always)
  func convert(_ bytes: FieldBytes, offset: Int, output: inout ArenaOutput) throws(Failure) -> ConvertedCell {
    // Four digits and a hyphen: no number has one there without an `e` before it.
    if bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[3] &- UInt8(ascii: "0") <= 9 {
      return ConvertedCell(real: try ISODateText.parse(bytes, defaultOffset: 0))
    }
    if takesInfinity { return try StoredDoubleConversion().convert(bytes, offset: offset, output: &output) }
    return ConvertedCell(real: try DoubleText.parse(bytes, decimalMark: UInt8(ascii: ".")))
  }
}
