import MergewalkBytes
import MergewalkDiagnostics

/// Cuts a format string into tokens, byte by byte.
///
/// Nothing is copied: a token is a range of bytes, and its value is made when the parser asks for it.
struct FormatLexer {
  let bytes: [UInt8]
  private(set) var next = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The byte at an offset from the next one; 0 beyond the end.
  private func byte(_ offset: Int = 0) -> UInt8 { next + offset < bytes.count ? bytes[next + offset] : 0 }

  mutating func token() throws(FormatFailure) -> FormatToken {
    skipSpace()
    let start = next
    guard start < bytes.count else { return FormatToken(kind: .end, start: start, end: start) }
    let first = bytes[start]
    let kind: FormatToken.Kind
    if Self.isNameStart(first) {
      kind = try word()
    } else if first.isDigit {
      kind = try number()
    } else {
      switch first {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): kind = try string()
      case UInt8(ascii: "$"): kind = try name(.variable, "the name of a variable after $")
      case UInt8(ascii: "@"): kind = try name(.collectionOperator, "the name of an operator after @")
      case UInt8(ascii: "#"): kind = try escapedWord()
      case UInt8(ascii: "%"): kind = try placeholder()
      default: kind = try symbol(first)
      }
    }
    return FormatToken(kind: kind, start: start, end: next)
  }

  /// Whether the next byte that is no space is this one.
  func isFollowed(by character: Unicode.Scalar) -> Bool {
    var copy = self
    copy.skipSpace()
    return copy.byte() == UInt8(ascii: character)
  }

  /// Reads a number that begins with a point, which ``token()`` took for a token of its own.
  mutating func fraction(after dot: FormatToken) throws(FormatFailure) -> FormatToken? {
    guard next == dot.end, byte().isDigit else { return nil }
    next = dot.start
    try decimal()
    return FormatToken(kind: .number, start: dot.start, end: next)
  }

  // MARK: Bytes

  /// Letters, the underscore and everything outside ASCII.
  static func isNameStart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_")
      || ((byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z"))
  }

  static func isName(_ byte: UInt8) -> Bool { isNameStart(byte) || byte.isDigit }

  static func digitValue(_ byte: UInt8) -> UInt8 {
    if byte.isDigit { return byte - UInt8(ascii: "0") }
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z") ? lower - UInt8(ascii: "a") + 10 : .max
  }

  private mutating func skipSpace() {
    while next < bytes.count {
      switch bytes[next] {
      case 0x20, 0x09...0x0D: next += 1
      // U+00A0, which editors put in.
      case 0xC2 where byte(1) == 0xA0: next += 2
      default: return
      }
    }
  }

  private mutating func skipName() {
    while next < bytes.count, Self.isName(bytes[next]) {
      if bytes[next] == 0xC2, byte(1) == 0xA0 { return }
      next += 1
    }
  }

  // MARK: Words

  private mutating func word() throws(FormatFailure) -> FormatToken.Kind {
    let start = next
    if bytes[start] == 0xE2, byte(1) == 0x80, (0x98...0x9F).contains(byte(2)) {
      throw error(.syntax, "expected a straight quote (' or \"), found a typographic one", at: start)
    }
    skipName()
    if byte() == UInt8(ascii: ":"), byte(1) != UInt8(ascii: "=") {
      while byte() == UInt8(ascii: ":"), byte(1) != UInt8(ascii: "=") {
        next += 1
        skipName()
      }
      return .selector
    }
    let length = next - start
    guard length <= FormatWords.maximumLength else { return .word }
    if length == 3, byte() == UInt8(ascii: "-"), isText("uti", at: start) {
      for (suffix, kind) in [("-conforms-to", FormatToken.Kind.conformsTo), ("-equals", .equalsType)]
      where isText(suffix, at: next) {
        next += suffix.utf8.count
        return kind
      }
    }
    return FormatWords.kinds[lowercased(start..<next)] ?? .word
  }

  /// Whether ASCII text in lower case stands at a place, in any case.
  private func isText(_ text: String, at start: Int) -> Bool {
    guard start + text.utf8.count <= bytes.count else { return false }
    return zip(text.utf8, bytes[start...]).allSatisfy { $0 == $1 || (Self.isNameStart($0) && $0 == $1 | 0x20) }
  }

  private func lowercased(_ range: Range<Int>) -> String {
    String(unsafeUninitializedCapacity: range.count) { buffer in
      for (i, byte) in bytes[range].enumerated() {
        buffer[i] = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
      }
      return range.count
    }
  }

  /// Reads a name behind a mark of one byte.
  private mutating func name(_ kind: FormatToken.Kind, _ expected: String) throws(FormatFailure) -> FormatToken.Kind {
    let start = next
    next += 1
    guard Self.isNameStart(byte()) else { throw error(.syntax, "expected \(expected), found \(found())", at: start) }
    skipName()
    return kind
  }

  /// `#name`, or `#"any text"` for names that are not made of letters, digits and underscores.
  private mutating func escapedWord() throws(FormatFailure) -> FormatToken.Kind {
    if byte(1) == UInt8(ascii: "'") || byte(1) == UInt8(ascii: "\"") {
      next += 1
      _ = try string()
      return .escapedWord
    }
    return try name(.escapedWord, "a name after #")
  }

  // MARK: Values

  private mutating func string() throws(FormatFailure) -> FormatToken.Kind {
    let start = next
    let quote = bytes[start]
    var i = start + 1
    while i < bytes.count {
      let byte = bytes[i]
      if byte == quote {
        next = i + 1
        return .string
      }
      i += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    let mark = Unicode.Scalar(quote)
    throw error(.syntax, "expected \(mark) at the end of the text that begins here, found the end", at: start)
  }

  private mutating func number() throws(FormatFailure) -> FormatToken.Kind {
    let start = next
    if byte() == UInt8(ascii: "0"), let radix = Self.radix(byte(1)) {
      next += 2
      let digits = next
      while Self.digitValue(byte()) < radix { next += 1 }
      guard next > digits else {
        throw error(.syntax, "expected a digit of base \(radix), found \(found())", at: next)
      }
    } else {
      try decimal()
    }
    if Self.isName(byte()) {
      throw error(.syntax, "expected an operator or a space after a number, found \(found())", at: next)
    }
    guard next - start <= FormatParser.maximumNumberLength else {
      throw error(
        .tooLarge, "expected a number of at most \(FormatParser.maximumNumberLength) bytes, found \(next - start)",
        at: start)
    }
    return .number
  }

  static func radix(_ mark: UInt8) -> UInt8? {
    switch mark | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  private mutating func decimal() throws(FormatFailure) {
    while byte().isDigit { next += 1 }
    if byte() == UInt8(ascii: "."), byte(1).isDigit {
      next += 1
      while byte().isDigit { next += 1 }
    }
    guard byte() | 0x20 == UInt8(ascii: "e") else { return }
    next += 1
    if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { next += 1 }
    guard byte().isDigit else {
      throw error(.syntax, "expected the digits of an exponent, found \(found())", at: next)
    }
    while byte().isDigit { next += 1 }
  }

  /// `%@`, `%K` and printf's conversions with their length modifiers.
  private mutating func placeholder() throws(FormatFailure) -> FormatToken.Kind {
    let start = next
    next += 1
    while next < bytes.count, "hlqLztj".utf8.contains(bytes[next]) { next += 1 }
    let conversion = byte()
    let isPlain = next == start + 1
    guard "diuDUxXoOfFeEgGaAcCsS".utf8.contains(conversion) || (isPlain && "@K".utf8.contains(conversion)) else {
      throw error(
        .syntax, "expected @, K or one of printf's conversions after %, found \(found())", at: start,
        hint: conversion == UInt8(ascii: "%") || conversion == 0x20
          ? "the remainder of a division is modulus:by:(a, b)" : "write %@ for a value and %K for a key path")
    }
    next += 1
    return .placeholder
  }

  // MARK: Symbols

  private mutating func symbol(_ first: UInt8) throws(FormatFailure) -> FormatToken.Kind {
    func scalar(_ character: Unicode.Scalar) -> UInt8 { UInt8(ascii: character) }
    let second = byte(1)
    let pair: FormatToken.Kind? =
      switch (first, second) {
      case (scalar("="), scalar("=")): .equal
      case (scalar("!"), scalar("=")), (scalar("<"), scalar(">")): .notEqual
      case (scalar("<"), scalar("=")), (scalar("="), scalar("<")): .lessOrEqual
      case (scalar(">"), scalar("=")), (scalar("="), scalar(">")): .greaterOrEqual
      case (scalar("<"), scalar("<")): .leftShift
      case (scalar(">"), scalar(">")): .rightShift
      case (scalar("&"), scalar("&")): .and
      case (scalar("|"), scalar("|")): .or
      case (scalar("*"), scalar("*")): .power
      case (scalar(":"), scalar("=")): .assign
      default: nil
      }
    if let pair {
      next += 2
      return pair
    }
    let single: FormatToken.Kind? =
      switch first {
      case scalar("("): .leftParenthesis
      case scalar(")"): .rightParenthesis
      case scalar("{"): .leftBrace
      case scalar("}"): .rightBrace
      case scalar("["): .leftBracket
      case scalar("]"): .rightBracket
      case scalar(","): .comma
      case scalar("."): .dot
      case scalar("="): .equal
      case scalar("<"): .less
      case scalar(">"): .greater
      case scalar("!"): .not
      case scalar("+"): .plus
      case scalar("-"): .minus
      case scalar("*"): .times
      case scalar("/"): .divide
      case scalar("&"): .bitAnd
      case scalar("|"): .bitOr
      case scalar("^"): .bitXor
      case scalar("~"): .complement
      default: nil
      }
    guard let single else {
      throw error(
        .syntax, "expected a value, a name or an operator, found \(found())", at: next,
        hint: first == scalar("?") ? "write %@ for a value" : nil)
    }
    next += 1
    return single
  }

  // MARK: Errors

  /// The text at the next byte, for messages.
  private func found() -> String {
    guard next < bytes.count else { return "the end" }
    return "“\(Self.excerpt(bytes, next..<next + 1))”"
  }

  /// The text of some bytes, widened to whole characters and cut short, for messages.
  static func excerpt(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    var end = min(range.upperBound, range.lowerBound + 40, bytes.count)
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    let text = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
    return end < range.upperBound ? text + "…" : text
  }

  func error(
    _ code: PredicateError.Code, _ message: String, at offset: Int, hint: String? = nil
  ) -> FormatFailure {
    var line = 1
    var lineStart = 0
    for (i, byte) in bytes[..<min(offset, bytes.count)].enumerated() where byte == UInt8(ascii: "\n") {
      line += 1
      lineStart = i + 1
    }
    let position = SourcePosition(line: line, column: offset - lineStart + 1, byteOffset: offset)
    return .failed(PredicateError(code, message, position: position, hint: hint))
  }
}

/// A ``PredicateError`` on its way out of the parser.
///
/// It is one word, where an error takes eleven: functions that call themselves have a slot for an error at every call,
/// and without optimisation those slots would make up most of the stack.
indirect enum FormatFailure: Error {
  case failed(PredicateError)

  var error: PredicateError {
    switch self {
    case .failed(let error): error
    }
  }
}
