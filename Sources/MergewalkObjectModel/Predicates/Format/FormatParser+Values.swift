/// Literals and arguments.
extension FormatParser {
  /// Reads the number at the next token; integers beyond 64 bits become binary64.
  mutating func number(isNegative: Bool, at start: Int) throws(FormatFailure) -> Node {
    let bytes = lexer.bytes[token.start..<token.end]
    let radix =
      bytes.count > 2 && bytes.first == UInt8(ascii: "0") ? FormatLexer.radix(bytes[bytes.startIndex + 1]) : nil
    let value: AttributeValue
    if let integer = Self.integer(radix == nil ? bytes : bytes.dropFirst(2), radix ?? 10, isNegative) {
      value = .integer(integer)
    } else if isExact, radix == nil, let decimal = DecimalNumber(bytes) {
      let sign: Int128 = isNegative ? -1 : 1
      value = .decimal(DecimalNumber(significand: sign * decimal.significand, exponent: decimal.exponent))
    } else {
      let digits = radix == nil ? bytes : bytes.dropFirst(2)
      let number =
        radix.map { radix in digits.reduce(0) { $0 * Double(radix) + Double(FormatLexer.digitValue($1)) } }
        ?? Double(text(token.start..<token.end)) ?? .infinity
      guard number.isFinite else {
        throw error(.syntax, "expected a number below 1.8e308, found \(found())", at: token.start)
      }
      value = .double(isNegative ? -number : number)
    }
    try advance()
    return try node(.constant(.attribute(value)), at: start)
  }

  /// The value of digits; `nil` when it is beyond 64 bits or there is a point or an exponent.
  private static func integer(_ digits: ArraySlice<UInt8>, _ radix: UInt8, _ isNegative: Bool) -> Int64? {
    var magnitude: UInt64 = 0
    for byte in digits {
      let digit = FormatLexer.digitValue(byte)
      guard digit < radix else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: UInt64(radix))
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      magnitude = sum
    }
    if isNegative { return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  // MARK: Texts

  /// The value of a text in quotation marks.
  func string(_ range: Range<Int>) throws(FormatFailure) -> String {
    let bytes = lexer.bytes
    let content = range.lowerBound + 1..<range.upperBound - 1
    guard bytes[content].contains(UInt8(ascii: "\\")) else { return text(content) }
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var i = content.lowerBound
    while i < content.upperBound {
      guard bytes[i] == UInt8(ascii: "\\") else {
        result.append(bytes[i])
        i += 1
        continue
      }
      let start = i
      i += 1
      guard let simple = Self.simpleEscape(bytes[i]) else {
        result += try codeEscape(&i, content.upperBound, at: start)
        continue
      }
      result.append(simple)
      i += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The character that a byte behind a backslash stands for, or `nil` when a code follows.
  ///
  /// Bytes without a meaning stand for themselves.
  private static func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "0")...UInt8(ascii: "7"): nil
    default: byte
    }
  }

  /// `\xXX`, `\uXXXX` (two of them for a pair of surrogates), `\UXXXXXXXX` or `\ooo`.
  private func codeEscape(_ i: inout Int, _ end: Int, at start: Int) throws(FormatFailure) -> [UInt8] {
    var code: UInt32
    switch lexer.bytes[i] {
    case UInt8(ascii: "x"): code = try digits(&i, end, 1...2, at: start)
    case UInt8(ascii: "u"):
      code = try digits(&i, end, 4...4, at: start)
      if 0xD800...0xDBFF ~= code, i + 1 < end, lexer.bytes[i] == UInt8(ascii: "\\"),
        lexer.bytes[i + 1] == UInt8(ascii: "u")
      {
        i += 1
        let low = try digits(&i, end, 4...4, at: start)
        code = 0xDC00...0xDFFF ~= low ? 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) : code
      }
    case UInt8(ascii: "U"): code = try digits(&i, end, 8...8, at: start)
    default:
      code = 0
      let limit = min(end, i + 3)
      while i < limit, lexer.bytes[i] >= UInt8(ascii: "0"), lexer.bytes[i] <= UInt8(ascii: "7") {
        code = code * 8 + UInt32(lexer.bytes[i] - UInt8(ascii: "0"))
        i += 1
      }
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw error(.syntax, "expected a Unicode scalar, found the code \(String(code, radix: 16))", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  private func digits(
    _ i: inout Int, _ end: Int, _ count: ClosedRange<Int>, at start: Int
  ) throws(FormatFailure) -> UInt32 {
    i += 1
    var code: UInt32 = 0
    var seen = 0
    while i < end, seen < count.upperBound, FormatLexer.digitValue(lexer.bytes[i]) < 16 {
      code = code << 4 | UInt32(FormatLexer.digitValue(lexer.bytes[i]))
      i += 1
      seen += 1
    }
    guard seen >= count.lowerBound else {
      throw error(.syntax, "expected \(count.lowerBound) hexadecimal digits after the escape, found \(seen)", at: start)
    }
    return code
  }

  // MARK: Arguments

  /// The value that a placeholder stands for; `%@` takes any, printf's conversions ask for a kind.
  func converted(_ value: ConstantValue, _ placeholder: FormatToken) throws(FormatFailure) -> ConstantValue {
    let value = value.withoutBooleans
    switch lexer.bytes[placeholder.end - 1] {
    case UInt8(ascii: "@"): return value
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
      UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
      switch value {
      case .attribute(.double): return value
      case .attribute(.integer(let number)): return .attribute(.double(Double(number)))
      default: throw kindError("a number", placeholder)
      }
    case UInt8(ascii: "s"), UInt8(ascii: "S"):
      guard case .attribute(.string) = value else { throw kindError("a text", placeholder) }
      return value
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      switch value {
      case .attribute(.integer(let code)):
        guard let code = UInt32(exactly: code), let scalar = Unicode.Scalar(code) else { break }
        return .attribute(.string(String(Character(scalar))))
      case .attribute(.string(let text)) where text.count == 1: return value
      default: break
      }
      throw kindError("a character", placeholder)
    default:
      switch value {
      case .attribute(.integer): return value
      case .attribute(.double(let number)):
        // Only unsigned numbers beyond 63 bits come here as binary64.
        guard number == number.rounded(), number >= -0x1p63, number < 0x1p64 else { break }
        return .attribute(Int64(exactly: number).map(AttributeValue.integer) ?? .double(number))
      default: break
      }
      throw kindError("a whole number", placeholder)
    }
  }

  private func kindError(_ expected: String, _ placeholder: FormatToken) -> FormatFailure {
    let text = text(placeholder.start..<placeholder.end)
    return error(
      .argumentType, "expected \(expected) for “\(text)”, found another value", at: placeholder.start,
      hint: "%@ takes a value of any kind")
  }

  /// Checks the size of an argument and gives the number of levels inside it.
  mutating func constantDepth(_ value: ConstantValue, at start: Int) throws(FormatFailure) -> Int {
    var depth = 0
    var level = [value]
    while !level.isEmpty {
      var below: [ConstantValue] = []
      for value in level {
        switch value {
        case .attribute, .objectID: continue
        case .collection(let elements): below += elements
        case .dictionary(let values): below += values.values
        }
      }
      if !below.isEmpty { depth += 1 }
      try checkDepth(depth + 1, at: start)
      level = below
    }
    return depth
  }
}

extension ConstantValue {
  /// The value with the numbers 1 and 0 for true and false, which they are in this language and in print.
  var withoutBooleans: ConstantValue {
    switch self {
    case .attribute(.boolean(let value)): return .attribute(.integer(value ? 1 : 0))
    case .attribute, .objectID: return self
    case .collection(let elements):
      return elements.contains(where: \.hasBooleans) ? .collection(elements.map(\.withoutBooleans)) : self
    case .dictionary(let values):
      return values.values.contains(where: \.hasBooleans) ? .dictionary(values.mapValues(\.withoutBooleans)) : self
    }
  }

  private var hasBooleans: Bool {
    switch self {
    case .attribute(.boolean): true
    case .attribute, .objectID: false
    case .collection(let elements): elements.contains(where: \.hasBooleans)
    case .dictionary(let values): values.values.contains(where: \.hasBooleans)
    }
  }
}
