import MergewalkRecordFormats
import MergewalkYAML

/// Numbers in texts that are none as they stand: with a unit (`0,12 €`, `5%`), in parentheses or with the minus behind where
/// they are negative, with the blanks and apostrophes of print between groups of digits.
struct DressedNumbers {
  /// The unit, with the blanks beside it; empty when there is none.
  private(set) var unit = ""
  /// The unit without these blanks.
  private var name: String { unit.filter { !$0.isWhitespace } }
  private var isBefore = false
  /// Whether some have no unit.
  private var isBare = false
  private var hasParentheses = false
  private var hasMinusBehind = false
  private var hasPrintedBlanks = false
  private var hasPrintedApostrophes = false
  /// The numbers as the steps leave them.
  private(set) var numbers = ColumnProfile()

  /// Looks at texts; nil when one of them is no such number, or has another unit than the others.
  init?(_ texts: [String]) {
    if texts.isEmpty { return nil }
    for text in texts where !take(text) { return nil }
  }

  private mutating func take(_ text: String) -> Bool {
    guard text.utf8.count <= 40, let start = text.firstIndex(where: Self.isDigit),
      let end = text.lastIndex(where: Self.isDigit)
    else { return false }
    func around(_ part: Substring) -> String { String(part.lazy.filter { !"()+-".contains($0) }) }
    let (before, behind) = (around(text[..<start]), around(text[text.index(after: end)...]))
    let found = before + behind
    guard before.isEmpty || behind.isEmpty, found.count <= 8, !found.contains(where: { ",;|\t\n\"'<>{}".contains($0) })
    else { return false }
    var number = text
    if found.isEmpty {
      isBare = true
    } else {
      guard unit.isEmpty || unit == found, found.contains(where: { !$0.isWhitespace }) else { return false }
      (unit, isBefore) = (found, !before.isEmpty)
      number = text.split(separator: found, omittingEmptySubsequences: false).joined()
    }
    if number.hasPrefix("("), number.hasSuffix(")") {
      hasParentheses = true
      number = "-" + number.dropFirst().dropLast()
    } else if number.hasSuffix("-"), let last = number.dropLast().last, Self.isDigit(last) {
      hasMinusBehind = true
      number = "-" + number.dropLast()
    }
    let plain = String(
      number.map { character -> Character in
        switch character {
        case "\u{A0}", "\u{2007}", "\u{2009}", "\u{202F}":
          hasPrintedBlanks = true
          return " "
        case "\u{2019}":
          hasPrintedApostrophes = true
          return "'"
        default: return character
        }
      })
    return Array(plain.utf8).withUnsafeBufferPointer { bytes -> Bool in
      guard !bytes.isEmpty, !NumberShape(bytes).forms.isEmpty else { return false }
      numbers.add(.text, UnsafeRawBufferPointer(bytes), isTyped: false)
      return true
    }
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  /// Whether no person needs to say that these are numbers: letters before digits are rather part of a code.
  var areLikely: Bool {
    if name.isEmpty { return hasParentheses || hasMinusBehind || hasPrintedBlanks || hasPrintedApostrophes }
    if Self.currencies.contains(name) { return true }
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .currencySymbol }) { return true }
    // A minus between digits and letters is part of a code, too: `15-X`.
    return !isBefore && !isBare && !hasMinusBehind && name.count <= 5
      && name.allSatisfy { $0.isLetter || "%‰°/²³".contains($0) }
  }

  private static let currencies: Set<String> = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY",
    "RUB", "UAH", "CAD", "AUD", "NZD", "INR", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "Fr.", "kr", "kr.", "Rs", "Rs.",
    "zł", "Kč",
  ]

  /// The steps that make numbers of them, as a pipeline has them.
  var steps: [String] {
    var steps: [String] = []
    if !unit.isEmpty { steps.append("{ replace: { text: \(YAMLText.quoted(unit)), with: \"\" } }") }
    if hasParentheses { steps.append("{ replace: { pattern: '^\\((.*)\\)$', with: '-$1' } }") }
    if hasMinusBehind { steps.append("{ replace: { pattern: '^(.*)-$', with: '-$1' } }") }
    if hasPrintedBlanks {
      steps.append("{ replace: { pattern: \"[\\u00A0\\u2007\\u2009\\u202F]\", with: \" \" } }")
    }
    if hasPrintedApostrophes { steps.append("{ replace: { text: \"\\u2019\", with: \"'\" } }") }
    return steps
  }

  /// The effect of the steps on a value, in words.
  var note: String {
    [
      unit.isEmpty ? nil : "without “\(name)”", hasParentheses ? "(5) is -5" : nil,
      hasMinusBehind ? "5- is -5" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
