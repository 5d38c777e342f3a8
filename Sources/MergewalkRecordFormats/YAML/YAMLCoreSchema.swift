/// The meaning of plain scalars under YAML 1.2's core schema.
///
/// Only `true` and `false` (three spellings each) are Booleans, so that `no` stays a country. The spelling is kept in
/// any case: what is a number here arrives in a column of text as it stands in the file.
/// Source: https://yaml.org/spec/1.2.2/#103-core-schema.
enum YAMLCoreSchema {
  /// The state of a plain scalar without a tag.
  @inline(__always)
  static func state(_ bytes: UnsafeRawBufferPointer) -> FieldState {
    guard let first = bytes.first else { return .null }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      return isNumber(bytes) ? .number : .text
    case UInt8(ascii: "~"): return bytes.count == 1 ? .null : .text
    case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"),
      UInt8(ascii: "F"):
      return bytes.count == 4 || bytes.count == 5 ? word(bytes) : .text
    default: return .text
    }
  }

  /// `null`, `true` and `false` in small letters, capital letters, or with one capital letter in front.
  private static func word(_ bytes: UnsafeRawBufferPointer) -> FieldState {
    if spells(bytes, "null") { return .null }
    if spells(bytes, "true") { return .true }
    return spells(bytes, "false") ? .false : .text
  }

  private static func spells(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    let isCapital = bytes[0] & 0x20 == 0
    let areCapitals = bytes[1] & 0x20 == 0
    if areCapitals && !isCapital { return false }
    for i in 0..<bytes.count {
      if bytes[i] | 0x20 != word.utf8Start[i] { return false }
      if i > 0, (bytes[i] & 0x20 == 0) != areCapitals { return false }
    }
    return true
  }

  /// Whether the bytes, of which there is one at least, are an integer or a float.
  private static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let end = bytes.count
    var i = 0
    func skipDigits() -> Int {
      let start = i
      while i < end, bytes[i] &- 48 < 10 { i += 1 }
      return i - start
    }
    if end > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] > UInt8(ascii: "9") {
      switch bytes[1] {
      case UInt8(ascii: "x"): return bytes[2...].allSatisfy { $0 &- 48 < 10 || ($0 | 0x20) &- 97 < 6 }
      case UInt8(ascii: "o"): return bytes[2...].allSatisfy { $0 &- 48 < 8 }
      default: break
      }
    }
    let isSigned = bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-")
    if isSigned { i = 1 }
    let whole = skipDigits()
    if i == end { return whole > 0 }
    var fraction = 0
    if bytes[i] == UInt8(ascii: ".") {
      i += 1
      fraction = skipDigits()
      if whole + fraction == 0 { return isSpecial(UnsafeRawBufferPointer(rebasing: bytes[i...]), isSigned: isSigned) }
    }
    if whole + fraction == 0 { return false }
    if i < end, bytes[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < end, bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") { i += 1 }
      if skipDigits() == 0 { return false }
    }
    return i == end
  }

  /// Whether the text may follow the dot of `.inf` and `.nan`.
  private static func isSpecial(_ bytes: UnsafeRawBufferPointer, isSigned: Bool) -> Bool {
    guard bytes.count == 3 else { return false }
    if ["inf", "Inf", "INF"].contains(where: { $0.utf8.elementsEqual(bytes) }) { return true }
    return !isSigned && ["nan", "NaN", "NAN"].contains { $0.utf8.elementsEqual(bytes) }
  }
}
