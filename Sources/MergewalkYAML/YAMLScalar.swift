import MergewalkSystem

/// The meaning of a scalar under YAML 1.2's core schema.
///
/// Only `true` and `false` (three spellings each) are Booleans: `no`, `on`, `NO` and the like are text, so a country
/// code stays a country code. Source: https://yaml.org/spec/1.2.2/#103-core-schema.
package enum YAMLScalar: Sendable, Hashable {
  /// `null`, `~` or nothing.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A decimal, `0o` octal or `0x` hexadecimal number that fits 64 bits.
  case integer(Int64)
  /// A floating-point number, `.inf` or `.nan`; also an integer too large for 64 bits.
  case double(Double)
  /// Anything else, and whatever was quoted.
  case string(String)

  /// Resolves plain text.
  ///
  /// - Complexity: O(length).
  package init(plain text: String) {
    switch text {
    case "", "~", "null", "Null", "NULL": self = .null
    case "true", "True", "TRUE": self = .boolean(true)
    case "false", "False", "FALSE": self = .boolean(false)
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": self = .double(.infinity)
    case "-.inf", "-.Inf", "-.INF": self = .double(-.infinity)
    case ".nan", ".NaN", ".NAN": self = .double(.nan)
    default: self = Self.number(text) ?? .string(text)
    }
  }

  private static func number(_ text: String) -> YAMLScalar? {
    let bytes = Array(text.utf8)
    if bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] == UInt8(ascii: "x") || bytes[1] == UInt8(ascii: "o") {
      let digits = text.dropFirst(2)
      guard digits.utf8.first != UInt8(ascii: "-"), digits.utf8.first != UInt8(ascii: "+") else { return nil }
      return Int64(digits, radix: bytes[1] == UInt8(ascii: "x") ? 16 : 8).map { .integer($0) }
    }
    // [-+]? ( digits [. digits*] | . digits ) ( [eE] [-+]? digits )?
    var i = 0
    var isReal = false
    func skipDigits() -> Int {
      let start = i
      while i < bytes.count, bytes[i] >= UInt8(ascii: "0"), bytes[i] <= UInt8(ascii: "9") { i += 1 }
      return i - start
    }
    if i < bytes.count, bytes[i] == UInt8(ascii: "-") || bytes[i] == UInt8(ascii: "+") { i += 1 }
    let whole = skipDigits()
    var fraction = 0
    if i < bytes.count, bytes[i] == UInt8(ascii: ".") {
      i += 1
      isReal = true
      fraction = skipDigits()
    }
    guard whole + fraction > 0 else { return nil }
    if i < bytes.count, bytes[i] == UInt8(ascii: "e") || bytes[i] == UInt8(ascii: "E") {
      i += 1
      isReal = true
      if i < bytes.count, bytes[i] == UInt8(ascii: "-") || bytes[i] == UInt8(ascii: "+") { i += 1 }
      guard skipDigits() > 0 else { return nil }
    }
    guard i == bytes.count else { return nil }
    if !isReal, let value = Int64(text) { return .integer(value) }
    // The form is checked above, so strtod reads all of it; the process keeps the C locale.
    return .double(strtod(text, nil))
  }
}

extension YAMLNode {
  /// The meaning of a scalar under the core schema; `nil` for sequences and mappings.
  package var scalar: YAMLScalar? {
    guard case .scalar(let text, let isPlain) = kind else { return nil }
    return isPlain ? YAMLScalar(plain: text) : .string(text)
  }

  /// Whether the node is a null scalar.
  package var isNull: Bool { scalar == .null }

  /// The value of a Boolean scalar, or `nil`.
  package var boolean: Bool? {
    if case .boolean(let value) = scalar { value } else { nil }
  }

  /// The value of an integer scalar, or `nil`.
  package var integer: Int64? {
    if case .integer(let value) = scalar { value } else { nil }
  }

  /// The value of a number, integers included, or `nil`.
  package var double: Double? {
    switch scalar {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The text of a scalar that is not null; numbers and Booleans as they are written.
  package var string: String? { isNull ? nil : text }
}
