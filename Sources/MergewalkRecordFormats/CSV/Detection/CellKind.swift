import MergewalkBytes

enum CellKind: UInt8 {
  case empty
  case number
  case date
  case time
  case boolean
  /// A URL, an e-mail address or an IP address.
  case address
  /// A text that often stands for a missing value, such as `N/A`.
  case missing
  /// One word, or an identifier such as `MG-8769`.
  case word
  /// Words.
  case text
  /// Words with a comma, semicolon or colon and a blank behind it.
  case prose
  /// Text with what separates fields elsewhere, a quote or a control character.
  case odd

  /// Whether it is more than some text.
  var isTyped: Bool {
    switch self {
    case .number, .date, .time, .boolean, .address: true
    default: false
    }
  }

  /// Whether it could be the name of a column: it is there, and no number, date or the like.
  var couldBeName: Bool { self != .empty && self != .missing && !isTyped }

  /// How much such a cell speaks for the way it was split, from 0 to 1.
  var credit: Double {
    switch self {
    case .number, .date, .time, .boolean, .address, .missing: 1
    case .empty: 0.92
    case .word: 0.95
    case .text: 0.88
    case .prose: 0.7
    case .odd: 0.2
    }
  }

  /// The kind of the text, blanks around it aside.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int, _ to: Int) {
    var start = from
    var end = to
    while start < end, bytes[start].isBlank { start += 1 }
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    if start == end {
      self = .empty
      return
    }
    let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
    if Self.isNumber(text) {
      self = .number
    } else if Self.isDate(text) {
      self = .date
    } else if Self.isTime(text) {
      self = .time
    } else if Self.isOneOf(text, Self.booleans) {
      self = .boolean
    } else if Self.isOneOf(text, Self.missingWords) {
      self = .missing
    } else if Self.isAddress(text) {
      self = .address
    } else {
      self = Self.words(text)
    }
  }

  static let booleans: [[UInt8]] = ["true", "false", "yes", "no"].map { Array($0.utf8) }
  /// In lower case.
  static let missingWords: [[UInt8]] = [
    "null", "\\n", "na", "n/a", "#n/a", "nan", "none", "nil", "-", "--", "?", ".", "(null)", "<null>", "#na",
  ].map { Array($0.utf8) }

  /// A letter, a digit or a byte of a character beyond ASCII.
  static func isWordByte(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isDigit || byte.isLetter }

  private static func isOneOf(_ text: UnsafeBufferPointer<UInt8>, _ words: [[UInt8]]) -> Bool {
    if text.count > 6 { return false }
    return words.contains { word in
      word.count == text.count && zip(word, text).allSatisfy { $0 == $1.lowercased }
    }
  }

  /// Text of any other kind.
  private static func words(_ text: UnsafeBufferPointer<UInt8>) -> CellKind {
    var isWord = true
    var isProse = false
    // A character that separates fields elsewhere, twice in a cell, is suspicious.
    var marks = 0
    for (i, byte) in text.enumerated() {
      if isWordByte(byte) { continue }
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "+"),
        UInt8(ascii: "'"):
        // A word in single quotes is a quoted field that was not taken for one.
        if byte == UInt8(ascii: "'"), i == 0, text.count > 1, text[text.count - 1] == byte { return .odd }
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"):
        isWord = false
        let next = i + 1 < text.count ? text[i + 1] : 0
        if next == 32 || next == 10 || next == 13 || (byte == UInt8(ascii: ":") && marks == 0) {
          isProse = true
          if next > 32 { marks += 1 }
        } else {
          return .odd
        }
      case UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "$"),
        UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "*"):
        let isTight = i > 0 && i + 1 < text.count && text[i - 1] > 32 && text[i + 1] > 32
        if isTight { marks += 1 }
        if marks > 1 { return .odd }
      case UInt8(ascii: "|"), UInt8(ascii: "\""), UInt8(ascii: "^"), UInt8(ascii: "~"), 9: return .odd
      case 10, 13, 32: isWord = false
      default:
        if byte < 32 || byte == 127 { return .odd }
        isWord = false
      }
    }
    return isProse ? .prose : isWord ? .word : .text
  }
}
