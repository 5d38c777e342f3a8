import MergewalkBytes
import MergewalkObjectStore
import MergewalkRecordFormats

/// Records that an earlier process has imported: a resumed run reads them again, but does not import them again.
extension BatchImporter {
  /// Whether later records depend on something that has to be rebuilt from those that are skipped.
  var needsImportedRecords: Bool {
    nodes[plan.root].named != nil || since != nil || spoken != nil || nodes.contains { $0.seenKeys != nil }
  }

  /// Takes over what a batch's records mean for later ones: which keys the run has named.
  func skipImported(_ batch: inout ImportBatch) throws(ImportError) {
    defer { recordsBefore += batch.records.recordCount }
    since?.noteUnknown(batch.records.errors.count)
    noteKept(batch)
    if since != nil { noteProgress(batch) }
    try noteNames(&batch)
    if spoken != nil {
      var outcomes = outcomes(ofImported: batch)
      for record in keptNow.deferred { outcomes[record] = .deferred }
      set(&outcomes, at: late.unsaid, .skipped)
      spoken?.note(batch, outcomes, in: pass)
    }
    repeats.removeAll(keepingCapacity: true)
    var outcomes = outcomes(ofImported: batch)
    // Their keys were not looked at.
    for record in keptNow.parked { outcomes[record] = .deferred }
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      for state in nodes where state.seenKeys != nil && !state.isPostponed { try noteKeys(state, view) }
    }
    since?.noteRepeats(batch, repeats)
  }

  /// Whether a record's key is one that an object can have.
  func isUsable(_ record: Int, _ node: Int, _ view: BatchView) -> Bool {
    view.nodes[node].keyStates[record] == ImportBatch.KeyState.usable
      && nodes[node].plan.keyFields.allSatisfy { view.fields[$0].tags[record] < CellTag.absent }
  }

  /// The objects that some records of a batch name as their own; nothing is noted about these.
  func ownObjects(of records: [Int], _ batch: inout ImportBatch) throws(ImportError) -> [Int: Int64] {
    let root = nodes[plan.root]
    var owners: [Int: Int64] = [:]
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.rejected, count: batch.records.recordCount)
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      let usable = records.filter { self.isUsable($0, root.node, view) }.map { Int32($0) }
      try root.finder.lookUp(ContiguousArray(usable), root, view, self) { owners[$0] = $1 }
    }
    return owners
  }

  /// Notes the keys that the records of a batch have named.
  private func noteKeys(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    var named = view.wanted(state.node)
    // A filter finds nothing: the store is new.
    let isInsert = state.role == .root && state.plan.mode == .insert && !(state.finder is KeyFilter)
    if isInsert || state.plan.mode == .update && (state.role != .root || !makesSkippedObjects) {
      // Who finds nothing has named nothing, and neither has who was rejected for an object of before. Where what was
      // found may have gone and come again, those are skipped already.
      let wanted = named
      named.removeAll(keepingCapacity: true)
      try state.finder.lookUp(wanted, state, view, self) { record, key in
        if !isInsert || state.named?.contains(key) ?? true { named.append(Int32(record)) }
      }
    }
    let hashes = view.nodes[state.node].keyHashes
    for record in named.lazy.map(Int.init) where state.seenKeys?.noteFirst(hashes[record]) == false {
      noteRepeat(record, state)
    }
    state.seenKeys?.mark()
  }

  /// The outcomes of a batch's records as far as later records need them: pending are those that have named their
  /// object.
  func outcomes(ofImported batch: ImportBatch) -> ContiguousArray<RecordLedger.Outcome> {
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.pending, count: batch.records.recordCount)
    for record in outcomes.indices {
      if batch.hasFailed[record] {
        outcomes[record] = batch.transformed.isSkipped(record) ? .skipped : .rejected
      } else if !batch.isBeforeCursor.isEmpty, batch.isBeforeCursor[record] {
        outcomes[record] = .skipped
      }
    }
    set(&outcomes, at: late.rejected, .rejected)
    set(&outcomes, at: late.unfound, .skipped)
    return outcomes
  }

  /// Sets the outcome of those records of the current batch that are among some numbers.
  private func set(
    _ outcomes: inout ContiguousArray<RecordLedger.Outcome>, at numbers: [Int], _ outcome: RecordLedger.Outcome
  ) {
    var place = numbers.indices.first(fromWhich: { numbers[$0] >= recordsBefore })
    while place < numbers.count, numbers[place] < recordsBefore + outcomes.count {
      outcomes[numbers[place] - recordsBefore] = outcome
      place += 1
    }
  }

  /// Notes which records of a batch were put off as a whole or in part.
  private func noteKept(_ batch: ImportBatch) {
    keptNow = ([], [], [])
    guard !keptBefore.deferred.arePassed || !keptBefore.references.arePassed else { return }
    DeferredPlaces.forEach(in: batch.records) { record, place in
      if keptBefore.deferred.pass(place) { keptNow.deferred.insert(record) }
      if keptBefore.parked.pass(place) { keptNow.parked.insert(record) }
      if keptBefore.references.pass(place) { keptNow.references.insert(record) }
    }
  }

  /// Notes how far the records of a batch have come in the column that only grows.
  private func noteProgress(_ batch: ImportBatch) {
    var outcomes = outcomes(ofImported: batch)
    for record in keptNow.deferred.union(keptNow.references) { outcomes[record] = .deferred }
    set(&outcomes, at: late.repeated, .rejected)
    since?.note(batch, outcomes)
  }

  /// Remembers the records of the current batch of which another process could not tell what became of them.
  func noteLate(_ batch: ImportBatch, _ outcomes: ContiguousArray<RecordLedger.Outcome>) {
    guard needsImportedRecords, !pass.isReplay else { return }
    var (rejected, repeated): ([Int], [Int]) = ([], [])
    for reject in rejects {
      let number = recordsBefore + Int(reject.record)
      switch reject.code {
      case .nullKey, .emptyKey: continue
      case .duplicateKey where reject.element == nil && reject.field == rootKeyField:
        if since != nil { repeated.append(number) }
      default: rejected.append(number)
      }
    }
    late.rejected += rejected.sorted()
    late.repeated += repeated.sorted()
    guard makesSkippedObjects else { return }
    let root = batch.nodes[plan.root]
    for record in outcomes.indices
    where outcomes[record] == .skipped && !batch.hasFailed[record] && root.targets[record] == 0
      && root.keyStates[record] == ImportBatch.KeyState.usable
    {
      late.unfound.append(recordsBefore + record)
    }
  }

  var rootKeyField: Int32? { nodes[plan.root].plan.keyFields.first.map { Int32($0) } }

  /// Whether another node than the records' own may make the object of a record that was skipped for want of it.
  func findsMakersOfSkipped() -> Bool {
    let root = nodes[plan.root]
    return root.plan.mode == .update
      && allNodes.contains { state in
        state !== root && state.role != .given && state.plan.rootEntity == root.plan.rootEntity
          && state.plan.mode != .update
      }
  }
}
