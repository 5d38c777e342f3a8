import ObjectModel

/// The names of what compiled statements call: functions, aggregates and collations that ``QueryFunctions/register(_:)``
/// gives to a connection.
///
/// Names of text functions end with the options: `mergewalk_like_cd`.
enum QueryFunctions {
  typealias Options = ComparisonPredicate.Options

  /// Operators of texts.
  enum TextOperator: String, CaseIterable {
    case begins, ends, contains, like, matches
  }

  static let random = "mergewalk_random"
  static let cast = "mergewalk_cast"

  /// What `[c]` and `[d]` add to a name: nothing without them, or with `[n]`.
  static func suffix(_ options: Options) -> String {
    if options.contains(.normalized) { return "" }
    switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
    case (false, false): return ""
    case (true, false): return "_c"
    case (false, true): return "_d"
    case (true, true): return "_cd"
    }
  }

  /// The function of a text operator.
  static func name(_ operation: TextOperator, _ options: Options) -> String {
    "mergewalk_\(operation.rawValue)\(suffix(options))"
  }

  /// The collation of a comparison; `nil` for that by bytes.
  static func collation(_ options: Options) -> String? {
    if options.contains(.normalized) { return nil }
    let suffix = suffix(options)
    if options.contains(.localeSensitive) { return "mergewalk_l\(suffix.dropFirst())" }
    return suffix.isEmpty ? nil : "mergewalk\(suffix)"
  }

  /// The collation of a sort descriptor; `nil` for that by bytes.
  static func collation(_ comparison: SortDescriptor.Comparison) -> String? {
    switch comparison {
    case .standard, .custom: nil
    case .folded(let options): collation(options.subtracting(.localeSensitive))
    case .localized: "mergewalk_l"
    case .localizedCaseInsensitive: "mergewalk_lc"
    case .localizedStandard: "mergewalk_numeric"
    }
  }

  /// The function that computes a function of the predicate language.
  static func name(_ function: ExpressionFunction) -> String {
    let word = function.rawValue.prefix { $0 != ":" }
    return "mergewalk_\(word.lowercased())"
  }

  /// The aggregate that computes an aggregate function: SQLite's own where it gives the same value.
  ///
  /// SQLite adds binary64 numbers in the order of the rows and finds an overflow in the middle of a sum; ours give
  /// exact sums, as in memory.
  static func aggregateName(_ function: ExpressionFunction, _ value: SQLValue) -> String {
    switch function {
    case .min: return "min"
    case .max: return "max"
    case .count: return "count"
    case .sum, .average:
      let isSmall = [.integer16, .integer32, .boolean].contains(value.type) && value.isColumn
      return isSmall ? (function == .sum ? "sum" : "avg") : name(function)
    default: return name(function)
    }
  }

  /// Refuses a malformed regular expression before anything runs.
  static func checkPattern(_ pattern: AttributeValue, _ options: Options) throws(PredicateError) {
    guard case .string(let text) = pattern else { return }
    _ = try self.pattern(text, options)
  }

  /// A regular expression with the options of MATCHES: `d` folds both sides, `c` is the expression's own flag.
  static func pattern(_ text: String, _ options: Options) throws(PredicateError) -> TextPattern {
    let isNormalized = options.contains(.normalized)
    let folded =
      !isNormalized && options.contains(.diacriticInsensitive)
      ? TextFolding.fold(text, .diacriticInsensitive) : text
    do {
      return try TextPattern(folded, ignoresCase: !isNormalized && options.contains(.caseInsensitive))
    } catch {
      throw PredicateError(
        .pattern, "the regular expression is malformed: \(error.message)", hint: "MATCHES takes ICU's syntax")
    }
  }
}
