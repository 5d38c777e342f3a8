/// The parts of a decimal number's text: `significand × 10^exponent`.
///
/// Grammar: `[+-] (digits [mark [digits]] | mark digits) [(e|E) [+-] digits]`.
package struct NumberText: Sendable {
  /// Texts longer than this are refused, so that one field cannot cost more than its share of time.
  package static let greatestLength = 2_048

  /// All digits as one number; only the truth when ``isExact``.
  var significand: UInt64
  /// The power of ten of the last digit.
  var exponent: Int
  /// Whether there is a leading minus.
  var isNegative: Bool
  /// Whether all digits are in the significand (at most 19 after leading zeros).
  var isExact: Bool

  /// Takes the text apart.
  ///
  /// - Throws: `number` when the text has another form, `length` when it is longer than ``greatestLength``.
  @inline(__always)
  init(_ bytes: FieldBytes, decimalMark: UInt8) throws(ConversionFailureCode) {
    guard var cursor = bytes.baseAddress, bytes.count > 0 else { throw .number }
    guard bytes.count <= Self.greatestLength else { throw .length }
    let end = cursor + bytes.count
    var value: UInt64 = 0
    isNegative = false
    if cursor[0] == UInt8(ascii: "-") {
      isNegative = true
      cursor += 1
    } else if cursor[0] == UInt8(ascii: "+") {
      cursor += 1
    }
    let wholeStart = cursor
    Self.digits(&cursor, end, &value)
    var digitCount = cursor - wholeStart
    var power = 0
    if cursor < end, cursor[0] == decimalMark {
      cursor += 1
      let fractionStart = cursor
      Self.digits(&cursor, end, &value)
      power = fractionStart - cursor
      digitCount -= power
    }
    guard digitCount > 0 else { throw .number }
    if cursor < end { power += try Self.exponent(cursor, end) }
    significand = value
    exponent = power
    isExact = digitCount <= 19 || Self.hasFewDigits(wholeStart, end)
  }

  /// Whether the text begins as codes do and numbers do not: with a plus, or with a zero before another digit.
  @inline(__always)
  static func isCode(_ bytes: FieldBytes) -> Bool {
    guard let first = bytes.first else { return false }
    if first == UInt8(ascii: "+") { return true }
    let start = first == UInt8(ascii: "-") ? 1 : 0
    return bytes.count > start + 1 && bytes[start] == UInt8(ascii: "0")
      && bytes[start + 1] &- UInt8(ascii: "0") <= 9
  }

  /// Reads digits up to the first other byte; wraps around silently.
  @inline(__always)
  private static func digits(_ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ value: inout UInt64) {
    while end - cursor >= 8, let eight = DigitWord.parse(cursor) {
      value = value &* 100_000_000 &+ eight
      cursor += 8
    }
    while cursor < end {
      let digit = cursor[0] &- UInt8(ascii: "0")
      guard digit <= 9 else { return }
      value = value &* 10 &+ UInt64(digit)
      cursor += 1
    }
  }

  /// Reads `(e|E)[+-]digits` up to the end; the result is clamped to ±1,000,000.
  @inline(never)
  private static func exponent(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) throws(ConversionFailureCode) -> Int {
    var cursor = start
    guard cursor[0] | 0x20 == UInt8(ascii: "e") else { throw .number }
    cursor += 1
    guard cursor < end else { throw .number }
    let isNegative = cursor[0] == UInt8(ascii: "-")
    if isNegative || cursor[0] == UInt8(ascii: "+") { cursor += 1 }
    guard cursor < end else { throw .number }
    var value = 0
    while cursor < end {
      let digit = cursor[0] &- UInt8(ascii: "0")
      guard digit <= 9 else { throw .number }
      value = min(value * 10 + Int(digit), 1_000_000)
      cursor += 1
    }
    return isNegative ? -value : value
  }

  /// Whether at most 19 digits follow the leading zeros: `0.000…` has many digits that do not count.
  @inline(never)
  private static func hasFewDigits(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Bool {
    var count = 0
    var cursor = start
    while cursor < end, cursor[0] | 0x20 != UInt8(ascii: "e") {
      let digit = cursor[0] &- UInt8(ascii: "0")
      if digit <= 9, count > 0 || digit > 0 { count += 1 }
      cursor += 1
    }
    return count <= 19
  }

  /// Calls `body` with the text without its group marks.
  ///
  /// Groups are checked: one to three digits first, then groups of three (of two or three before the last one, as in
  /// `12,34,567`), none after the decimal mark. Otherwise `1,5` in a column of decimal commas would become 15.
  ///
  /// - Throws: `malformed` when the marks stand elsewhere, `length`, and what `body` throws.
  @inline(never)
  static func withoutGroupMarks<Value>(
    _ bytes: FieldBytes, mark: UInt8, malformed: ConversionFailureCode,
    _ body: (FieldBytes) throws(ConversionFailureCode) -> Value
  ) throws(ConversionFailureCode) -> Value {
    guard bytes.count <= greatestLength else { throw .length }
    var plain = InlineArray<2_048, UInt8>(repeating: 0)
    var count = 0
    var groupLength = 0
    var sawMark = false
    var isWhole = true
    for byte in bytes {
      if byte == mark {
        guard isWhole, groupLength > 0, groupLength <= 3, !(sawMark && groupLength < 2) else { throw malformed }
        sawMark = true
        groupLength = 0
        continue
      }
      if byte &- UInt8(ascii: "0") <= 9 {
        groupLength += 1
      } else if isWhole, count > 0 || (byte != UInt8(ascii: "-") && byte != UInt8(ascii: "+")) {
        guard !sawMark || groupLength == 3 else { throw malformed }
        isWhole = false
      }
      plain[count] = byte
      count += 1
    }
    guard !isWhole || !sawMark || groupLength == 3 else { throw malformed }
    let span = plain.span
    do {
      return try span.withUnsafeBufferPointer { (all) throws(ConversionFailureCode) in
        try body(FieldBytes(rebasing: all[..<count]))
      }
    }
  }
}
