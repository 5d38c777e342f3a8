import ObjectStore
import RecordFormats

/// Records that an earlier process has imported: a run that goes on reads them once more and imports them no more.
extension BatchImporter {
  /// Whether later records depend on something that has to be rebuilt from those that are passed over.
  var needsPassedRecords: Bool { nodes.contains { $0.seenKeys != nil } }

  /// Takes over what a batch's records mean for later ones: which keys the run has named.
  func passOver(_ batch: inout ImportBatch) {
    let count = batch.records.recordCount
    defer { recordsBefore += count }
    for state in nodes {
      guard let seen = state.seenKeys else { continue }
      let node = batch.nodes[state.node]
      // Ascending, so that the place in the list is found once a batch.
      var late = firstLateReject(from: recordsBefore)
      for record in 0..<count {
        while late < lateRejects.count, lateRejects[late] < recordsBefore + record { late += 1 }
        let isRejected = late < lateRejects.count && lateRejects[late] == recordsBefore + record
        guard !isRejected, !batch.hasFailed[record], node.keyStates[record] == ImportBatch.KeyState.usable else {
          continue
        }
        seen.noteFirst(node.keyHashes[record])
      }
      seen.mark()
    }
  }

  /// Remembers the records of the current batch that were rejected after their key could have been noted, and was not:
  /// without an object, because a target was missing or the row was refused.
  func noteLateRejects() {
    guard !rejects.isEmpty, needsPassedRecords else { return }
    var late: [Int] = []
    for reject in rejects {
      switch reject.code {
      case .duplicateKey, .nullKey, .emptyKey: continue
      default: late.append(recordsBefore + Int(reject.record))
      }
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
