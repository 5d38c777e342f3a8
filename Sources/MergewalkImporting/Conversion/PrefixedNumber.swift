/// A whole number as YAML's core schema has it in hexadecimal (`0x1F`) or octal digits (`0o17`).
///
/// Only what a reader says is a number is looked at, so that the text `0x1F` of a CSV file stays no number.
struct PrefixedNumber {
  private let value: UInt64

  /// Reads the digits; nil for a number that is written otherwise.
  ///
  /// - Throws: `range` for more than 64 bits, `number` for a prefix without digits of its kind.
  @inline(__always)
  init?(_ bytes: FieldBytes) throws(ConversionFailureCode) {
    // `e` may follow a zero too.
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] == UInt8(ascii: "x") || bytes[1] == UInt8(ascii: "o")
    else { return nil }
    value = try Self.parse(bytes)
  }

  @inline(never)
  private static func parse(_ bytes: FieldBytes) throws(ConversionFailureCode) -> UInt64 {
    let bits: UInt64 = bytes[1] == UInt8(ascii: "x") ? 4 : 3
    var value: UInt64 = 0
    for byte in bytes[2...] {
      var digit = UInt64(byte &- UInt8(ascii: "0"))
      if digit > 9 { digit = UInt64((byte | 0x20) &- UInt8(ascii: "a")) + 10 }
      guard digit < 1 << bits else { throw .number }
      guard value >> (64 - bits) == 0 else { throw .range }
      value = value << bits | digit
    }
    return value
  }

  /// Converts the number's decimal digits.
  @inline(never)
  func convert(
    _ conversion: some FieldConversion, output: inout ArenaOutput
  ) throws(ConversionFailureCode) -> ConvertedCell {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = 20
    var rest = value
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    // A number's cell has no bytes, so it does not matter where the text is.
    return try digits.span.withUnsafeBufferPointer { (all) throws(ConversionFailureCode) in
      try conversion.convert(FieldBytes(rebasing: all[first...]), offset: 0, output: &output)
    }
  }
}
