import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The objects that records name: for counting those that are named again.
extension BatchImporter {
  /// Prepares the counting.
  ///
  /// - Parameters:
  ///   - firstKeys: The first primary key of each hierarchy that the run can have given out, by root entity.
  ///   - partKeys: The same for this import: what another import of the run has made was there before it.
  func countNames(firstKeys: [RootIndex: Int64], partKeys: [RootIndex: Int64]) {
    var shared: [RootIndex: NamedObjects] = [:]
    for state in allNodes where state.role != .given && !state.plan.keyFields.isEmpty {
      if state.role == .root {
        // A key that a filter has not seen is new, and those that it has seen wait until an index can tell.
        if state.finder is KeyFilter { continue }
        // Where only new objects are wanted, a record that was turned away for one of before has named nothing.
        let isInsert = state.plan.mode == .insert
        state.named = NamedObjects(from: isInsert ? partKeys[state.plan.rootEntity] ?? 0 : 0)
        continue
      }
      let first = firstKeys[state.plan.rootEntity] ?? store.nextPrimaryKey(root: state.plan.rootEntity)
      guard first > 1 else { continue }
      let named = shared[state.plan.rootEntity] ?? NamedObjects(below: first)
      shared[state.plan.rootEntity] = named
      state.named = named
    }
  }

  /// Whether records that an earlier process has imported have named objects that count.
  var countsNames: Bool { allNodes.contains { $0.named != nil } }

  /// Counts the records of a batch whose objects earlier records have named.
  func countDuplicates(_ view: BatchView) {
    let root = nodes[plan.root]
    guard root.role == .root, let named = root.named else { return }
    if case .references = pass { return }
    var repeated: Set<Int32> = []
    for reject in rejects where reject.code == .duplicateKey && reject.element == nil { repeated.insert(reject.record) }
    let targets = view.nodes[root.node].targets
    var duplicates = 0
    // Where only new objects are wanted, a record may be turned away for one that the store had before.
    let isInsert = root.plan.mode == .insert
    for record in view.records where targets[record] > 0 {
      let key = targets[record]
      switch view.outcomes[record] {
      case .skipped where isInsert: if named.contains(key) { duplicates += 1 }
      case .updated:
        updates?.note(key)
        if !named.note(key) { duplicates += 1 }
      case .inserted, .unchanged, .skipped: if !named.note(key) { duplicates += 1 }
      case .rejected where repeated.contains(Int32(record)):
        if isInsert ? named.contains(key) : !named.note(key) { duplicates += 1 }
      case .rejected, .pending, .deferred: continue
      }
    }
    root.counts.duplicates += duplicates
  }

  /// Notes which objects the records of a batch have named that an earlier process has imported.
  func noteNames(_ batch: inout ImportBatch) throws(ImportError) {
    var outcomes = outcomes(ofImported: batch)
    let waiting = listsWait ? keptNow.deferred.union(keptNow.references) : keptNow.deferred
    try noteNames(&batch, &outcomes, except: waiting)
  }

  /// The same, with the elements of lists.
  ///
  /// - Parameter waiting: The records whose lists wait for the second pass.
  private func noteNames(
    _ batch: inout ImportBatch, _ outcomes: inout ContiguousArray<RecordLedger.Outcome>, except waiting: Set<Int>
  ) throws(ImportError) {
    let (lists, owners) = (batch.lists, outcomes)
    let records = owners.indices.filter { owners[$0] == .pending && !waiting.contains($0) }
    let counting = lists.indices.filter { self.lists[$0].importer.countsNames }
    try noteOwnNames(&batch, &outcomes)
    let isScoped = counting.contains { self.lists[$0].list.isScoped }
    let own = isScoped ? try ownObjects(of: records, &batch) : [:]
    for index in counting {
      let list = self.lists[index]
      var elements = lists[index]
      let known = records.filter { elements.hasList[$0] }.flatMap(elements.range)
      guard !known.isEmpty else { continue }
      var outcomes = ContiguousArray(
        repeating: RecordLedger.Outcome.rejected, count: elements.batch.records.recordCount)
      for element in known { outcomes[element] = .pending }
      try list.beginLookUp(&elements, owners: own.filter { elements.hasList[$0.key] })
      defer { list.endLookUp() }
      try list.importer.noteNames(&elements.batch, &outcomes, except: [])
    }
  }

  private func noteOwnNames(
    _ batch: inout ImportBatch, _ outcomes: inout ContiguousArray<RecordLedger.Outcome>
  ) throws(ImportError) {
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      for state in nodes {
        // What the second pass finds has not been named before it.
        guard !state.isPostponed, let named = state.named else { continue }
        var records = ContiguousArray<Int32>()
        for record in view.records where isNamed(record, state, view) { records.append(Int32(record)) }
        try state.finder.lookUp(records, state, view, self) { _ = named.isFirst($1) }
        named.mark()
      }
    }
  }

  private func isNamed(_ record: Int, _ state: NodeImporter, _ view: BatchView) -> Bool {
    guard view.outcomes[record] == .pending, state.role != .root || !keptNow.deferred.contains(record),
      isUsable(record, state.node, view)
    else { return false }
    // What a partitioned scan knows of is named by one record alone.
    guard let verdicts = (state.finder as? VerdictFinder)?.verdicts else { return true }
    if case .unknown = verdicts.verdict(recordsBefore + record) { return true }
    return false
  }
}
