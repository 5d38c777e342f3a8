import MergewalkBytes

/// URI references in the characters of RFC 3986.
enum URIText {
  /// Which bytes may stand anywhere in a URI: unreserved, reserved, and `%`.
  private static let allowed: InlineArray<256, Bool> = {
    var table = InlineArray<256, Bool>(repeating: false)
    for byte in UInt8(ascii: "a")...UInt8(ascii: "z") {
      table[Int(byte)] = true
      table[Int(byte) - 32] = true
    }
    let others: StaticString = "0123456789-._~:/?#[]@!$&'()*+,;=%"
    for index in 0..<others.utf8CodeUnitCount { table[Int(others.utf8Start[index])] = true }
    return table
  }()

  /// Checks that the text is a URI reference: absolute as `https://example.org/a`, or relative as `a/b?c`.
  ///
  /// Asked: only ASCII characters that URIs may have, `%` followed by two hexadecimal digits, at most one `#`,
  /// brackets only around the host, and a scheme of the right form before the first `:` of the first segment. Spaces
  /// and letters beyond ASCII must be percent-encoded. Hosts and ports are not looked at further.
  /// Source: RFC 3986, sections 2, 3.1, 4.1 and 4.2.
  ///
  /// - Throws: `uri` when the text has another form.
  static func check(_ bytes: FieldBytes) throws(ConversionFailureCode) {
    guard bytes.count > 0 else { throw .uri }
    try allowed.span.withUnsafeBufferPointer { (table) throws(ConversionFailureCode) in
      var index = 0
      var sawFragment = false
      var sawBracket = false
      while index < bytes.count {
        let byte = bytes[index]
        guard table[Int(byte)] else { throw .uri }
        if byte == UInt8(ascii: "%") {
          guard index + 2 < bytes.count, Hexadecimal.value(bytes[index + 1]) | Hexadecimal.value(bytes[index + 2]) <= 15
          else { throw .uri }
          index += 2
        } else if byte == UInt8(ascii: "#") {
          guard !sawFragment else { throw .uri }
          sawFragment = true
        } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
          sawBracket = true
        }
        index += 1
      }
      let rest = try schemeEnd(bytes)
      if sawBracket { try checkBrackets(bytes, from: rest) }
    }
  }

  /// The index behind the scheme's colon; 0 for a relative reference.
  private static func schemeEnd(_ bytes: FieldBytes) throws(ConversionFailureCode) -> Int {
    for index in bytes.indices {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return 0
      case UInt8(ascii: ":"):
        guard index > 0, bytes[0].isLetter else { throw .uri }
        for other in bytes[..<index] {
          let isMark = other == UInt8(ascii: "+") || other == UInt8(ascii: "-") || other == UInt8(ascii: ".")
          guard other.isLetter || other.isDigit || isMark else { throw .uri }
        }
        return index + 1
      default: break
      }
    }
    return 0
  }

  /// Brackets are for IP literals: one pair in the authority, `[` at its start or behind the user's `@`.
  private static func checkBrackets(_ bytes: FieldBytes, from start: Int) throws(ConversionFailureCode) {
    let slash = UInt8(ascii: "/")
    guard start + 2 < bytes.count, bytes[start] == slash, bytes[start + 1] == slash else { throw .uri }
    let authority = start + 2
    var end = authority
    while end < bytes.count, bytes[end] != slash, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") {
      end += 1
    }
    var open: Int?
    var close: Int?
    for index in authority..<bytes.count {
      if bytes[index] == UInt8(ascii: "[") {
        guard open == nil, index < end else { throw .uri }
        guard index == authority || bytes[index - 1] == UInt8(ascii: "@") else { throw .uri }
        open = index
      } else if bytes[index] == UInt8(ascii: "]") {
        guard let open, close == nil, index < end, index > open + 1 else { throw .uri }
        guard index + 1 == end || bytes[index + 1] == UInt8(ascii: ":") else { throw .uri }
        close = index
      }
    }
    guard close != nil else { throw .uri }
  }
}
