extension [UInt8] {
  /// Appends a whole number in decimal digits.
  @inlinable
  package mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(digits: value.magnitude)
  }

  /// Appends the digits of a number, with zeros before it up to this width.
  @inlinable
  package mutating func append(digits value: UInt64, width: Int = 1) {
    var rest = value
    let start = count
    repeat {
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    while count - start < width { append(UInt8(ascii: "0")) }
    self[start...].reverse()
  }
}
