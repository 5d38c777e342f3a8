/// One sort criterion.
///
/// Null comes first in ascending order. Rows that are equal by all criteria are ordered by primary key.
public struct ObjectSortDescriptor: Hashable, Sendable {
  /// The kind of comparison.
  public enum Comparison: Hashable, Sendable {
    /// Numbers and dates by size, texts by their UTF-8 bytes, as the store collates them (`compare:`).
    case standard
    /// Texts by their bytes after folding: `[c]`, `[d]` or both (`caseInsensitiveCompare:`).
    case folded(ComparisonPredicate.Options)
    /// Texts by the root collation of the Unicode CLDR (`localizedCompare:`).
    case localized
    /// The same, ignoring case (`localizedCaseInsensitiveCompare:`).
    case localizedCaseInsensitive
    /// The same with digits ordered by their value, as file browsers do (`localizedStandardCompare:`).
    case localizedStandard
    /// Swift code. It has no SQL, so an SQLite store refuses it before anything runs.
    case custom(SortClosure)
  }

  /// The key path, such as `customer.name`; in requests for dictionaries also the name of an expression.
  public var key: String
  /// Whether small values come first.
  public var ascending: Bool
  /// The kind of comparison.
  public var comparison: Comparison

  /// Creates a criterion.
  public init(_ key: String, ascending: Bool = true, comparison: Comparison = .standard) {
    self.key = key
    self.ascending = ascending
    self.comparison = comparison
  }
}

/// Swift code that orders two values; equal only to itself.
public final class SortClosure: Hashable, Sendable {
  /// Less than 0 if the first value comes first, 0 if neither does, more than 0 otherwise.
  public let body: @Sendable (EvaluatedValue, EvaluatedValue) -> Int

  /// Wraps a closure.
  public init(_ body: @escaping @Sendable (EvaluatedValue, EvaluatedValue) -> Int) { self.body = body }

  /// Closures are equal if they are identical.
  public static func == (left: SortClosure, right: SortClosure) -> Bool { left === right }

  /// Feeds the closure's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
