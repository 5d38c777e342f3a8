/// The outcomes of all records: the one place where records are counted.
///
/// A record is read once and settled once. At the end of a run, ``check()`` verifies `read = inserted + updated +
/// unchanged + skipped + rejected`, so no record is lost unnoticed.
@dynamicMemberLookup
struct RecordLedger: Sendable {
  enum Outcome: UInt8, Sendable {
    /// Not known yet.
    case pending
    /// It created its object.
    case inserted
    /// It changed its object.
    case updated
    /// It found its object as it describes it.
    case unchanged
    /// The mode or the duplicate policy passed it over.
    case skipped
    case rejected
    /// It waits for the end of the run, when an index can tell whether its key is known.
    case deferred
  }

  private(set) var counts = RecordCounts()
  /// Records that were deferred and not settled yet.
  private(set) var waiting = 0

  subscript(dynamicMember count: KeyPath<RecordCounts, Int>) -> Int { counts[keyPath: count] }

  mutating func take(_ count: Int) { counts.read += count }

  /// Counts the outcomes of a batch.
  mutating func settle(_ outcomes: ContiguousArray<Outcome>) {
    // In registers while they are counted.
    var (counts, waiting) = (self.counts, self.waiting)
    for outcome in outcomes {
      switch outcome {
      // One that is not settled is missed at the end.
      case .pending: break
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .unchanged: counts.unchanged += 1
      case .skipped: counts.skipped += 1
      case .rejected: counts.rejected += 1
      case .deferred: waiting += 1
      }
    }
    self.counts = counts
    self.waiting = waiting
  }

  /// Counts the outcomes of records that were deferred before.
  mutating func settleDeferred(_ outcomes: ContiguousArray<Outcome>) {
    waiting -= outcomes.count
    settle(outcomes)
  }

  /// Counts records that the reader refused.
  mutating func reject(_ count: Int) { counts.rejected += count }

  /// Counts records as unchanged that have changed their objects, and others have changed them back.
  mutating func takeBackUpdates(_ count: Int) {
    counts.updated -= count
    counts.unchanged += count
  }

  /// Counts records whose objects were taken out again.
  mutating func takeBack(_ count: Int) {
    counts.inserted -= count
    counts.rejected += count
  }

  /// Holds the sums.
  ///
  /// - Throws: `countsDiffer` when records were lost or counted twice.
  func check() throws(ImportError) {
    guard waiting == 0 else {
      throw ImportError(code: .countsDiffer, message: "\(waiting) deferred records were never settled")
    }
    guard counts.isBalanced else {
      throw ImportError(
        code: .countsDiffer,
        message: "\(counts.read) records were read, but \(counts.inserted) were inserted, \(counts.updated) updated,"
          + " \(counts.unchanged) unchanged, \(counts.skipped) skipped and \(counts.rejected) rejected")
    }
  }
}

extension RecordLedger: Equatable {
  /// The counts, for a checkpoint; ``waiting`` is not among them, as only new stores have such records.
  var numbers: [Int] { counts.numbers }

  /// Takes the counts of a checkpoint; `nil` when they cannot be counts of records.
  init?(numbers: [Int], waiting: Int = 0) {
    guard numbers.count == 6, numbers.allSatisfy({ $0 >= 0 }), waiting >= 0 else { return nil }
    self.waiting = waiting
    counts = RecordCounts(numbers: numbers)
    var sum = waiting
    for number in numbers.dropFirst() {
      let (total, overflow) = sum.addingReportingOverflow(number)
      guard !overflow else { return nil }
      sum = total
    }
    guard sum == counts.read else { return nil }
  }
}
