import MergewalkObjectModel

/// The names of what compiled statements call: functions, aggregates and collations that ``QueryFunctions/register(_:)``
/// gives to a connection.
///
/// Names of text functions end with the options: `mergewalk_like_cd`.
enum QueryFunctions {
  typealias Options = ComparisonPredicate.Options

  enum TextOperator: String, CaseIterable {
    case begins, ends, contains, like, matches
  }

  static let random = "mergewalk_random"
  static let castName = "mergewalk_cast"
  /// The same with a decimal result as text.
  static let castExactName = "mergewalk_cast_exact"
  /// Makes text of a stored decimal.
  static let exactName = "mergewalk_exact"
  /// Makes a number, as stores keep it, of a decimal in text; others stay what they are.
  static let storedName = "mergewalk_stored"
  static let equalsType = "mergewalk_equals_type"
  static let conformsToType = "mergewalk_conforms_to_type"

  /// The suffix that `[c]` and `[d]` add to a name: nothing without them, or with `[n]`.
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
  static func collation(_ comparison: ObjectSortDescriptor.Comparison) -> String? {
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

  /// Aggregates whose results over decimals are decimals.
  static let decimalAggregates: [ExpressionFunction] = [.sum, .average, .median]

  /// The aggregates that compute a function over stored decimals, exactly: one gives a number as stores keep decimals,
  /// the other gives decimals as text.
  static func decimalNames(_ function: ExpressionFunction) -> (number: String, exact: String)? {
    guard decimalAggregates.contains(function) else { return nil }
    return ("\(name(function))_decimal", "\(name(function))_decimal_exact")
  }

  /// Aggregates whose results over numbers, some of them decimals, may be decimals.
  static let exactAggregates: [ExpressionFunction] = decimalAggregates + [.min, .max, .mode]

  /// The aggregate that takes and gives decimals as text; a second argument makes equal numbers count once.
  static func exactName(_ function: ExpressionFunction) -> String? {
    exactAggregates.contains(function) ? "\(name(function))_exact" : nil
  }

  /// Refuses a malformed regular expression before anything runs.
  static func checkPattern(_ pattern: AttributeValue, _ options: Options) throws(PredicateError) {
    if case .string(let text) = pattern { _ = try TextPattern(predicate: text, options) }
  }

  /// `CAST(value, 'type')`.
  static func cast(_ value: SQLValue, _ name: String) throws(PredicateError) -> SQLValue {
    let result = try ValueCast.resultType(name)
    if value.isNull { return .null }
    if case .object = value.family {
      throw PredicateError(.typeMismatch, "\(value.name) is an object, which cannot be cast to \(name)")
    }
    // Refuses what can never be cast, before anything runs.
    _ = try ValueCast.cast(value.family.example, to: .string(name))
    // In an exact text only what is text is a decimal.
    let type = value.exactText == nil ? value.type : .undefined
    let arguments = [
      value.exactText ?? value.text, SQLText(.text(name)), SQLText(.integer(Int64(type.rawValue))),
    ]
    let text = SQLText.call(castName, arguments)
    switch result {
    // A number may be an integer or a Double.
    case .undefined: return .number(text, .mixed)
    case .decimal: return .number(text, exact: .call(castExactName, arguments), .decimal)
    default: return .computed(text, result, name: "CAST to \(name)")
    }
  }
}

extension SQLFamily {
  /// Some value of the family.
  fileprivate var example: AttributeValue {
    switch self {
    case .number: .integer(0)
    case .text: .string("")
    case .date: .date(0)
    case .binary: .binary([])
    case .uuid: .uuid(0, 0)
    case .object, .opaque, .null: .null
    }
  }
}
