/// One criterion of an order.
///
/// Null comes first in ascending order. Rows that all criteria find equal come by primary key.
public struct ObjectSortDescriptor: Hashable, Sendable {
  /// How values are ordered.
  public enum Comparison: Hashable, Sendable {
    /// Numbers and dates by size, texts by their UTF-8 bytes, as the store collates them (`compare:`).
    case standard
    /// Texts by their bytes after folding: `[c]`, `[d]` or both (`caseInsensitiveCompare:`).
    case folded(ComparisonPredicate.Options)
    /// Texts by the root collation of the Unicode CLDR (`localizedCompare:`).
    case localized
    /// The same without regard to case (`localizedCaseInsensitiveCompare:`).
    case localizedCaseInsensitive
    /// The same with digits ordered by their value, as file browsers do (`localizedStandardCompare:`).
    case localizedStandard
    /// Code. No SQL can be made of it, so a SQLite store refuses it before anything runs.
    case custom(SortClosure)
  }

  /// The key path, such as `customer.name`; in requests for dictionaries also the name of an expression.
  public var key: String
  /// Whether small values come first.
  public var ascending: Bool
  /// How values are ordered.
  public var comparison: Comparison

  /// Creates a criterion.
  public init(_ key: String, ascending: Bool = true, comparison: Comparison = .standard) {
    self.key = key
    self.ascending = ascending
    self.comparison = comparison
  }
}

/// Code that orders two values; equal to itself only.
public final class SortClosure: Hashable, Sendable {
  /// Less than 0 when the first comes first, 0 when neither does, more than 0 otherwise.
  public let body: @Sendable (EvaluatedValue, EvaluatedValue) -> Int

  /// Wraps a closure.
  public init(_ body: @escaping @Sendable (EvaluatedValue, EvaluatedValue) -> Int) { self.body = body }

  /// Closures are equal when they are the same.
  public static func == (left: SortClosure, right: SortClosure) -> Bool { left === right }

  /// Feeds the closure's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
