/// What became of every record: the one place where records are counted.
///
/// A record is read once and settled once. ``check()`` holds the identity
/// `read = inserted + updated + unchanged + skipped + rejected` at the end of a run, so no record is lost unseen.
struct RecordLedger: Sendable {
  /// What became of a record.
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
    /// It was rejected.
    case rejected
    /// It waits for the end of the run, when an index can tell whether its key is known.
    case deferred
  }

  private(set) var read = 0
  private(set) var inserted = 0
  private(set) var updated = 0
  private(set) var unchanged = 0
  private(set) var skipped = 0
  private(set) var rejected = 0
  /// Records that were deferred and not settled yet.
  private(set) var waiting = 0

  /// Counts records as read.
  mutating func read(_ count: Int) { read += count }

  /// Counts the outcomes of a batch.
  mutating func settle(_ outcomes: ContiguousArray<Outcome>) {
    var counts = (inserted: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0, deferred: 0)
    for outcome in outcomes {
      switch outcome {
      // One that nobody has settled is missed at the end.
      case .pending: break
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .unchanged: counts.unchanged += 1
      case .skipped: counts.skipped += 1
      case .rejected: counts.rejected += 1
      case .deferred: counts.deferred += 1
      }
    }
    inserted += counts.inserted
    updated += counts.updated
    unchanged += counts.unchanged
    skipped += counts.skipped
    rejected += counts.rejected
    waiting += counts.deferred
  }

  /// Counts the outcomes of records that were deferred before.
  mutating func settleDeferred(_ outcomes: ContiguousArray<Outcome>) {
    waiting -= outcomes.count
    settle(outcomes)
  }

  /// Counts records that the reader refused.
  mutating func reject(_ count: Int) { rejected += count }

  /// Counts records whose objects were taken out again.
  mutating func takeBack(_ count: Int) {
    inserted -= count
    rejected += count
  }

  /// Holds the sums.
  ///
  /// - Throws: `countsDiffer` when records were lost or counted twice.
  func check() throws(ImportError) {
    guard waiting == 0 else {
      throw ImportError(code: .countsDiffer, message: "\(waiting) deferred records were never settled")
    }
    guard read == inserted + updated + unchanged + skipped + rejected else {
      throw ImportError(
        code: .countsDiffer,
        message: "\(read) records were read, but \(inserted) were inserted, \(updated) updated, \(unchanged) unchanged,"
          + " \(skipped) skipped and \(rejected) rejected")
    }
  }
}

extension RecordLedger: Equatable {
  /// The counts, for a checkpoint; ``waiting`` is not among them, as only new stores have such records.
  var numbers: [Int] { [read, inserted, updated, unchanged, skipped, rejected] }

  /// Takes the counts of a checkpoint; `nil` when they cannot be counts of records.
  init?(numbers: [Int], waiting: Int = 0) {
    guard numbers.count == 6, numbers.allSatisfy({ $0 >= 0 }), waiting >= 0 else { return nil }
    self.waiting = waiting
    read = numbers[0]
    inserted = numbers[1]
    updated = numbers[2]
    unchanged = numbers[3]
    skipped = numbers[4]
    rejected = numbers[5]
    var sum = waiting
    for number in numbers.dropFirst() {
      let (total, overflow) = sum.addingReportingOverflow(number)
      guard !overflow else { return nil }
      sum = total
    }
    guard sum == read else { return nil }
  }
}
