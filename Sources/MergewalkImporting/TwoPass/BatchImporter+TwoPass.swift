import MergewalkObjectContext
import MergewalkObjectStore
import MergewalkRecordFormats

/// Two passes: the first creates all objects without the relationships whose targets may come later, and writes their
/// references into ``BatchImporter/references``; the second sets the relationships.
///
/// A record whose object already exists waits as a whole for the second pass, unless the targets of its references were
/// in the store before the run: so a record that turns out to be rejected never changes an existing object.
extension BatchImporter {
  /// Finds, before the objects are looked for, what the store had of the targets when the run began.
  func findKnownTargets(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    // Nothing that a row says can be told from the record alone: the relationship is not in its hash.
    let contents = view.nodes[state.node].contents
    for record in view.records { contents[record] = 0 }
    guard !store.file.isNew else { return }
    for relationship in state.plan.relationships where relationship.isPostponed {
      let target = nodes[relationship.target]
      // What records say of a target is written in the second pass, in the order of the input.
      guard target.isIndexed, !target.plan.keyFields.isEmpty, !target.plan.fills else { continue }
      try findTargets(view.wanted(target.node), target, view)
      let first = firstKeys[target.plan.rootEntity] ?? .max
      let node = view.nodes[target.node]
      for record in view.records where node.targets[record] >= first { node.targets[record] = 0 }
    }
  }

  /// Puts off the records whose object exists and that refer to what may come later.
  ///
  /// So it does those whose object an earlier record has made that may turn out to be rejected, as the object would go
  /// with it, and those about whose object something waits already, so that the last record counts. Those that were
  /// turned away because of such an object wait, too: they take the place of its record when that is rejected.
  func postpone(_ state: NodeImporter, _ view: BatchView) {
    let targets = state.plan.relationships.filter(\.isPostponed).map { view.nodes[$0.target] }
    let own = view.nodes[state.node].targets
    for record in state.inserts.lazy.map(Int.init) where targets.contains(where: { isOpen(record, $0) }) {
      noteWaiting(own[record])
    }
    let mayGo = plan.postponed.contains { $0.missing == .reject || !$0.isOptional }
    let made = firstKeys[state.plan.rootEntity] ?? .max
    let first = mayGo ? made : .max
    var kept = ContiguousArray<NodeImporter.Apply>()
    for apply in state.applies {
      let record = Int(apply.record)
      if apply.primaryKey < first, !waitingObjects.contains(apply.primaryKey),
        targets.allSatisfy({ !isOpen(record, $0) })
      {
        kept.append(apply)
      } else {
        view.outcomes[record] = .deferred
        noteWaiting(apply.primaryKey)
        if apply.primaryKey >= made { vacancies.claim(apply.primaryKey) }
      }
    }
    state.applies = kept
    postponeRepeats(state, view, mayGo: mayGo)
  }

  /// Puts off the records that were turned away for an object whose own record waits, or whose object may go.
  private func postponeRepeats(_ state: NodeImporter, _ view: BatchView, mayGo: Bool) {
    guard turnsAway(state) else { return }
    let own = view.nodes[state.node].targets
    let made = firstKeys[state.plan.rootEntity] ?? .max
    func waits(_ record: Int) -> Bool {
      guard own[record] > 0 else { return false }
      let isWaiting = waitingObjects.contains(own[record])
      return own[record] >= made ? mayGo || linksMayFail && isWaiting : isWaiting
    }
    func putOff(_ record: Int) {
      view.outcomes[record] = .deferred
      if own[record] >= made { vacancies.claim(own[record]) }
    }
    for record in view.records where view.outcomes[record] == .skipped && waits(record) { putOff(record) }
    rejects.removeAll { reject in
      let record = Int(reject.record)
      guard reject.code == .duplicateKey, reject.element == nil, view.records.contains(record), waits(record) else {
        return false
      }
      putOff(record)
      return true
    }
    repeats.removeAll { view.records.contains($0) && view.outcomes[$0] == .deferred }
  }

  /// Notes that something waits about an object, until the attempt is rolled back: then its key may be another one's.
  private func noteWaiting(_ key: Int64) {
    guard !waitingObjects.contains(key) else { return }
    waitingObjects.mark(key)
    waitingSince.append(key)
  }

  /// Whether records are turned away because their object is there.
  private func turnsAway(_ state: NodeImporter) -> Bool {
    state.plan.duplicates != .last || state.plan.mode == .insert || state.plan.mode == .createMissing
  }

  /// Turns away the records that waited and whose object another record has after all: before their targets are looked
  /// for, as the first pass does.
  ///
  /// A record with a key is imported when it is known what became of those before it that have the key.
  func turnAwayRepeats(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    guard turnsAway(state), !state.plan.keyFields.isEmpty else { return }
    let wanted = view.wanted(state.node)
    let node = view.nodes[state.node]
    var hashes: Set<UInt64> = []
    for record in wanted.lazy.map(Int.init) where !hashes.insert(node.keyHashes[record]).inserted {
      cuts.append(record)
      hashes = [node.keyHashes[record]]
    }
    if !cuts.isEmpty { throw retryAlone() }
    try findTargets(wanted, state, view)
    for record in wanted.lazy.map(Int.init) {
      let key = node.targets[record]
      if key > 0 {
        let isRepeat = state.named?.contains(key) ?? false || state.seenKeys?.contains(node.keyHashes[record]) ?? false
        if isRepeat, !mayRepeat(record, state, view) { continue }
        if !mayUpdate(record, state, view) { continue }
      }
      node.targets[record] = 0
      node.targetEntities?[record] = -1
    }
  }

  /// Whether a record names a target that is not known yet.
  private func isOpen(_ record: Int, _ node: BatchView.NodeView) -> Bool {
    node.keyStates[record] == ImportBatch.KeyState.usable && node.targets[record] == 0
  }

  /// Sets the relationships of those records whose targets the store had before the run, or that name none.
  func linkKnown(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    let postponed = state.plan.relationships.filter(\.isPostponed)
    let isNeeded =
      !state.applies.isEmpty
      || postponed.contains { relationship in
        let targets = view.nodes[relationship.target].targets
        return view.records.contains { targets[$0] > 0 }
      }
    guard isNeeded else { return }
    for relationship in postponed {
      try flush(state.plan.rootEntity)
      try link(relationship, state, view)
    }
    try flush(state.plan.rootEntity)
  }

  /// Keeps what the second pass needs of the records of a batch that the first pass has imported, and marks them as put
  /// off.
  func keepReferences(
    _ batch: ImportBatch, _ outcomes: inout ContiguousArray<RecordLedger.Outcome>
  ) throws(ImportError) {
    guard let references else { return }
    let nodes = plan.postponed.map(\.target)
    for record in outcomes.indices where outcomes[record] == .inserted {
      let isOpen = nodes.contains {
        batch.nodes[$0].keyStates[record] == ImportBatch.KeyState.usable && batch.nodes[$0].targets[record] == 0
      }
      guard isOpen else { continue }
      try references.append(record, of: batch)
      referenceOwners.mark(batch.nodes[plan.root].targets[record])
      vacancies.addDue(batch.nodes[plan.root].targets[record])
      outcomes[record] = .deferred
    }
  }

  /// Sets relationships of objects that the first pass has created, or fills their lists, as ``pass`` says.
  ///
  /// - Parameters:
  ///   - gone: Those that were taken out.
  ///   - due: The others that are looked at; `nil` for all.
  ///   - isLast: Whether records that wait come too late to be targets.
  /// - Returns: The primary keys of those that cannot stay, with the field to blame.
  func processReferences(
    _ batch: inout ImportBatch, without gone: [Int64: Int32], due: Set<Int64>? = nil, isLast: Bool = true
  ) throws(ImportError) -> [(key: Int64, field: Int32?)] {
    let count = batch.records.recordCount
    var outcomes = ContiguousArray(repeating: RecordLedger.Outcome.inserted, count: count)
    let own = batch.nodes[plan.root].targets
    if let due { for record in 0..<count where !due.contains(own[record]) { outcomes[record] = .skipped } }
    if !gone.isEmpty { for record in 0..<count where gone[own[record]] != nil { outcomes[record] = .rejected } }
    rejects.removeAll(keepingCapacity: true)
    firstOutcomes = outcomes
    if pass == .lists { startLists(&batch) }
    defer { if pass == .lists { endLists(&batch) } }
    var overwritten: [SpokenOrder.Overwritten] = []
    if case .references = pass { overwritten = spoken?.hideOverwritten(&batch, in: pass) ?? [] }
    try BatchView.lend(&batch, &outcomes) { view throws(ImportError) in
      try importRecords(view)
      if case .references(let stage) = pass { try noteReferences(of: stage, view) }
    }
    context.reset()
    if case .references = pass { spoken?.note(batch, outcomes, in: pass) }
    // They may be handed out once more.
    for value in overwritten { batch.columns[value.field].tags[value.record] = value.tag }
    if pass == .lists { settleElements(listBatches, outcomes) }
    if !isLast { leaveOpen(batch) }
    for reject in rejects {
      settleValues(of: Int(reject.record), batch, isRejected: true)
      spoken?.takeBack(Int(reject.record), of: batch)
    }
    return rejects.map { (batch.nodes[plan.root].targets[Int($0.record)], $0.field) }
  }

  /// Skips the lists of objects that are gone: the first pass made them, and a list that may delete has let them go
  /// since, so their elements would refer to nothing.
  func skipLostOwners(_ view: BatchView) throws(ImportError) {
    let root = nodes[plan.root].plan.rootEntity
    guard shrunkRoots.contains(root) else { return }
    let own = view.nodes[plan.root].targets
    let owners = view.records.filter { view.outcomes[$0].takesLists }
    guard !owners.isEmpty else { return }
    let buffer = context.buffer(root: root)
    defer { buffer.removeAll() }
    let keys = Set(owners.map { own[$0] }).sorted()
    try storeErrors { () throws(StoreError) in try store.fetch(keys, of: root, slots: [], into: buffer) }
    fetches += 1
    for record in owners where buffer.row(primaryKey: own[record]) == nil { view.outcomes[record] = .skipped }
  }

  /// Withdraws the rejects of records whose targets may be records that wait: they are looked at again.
  private func leaveOpen(_ batch: ImportBatch) {
    guard case .references(let stage) = pass else { return }
    let targets = plan.postponed.filter { $0.stage == stage }.map { nodes[$0.target] }
    rejects.removeAll { reject in
      let record = Int(reject.record)
      guard
        let target = targets.first(where: { $0.plan.keyFields.first.map(Int32.init) == reject.field }),
        reject.code == .missingTarget, isParked(record, target, batch)
      else { return false }
      vacancies.addDue(batch.nodes[plan.root].targets[record])
      return true
    }
  }

  /// Counts and marks what the references of a stage have led to.
  private func noteReferences(of stage: ImportRelationship.Stage, _ view: BatchView) throws(ImportError) {
    countReferences(of: stage, view)
    for relationship in plan.postponed where relationship.stage == stage {
      let targets = view.nodes[relationship.target].targets
      for record in view.records where view.outcomes[record] == .inserted {
        watch?.mark(targets[record], node: relationship.target)
      }
      try watch?.noteTargets(ofRejected: view, node: relationship.target, self)
    }
  }

  /// Counts records as rejected whose objects were taken out again.
  func takeBack(_ count: Int) {
    ledger.takeBack(count)
    nodes[plan.root].counts.inserted -= count
  }

  /// Finds or creates the targets of the postponed relationships and sets them, or writes what records say of the targets of
  /// those that are set already.
  func resolveReferences(_ stage: ImportRelationship.Stage, _ view: BatchView) throws(ImportError) {
    let root = nodes[plan.root]
    for relationship in plan.postponed(in: stage) {
      let target = nodes[relationship.target]
      try flush(root.plan.rootEntity)
      try resolve(target, view)
      try flush(target.plan.rootEntity)
      if root.plan.rootEntity != target.plan.rootEntity { try flush(root.plan.rootEntity) }
      if stage != .telling { try link(relationship, root, view) }
    }
    // Where nothing is written, nothing clashes.
    if stage != .rejecting { try checkClashes(view) }
  }
}
