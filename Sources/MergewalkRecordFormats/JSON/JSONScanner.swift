/// Reads JSON texts strictly as RFC 8259 defines them, without building anything.
///
/// Invariant: `i <= end`, and `base[0 ..< end]` is readable and, but for faults reported elsewhere, valid UTF-8.
/// Source: https://www.rfc-editor.org/rfc/rfc8259
struct JSONScanner {
  /// Arrays and objects nest at most so deep.
  static let deepest = 512

  let base: UnsafePointer<UInt8>
  let end: Int
  /// Up to here bytes may be read, whatever they hold.
  let readable: Int
  /// The next byte.
  var i: Int
  /// The first fault, once a function has returned false.
  private(set) var fault = RecordError.Code.invalidJSON
  private(set) var faultAt = 0
  /// Whether halves of surrogate pairs are skipped instead of being faults.
  var passesLoneSurrogates = false
  /// Whether the last string contains an escape.
  private(set) var hasEscapes = false

  /// - Parameter readable: the end of the memory that may be read, at least `end`.
  @inline(__always)
  init(_ base: UnsafePointer<UInt8>, from start: Int, end: Int, readable: Int) {
    self.base = base
    self.end = end
    self.readable = readable
    i = start
  }

  init(_ base: UnsafePointer<UInt8>, from start: Int, end: Int) {
    self.init(base, from: start, end: end, readable: end)
  }

  /// Notes a fault and returns false.
  mutating func fail(_ code: RecordError.Code = .invalidJSON, at offset: Int? = nil) -> Bool {
    fault = code
    faultAt = offset ?? i
    return false
  }

  /// Whether the text may go on behind `end` and a fault may come only from that: no token but a string needs more
  /// than 12 bytes (a surrogate pair) to be told right or wrong, and a string that is cut is read to the end.
  var isNearEnd: Bool { i + 12 > end }

  /// Moves over white space.
  @inline(__always)
  mutating func skipSpace() {
    while i < end {
      let byte = base[i]
      if byte > 32 || (byte != 32 && byte != 9 && byte != 10 && byte != 13) { return }
      i += 1
    }
  }

  /// Moves over white space and the byte, which must come next.
  @inline(__always)
  mutating func expect(_ byte: UInt8) -> Bool {
    skipSpace()
    guard i < end, base[i] == byte else { return fail() }
    i += 1
    return true
  }

  /// Moves over a string whose opening quote is next.
  @inline(__always)
  mutating func string() -> Bool {
    guard i < end, base[i] == UInt8(ascii: "\"") else { return fail() }
    return restOfString()
  }

  /// Moves over a string whose opening quote is at the cursor.
  @inline(__always)
  mutating func restOfString() -> Bool {
    let open = i
    i &+= 1
    hasEscapes = false
    while true {
      findSpecial()
      if i >= end {
        i = end
        return fail(at: open)
      }
      let byte = base[i]
      if byte == UInt8(ascii: "\"") {
        i &+= 1
        return true
      }
      if byte < 32 { return fail() }
      if !escape() { return false }
    }
  }

  /// Moves to the next quote, backslash or control character, or to the end or behind it.
  @inline(__always)
  private mutating func findSpecial() {
    let quote: SIMD16<UInt8> = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
    let backslash: SIMD16<UInt8> = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
    let upper: SIMD16<UInt8> = SIMD16<UInt8>(repeating: 0xE0)
    let zero: SIMD16<UInt8> = SIMD16<UInt8>(repeating: 0)
    while i &+ 16 <= readable {
      let bytes = UnsafeRawPointer(base + i).loadUnaligned(as: SIMD16<UInt8>.self)
      // Vector instructions come of this form only, see ``SpecialScanner``.
      let words =
        unsafeBitCast(bytes .== quote, to: SIMD2<UInt64>.self)
        | unsafeBitCast(bytes .== backslash, to: SIMD2<UInt64>.self)
        | unsafeBitCast((bytes & upper) .== zero, to: SIMD2<UInt64>.self)
      let low = UInt64(littleEndian: words[0])
      if low != 0 {
        i &+= low.trailingZeroBitCount &>> 3
        return
      }
      let high = UInt64(littleEndian: words[1])
      if high != 0 {
        i &+= 8 &+ high.trailingZeroBitCount &>> 3
        return
      }
      i &+= 16
      if i >= end { return }
    }
    while i < end {
      let byte = base[i]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 32 { return }
      i &+= 1
    }
  }

  /// Moves over an escape; both halves of a surrogate pair are one.
  @inline(never)
  private mutating func escape() -> Bool {
    hasEscapes = true
    let start = i
    guard i + 1 < end else { return fail() }
    switch base[i + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      i += 2
      return true
    case UInt8(ascii: "u"):
      guard let unit = JSONEscape.unit(base, i + 2, end) else { return fail() }
      i += 6
      if unit & 0xF800 != 0xD800 { return true }
      guard unit < 0xDC00, i + 1 < end, base[i] == UInt8(ascii: "\\"), base[i + 1] == UInt8(ascii: "u"),
        let second = JSONEscape.unit(base, i + 2, end), second & 0xFC00 == 0xDC00
      else { return passesLoneSurrogates || fail(.loneSurrogate, at: start) }
      i += 6
      return true
    default: return fail()
    }
  }

  /// Moves over a number, whose first byte is next.
  @inline(__always)
  mutating func number() -> Bool {
    if base[i] == UInt8(ascii: "-") { i += 1 }
    if i < end, base[i] == UInt8(ascii: "0") {
      i += 1
    } else if !digits() {
      return false
    }
    if i < end, base[i] == UInt8(ascii: ".") {
      i += 1
      if !digits() { return false }
    }
    if i < end, base[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < end, base[i] == UInt8(ascii: "+") || base[i] == UInt8(ascii: "-") { i += 1 }
      if !digits() { return false }
    }
    return true
  }

  @inline(__always)
  private mutating func digits() -> Bool {
    let start = i
    while i < end, base[i] &- 48 < 10 { i &+= 1 }
    return i > start || fail()
  }

  /// Moves over one of the three literals.
  @inline(__always)
  private mutating func literal(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard i + count <= end else { return fail() }
    for k in 0..<count where base[i + k] != text.utf8Start[k] { return fail() }
    i += count
    return true
  }

  /// Moves over a value that is neither an array nor an object.
  @inline(__always)
  mutating func scalar() -> Bool {
    guard i < end else { return fail() }
    switch base[i] {
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return literal("true")
    case UInt8(ascii: "f"): return literal("false")
    case UInt8(ascii: "n"): return literal("null")
    case UInt8(ascii: "-"), 48...57: return number()
    default: return fail()
    }
  }

  /// Moves over white space and any value, which itself is inside `depth` arrays and objects.
  mutating func value(depth: Int) -> Bool {
    // One bit for each open array (0) or object (1) of this value.
    var kinds = InlineArray<8, UInt64>(repeating: 0)
    var open = 0
    while true {
      skipSpace()
      guard i < end else { return fail() }
      let byte = base[i]
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        if depth + open >= Self.deepest { return fail(.tooDeep) }
        let isObject = byte == UInt8(ascii: "{")
        let bit = UInt64(1) << UInt64(open & 63)
        if isObject { kinds[open >> 6] |= bit } else { kinds[open >> 6] &= ~bit }
        open += 1
        i += 1
        skipSpace()
        if i < end, base[i] == byte + 2 {
          // Empty: "}" and "]" are two behind "{" and "[".
          i += 1
          open -= 1
        } else {
          if isObject, !(string() && expect(UInt8(ascii: ":"))) { return false }
          continue
        }
      } else if !scalar() {
        return false
      }
      // Behind a value.
      while true {
        if open == 0 { return true }
        skipSpace()
        guard i < end else { return fail() }
        let isObject = kinds[(open - 1) >> 6] >> UInt64((open - 1) & 63) & 1 == 1
        let next = base[i]
        if next == UInt8(ascii: ",") {
          i += 1
          if isObject {
            skipSpace()
            if !(string() && expect(UInt8(ascii: ":"))) { return false }
          }
          break
        }
        guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return fail() }
        i += 1
        open -= 1
      }
    }
  }

  /// Whether the rest is one value and nothing else but white space.
  mutating func document() -> Bool {
    guard value(depth: 0) else { return false }
    skipSpace()
    return i == end || fail()
  }
}
