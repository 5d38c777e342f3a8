/// The bytes of one field, inside the batch's arena; never kept beyond the call.
package typealias FieldBytes = UnsafeBufferPointer<UInt8>

/// Whole numbers: `[+-]digits`.
package enum IntegerText {
  /// Returns the number that all of `bytes` spell.
  ///
  /// `12.0` and `1e3` are not whole numbers here: a column that has them says something else than its model.
  ///
  /// - Throws: `integer` when the text has another form, `range` when the number does not fit 64 bits.
  /// - Complexity: O(length).
  @inline(__always)
  package static func parse(_ bytes: FieldBytes) throws(ConversionFailureCode) -> Int64 {
    guard var cursor = bytes.baseAddress else { throw .integer }
    var count = bytes.count
    guard count > 0 else { throw .integer }
    var isNegative = false
    if cursor[0] < UInt8(ascii: "0") {
      isNegative = cursor[0] == UInt8(ascii: "-")
      guard isNegative || cursor[0] == UInt8(ascii: "+") else { throw .integer }
      cursor += 1
      count -= 1
    }
    // 18 digits cannot overflow.
    guard count &- 1 < 18, count > 0 else { return try parseLong(cursor, count, isNegative) }
    var value: UInt64 = 0
    while count >= 8 {
      guard let eight = DigitWord.parse(cursor) else { throw .integer }
      value = value &* 100_000_000 &+ eight
      cursor += 8
      count -= 8
    }
    while count > 0 {
      let digit = cursor[0] &- UInt8(ascii: "0")
      guard digit <= 9 else { throw .integer }
      value = value &* 10 &+ UInt64(digit)
      cursor += 1
      count -= 1
    }
    let signed = Int64(bitPattern: value)
    return isNegative ? 0 &- signed : signed
  }

  /// Numbers of no digit, or of more than 18.
  @inline(never)
  private static func parseLong(
    _ start: UnsafePointer<UInt8>, _ count: Int, _ isNegative: Bool
  ) throws(ConversionFailureCode) -> Int64 {
    guard count > 0 else { throw .integer }
    var value: UInt64 = 0
    var overflows = false
    for offset in 0..<count {
      let digit = start[offset] &- UInt8(ascii: "0")
      guard digit <= 9 else { throw .integer }
      // 2^63 fits UInt64 with room for one more digit to be noticed.
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      overflows = overflows || overflow || carry
      value = sum
    }
    guard !overflows else { throw .range }
    let limit = UInt64(1) << 63
    if isNegative {
      guard value <= limit else { throw .range }
      return Int64(bitPattern: 0 &- value)
    }
    guard value < limit else { throw .range }
    return Int64(bitPattern: value)
  }
}

/// Eight decimal digits read as one machine word.
enum DigitWord {
  /// Returns the number that the eight bytes at `start` spell, or `nil` when one of them is not a digit.
  ///
  /// Digits are `0x30...0x39`: the high nibble must be 3, and must still be 3 after adding 6. Then neighbours are
  /// combined: eight digits to four pairs, four pairs to the number by two multiplications.
  @inline(__always)
  static func parse(_ start: UnsafePointer<UInt8>) -> UInt64? {
    let word = UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
    let highNibbles: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    let threes: UInt64 = 0x3030_3030_3030_3030
    guard word & highNibbles == threes, (word &+ 0x0606_0606_0606_0606) & highNibbles == threes else { return nil }
    let digits = word &- threes
    let pairs = digits &* 10 &+ (digits >> 8)
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    let left = (pairs & mask) &* (100 | 1_000_000 << 32)
    let right = ((pairs >> 16) & mask) &* (1 | 10_000 << 32)
    return (left &+ right) >> 32
  }
}
