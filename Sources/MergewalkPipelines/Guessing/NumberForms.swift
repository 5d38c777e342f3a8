import MergewalkBytes

/// The ways of writing numbers that a text fits: which marks are the decimal mark and between groups of digits.
///
/// A column is written in one of them if all its values fit it; `1,234` alone fits two that mean different numbers.
struct NumberForms: OptionSet, Sendable {
  let rawValue: UInt8

  /// Numbers such as `1234.5`.
  static let point = NumberForms(rawValue: 1)
  /// Numbers such as `1,234.5`.
  static let commaPoint = NumberForms(rawValue: 2)
  /// Numbers such as `1234,5`.
  static let comma = NumberForms(rawValue: 4)
  /// Numbers such as `1.234,5`.
  static let pointComma = NumberForms(rawValue: 8)
  /// Numbers such as `1 234,5`.
  static let spaceComma = NumberForms(rawValue: 16)
  /// Numbers such as `1 234.5`.
  static let spacePoint = NumberForms(rawValue: 32)
  /// Numbers such as `1'234.5`.
  static let apostrophePoint = NumberForms(rawValue: 64)

  /// All of them, each with its marks; forms without groups come before those with the same decimal mark and groups.
  static let all: [(form: NumberForms, decimalMark: UInt8, groupMark: UInt8?)] = [
    (.point, 0x2E, nil), (.comma, 0x2C, nil), (.commaPoint, 0x2E, 0x2C), (.pointComma, 0x2C, 0x2E),
    (.spaceComma, 0x2C, 0x20), (.spacePoint, 0x2E, 0x20), (.apostrophePoint, 0x2E, 0x27),
  ]
  static let any = NumberForms(rawValue: 127)
}

struct NumberShape {
  /// The forms in which it is a number; none when it is none.
  var forms: NumberForms = []
  var wholeForms: NumberForms = []
  /// The digits without leading zeros, and without zeros at the end of a fraction.
  var significantDigits = 0
  /// Whether a zero stands before other digits (`007`).
  var hasLeadingZero = false
  var hasPlus = false
  /// Whether it has an exponent, which only `point` allows.
  var hasExponent = false
  /// Its digits before the decimal mark, read as a whole number; nil when that is more than 64 bits.
  var whole: Int64?

  /// Looks at a text that is not empty.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    var i = 0
    if text[0] == 0x2B || text[0] == 0x2D {
      hasPlus = text[0] == 0x2B
      i = 1
    }
    // A number that is worth a look has few bytes.
    guard i < text.count, text.count <= 64 else { return }
    let first = text[i]
    guard first.isDigit || first == 0x2E || first == 0x2C else { return }
    var marks = Marks()
    let start = i
    var digits = 0
    while i < text.count {
      let byte = text[i]
      if byte.isDigit {
        digits += 1
      } else if byte | 0x20 == 0x65, digits > 0 {
        guard Self.isExponent(text, from: i + 1) else { return }
        hasExponent = true
        break
      } else if !marks.take(byte, at: i - start) {
        return
      }
      i += 1
    }
    guard digits > 0 else { return }
    let body = UnsafeBufferPointer(rebasing: text[start..<i])
    for (form, decimalMark, groupMark) in NumberForms.all {
      if hasExponent, form != .point { continue }
      guard let isWhole = Self.isNumber(body, decimalMark, groupMark, marks) else { continue }
      forms.insert(form)
      if isWhole, !hasExponent { wholeForms.insert(form) }
    }
    measure(body, isNegative: text[0] == 0x2D)
  }

  /// Whether the shortest spelling of the nearest double has the same digits, so that a double loses nothing.
  ///
  /// - Parameter text: what this was made from.
  func survivesDouble(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let form = NumberForms.all.first(where: { forms.contains($0.form) }) else { return true }
    // Up to here each whole number is a double.
    if !wholeForms.isEmpty, let whole, whole.magnitude <= 1 << 53 { return true }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    for byte in text {
      if byte == form.decimalMark {
        plain.append(0x2E)
      } else if byte != form.groupMark {
        plain.append(byte)
      }
    }
    guard let value = Double(String(decoding: plain, as: UTF8.self)) else { return false }
    return Self.digits(plain).elementsEqual(Self.digits(Array(value.description.utf8)))
  }

  /// The digits of a number without its exponent, and without zeros before and behind all others.
  private static func digits(_ text: [UInt8]) -> ArraySlice<UInt8> {
    let digits = text.prefix { $0 | 0x20 != 0x65 }.filter(\.isDigit).drop { $0 == 0x30 }
    guard let last = digits.lastIndex(where: { $0 != 0x30 }) else { return [] }
    return digits[...last]
  }

  /// The marks that stand between digits.
  private struct Marks {
    var kinds: UInt8 = 0

    mutating func take(_ byte: UInt8, at offset: Int) -> Bool {
      switch byte {
      case 0x2E: kinds |= 1
      case 0x2C: kinds |= 2
      case 0x20 where offset > 0: kinds |= 4
      case 0x27 where offset > 0: kinds |= 8
      default: return false
      }
      return true
    }

    static func bit(_ byte: UInt8) -> UInt8 {
      switch byte {
      case 0x2E: 1
      case 0x2C: 2
      case 0x20: 4
      default: 8
      }
    }
  }

  /// Whether the text is a number with these marks, and whether it is whole; nil when it is none.
  private static func isNumber(
    _ text: UnsafeBufferPointer<UInt8>, _ decimalMark: UInt8, _ groupMark: UInt8?, _ marks: Marks
  ) -> Bool? {
    let allowed = Marks.bit(decimalMark) | (groupMark.map { Marks.bit($0) } ?? 0)
    if marks.kinds & ~allowed != 0 { return nil }
    let decimal = text.firstIndex(of: decimalMark)
    if let decimal {
      // Nothing but digits behind the decimal mark.
      for byte in text[(decimal + 1)...] where !byte.isDigit { return nil }
    }
    guard let groupMark else { return decimal == nil }
    let whole = text[..<(decimal ?? text.count)]
    guard let firstMark = whole.firstIndex(of: groupMark) else { return decimal == nil }
    // A zero is no group: `0.125` can be read in one way only.
    guard (1...3).contains(firstMark), whole[0] != 0x30 else { return nil }
    var run = 0
    for byte in whole[(firstMark + 1)...] {
      if byte.isDigit {
        run += 1
      } else {
        if run != 3 { return nil }
        run = 0
      }
    }
    return run == 3 ? decimal == nil : nil
  }

  private static func isExponent(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    var i = start
    if i < text.count, text[i] == 0x2B || text[i] == 0x2D { i += 1 }
    return i < text.count && text.count - i <= 3 && text[i...].allSatisfy(\.isDigit)
  }

  /// Counts digits, and reads the whole number where there is no fraction.
  private mutating func measure(_ body: UnsafeBufferPointer<UInt8>, isNegative: Bool) {
    var value: Int64? = 0
    var zeros = 0
    for byte in body where byte.isDigit {
      let digit = Int64(byte - 0x30)
      if significantDigits > 0 || digit > 0 {
        significantDigits += 1
        zeros = digit == 0 ? zeros + 1 : 0
      }
      if let before = value {
        let (product, overflow) = before.multipliedReportingOverflow(by: 10)
        let (sum, carried) =
          isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
        value = overflow || carried ? nil : sum
      }
    }
    whole = value
    if wholeForms.isEmpty { significantDigits -= zeros }
    hasLeadingZero = body.count > 1 && body[0] == 0x30 && body[1].isDigit
  }
}
