import MergewalkDiagnostics

/// Messages about misplaced tokens.
extension FormatParser {
  /// The next token, for messages.
  func found() -> String {
    token.kind == .end ? "the end" : "“\(FormatLexer.excerpt(lexer.bytes, token.start..<token.end))”"
  }

  /// The error that something else was expected at the next token.
  func unexpected(_ expected: String, hint: String? = nil) -> FormatFailure {
    error(.syntax, "expected \(expected), found \(found())", at: token.start, hint: hint ?? likely(expected))
  }

  /// The likely intention where something else was expected.
  private func likely(_ expected: String) -> String? {
    let begin = String(decoding: lexer.bytes.prefix(7), as: UTF8.self).lowercased()
    if begin == "select " { return "a predicate is only the condition that follows WHERE: name == 'Ada'" }
    switch token.kind {
    case .not: return "put NOT before the whole comparison: NOT a IN b"
    case .comma: return Self.braces
    case .plus: return "a number has no plus before it: 1"
    case .string where token.start > 0 && lexer.bytes[token.start - 1] == lexer.bytes[token.start]:
      return "write \\' for a quotation mark inside text: 'it\\'s'"
    case .collectionOperator: return Self.quotes
    case .end where expected == Self.comparison && isBetween: return "the limits are a list: BETWEEN {1, 2}"
    case .end where expected == Self.comparison: return "compare the value: name == 'Ada', or name != NULL"
    case .word:
      let word = text(token.start..<token.end)
      guard word.utf8.count <= 20 else { return nil }
      if word.lowercased() == "is" { return "compare with null by ==: name == NULL" }
      let near = NearestName.find(word, in: FormatWords.infix).map { "did you mean \($0)?" }
      return near ?? (expected == Self.comparison ? nil : Self.quotes)
    default: return nil
    }
  }

  /// Whether the text has the word that takes a list here, and two values with AND in SQL.
  private var isBetween: Bool {
    text(0..<token.start).lowercased().split { $0 == " " || $0 == "[" }.contains("between")
  }

  static let comparison = "a comparison operator"
  static let braces = "write lists in braces: {1, 2}"
  private static let quotes = "write text in quotes: 'Ada Lovelace'"

  /// The error that no function has this name or this number of arguments.
  func unknownFunction(_ name: String, _ count: Int, at start: Int) -> FormatFailure {
    let known = ExpressionFunction.allCases.filter { $0.rawValue == name || $0.rawValue == name + ":" }
    if let function = known.first {
      return error(
        .unknownFunction, "expected \(function.argumentText) for “\(function.rawValue)”, found \(count)", at: start)
    }
    let excerpt = FormatLexer.excerpt(Array(name.utf8), 0..<name.utf8.count)
    let names = ExpressionFunction.allCases.map(\.rawValue)
    let hint = name.utf8.count <= 40 ? Self.function(meantBy: name, names).map { "did you mean “\($0)”?" } : nil
    return error(.unknownFunction, "expected the name of a function, found “\(excerpt)”", at: start, hint: hint)
  }

  /// The function that is nearest, or that another language shortens to this name.
  private static func function(meantBy name: String, _ names: [String]) -> String? {
    let short = name.lowercased()
    if short == "avg" || short == "mean" { return ExpressionFunction.average.rawValue }
    let longer = short.utf8.count < 3 || short.hasSuffix(":") ? nil : names.first { $0.hasPrefix(short) }
    return longer ?? NearestName.find(name, in: names)
  }
}

extension ExpressionFunction {
  /// Whether the function takes this number of arguments.
  package func accepts(_ count: Int) -> Bool {
    switch self {
    case .average, .sum, .count, .min, .max, .median, .mode, .standardDeviation, .distinct: count >= 1
    default: count == parameterCount
    }
  }

  /// The number of arguments that the name asks for.
  private var parameterCount: Int { rawValue.utf8.count { $0 == UInt8(ascii: ":") } }

  /// How many arguments the function takes, in words.
  fileprivate var argumentText: String {
    if accepts(parameterCount + 1) { return "at least one argument" }
    switch parameterCount {
    case 0: return "no argument"
    case 1: return "one argument"
    default: return "\(parameterCount) arguments"
    }
  }
}
