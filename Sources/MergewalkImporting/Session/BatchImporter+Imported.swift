import MergewalkBytes
import MergewalkRecordFormats

/// Records that an earlier process has imported: a run that goes on reads them once more and imports them no more.
extension BatchImporter {
  /// Whether later records depend on something that has to be rebuilt from those that are skipped.
  var needsImportedRecords: Bool {
    countsNames || watch != nil || since != nil || nodes.contains { $0.seenKeys != nil }
  }

  /// Takes over what a batch's records mean for later ones: which keys the run has named.
  func skipImported(_ batch: inout ImportBatch) throws(ImportError) {
    let count = batch.records.recordCount
    defer { recordsBefore += count }
    since?.noteUnknown(batch.records.errors.count)
    if since != nil { noteProgress(batch) }
    try watch?.noteImported(&batch, self)
    if countsNames { try noteNames(&batch) }
    repeats.removeAll(keepingCapacity: true)
    for state in nodes {
      guard let seen = state.seenKeys else { continue }
      let node = batch.nodes[state.node]
      // Ascending, so that the place in the list is found once a batch.
      var late = firstLateReject(from: recordsBefore)
      for record in 0..<count {
        while late < lateRejects.count, lateRejects[late] < recordsBefore + record { late += 1 }
        let isRejected = late < lateRejects.count && lateRejects[late] == recordsBefore + record
        guard !batch.hasFailed[record], node.keyStates[record] == ImportBatch.KeyState.usable else { continue }
        let hash = node.keyHashes[record]
        let isRepeat = isRejected ? seen.contains(hash) : !seen.noteFirst(hash)
        if isRepeat { noteRepeat(record, state) }
      }
      seen.mark()
    }
    since?.noteRepeats(batch, repeats)
  }

  /// Notes how far the records of a batch have come in the column that only grows.
  private func noteProgress(_ batch: ImportBatch) {
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.unchanged, count: batch.records.recordCount)
    for record in outcomes.indices where batch.hasFailed[record] && !batch.transformed.isSkipped(record) {
      outcomes[record] = .rejected
    }
    for record in outcomes.indices where deferredPassed < deferredBefore.count {
      guard DeferredRecords.Place(record, of: batch.records) == deferredBefore[deferredPassed] else { continue }
      outcomes[record] = .deferred
      deferredPassed += 1
    }
    var late = firstLateReject(from: recordsBefore)
    while late < lateRejects.count, lateRejects[late] < recordsBefore + outcomes.count {
      outcomes[lateRejects[late] - recordsBefore] = .rejected
      late += 1
    }
    since?.note(batch, outcomes)
  }

  /// Remembers the records of the current batch that were rejected after their key could have been noted, and was not:
  /// without an object, because a target was missing or the row was refused.
  func noteLateRejects() {
    guard !rejects.isEmpty, needsImportedRecords else { return }
    var late: [Int] = []
    for reject in rejects {
      switch reject.code {
      case .nullKey, .emptyKey: continue
      // Its key was noted by the record before it; only the column that grows has to know.
      case .duplicateKey where since == nil: continue
      default: late.append(recordsBefore + Int(reject.record))
      }
    }
    lateRejects += late.sorted()
  }

  func firstLateReject(from number: Int) -> Int {
    lateRejects.indices.first(fromWhich: { lateRejects[$0] >= number })
  }
}
