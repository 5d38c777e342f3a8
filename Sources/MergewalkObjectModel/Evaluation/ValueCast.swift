import MergewalkBytes

/// `CAST(value, 'type')`: makes a value of another kind; null where that cannot be done.
package enum ValueCast {
  /// The kinds, by the names that a cast takes; letters of any case.
  ///
  /// | names | of numbers | of texts | of dates |
  /// |---|---|---|---|
  /// | `NSNumber` | the number | the number it spells | seconds since 2001 |
  /// | `integer`, `int`, `NSInteger` | cut toward zero | the number it spells, cut | the same, cut |
  /// | `double`, `float` | as binary64 | the number it spells | seconds since 2001 |
  /// | `NSDecimalNumber`, `decimal` | its shortest decimal | the decimal it spells | of the seconds |
  /// | `BOOL`, `boolean` | whether it is not 0 | | |
  /// | `NSString`, `string` | its digits | the text | ISO 8601 |
  /// | `NSDate`, `date` | seconds since 2001 | ISO 8601 | the date |
  /// | `NSUUID`, `NSURL`, `NSData` | | the UUID, the URI, the bytes in hexadecimal that it spells | |
  fileprivate enum Kind: String {
    case number = "nsnumber"
    case integer
    case double
    case decimal = "nsdecimalnumber"
    case boolean
    case text = "nsstring"
    case date = "nsdate"
    case uuid = "nsuuid"
    case uri = "nsurl"
    case binary = "nsdata"

    init?(name: String) {
      let name = name.lowercased()
      switch name {
      case "int", "nsinteger", "int64": self = .integer
      case "float": self = .double
      case "decimal": self = .decimal
      case "bool": self = .boolean
      case "string": self = .text
      case "date": self = .date
      case "uuid": self = .uuid
      case "uri", "url": self = .uri
      case "binary": self = .binary
      default: self.init(rawValue: name)
      }
    }
  }

  /// Makes a value of the kind that a name stands for.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when there is no such kind, or when values of this kind can
  ///   never become the other; `overflow` with ``ArithmeticPolicy/exact`` when a number cannot be kept.
  package static func cast(
    _ value: AttributeValue, to type: AttributeValue, _ policy: ArithmeticPolicy = .stored
  ) throws(PredicateError) -> AttributeValue {
    guard let name = type.text, let kind = Kind(name: name) else {
      throw PredicateError(
        .typeMismatch, "CAST does not know the type \(type.text.map { "\"\($0)\"" } ?? type.kind)",
        hint: "the types are NSNumber, NSString, NSDate, NSDecimalNumber, NSUUID, NSURL, NSData, integer, double, BOOL")
    }
    guard let family = value.family else { return .null }
    switch (kind, family) {
    case (.text, .number), (.text, .date), (.text, .uuid), (.text, .text): return text(value)
    case (.date, .text): return DateText.seconds(value.text ?? "").map { .date($0) } ?? .null
    case (.date, .number): return value.number.map { .date($0.asDouble) } ?? .null
    case (.date, .date), (.uuid, .uuid), (.binary, .binary): return value
    case (.binary, .text): return AttributeValue(literal: .string(value.text ?? ""), type: "NSData") ?? .null
    case (.uuid, .text): return AttributeValue(text: value.text ?? "", type: .uuid) ?? .null
    case (.uri, .text): return value.text.map { .uri($0) } ?? .null
    case (.number, _), (.integer, _), (.double, _), (.decimal, _), (.boolean, _):
      guard let number = try number(value, kind, name, policy) else { return .null }
      let result = numeric(number, value, kind)
      if result.isNull, policy == .exact { throw PredicateError(.overflow, .cast) }
      return result
    default:
      throw PredicateError(.typeMismatch, "\(value.kind) cannot be cast to \(name)")
    }
  }

  /// The number that a value is or spells; `nil` when a text spells none.
  private static func number(
    _ value: AttributeValue, _ kind: Kind, _ name: String, _ policy: ArithmeticPolicy
  ) throws(PredicateError) -> NumericValue? {
    switch value {
    case .date(let seconds) where kind != .boolean: return .double(seconds)
    case .string(let text), .uri(let text):
      guard kind != .boolean else { break }
      return policy == .exact ? try exactNumber(text, kind) : number(text)
    default:
      if let number = value.number(policy) { return number }
    }
    throw PredicateError(.typeMismatch, "\(value.kind) cannot be cast to \(name)")
  }

  private static func number(_ text: String) -> NumericValue? {
    guard let decimal = DecimalNumber(text) else {
      guard let double = Double(text), !double.isNaN else { return nil }
      return .double(double)
    }
    guard case .integer(let integer) = decimal.number else { return Double(text).map { .double($0) } }
    return .integer(integer)
  }

  /// Reads a text as a decimal, unless a binary64 number is requested.
  private static func exactNumber(_ text: String, _ kind: Kind) throws(PredicateError) -> NumericValue? {
    if kind != .double, let decimal = DecimalNumber(text) { return .decimal(ExactDecimal(decimal)) }
    guard let double = Double(text), !double.isNaN else { return nil }
    if kind == .double, double.isFinite { return .double(double) }
    // Hexadecimal digits.
    guard let whole = Int64(exactly: double), text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) else {
      throw PredicateError(.overflow, .cast)
    }
    return .decimal(ExactDecimal(Int128(whole), 0))
  }

  private static func numeric(_ number: NumericValue, _ value: AttributeValue, _ kind: Kind) -> AttributeValue {
    switch kind {
    case .integer: return number.truncated.map { .integer($0) } ?? .null
    case .double: return .double(number.asDouble)
    case .boolean:
      switch number {
      case .integer(let integer): return .boolean(integer != 0)
      case .decimal(let decimal): return .boolean(decimal.digits != 0)
      case .double(let double): return .boolean(double != 0)
      }
    case .decimal:
      if case .decimal = value { return value }
      if let text = value.text, let decimal = DecimalNumber(text) { return .decimal(decimal) }
      if let decimal = number.exactDecimal { return .decimal(decimal.number) }
      return DecimalNumber("\(number.asDouble)").map { .decimal($0) } ?? .null
    default: return number.attributeValue
    }
  }

  /// The text of a value: whole numbers without a point, other numbers by their shortest digits.
  private static func text(_ value: AttributeValue) -> AttributeValue {
    switch value {
    case .string, .uri: return .string(value.text ?? "")
    case .decimal(let decimal): return .string(decimal.description)
    case .date(let seconds):
      return .string(DateText.text(seconds) ?? text(.double(seconds)).text ?? "")
    case .uuid(let high, let low): return .string(UUIDText.text(high, low))
    default:
      switch value.number {
      case .integer(let integer): return .string(String(integer))
      case .double(let double):
        if let whole = Int64(exactly: double), whole.magnitude < 1 << 53 { return .string(String(whole)) }
        return .string(double.description)
      case .decimal, nil: return .null
      }
    }
  }
}

extension ValueCast {
  /// The type of the values of a cast; ``AttributeType/undefined`` for numbers, which are integers or Doubles.
  ///
  /// - Throws: ``PredicateError`` with `typeMismatch` when there is no such kind.
  package static func resultType(_ name: String) throws(PredicateError) -> AttributeType {
    guard let kind = Kind(name: name) else {
      // Throws, as there is no such kind.
      _ = try cast(.integer(0), to: .string(name))
      return .undefined
    }
    switch kind {
    case .number: return .undefined
    case .integer: return .integer64
    case .double: return .double
    case .decimal: return .decimal
    case .boolean: return .boolean
    case .text: return .string
    case .date: return .date
    case .uuid: return .uuid
    case .uri: return .uri
    case .binary: return .binary
    }
  }
}
