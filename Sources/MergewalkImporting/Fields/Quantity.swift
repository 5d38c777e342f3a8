import MergewalkBytes
import MergewalkRecordFormats

/// Reads sizes and shares as people write them.
package enum Quantity {
  private static let units: [(name: String, factor: Int)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1_000), ("KB", 1_000), ("MB", 1_000_000),
    ("GB", 1_000_000_000), ("B", 1),
  ]

  /// The bytes of `32MiB`, `500 kB` or `4096`; `nil` when it is nothing of the kind, zero or more than 1 TiB.
  package static func bytes(_ text: String) -> Int? {
    var number = Substring(text)
    var factor = 1
    if let unit = units.first(where: { text.hasSuffix($0.name) }) {
      number = number.dropLast(unit.name.count)
      factor = unit.factor
    }
    while number.last == " " { number.removeLast() }
    guard let count = digits(number) else { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: factor)
    return overflow || product < 1 || product > 1 << 40 ? nil : product
  }

  /// The share of `1%`, `0.5 %` or `0.01`; `nil` when it is nothing of the kind or lies outside 0...1.
  package static func share(_ text: String) -> Double? {
    var number = Substring(text)
    let isPercent = number.last == "%"
    if isPercent { number.removeLast() }
    while isPercent, number.last == " " { number.removeLast() }
    guard !number.isEmpty, number.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || $0.isDigit }),
      let value = Double(number)
    else { return nil }
    let share = isPercent ? value / 100 : value
    return share <= 1 ? share : nil
  }

  /// The number that digits alone make.
  package static func digits(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }
}

/// Names of characters that are hard to write or to see in YAML.
package enum CharacterName {
  private static let table: [(name: String, character: String)] = [
    ("tab", "\t"), ("comma", ","), ("semicolon", ";"), ("pipe", "|"), ("space", " "), ("point", "."),
    ("quote", "\""), ("apostrophe", "'"), ("backslash", "\\"), ("none", ""),
  ]

  package static var names: String { list.joined(separator: ", ") }

  package static var list: [String] { table.map(\.name) }

  /// The ASCII character that the text is or names, empty for `none`; `nil` when it is neither.
  package static func resolve(_ text: String) -> String? {
    if text.utf8.count == 1, text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return table.first { $0.name == text }?.character
  }

  /// The delimiter that the text is or names, empty for `none`; `nil` when it is neither.
  package static func delimiter(_ text: String) -> String? {
    if let named = table.first(where: { $0.name == text }) { return named.character }
    return CSVDelimiter(text)?.text
  }

  /// The name of a character, or `nil` when it has none.
  package static func name(_ character: String) -> String? { table.first { $0.character == character }?.name }
}
