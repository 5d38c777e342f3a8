/// A condition on an object.
///
/// Predicates are plain values that tasks can share: parsed from a format string, built in Swift, or taken from a
/// model. The same predicate is evaluated in memory and compiled to SQL by the store, with the same meaning, which is
/// always true or false: a comparison with null is false, except that `==` treats null as equal to null, and `!=` is
/// the opposite of `==` (so, unlike in SQL, `name != 'x'` is also true if there is no name). Source: Apple, [Predicate
/// Programming
/// Guide](https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/AdditionalChapters/Introduction.html).
public indirect enum ObjectPredicate: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case value(Bool)
  /// A comparison of two expressions.
  case comparison(ComparisonPredicate)
  /// All of the predicates are true; true for none.
  case and([ObjectPredicate])
  /// At least one of the predicates is true; false for none.
  case or([ObjectPredicate])
  /// The predicate is not true.
  case not(ObjectPredicate)
  /// Swift code that evaluates an object. It has no SQL, so an SQLite store refuses it before anything runs.
  case closure(PredicateClosure)
}

/// A comparison of two expressions.
public struct ComparisonPredicate: Hashable, Sendable {
  /// The comparison's operator.
  public enum Operator: String, Hashable, Sendable, CaseIterable {
    /// `<`; false if a side is null.
    case lessThan = "<"
    /// `<=`; false if a side is null.
    case lessThanOrEqualTo = "<="
    /// `>`; false if a side is null.
    case greaterThan = ">"
    /// `>=`; false if a side is null.
    case greaterThanOrEqualTo = ">="
    /// `==`; null is equal only to null.
    case equalTo = "=="
    /// `!=`, the opposite of `==`.
    case notEqualTo = "!="
    /// The whole text matches an ICU regular expression.
    case matches = "MATCHES"
    /// The whole text matches a pattern: `*` stands for any characters, `?` for one, `\` before either for the
    /// character itself.
    case like = "LIKE"
    /// The text begins with another; every text begins with the empty one.
    case beginsWith = "BEGINSWITH"
    /// The text ends with another.
    case endsWith = "ENDSWITH"
    /// The left side is an element of the collection on the right, or part of the text on the right.
    case isIn = "IN"
    /// The collection on the left contains the right side as an element, or the text on the left contains it.
    case contains = "CONTAINS"
    /// The left side is not less than the first and not greater than the second element of the right side.
    case between = "BETWEEN"
    /// The left side is a uniform type identifier that is, or conforms to, the one on the right.
    case conformsTo = "UTI-CONFORMS-TO"
    /// Two uniform type identifiers are the same, ignoring case.
    case equalsType = "UTI-EQUALS"
  }

  /// How a collection on the left is compared.
  public enum Modifier: String, Hashable, Sendable {
    /// As it is.
    case direct = ""
    /// At least one element must satisfy the comparison (`ANY`, `SOME`).
    case any = "ANY"
    /// Each element must satisfy the comparison; true for none (`ALL`).
    case all = "ALL"
  }

  /// The options of text comparisons.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Creates a set of options.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// `[c]`: ignores case.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: ignores diacritics.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: the texts are already normalised, so bytes are compared; `[c]` and `[d]` are ignored.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: compares as a reader would sort, by the root collation of the Unicode CLDR.
    public static let localeSensitive = Options(rawValue: 8)
  }

  /// The left side.
  public var left: ObjectExpression
  /// The comparison's operator.
  public var comparison: Operator
  /// The right side.
  public var right: ObjectExpression
  /// How a collection on the left is compared.
  public var modifier: Modifier
  /// The options of text comparisons.
  public var options: Options

  /// Creates a comparison.
  public init(
    _ left: ObjectExpression, _ comparison: Operator, _ right: ObjectExpression, modifier: Modifier = .direct,
    options: Options = []
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}

/// Swift code that evaluates an object; equal only to itself.
public final class PredicateClosure: Hashable, Sendable {
  /// Returns whether the object satisfies the condition.
  public let body: @Sendable (EvaluatedValue) -> Bool

  /// Wraps a closure.
  public init(_ body: @escaping @Sendable (EvaluatedValue) -> Bool) { self.body = body }

  /// Closures are equal if they are identical.
  public static func == (left: PredicateClosure, right: PredicateClosure) -> Bool { left === right }

  /// Feeds the closure's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ObjectPredicate {
  /// Patterns of `LIKE` with SQL's wild card and none of ours, which match nothing but that sign.
  package var patternsOfSQL: [String] {
    switch self {
    case .comparison(let comparison):
      guard comparison.comparison == .like, case .constant(.attribute(.string(let text))) = comparison.right,
        text.contains("%"), !text.contains("*"), !text.contains("?")
      else { return [] }
      return [text]
    case .and(let parts), .or(let parts): return parts.flatMap(\.patternsOfSQL)
    case .not(let part): return part.patternsOfSQL
    case .value, .closure: return []
    }
  }

  /// The message about such a pattern.
  package static func sqlPattern(_ pattern: String) -> String {
    "LIKE '\(pattern)' finds nothing but the sign %; any text is written *, any character ?"
  }
}
