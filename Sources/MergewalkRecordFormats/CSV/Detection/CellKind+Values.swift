import MergewalkBytes

extension CellKind {
  /// A number as people write it: signs, points and commas, an exponent, a percent sign or a currency.
  static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var i = 0
    var end = text.count
    if end > 40 { return false }
    // A currency before or behind the digits: `$`, `€` (E2 82 xx), `£` and `¥` (C2 xx).
    func currency(at i: Int) -> Int {
      if i < end, text[i] == UInt8(ascii: "$") { return 1 }
      if i + 1 < end, text[i] == 0xC2, text[i + 1] == 0xA3 || text[i + 1] == 0xA5 { return 2 }
      if i + 2 < end, text[i] == 0xE2, text[i + 1] == 0x82 { return 3 }
      return 0
    }
    func skipSign() { if i < end, text[i] == UInt8(ascii: "-") || text[i] == UInt8(ascii: "+") { i += 1 } }
    skipSign()
    let prefix = currency(at: i)
    i += prefix
    if prefix > 0 {
      while i < end, text[i] == 32 { i += 1 }
      skipSign()
    }
    if end > i, text[end - 1] == UInt8(ascii: "%") {
      end -= 1
    } else if i == 0, end > 1, text[end - 1] == UInt8(ascii: "-"), text[end - 2].isDigit {
      // Business software writes the sign of negative numbers behind them.
      end -= 1
    } else {
      for length in 1...3 where end - length > i && currency(at: end - length) == length { end -= length }
    }
    while end > i, text[end - 1] == 32 { end -= 1 }
    // Groups of digits between separators.
    var separators = 0
    var last: UInt8 = 0
    var group = 0
    var digits = 0
    var isGrouped = true
    var hasPairs = false
    while i < end {
      let byte = text[i]
      if byte.isDigit {
        group += 1
        digits += 1
      } else if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "'") {
        // Behind a separator, and before another, stand three digits; another kind of separator ends that. In India, two
        // digits stand there, but three behind the last comma.
        let isPair = group == 2 && byte == UInt8(ascii: ",") && last == byte
        hasPairs = hasPairs || isPair
        if separators > 0, (group != 3 && !isPair) || (last != byte && !isGrouped) { return false }
        if separators == 0, group > 3 || group == 0 { isGrouped = false }
        if separators > 0, last != byte { isGrouped = false }
        if separators > 0, last == byte, !isGrouped { return false }
        separators += 1
        last = byte
        group = 0
      } else {
        break
      }
      i += 1
    }
    if digits == 0 || (hasPairs && last == UInt8(ascii: ",") && group != 3) { return false }
    if i == end { return true }
    guard text[i] | 0x20 == UInt8(ascii: "e"), i > 0, text[i - 1].isDigit || separators > 0 else { return false }
    i += 1
    skipSign()
    let exponent = i
    while i < end, text[i].isDigit { i += 1 }
    return i == end && i > exponent && i - exponent <= 4
  }

  /// A date in digits, or with a month's name, perhaps with a time behind it.
  static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 6, text.count <= 40, text[0].isDigit else { return false }
    var i = 0
    func digits() -> Int {
      let start = i
      while i < text.count, text[i].isDigit { i += 1 }
      return i - start
    }
    let first = digits()
    guard first >= 1, first <= 4, first != 3, i < text.count else { return false }
    let separator = text[i]
    guard [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."), 32].contains(separator) else { return false }
    i += 1
    let letters = i
    while i < text.count, text[i].isLetter, i - letters < 10 { i += 1 }
    if i > letters {
      if i - letters < 3 { return false }
    } else {
      let second = digits()
      if second < 1 || second > 2 || separator == 32 { return false }
    }
    guard i < text.count, text[i] == separator || text[i] == 32 else { return false }
    i += 1
    let third = digits()
    guard third >= 1, third <= 4, third != 3, first > 2 || third != 3 else { return false }
    if i == text.count { return true }
    guard text[i] == 32 || text[i] | 0x20 == UInt8(ascii: "t") else { return false }
    return isTime(UnsafeBufferPointer(rebasing: text[(i + 1)...]))
  }

  /// `12:30`, `12:30:00.5`, `1:30 PM`, perhaps with a zone.
  static func isTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 4, text.count <= 30, text[0].isDigit else { return false }
    var i = 0
    func digits(_ most: Int) -> Int {
      let start = i
      while i < text.count, i - start < most, text[i].isDigit { i += 1 }
      return i - start
    }
    guard digits(2) > 0 else { return false }
    var parts = 1
    while parts < 3, i < text.count, text[i] == UInt8(ascii: ":") {
      i += 1
      if digits(2) != 2 { return false }
      parts += 1
    }
    if parts < 2 { return false }
    if parts == 3, i < text.count, text[i] == UInt8(ascii: ".") || text[i] == UInt8(ascii: ",") {
      i += 1
      if digits(9) == 0 { return false }
    }
    if i < text.count, text[i] == 32 { i += 1 }
    let rest = text[i...]
    if rest.isEmpty { return true }
    if rest.count == 1 { return rest.first.map { $0 | 0x20 == UInt8(ascii: "z") } ?? false }
    if rest.count == 2, rest[i + 1] | 0x20 == UInt8(ascii: "m") {
      return rest[i] | 0x20 == UInt8(ascii: "a") || rest[i] | 0x20 == UInt8(ascii: "p")
    }
    // An offset, or the name of a zone.
    if rest[i] == UInt8(ascii: "+") || rest[i] == UInt8(ascii: "-") {
      return rest.dropFirst().allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") } && rest.count <= 6
    }
    return rest.count <= 4 && rest.allSatisfy(\.isLetter)
  }

  /// A URL, an e-mail address or an IP address.
  static func isAddress(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count < 6 || text.contains(32) || text.contains(9) { return false }
    if text[0].isDigit, text.count <= 15 {
      let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      if parts.count == 4, parts.allSatisfy({ (1...3).contains($0.count) && $0.allSatisfy(\.isDigit) }) { return true }
    }
    if let at = text.firstIndex(of: UInt8(ascii: "@")), at > 0 {
      let domain = text[(at + 1)...]
      let isName = text[..<at].allSatisfy {
        isWordByte($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+")].contains($0)
      }
      let isDomain = domain.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
      return isName && isDomain && domain.contains(UInt8(ascii: ".")) && domain.last != UInt8(ascii: ".")
    }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon >= 2, colon + 3 < text.count else {
      return text.starts(with: "www.".utf8) && !text.contains { [UInt8(ascii: ";"), UInt8(ascii: "|")].contains($0) }
    }
    guard text[..<colon].allSatisfy(\.isLetter), text[colon + 1] == UInt8(ascii: "/"),
      text[colon + 2] == UInt8(ascii: "/")
    else { return false }
    // What encloses or separates is no part of a URL that stands alone; a second one is a second field.
    var schemes = 0
    for i in text.indices.dropLast(2)
    where text[i] == UInt8(ascii: ":") && text[i + 1] == UInt8(ascii: "/") && text[i + 2] == UInt8(ascii: "/") {
      schemes += 1
    }
    let foreign: [UInt8] = [
      UInt8(ascii: "\""), UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: "^"), UInt8(ascii: ","),
    ]
    return schemes == 1 && !text.contains { foreign.contains($0) }
  }
}
