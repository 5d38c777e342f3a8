import ObjectContext
import ObjectStore
import RecordFormats

/// Which objects records name: for counting those that are named again.
extension BatchImporter {
  /// Prepares the counting.
  ///
  /// - Parameter firstKeys: The first primary key of each hierarchy that the run can have given out, by root entity.
  func countNames(firstKeys: [Int: Int64]) {
    var shared: [Int: NamedObjects] = [:]
    for state in allNodes where !state.part.isGiven && !state.part.keyFields.isEmpty {
      if state.isRoot {
        // A key that a filter has not seen is new, and those that it has seen wait until an index can tell.
        if case .filter = state.strategy { continue }
        state.named = NamedObjects()
        continue
      }
      let first = firstKeys[state.part.rootEntity] ?? store.maximum(root: state.part.rootEntity) + 1
      guard first > 1 else { continue }
      let named = shared[state.part.rootEntity] ?? NamedObjects(below: first)
      shared[state.part.rootEntity] = named
      state.named = named
    }
  }

  /// Whether records that an earlier process has imported have named objects that count.
  var countsNames: Bool { allNodes.contains { $0.named != nil } }

  /// Counts the records of a batch whose objects earlier records have named.
  func countDuplicates(_ view: BatchView) {
    let root = nodes[plan.root]
    guard root.isRoot, let named = root.named, phase != .second else { return }
    // A record that is rejected names its object only where it is rejected for that.
    var repeated: Set<Int32> = []
    for reject in rejects where reject.code == .duplicateKey && reject.element == nil { repeated.insert(reject.record) }
    let targets = view.nodes[root.node].targets
    var duplicates = 0
    for record in view.records where targets[record] > 0 {
      switch view.outcomes[record] {
      case .inserted, .updated, .unchanged, .skipped: break
      case .rejected: guard repeated.contains(Int32(record)) else { continue }
      case .pending, .deferred: continue
      }
      if !named.note(targets[record]) { duplicates += 1 }
    }
    root.counts.duplicates += duplicates
  }

  /// Notes which objects the records of a batch have named that an earlier process has imported.
  func noteNames(_ batch: inout ImportBatch) throws(ImportError) {
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.pending, count: batch.records.recordCount)
    for record in outcomes.indices
    where batch.hasFailed[record] || !batch.isPassedOver.isEmpty && batch.isPassedOver[record] {
      outcomes[record] = .rejected
    }
    var late = firstLateReject(from: recordsBefore)
    while late < lateRejects.count, lateRejects[late] < recordsBefore + outcomes.count {
      outcomes[lateRejects[late] - recordsBefore] = .rejected
      late += 1
    }
    let (lists, owners) = (batch.lists, outcomes)
    try noteNames(&batch, &outcomes)
    for (list, elements) in zip(self.lists, lists) {
      var elements = elements
      guard elements.batch.records.recordCount > 0 else { continue }
      var outcomes = ContiguousArray(
        repeating: RecordLedger.Outcome.rejected, count: elements.batch.records.recordCount)
      for record in owners.indices where owners[record] == .pending && elements.hasList[record] {
        for element in elements.range(record) { outcomes[element] = .pending }
      }
      try list.importer.noteNames(&elements.batch, &outcomes)
    }
  }

  private func noteNames(
    _ batch: inout ImportBatch, _ outcomes: inout ContiguousArray<RecordLedger.Outcome>
  ) throws(ImportError) {
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      for state in nodes {
        guard let named = state.named else { continue }
        var records = ContiguousArray<Int32>()
        for record in view.records where isNamed(record, state, view) { records.append(Int32(record)) }
        try lookUp(records, state, view) { _ = named.isFirst($0) }
        named.mark()
      }
    }
  }

  private func isNamed(_ record: Int, _ state: NodeState, _ view: BatchView) -> Bool {
    guard view.outcomes[record] == .pending,
      view.nodes[state.node].keyStates[record] == ImportBatch.KeyState.usable,
      state.part.keyFields.allSatisfy({ view.fields[$0].tags[record] < CellTag.absent })
    else { return false }
    // What a partitioned scan knows of is named by one record alone.
    guard let verdicts = state.verdicts else { return true }
    if case .unknown = verdicts.verdict(recordsBefore + record) { return true }
    return false
  }

  /// Finds the objects of records without doing anything to them.
  func lookUp(
    _ records: ContiguousArray<Int32>, _ state: NodeState, _ view: BatchView, _ body: (Int64) -> Void
  ) throws(ImportError) {
    guard !records.isEmpty, !state.isScoped else { return }
    let columns = view.nodes[state.node]
    switch state.strategy {
    case .table(let table):
      let keys = state.part.keyFields.map { view.fields[$0] }
      for record in records.map(Int.init) {
        let key = keyBytes.key(keys, row: record, arena: view.arena)
        let entry = table.find(hash: columns.keyHashes[record], key: key)
        if entry >= 0 { body(table.primaryKey(entry)) }
      }
    case .scan(let table):
      // Another object with the same hash may be meant, for one key in 10^19.
      for record in records.map(Int.init) {
        let place = table.find(columns.keyHashes[record])
        if place >= 0 { body(table.primaryKey(place)) }
      }
    case .filter: break
    case .none where state.part.keyFields.isEmpty: break
    // What a second pass looks for is not searched before it.
    case .none, .seek, .deduplicate:
      for record in records { columns.targets[Int(record)] = 0 }
      state.lookUpOnly = true
      defer { state.lookUpOnly = false }
      try findBySeek(state, view, only: records)
      context.buffer(table: state.part.rootEntity).removeAll()
      for record in records.map(Int.init) {
        if columns.targets[record] > 0 { body(columns.targets[record]) }
        columns.targets[record] = 0
      }
    }
  }
}
