/// The expression of a derived attribute, taken apart.
///
/// Known forms: a key path (`author.name`), `canonical:(x)`, `uppercase:(x)`, `lowercase:(x)`, `rel.@count`,
/// `rel.@sum.x`, `count:(rel)`, `sum:(rel.x)` and `now()`.
package struct DerivationText {
  /// The function's name, or `nil` for a plain key path.
  package let function: String?
  /// The names of the key path; empty for `now()`.
  package let path: [String]

  /// Takes an expression apart; `nil` when it has another form.
  package init?(_ expression: String) {
    let text = Self.normalised(expression)
    if text == "now()" {
      function = "now"
      path = []
      return
    }
    var keyPath = text[...]
    if let colon = text.firstIndex(of: ":") {
      let name = String(text[..<colon])
      guard Self.functions.contains(name) else { return nil }
      keyPath = text[text.index(after: colon)...]
      guard keyPath.first == "(", keyPath.last == ")" else { return nil }
      keyPath = keyPath.dropFirst().dropLast()
      function = name
    } else {
      function = nil
    }
    let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let isPath = names.allSatisfy { name in
      !name.isEmpty
        && name.unicodeScalars.allSatisfy {
          $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
    }
    guard isPath else { return nil }
    path = names
    if isForeign, names.count < 2 { return nil }
  }

  private static let functions: Set = [
    "canonical", "uppercase", "lowercase", "count", "sum", "min", "max", "avg", "average",
  ]

  /// Whether the function takes the values of many objects together.
  package var isAggregate: Bool { function == "count" || function == "sum" || isForeign }

  /// Whether Core Data documents the function for predicates only, and not for derived attributes.
  package var isForeign: Bool { ["min", "max", "avg", "average"].contains(function) }

  /// The form that enters the version hash: `rel.@count` becomes `count:(rel)`, `rel.@sum.x` becomes `sum:(rel.x)`.
  ///
  /// Only the count is backed by a real store; the sum follows the same pattern.
  static func normalised(_ expression: String) -> String {
    let trimmed = expression.trimmingSpaces
    guard let mark = trimmed.firstIndex(of: "@"), mark > trimmed.startIndex else { return trimmed }
    let point = trimmed.index(before: mark)
    guard trimmed[point] == "." else { return trimmed }
    let path = trimmed[..<point]
    let rest = trimmed[trimmed.index(after: mark)...]
    guard let dot = rest.firstIndex(of: ".") else { return "\(rest):(\(path))" }
    return "\(rest[..<dot]):(\(path).\(rest[rest.index(after: dot)...]))"
  }
}

extension String {
  /// The text without spaces at both ends.
  var trimmingSpaces: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
