import MergewalkDiagnostics
import MergewalkImporting

/// The sums of the runs of several stores: their warnings, and the outcomes of the values of each field and the
/// elements of each list.
struct FamilySums: Sendable {
  /// A warning that several runs share.
  private struct Finding: Hashable {
    var code: RunWarning.Code
    var finding: String
    var file: String?
    var line: Int
    var column: Int

    init(_ warning: RunWarning) {
      code = warning.code
      finding = warning.finding
      file = warning.file
      line = warning.position?.line ?? 0
      column = warning.position?.column ?? 0
    }
  }

  private var noted: [Finding: (warning: RunWarning, stores: Int)] = [:]
  /// Counts of the values of each field.
  private(set) var fields: [FieldTally] = []
  /// Counts of the elements of each list.
  private(set) var lists: [ListTally] = []
  /// How many stores there are.
  private var stores = 0
  /// How many stores have nothing that could decide a finding.
  private var undecided: [String: Int] = [:]
  /// Stores without records of their own: all of theirs were skipped or rejected.
  private(set) var empty = 0

  /// The warnings in the order of their texts, with the number of stores that have them.
  var warnings: [(warning: RunWarning, stores: Int)] {
    noted.values.sorted { $0.warning.description < $1.warning.description }
  }

  /// Whether a warning of some stores is one of the family: `neverMatched` is if no other store has what it names.
  func isOfFamily(_ warning: RunWarning, of count: Int) -> Bool {
    warning.code != .neverMatched || count + undecided[warning.finding, default: 0] == stores
  }

  mutating func add(_ receipt: StoreReceipt) {
    let counts = receipt.counts
    stores += 1
    for finding in Set(receipt.undecided) { undecided[finding, default: 0] += 1 }
    if counts.read == counts.skipped + counts.rejected { empty += 1 }
    for warning in Set(receipt.warnings) { note(warning, stores: 1) }
    Self.add(receipt.fields, to: &fields)
    Self.add(receipt.lists, to: &lists)
  }

  static func += (left: inout FamilySums, right: FamilySums) {
    left.stores += right.stores
    left.undecided.merge(right.undecided, uniquingKeysWith: +)
    left.empty += right.empty
    for (warning, stores) in right.noted.values { left.note(warning, stores: stores) }
    add(right.fields, to: &left.fields)
    add(right.lists, to: &left.lists)
  }

  private mutating func note(_ warning: RunWarning, stores: Int) {
    let finding = Finding(warning)
    guard let known = noted[finding] else {
      noted[finding] = (warning, stores)
      return
    }
    // Which of several texts is told does not hang on the order of the stores.
    let first = known.warning.message <= warning.message ? known.warning : warning
    noted[finding] = (first, known.stores + stores)
  }

  private static func add<Tally: SummedTally>(_ tallies: [Tally], to sums: inout [Tally]) {
    for (index, tally) in tallies.enumerated() {
      // All stores have the same fields and lists in the same order.
      let isAlike = sums.indices.contains(index) && sums[index].isOfSame(as: tally)
      guard let number = isAlike ? index : sums.firstIndex(where: { $0.isOfSame(as: tally) }) else {
        sums.append(tally)
        continue
      }
      sums[number].add(tally)
    }
  }
}

/// Counts that those of other stores are added to.
private protocol SummedTally {
  /// Whether the counts are of the same field or list.
  func isOfSame(as other: Self) -> Bool
  mutating func add(_ other: Self)
}

extension FieldTally: SummedTally {
  fileprivate func isOfSame(as other: FieldTally) -> Bool {
    attribute == other.attribute && column == other.column && entity == other.entity && part == other.part
  }

  fileprivate mutating func add(_ other: FieldTally) {
    read += other.read
    stored += other.stored
    rejected += other.rejected
    replaced.merge(other.replaced, uniquingKeysWith: +)
  }
}

extension ListTally: SummedTally {
  fileprivate func isOfSame(as other: ListTally) -> Bool {
    relationship == other.relationship && column == other.column && entity == other.entity && part == other.part
  }

  fileprivate mutating func add(_ other: ListTally) {
    numbers = zip(numbers, other.numbers).map { $0 + $1 }
  }
}
