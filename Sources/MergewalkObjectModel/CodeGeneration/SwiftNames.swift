import MergewalkClassText

/// Names of a model as Swift spells them.
enum SwiftNames {
  /// Whether a name can stand in Swift as it is or between backticks.
  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
    return name.unicodeScalars.dropFirst().allSatisfy { $0.properties.isXIDContinue }
  }

  /// The name between backticks when it is a word of the language.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The class that `representedClassName` names: without the module in front of it, `nil` for plain managed objects.
  static func className(_ text: String?) -> String? {
    guard let text, let last = text.split(separator: ".", omittingEmptySubsequences: true).last else { return nil }
    return ["NSManagedObject", "ManagedObject"].contains(last) ? nil : String(last)
  }

  /// The class of a transformable's values: without the point that stands for the app's own module and the star of a
  /// pointer in Objective-C (`NSArray *`), `nil` if there is none.
  static func valueClass(_ text: String?) -> String? {
    guard var name = text?.drop(while: { $0 == "." || $0 == " " }) else { return nil }
    while let last = name.last, last == "*" || last == " " { name.removeLast() }
    return name.isEmpty ? nil : String(name)
  }

  /// Whether a text has only what types in Swift are written with, such as `[String: Any]`; `NSArray<NSString *>` is none.
  static func mayBeType(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || " ._<>[](),:?&->".unicodeScalars.contains($0) }
  }

  /// Words in camel case: `Orders of a day` becomes `ordersOfADay`, `SEARCH_TERM` becomes `searchTerm`.
  static func camelCase(_ text: String) -> String {
    let isConstant = text.contains { $0.isUppercase } && !text.contains { $0.isLowercase }
    var words: [Substring] = []
    for part in text.split(whereSeparator: { !($0.isLetter || $0.isNumber) || $0 == "_" }) where !part.isEmpty {
      words.append(part)
    }
    var name = ""
    for word in words {
      let word = isConstant ? word.lowercased() : String(word)
      name += name.isEmpty ? loweredStart(word) : ClassNames.capitalised(word)
    }
    guard isIdentifier(name) else { return isIdentifier("_" + name) && !name.isEmpty ? "_" + name : "value" }
    return name
  }

  /// `FetchRequest` becomes `fetchRequest`, `URLOfPage` becomes `urlOfPage`.
  private static func loweredStart(_ word: String) -> String {
    let capitals = word.prefix { $0.isUppercase }
    if capitals.count <= 1 || capitals.count == word.count {
      return capitals.lowercased() + word.dropFirst(capitals.count)
    }
    return capitals.dropLast().lowercased() + word.dropFirst(capitals.count - 1)
  }

  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        // Line separators and what is not visible would change the file invisibly.
        let isPlain = scalar.properties.generalCategory.isVisible || scalar == " "
        if isPlain { result.unicodeScalars.append(scalar) } else { result += "\\u{\(String(scalar.value, radix: 16))}" }
      }
    }
    return result + "\""
  }

  /// Text in a comment: on one line, at most 80 characters.
  static func comment(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      line.unicodeScalars.append(scalar.properties.generalCategory.isVisible && scalar != "`" ? scalar : " ")
    }
    return line.count > 80 ? line.prefix(79) + "…" : line
  }

  /// The words that cannot be names of properties or parameters without backticks.
  ///
  /// Source: The Swift Programming Language, "Lexical Structure", keywords in declarations, statements and expressions.
  static let keywords: Set<String> = [
    "_", "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break", "case", "catch",
    "class",
    "consuming", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "nonisolated", "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
    "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
    "var", "where", "while",
  ]
}

extension Unicode.GeneralCategory {
  /// Whether characters of the category are seen when they are printed.
  fileprivate var isVisible: Bool {
    switch self {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      false
    default: true
    }
  }
}
