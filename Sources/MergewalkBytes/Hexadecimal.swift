/// Bytes written as hexadecimal digits.
@usableFromInline package enum Hexadecimal {
  /// The letters above 9.
  @usableFromInline package enum Letters: UInt8, Sendable {
    /// `a` to `f`.
    case small = 0x61
    /// `A` to `F`.
    case capital = 0x41
  }

  /// The value of a digit, of either case; above 15 for other bytes.
  @inlinable @inline(__always)
  package static func value(_ digit: UInt8) -> UInt8 {
    let decimal = digit &- UInt8(ascii: "0")
    if decimal <= 9 { return decimal }
    let letter = (digit | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 255
  }

  /// The value of a digit, of either case; nil for other characters.
  package static func value(_ digit: Unicode.Scalar) -> UInt32? {
    guard digit.isASCII, case let value = value(UInt8(ascii: digit)), value <= 15 else { return nil }
    return UInt32(value)
  }

  /// The digit of a value from 0 to 15.
  @inlinable @inline(__always)
  package static func digit(_ value: UInt8, _ letters: Letters = .small) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : letters.rawValue + (value - 10)
  }

  /// Two digits for each byte.
  package static func text(_ bytes: some Sequence<UInt8>, _ letters: Letters = .small) -> String {
    var text: [UInt8] = []
    for byte in bytes { text.append(hexadecimal: byte, letters) }
    return String(decoding: text, as: UTF8.self)
  }

  /// At least so many digits of a number.
  package static func text(_ number: some FixedWidthInteger, width: Int, _ letters: Letters = .small) -> String {
    let digits = String(number, radix: 16, uppercase: letters == .capital)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Writes the bytes that pairs of digits spell to `output`, which holds half as many bytes as there are digits.
  ///
  /// - Returns: how many they are; nil for an odd number of digits or other bytes.
  package static func decode(_ digits: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>) -> Int? {
    guard digits.count & 1 == 0 else { return nil }
    let count = digits.count / 2
    for index in 0..<count {
      let high = value(digits[2 * index])
      let low = value(digits[2 * index + 1])
      guard high | low <= 15 else { return nil }
      output[index] = high << 4 | low
    }
    return count
  }

  /// The bytes that pairs of digits spell; nil for an odd number of digits or other bytes.
  package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
    let digits = Array(digits)
    var count: Int?
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2 + 1) { room, used in
      count = room.baseAddress.flatMap { target in digits.withUnsafeBufferPointer { decode($0, into: target) } }
      used = count ?? 0
    }
    return count == nil ? nil : bytes
  }
}

extension [UInt8] {
  /// Appends two hexadecimal digits.
  @inlinable @inline(__always)
  package mutating func append(hexadecimal byte: UInt8, _ letters: Hexadecimal.Letters = .small) {
    append(Hexadecimal.digit(byte >> 4, letters))
    append(Hexadecimal.digit(byte & 15, letters))
  }
}
