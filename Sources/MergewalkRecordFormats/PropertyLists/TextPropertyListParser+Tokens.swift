import MergewalkBytes

/// Strings, data and typed values of OpenStep text.
extension TextPropertyListParser {
  private func begin() {
    tokenStart = cursor.offset
    // It may be a record by itself, or begin one.
    text.held = text.tree.wantsNext ? tokenStart : nil
    token.removeAll(keepingCapacity: true)
    isTokenLong = false
    tokenFault = nil
  }

  private func append(_ byte: UInt8) {
    if token.count < maxRecordBytes { token.append(byte) } else { isTokenLong = true }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    let room = maxRecordBytes - token.count
    token.append(contentsOf: bytes.prefix(max(0, room)))
    if bytes.count > room { isTokenLong = true }
  }

  private func fault(_ code: RecordError.Code, _ offset: Int, _ message: String) {
    if tokenFault == nil { tokenFault = (code, offset, message) }
  }

  /// Ends a string: holds its bytes against UTF-8.
  private func finish() {
    if isTokenLong {
      tokenFault = (.recordTooLong, tokenStart, RecordError.tooLong("a string", maxRecordBytes))
    } else if token.withUnsafeBytes({ !$0.isUTF8 }) {
      fault(.invalidText, tokenStart, "the string has bytes that are not text in the file's encoding")
    }
  }

  // MARK: Strings

  /// Reads a string, quoted or not.
  ///
  /// - Returns: how it was written.
  @discardableResult
  func readToken(expected: String) throws(ReadError) -> FieldState {
    begin()
    let first = try cursor.peek()
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      cursor.skip()
      try readQuoted(UInt8(first))
      return .quoted
    }
    guard first >= 0, Self.isPlain(UInt8(first)) else { throw unexpected(expected) }
    while case let byte = try cursor.peek(), byte >= 0, Self.isPlain(UInt8(byte)) {
      append(UInt8(byte))
      cursor.skip()
      append(cursor.run { Self.isPlain($0) })
    }
    finish()
    return .text
  }

  /// Whether a byte may stand in a string without quotes.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "+"):
      true
    default: byte.isLetter || byte.isDigit
    }
  }

  private func readQuoted(_ quote: UInt8) throws(ReadError) {
    var high: UInt32?
    while true {
      if high == nil { append(cursor.run { $0 != quote && $0 != UInt8(ascii: "\\") && $0 != 0 }) }
      let at = cursor.offset
      let next = try cursor.peek()
      guard next >= 0 else { throw text.damage(tokenStart, "the string that begins here is not closed") }
      let byte = UInt8(next)
      cursor.skip()
      var unit: UInt32?
      if byte == UInt8(ascii: "\\") { unit = try readEscape(at) }
      // Two escapes may make one character.
      if let first = high {
        high = nil
        if let low = unit, low & 0xFC00 == 0xDC00 {
          appendScalar(0x10000 + (first & 0x3FF) << 10 + (low & 0x3FF))
          continue
        }
        fault(.loneSurrogate, at, "half of a surrogate pair before this place")
      }
      if let unit {
        if unit & 0xFC00 == 0xD800 {
          high = unit
        } else if unit & 0xFC00 == 0xDC00 {
          fault(.loneSurrogate, at, "half of a surrogate pair")
        } else {
          appendScalar(unit)
        }
      } else if byte == quote {
        return finish()
      } else {
        if byte == 0 { fault(.nulByte, at, "a NUL byte") }
        append(byte)
      }
    }
  }

  private func appendScalar(_ scalar: UInt32) {
    if token.count < maxRecordBytes {
      PropertyListScalars.append(scalar: scalar, to: &token)
    } else {
      isTokenLong = true
    }
  }

  /// Reads an escape behind its backslash and returns the character, or half of one.
  private func readEscape(_ start: Int) throws(ReadError) -> UInt32 {
    let next = try cursor.peek()
    guard next >= 0 else { throw text.damage(tokenStart, "the string that begins here is not closed") }
    cursor.skip()
    switch UInt8(next) {
    case UInt8(ascii: "a"): return 7
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "v"): return 11
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "U"), UInt8(ascii: "u"):
      var value: UInt32 = 0
      for _ in 0..<4 {
        let byte = try cursor.peek()
        let digit = byte < 0 ? .max : Hexadecimal.value(UInt8(byte))
        guard digit <= 15 else {
          throw unexpected("a hexadecimal digit, four of which follow \\U,")
        }
        value = value << 4 | UInt32(digit)
        cursor.skip()
      }
      return value
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var value = UInt32(next) - 0x30
      for _ in 0..<2 {
        guard case let byte = try cursor.peek(), (0x30...0x37).contains(byte) else { break }
        value = value << 3 | UInt32(byte & 7)
        cursor.skip()
      }
      if value <= 0xFF, let scalar = NextStepText.scalar(UInt8(value)) { return scalar }
      fault(.invalidText, start, "an octal escape that is not a character of NeXTSTEP's encoding")
      return 0x3F
    default:
      // Of a character of several bytes, the others follow as they are.
      return next < 0x80 ? UInt32(next) : try readRest(of: UInt8(next), start)
    }
  }

  /// Reads the bytes behind the first one of a character that was escaped without need, and returns the character.
  private func readRest(of first: UInt8, _ start: Int) throws(ReadError) -> UInt32 {
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    var bytes = [first]
    for _ in 0..<count {
      guard case let byte = try cursor.peek(), (0x80...0xBF).contains(byte) else { break }
      bytes.append(UInt8(byte))
      cursor.skip()
    }
    if let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first {
      return scalar.value
    }
    fault(.invalidText, start, "bytes that are not text in the file's encoding")
    return 0x3F
  }

  // MARK: Brackets

  /// Reads data or a typed value, which begin with “<”.
  func readBracket() throws(ReadError) -> FieldState {
    begin()
    cursor.skip()
    switch try cursor.peek() {
    case Int(UInt8(ascii: "*")):
      cursor.skip()
      return try readTyped()
    case Int(UInt8(ascii: "[")):
      cursor.skip()
      var digits: [UInt8] = []
      try readBytes(until: UInt8(ascii: "]"), into: &digits)
      guard try cursor.peek() == UInt8.closeBracket else { throw unexpected("“>” after “]”") }
      cursor.skip()
      if !digits.withUnsafeBytes({ PropertyListScalars.base64($0, to: &token) }) {
        throw text.damage(tokenStart, "the data that begins here is not base64")
      }
    default:
      var digits: [UInt8] = []
      try readBytes(until: .closeBracket, into: &digits)
      guard let data = Hexadecimal.decode(digits) else {
        throw text.damage(tokenStart, "the data that begins here is not hexadecimal digits in pairs")
      }
      data.withUnsafeBytes { token.append(base64: $0) }
    }
    if isTokenLong { tokenFault = (.recordTooLong, tokenStart, RecordError.tooLong("data", maxRecordBytes)) }
    return .text
  }

  private func readBytes(until end: UInt8, into bytes: inout [UInt8]) throws(ReadError) {
    while true {
      let next = try cursor.peek()
      guard next >= 0 else { throw text.damage(tokenStart, "the data that begins here is not closed") }
      cursor.skip()
      if next == end { return }
      if UInt8(next).isSpace { continue }
      if bytes.count < 2 * maxRecordBytes { bytes.append(UInt8(next)) } else { isTokenLong = true }
      let run = cursor.run { $0 != end && !$0.isSpace }
      let room = 2 * maxRecordBytes - bytes.count
      bytes.append(contentsOf: run.prefix(max(0, room)))
      if run.count > room { isTokenLong = true }
    }
  }

  /// Reads what follows `<*`: `I5`, `R0.5`, `BY`, `BN`, `D2002-03-22 11:30:00 +0100`, perhaps with quotes around the value.
  private func readTyped() throws(ReadError) -> FieldState {
    let type = try cursor.peek()
    guard type >= 0 else { throw unexpected("the letter of a type") }
    cursor.skip()
    var value: [UInt8] = []
    while true {
      let next = try cursor.peek()
      guard next >= 0, value.count < 1000 else {
        throw text.damage(tokenStart, "the value that begins here is not closed")
      }
      cursor.skip()
      if next == UInt8.closeBracket { break }
      value.append(UInt8(next))
    }
    if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
      value = Array(value.dropFirst().dropLast())
    }
    let state: FieldState? = value.withUnsafeBytes { value in
      switch UInt8(type) {
      case UInt8(ascii: "I"): return PropertyListScalars.integer(value, to: &token) ? .number : nil
      case UInt8(ascii: "R"):
        return PropertyListScalars.real(value, to: &token).map { $0 ? .number : .text }
      case UInt8(ascii: "B"):
        let isTrue = value.elementsEqual("Y".utf8)
        token.append(contentsOf: isTrue ? "true".utf8 : "false".utf8)
        return isTrue ? .true : value.elementsEqual("N".utf8) ? .false : nil
      case UInt8(ascii: "D"): return Self.date(value, to: &token) ? .text : nil
      default: return nil
      }
    }
    guard let state else { throw text.damage(tokenStart, "the typed value that begins here is invalid") }
    if type == UInt8(ascii: "D"), !value.withUnsafeBytes({ PropertyListScalars.isInCalendar($0) }) {
      fault(.invalidScalar, tokenStart, "there is no such day or time")
    }
    return state
  }

  /// Appends `2002-03-22 11:30:00 +0100` as ISO 8601 has it; false when the text is not written so.
  private static func date(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
    let pattern: StaticString = "0000-00-00 00:00:00 +0000"
    guard text.count == pattern.utf8CodeUnitCount else { return false }
    for i in 0..<text.count {
      let wanted = pattern.utf8Start[i]
      switch wanted {
      case UInt8(ascii: "0"): if !text[i].isDigit { return false }
      case UInt8(ascii: "+"): if text[i] != wanted, text[i] != UInt8(ascii: "-") { return false }
      default: if text[i] != wanted { return false }
      }
    }
    output.append(contentsOf: text[..<10])
    output.append(UInt8(ascii: "T"))
    output.append(contentsOf: text[11..<19])
    if text[21...].allSatisfy({ $0 == UInt8(ascii: "0") }) {
      output.append(UInt8(ascii: "Z"))
    } else {
      output.append(contentsOf: text[20..<23])
      output.append(UInt8(ascii: ":"))
      output.append(contentsOf: text[23...])
    }
    return true
  }
}
