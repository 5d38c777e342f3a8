import MergewalkObjectModel

/// A value of an attribute, or a part of a key, as the reference importer knows it: exact, and equal by content.
enum ReferenceValue: Hashable, CustomStringConvertible {
  case null
  case text([UInt8])
  case integer(Int64)
  case boolean(Bool)
  /// Digits without superfluous zeros.
  case decimal(String)
  case real(Double)
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  case uuid(String)
  case bytes([UInt8])

  init(text: String) { self = .text(Array(text.utf8)) }

  /// A decimal number without superfluous zeros; nil when the text is none.
  static func decimal(of text: String) -> (value: ReferenceValue, digits: Int)? {
    guard let match = ReferencePattern.scientific.match(text) else {
      return nil
    }
    guard !match.2.isEmpty || !(match.3 ?? "").isEmpty else { return nil }
    var digits = Array(String(match.2) + String(match.3 ?? ""))
    var exponent = Int(match.4 ?? "0") ?? 0
    exponent -= (match.3 ?? "").count
    while digits.count > 1, digits.first == "0" { digits.removeFirst() }
    while digits.count > 1, digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    if digits == ["0"] { return (.decimal("0"), 1) }
    let sign = match.1 == "-" ? "-" : ""
    return (.decimal(sign + String(digits) + (exponent == 0 ? "" : "e\(exponent)")), digits.count)
  }

  /// A value as the model has it, a default say.
  init(_ value: AttributeValue?) {
    switch value {
    case nil, .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .decimal(let number): self = Self.decimal(of: number.description)?.value ?? .null
    case .string(let text), .uri(let text): self = .text(Array(text.utf8))
    case .date(let seconds): self = .date(seconds)
    case .binary(let bytes): self = .bytes(bytes)
    case .uuid(let high, let low):
      let digits = [high, low].map { number in
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - text.count) + text
      }
      self = .uuid(digits.joined())
    }
  }

  /// Whether it names nothing as part of a key.
  var isEmpty: Bool { self == .null || self == .text([]) || self == .bytes([]) }

  var description: String {
    switch self {
    case .null: "null"
    case .text(let bytes): "“" + String(decoding: bytes, as: UTF8.self).unicodeScalars.map(Self.shown).joined() + "”"
    case .integer(let number): "\(number)"
    case .boolean(let value): "\(value)"
    case .decimal(let text): text + "d"
    case .real(let number): "\(number)"
    case .date(let seconds): "@\(seconds)"
    case .uuid(let digits): digits
    case .bytes(let bytes): bytes.count < 100 ? "\(bytes)" : "\(bytes.prefix(4)) of \(bytes.count) bytes"
    }
  }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    scalar.value >= 0x20 && scalar.value < 0x7F ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
  }
}
