import MergewalkBytes

/// The text of scalars: checked against what their type says, and written as columns have them.
enum PropertyListScalars {
  /// Appends a whole number, in decimal digits without leading zeros; false when the text is none.
  ///
  /// As Apple's reader: perhaps a sign, then decimal digits, or `0x` and hexadecimal ones. There is no limit.
  static func integer(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
    var rest = trimmed(text)[...]
    if rest.first == UInt8(ascii: "-") { output.append(UInt8(ascii: "-")) }
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    if rest.count > 2, rest.first == UInt8(ascii: "0"), rest[rest.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
      var value: UInt128 = 0
      for byte in rest.dropFirst(2) {
        let digit = Hexadecimal.value(byte)
        guard digit <= 15, value >> 124 == 0 else { return false }
        value = value << 4 | UInt128(digit)
      }
      output.append(contentsOf: String(value).utf8)
      return true
    }
    guard !rest.isEmpty, rest.allSatisfy(\.isDigit) else { return false }
    let zeros = rest.prefix { $0 == UInt8(ascii: "0") }
    output.append(contentsOf: zeros.count == rest.count ? rest.suffix(1) : rest.dropFirst(zeros.count))
    return true
  }

  /// Appends a real number as JSON would have it, with the digits that it has; false when the text is none.
  ///
  /// - Returns: nil when the text is no number; else whether it is one that JSON has, which `nan` and `inf` are not.
  static func real(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool? {
    var rest = trimmed(text)[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let word = rest.count <= 8 ? String(decoding: rest, as: UTF8.self).lowercased() : ""
    if word == "nan" || word == "inf" || word == "infinity" {
      if isNegative, word != "nan" { output.append(UInt8(ascii: "-")) }
      output.append(contentsOf: word.prefix(3).utf8)
      return false
    }
    if isNegative { output.append(UInt8(ascii: "-")) }
    let whole = rest.prefix(while: \.isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction: Slice<UnsafeRawBufferPointer>?
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      fraction = rest.prefix(while: \.isDigit)
      rest = rest.dropFirst(fraction?.count ?? 0)
    }
    guard whole.count + (fraction?.count ?? 0) > 0 else { return nil }
    let digits = whole.drop { $0 == UInt8(ascii: "0") }
    if digits.isEmpty { output.append(UInt8(ascii: "0")) } else { output.append(contentsOf: digits) }
    if let fraction, !fraction.isEmpty {
      output.append(UInt8(ascii: "."))
      output.append(contentsOf: fraction)
    }
    if let letter = rest.popFirst() {
      guard letter | 0x20 == UInt8(ascii: "e") else { return nil }
      output.append(UInt8(ascii: "e"))
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        output.append(sign)
        rest = rest.dropFirst()
      }
      guard !rest.isEmpty, rest.allSatisfy(\.isDigit) else { return nil }
      output.append(contentsOf: rest)
    }
    return true
  }

  /// Whether a text is an instant as XML lists have it: `2024-01-31T12:00:00Z`, which may be before the year 0 and which
  /// the calendar must have.
  static func isDate(_ text: UnsafeRawBufferPointer) -> Bool {
    let pattern: StaticString = "0000-00-00T00:00:00Z"
    let rest = text.first == UInt8(ascii: "-") ? UnsafeRawBufferPointer(rebasing: text.dropFirst()) : text
    guard rest.count == pattern.utf8CodeUnitCount else { return false }
    for i in 0..<rest.count {
      let wanted = pattern.utf8Start[i]
      if wanted == UInt8(ascii: "0") ? !rest[i].isDigit : rest[i] != wanted { return false }
    }
    return isInCalendar(rest)
  }

  /// Whether the calendar has the day, and a clock the time, that `2024-01-31T12:00:00` and its like name; a leap second
  /// is one.
  static func isInCalendar(_ text: UnsafeRawBufferPointer) -> Bool {
    func number(_ start: Int, _ count: Int) -> Int { text[start..<start + count].reduce(0) { 10 * $0 + Int($1 - 48) } }
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
    return CivilDate.isDay(year, month, day) && hour < 24 && minute < 60 && second < (minute == 59 ? 61 : 60)
  }

  /// Appends base64 without white space; false when it is none.
  static func base64(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
    var digits = 0
    var padding = 0
    for byte in text {
      switch byte {
      case 9, 10, 13, 32: continue
      case UInt8(ascii: "="): padding += 1
      case _ where byte.isLetter || byte.isDigit, UInt8(ascii: "+"), UInt8(ascii: "/"):
        if padding > 0 { return false }
        digits += 1
      default: return false
      }
      output.append(byte)
    }
    return padding <= 2 && digits % 4 != 1 && (digits + padding) % 4 == 0
  }

  /// The text without white space around it.
  static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var range = text.indices
    while let first = range.first, text[first].isSpace { range = range.dropFirst() }
    while let last = range.last, text[last].isSpace { range = range.dropLast() }
    return UnsafeRawBufferPointer(rebasing: text[range])
  }

  /// Appends a character; a surrogate takes three bytes, which are no UTF-8.
  static func append(scalar: UInt32, to output: inout [UInt8]) {
    switch scalar {
    case ..<0x80: output.append(UInt8(scalar))
    case ..<0x800:
      output.append(0xC0 | UInt8(scalar >> 6))
      output.append(0x80 | UInt8(scalar & 63))
    case ..<0x10000:
      output.append(0xE0 | UInt8(scalar >> 12))
      output.append(0x80 | UInt8(scalar >> 6 & 63))
      output.append(0x80 | UInt8(scalar & 63))
    default:
      output.append(0xF0 | UInt8(scalar >> 18 & 7))
      output.append(0x80 | UInt8(scalar >> 12 & 63))
      output.append(0x80 | UInt8(scalar >> 6 & 63))
      output.append(0x80 | UInt8(scalar & 63))
    }
  }
}
