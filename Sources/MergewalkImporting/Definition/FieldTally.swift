/// Counts of the values of one field of an import, by outcome.
///
/// At the end of every run, `read = stored + replaced + rejected`. Values of skipped records, and of those that the
/// reader refused, are not counted.
public struct FieldTally: Sendable, Hashable {
  /// The reason why another value, or none, replaced a value.
  public enum Replacement: String, Sendable, Hashable, CaseIterable {
    /// The record has no such field.
    case absent
    /// The field is null, and its policy replaces nulls.
    case null
    /// The text is one of those that mean null.
    case nullSpelling = "null_spelling"
    /// The text is empty, and its policy does not keep empty text.
    case empty
    /// The text consisted only of white space, which was removed.
    case trimmed
    /// The object that the field names, or the entry of a table, does not exist, and nothing was substituted; or the
    /// value is for an attribute of an object that the record does not name, or that does not exist.
    case missing
    /// The value is missing or empty, and a step of the field's transforms provides a text.
    case defaultText = "default"
    /// The text is one of those that a step of the field's transforms turns into null.
    case nullIf = "null_if"

    /// The place among the counts of a column.
    var index: Int {
      switch self {
      case .absent: 0
      case .null: 1
      case .nullSpelling: 2
      case .empty: 3
      case .trimmed: 4
      case .missing: 5
      case .defaultText: 6
      case .nullIf: 7
      }
    }

    /// The byte that is kept for a record whose value was replaced.
    var kept: UInt8 { UInt8(index + 1) }

    /// The reason of such a byte; `nil` for 0, which is that of a value that was not replaced.
    init?(kept: UInt8) {
      guard kept > 0 else { return nil }
      self = Self.allCases[Int(kept) - 1]
    }
  }

  /// The import's name; empty when it is the only one.
  public var part = ""
  /// The entity's name.
  public var entity = ""
  /// The attribute's or relationship's name.
  public var attribute = ""
  /// The name of the source's column.
  public var column = ""
  /// Values read.
  public var read = 0
  /// Values stored as given by the field.
  public var stored = 0
  /// Replaced values, by reason; without zeros.
  public var replaced: [Replacement: Int] = [:]
  /// Values of rejected records, whatever the reason.
  public var rejected = 0

  /// Creates zero counts.
  public init() {}

  /// Whether `read = stored + replaced + rejected`, and none is negative.
  public var isBalanced: Bool {
    read == stored + rejected + replaced.values.reduce(0, +)
      && stored >= 0 && rejected >= 0 && replaced.values.allSatisfy { $0 >= 0 }
  }
}
