/// Counts of the values of one field of an import, by outcome.
///
/// `read = stored + replaced + rejected` holds at the end of every run. The values of records that were skipped, and of those
/// that the reader refused, are not counted.
public struct FieldTally: Sendable, Hashable {
  /// Why another value, or none, took a value's place.
  public enum Replacement: String, Sendable, Hashable, CaseIterable {
    /// The record has no such field.
    case absent
    /// The field is null, and the policy for that puts something else in its place.
    case null
    /// The text is one of those that mean null.
    case nullSpelling = "null_spelling"
    /// The text is empty, and the policy for that is not to keep it.
    case empty
    /// The text was nothing but white space, which was removed.
    case trimmed
    /// The object that the field names, or the entry of a table, is not there, and nothing was taken in its place.
    case missing
    /// The value is not there or empty, and a step of the field's transforms has a text for that.
    case defaultText = "default"
    /// The text is one of those for which a step of the field's transforms has nothing.
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
  /// Values that are what the field says.
  public var stored = 0
  /// Values that others took the place of, by why; without zeros.
  public var replaced: [Replacement: Int] = [:]
  /// Values of records that were rejected, for whatever reason.
  public var rejected = 0

  /// Creates zero counts.
  public init() {}

  /// Whether `read = stored + replaced + rejected`, and none is negative.
  public var isBalanced: Bool {
    read == stored + rejected + replaced.values.reduce(0, +)
      && stored >= 0 && rejected >= 0 && replaced.values.allSatisfy { $0 >= 0 }
  }
}
