import ObjectStore
import RecordFormats

/// Records that an earlier process has imported: a run that goes on reads them once more and imports them no more.
extension BatchImporter {
  /// Whether later records, or the end of the run, depend on something that has to be rebuilt from those that are passed
  /// over.
  var needsPassedRecords: Bool { watch != nil || since != nil || nodes.contains { $0.seenKeys != nil } }

  /// Takes over what a batch's records mean for what comes later: which keys the run has named, which objects are not
  /// to go, how far the column has come that only grows.
  func passOver(_ batch: inout ImportBatch) throws(ImportError) {
    let count = batch.records.recordCount
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.unchanged, count: count)
    for record in 0..<count where batch.hasFailed[record] { outcomes[record] = .rejected }
    var late = firstLateReject(from: recordsBefore)
    while late < lateRejects.count, lateRejects[late] < recordsBefore + count {
      outcomes[lateRejects[late] - recordsBefore] = .rejected
      late += 1
    }
    since?.noteUnreadable(batch.records.errors.count)
    since?.note(batch, outcomes)
    for state in nodes {
      guard let seen = state.seenKeys else { continue }
      let node = batch.nodes[state.node]
      for record in 0..<count
      where outcomes[record] != .rejected && node.keyStates[record] == ImportBatch.KeyState.usable {
        seen.noteFirst(node.keyHashes[record])
      }
      seen.mark()
    }
    recordsBefore += count
    try watch?.notePassedOver(&batch, self)
  }

  /// Remembers the records of the current batch that were rejected after their key could have been noted, and was not:
  /// without an object, because a target was missing or the row was refused.
  func noteLateRejects() {
    guard !rejects.isEmpty, needsPassedRecords else { return }
    var late: [Int] = []
    for reject in rejects {
      let hasNoted = reject.code == .duplicateKey || reject.code == .nullKey || reject.code == .emptyKey
      // The column that only grows counts every reject; keys only those whose key is not known for it.
      if since != nil || !hasNoted { late.append(recordsBefore + Int(reject.record)) }
    }
    lateRejects += late.sorted()
  }

  private func firstLateReject(from number: Int) -> Int {
    var low = 0
    var high = lateRejects.count
    while low < high {
      let middle = (low + high) / 2
      if lateRejects[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
