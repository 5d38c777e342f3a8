/// Proposes a pattern for dates that are written neither in digits with marks between them nor as ISO 8601 has it.
enum DatePatternProposal {
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// The value of `date`, or other advice, that all values fit; `nil` when they tell nothing.
  ///
  /// - Parameter values: for each value the texts that it may be.
  static func text(_ values: [[String]]) -> String? {
    guard let found = pattern(values) else { return nil }
    if found == "excel" {
      return "these are day numbers of a spreadsheet: format the column as dates of the form yyyy-mm-dd there"
    }
    let isQuoted = found.contains(": ") || found.contains(", ")
    return "the dates look like “date: \(isQuoted ? "\"\(found)\"" : found)”"
  }

  /// The pattern that all values fit, `unix`, `unix_ms` or `excel`; `nil` when there is none.
  static func pattern(_ values: [[String]]) -> String? {
    var found: String?
    for texts in values {
      guard let next = texts.lazy.compactMap({ pattern(of: $0) }).first, found ?? next == next else { return nil }
      found = next
    }
    return found
  }

  private enum Token: Equatable {
    case digits(Int, value: Int)
    case word(String)
    case other(Character)
  }

  private static func pattern(of text: String) -> String? {
    guard text.utf8.count <= 40, let tokens = tokens(text) else { return nil }
    if case .digits(let count, let value)? = tokens.first, tokens.count == 1 { return number(count, value) }
    var result = ""
    var hasDay = false
    var hasMonth = tokens.contains { if case .word(let word) = $0 { name(of: word) == "M" } else { false } }
    var hasYear = false
    // The parts of a time that were met: hours, minutes, seconds.
    var clock = 0
    let isShortClock = tokens.contains { if case .word(let word) = $0 { isHalf(word) } else { false } }
    for token in tokens {
      switch token {
      case .digits(let count, let value):
        if clock >= 2, count == 4, result.hasSuffix("+") || result.hasSuffix("-") {
          result.removeLast()
          result += "Z"
        } else if hasDay, hasMonth, hasYear {
          guard count <= 2, clock < 3, clock == 0 ? value < 24 : count == 2 && value < 60 else { return nil }
          result += clock == 0 ? (isShortClock ? "h" : "H") : clock == 1 ? "mm" : "ss"
          clock += 1
        } else if count == 4, !hasYear {
          hasYear = true
          result += "yyyy"
        } else if count <= 2, hasYear, !hasMonth, (1...12).contains(value) {
          hasMonth = true
          result += "M"
        } else if count <= 2, hasMonth, !hasDay, (1...31).contains(value) {
          hasDay = true
          result += "d"
        } else {
          return nil
        }
      case .word(let word):
        if isHalf(word), clock >= 2 {
          result += "a"
        } else if word == "T" || clock >= 2 && ["GMT", "UTC", "Z"].contains(word) {
          result += "'\(word)'"
        } else if let letter = name(of: word) {
          result += String(repeating: letter, count: word.count > 3 ? 4 : 3)
        } else {
          return nil
        }
      case .other(let mark): result.append(mark)
      }
    }
    return hasDay && hasMonth && hasYear && clock != 1 && !result.contains("+") ? result : nil
  }

  /// A number by itself: a day without marks, seconds or milliseconds since 1970, or a day of a spreadsheet.
  private static func number(_ count: Int, _ value: Int) -> String? {
    switch count {
    case 8
    where (1800...2200).contains(value / 10_000) && (1...12).contains(value / 100 % 100)
      && (1...31).contains(value % 100):
      "yyyyMMdd"
    case 10: "unix"
    case 13: "unix_ms"
    case 4 where (1800...2200).contains(value): "yyyy"
    case 5 where (20_000...60_000).contains(value): "excel"
    default: nil
    }
  }

  private static func tokens(_ text: String) -> [Token]? {
    var tokens: [Token] = []
    var rest = text[...]
    while let first = rest.first {
      if first.isASCII, first.isNumber {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let value = Int(digits) else { return nil }
        tokens.append(.digits(digits.count, value: value))
        rest = rest[digits.endIndex...]
      } else if first.isASCII, first.isLetter {
        let word = rest.prefix { $0.isASCII && $0.isLetter }
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      } else {
        guard " -/.,:+".contains(first) else { return nil }
        tokens.append(.other(first))
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private static func isHalf(_ word: String) -> Bool { ["am", "pm"].contains(word.lowercased()) }

  /// The letter of the pattern for the name of a month or of a day of the week, whole or its first three letters.
  private static func name(of word: String) -> String? {
    let word = word.lowercased()
    func isOne(_ names: [String]) -> Bool { names.contains { $0 == word || $0.prefix(3) == word } }
    return isOne(months) ? "M" : isOne(days) ? "E" : nil
  }
}
