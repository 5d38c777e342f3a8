/// The decisions of transforms, hooks and the contract about the records of one batch.
struct TransformedRecords: Sendable {
  /// Whether each record is left out; empty when none is.
  var skipped: ContiguousArray<Bool> = []
  var refusals: [RecordReject] = []
  /// The values that could not be made: record and column of the batch.
  var failedCells: Set<UInt64> = []
  /// Why steps replaced the values of a column of the batch: for each record ``FieldTally/Replacement/kept``, or 0.
  ///
  /// Columns in which they replaced none are not there.
  var replaced: [Int: ContiguousArray<UInt8>] = [:]

  /// Whether nothing was decided about any record.
  var isEmpty: Bool { skipped.isEmpty && refusals.isEmpty && failedCells.isEmpty }

  /// Whether a record is left out.
  @inline(__always)
  func isSkipped(_ record: Int) -> Bool { !skipped.isEmpty && skipped[record] }

  static func cell(_ record: Int, _ column: Int) -> UInt64 { UInt64(record) << 32 | UInt64(column) }

  /// Begins anew.
  mutating func removeAll() {
    skipped.removeAll(keepingCapacity: true)
    refusals.removeAll(keepingCapacity: true)
    failedCells.removeAll(keepingCapacity: true)
    replaced.removeAll(keepingCapacity: true)
  }

  /// Keeps why values of a column were replaced, where nothing is known of a later step.
  mutating func keep(_ reasons: ContiguousArray<UInt8>, column: Int) {
    guard !reasons.isEmpty else { return }
    var known = replaced[column] ?? reasons
    for record in known.indices where known[record] == 0 { known[record] = reasons[record] }
    replaced[column] = known
  }

  mutating func skip(_ record: Int, of count: Int) {
    if skipped.isEmpty { skipped.fill(false, count: count) }
    skipped[record] = true
  }
}
