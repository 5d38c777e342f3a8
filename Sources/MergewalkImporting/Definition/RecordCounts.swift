/// Counts of records, by outcome.
public struct RecordCounts: Sendable, Hashable {
  /// Records read, including rejected ones.
  public var read = 0
  /// Records that created their object.
  public var inserted = 0
  /// Records that changed their object.
  public var updated = 0
  /// Records that changed nothing.
  public var unchanged = 0
  /// Records skipped because of the mode or the duplicate policy.
  public var skipped = 0
  /// Records that were rejected.
  public var rejected = 0

  /// Creates zero counts.
  public init() {}

  /// Whether `read = inserted + updated + unchanged + skipped + rejected`.
  public var isBalanced: Bool { read == inserted + updated + unchanged + skipped + rejected }

  /// The names of the counts, in the order of their declarations.
  package static let names = ["read", "inserted", "updated", "unchanged", "skipped", "rejected"]

  /// The counts in the order of their names.
  package var numbers: [Int] { [read, inserted, updated, unchanged, skipped, rejected] }

  package var named: [(String, Int)] { Array(zip(Self.names, numbers)) }

  /// Takes six counts.
  package init(numbers: [Int]) {
    read = numbers[0]
    inserted = numbers[1]
    updated = numbers[2]
    unchanged = numbers[3]
    skipped = numbers[4]
    rejected = numbers[5]
  }

  /// Adds counts of other records.
  package static func + (left: RecordCounts, right: RecordCounts) -> RecordCounts {
    RecordCounts(numbers: zip(left.numbers, right.numbers).map(+))
  }

  /// The counts since another moment.
  static func - (left: RecordCounts, right: RecordCounts) -> RecordCounts {
    RecordCounts(numbers: zip(left.numbers, right.numbers).map(-))
  }
}
