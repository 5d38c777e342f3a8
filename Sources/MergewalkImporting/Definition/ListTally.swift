/// Counts of the elements of one to-many relationship's lists, by outcome.
///
/// At the end of every run, `read = linked + alreadyLinked + skipped + rejected`. The elements of records that the
/// reader refused are not counted; of an unreadable list, those before the fault are.
public struct ListTally: Sendable, Hashable {
  /// The import's name; empty when it is the only one.
  public var part = ""
  /// The entity of the owners.
  public var entity = ""
  /// The relationship's name.
  public var relationship = ""
  /// The name of the source's column.
  public var column = ""
  /// Elements read.
  public var read = 0
  /// Elements whose object was added to the relationship.
  public var linked = 0
  /// Elements whose object was already in the relationship, including because an earlier element of the list names it.
  public var alreadyLinked = 0
  /// Elements that name nothing or are empty, and those of skipped records.
  public var skipped = 0
  /// Elements of rejected records.
  public var rejected = 0

  /// Creates zero counts.
  public init() {}

  /// Whether `read = linked + alreadyLinked + skipped + rejected`, and none is negative.
  public var isBalanced: Bool {
    read == linked + alreadyLinked + skipped + rejected && numbers.allSatisfy { $0 >= 0 }
  }

  /// All counts, in the order in which they are declared.
  package var numbers: [Int] {
    get { [read, linked, alreadyLinked, skipped, rejected] }
    set {
      (read, linked, alreadyLinked, skipped, rejected) = (
        newValue[0], newValue[1], newValue[2], newValue[3], newValue[4]
      )
    }
  }
}
