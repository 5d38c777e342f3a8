import MergewalkBytes

/// The results known of records before the run proper, by their number in the run's order of good records, from 0.
///
/// A record without a result is looked up by a seek.
final class RecordVerdicts {
  private var unchanged: ContiguousArray<UInt64> = []
  private var new: ContiguousArray<UInt64> = []
  /// Record number in the high half, primary key in the low half; sorted once it is complete.
  private var changed: ContiguousArray<UInt64> = []
  private let changedLimit: Int
  private var cursor = 0
  /// How many records there are, and how many of them have no result.
  private var counts = (records: 0, undecided: 0)

  /// - Parameter memory: What the list of changed records may take, in bytes; records beyond it are sought.
  init(memory: Int) { changedLimit = memory / 8 }

  /// Whether so few records have no result that hardly a batch has one of them.
  var areNearlyAll: Bool { counts.undecided <= counts.records / 200_000 }

  enum Verdict {
    /// Its key is in the store with the same content.
    case unchanged
    /// Its key is not in the store, and no other record has it.
    case new
    /// Its key is probably that of this row, with other content; the row's key has to be compared.
    case changed(Int64)
    /// Nothing is known.
    case unknown
  }

  /// The verdict on a record; fastest when records are asked for in ascending order.
  @inline(__always)
  func verdict(_ record: Int) -> Verdict {
    if Self.contains(unchanged, record) { return .unchanged }
    if Self.contains(new, record) { return .new }
    if cursor > 0, Int(changed[cursor - 1] >> 32) >= record { seek(record) }
    while cursor < changed.count, Int(changed[cursor] >> 32) < record { cursor += 1 }
    if cursor < changed.count, Int(changed[cursor] >> 32) == record {
      return .changed(Int64(changed[cursor] & 0xFFFF_FFFF))
    }
    return .unknown
  }

  /// Goes back: a part of a batch is imported again after one of its records was refused.
  private func seek(_ record: Int) {
    cursor = changed.indices.first(fromWhich: { Int(changed[$0] >> 32) >= record })
  }

  func noteUnchanged(_ record: Int) { Self.insert(&unchanged, record) }
  func noteNew(_ record: Int) { Self.insert(&new, record) }
  func noteChanged(_ record: Int, primaryKey: Int64) {
    guard changed.count < changedLimit, record < 1 << 32 else { return }
    changed.append(UInt64(record) << 32 | UInt64(truncatingIfNeeded: primaryKey))
  }

  /// Forgets what is known of a record; its key came again.
  func forget(_ record: Int) {
    Self.remove(&unchanged, record)
    Self.remove(&new, record)
    forgotten.insert(UInt64(record))
  }
  private var forgotten: Set<UInt64> = []

  /// Ends the collection.
  ///
  /// - Parameter records: How many records there are.
  func finish(records: Int) {
    if !forgotten.isEmpty { changed.removeAll { forgotten.contains($0 >> 32) } }
    forgotten = []
    changed.sort()
    let decided = unchanged.reduce(0) { $0 + $1.nonzeroBitCount } + new.reduce(0) { $0 + $1.nonzeroBitCount }
    counts = (records, records - decided - changed.count)
  }

  @inline(__always)
  private static func contains(_ words: ContiguousArray<UInt64>, _ record: Int) -> Bool {
    let word = record >> 6
    return word < words.count && words[word] >> (UInt64(record) & 63) & 1 == 1
  }

  private static func insert(_ words: inout ContiguousArray<UInt64>, _ record: Int) {
    while record >> 6 >= words.count { words.append(0) }
    words[record >> 6] |= 1 << (UInt64(record) & 63)
  }

  private static func remove(_ words: inout ContiguousArray<UInt64>, _ record: Int) {
    if contains(words, record) { words[record >> 6] &= ~(1 << (UInt64(record) & 63)) }
  }
}
