import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Relationships within one hierarchy, such as an employee's manager: the target may be an object that the same batch
/// creates, so it is found after the owner's objects are written.
///
/// A target exists if the store has it, or if a record of the same batch names it as its own. A target in a later batch
/// does not exist yet: put such records first, or raise the batch's limits. For references of targets and elements to
/// themselves, only earlier records count, whatever the batch.
extension BatchImporter {
  /// Finds or creates the objects of every node, in the order of the plan.
  func resolveAll(_ view: BatchView) throws(ImportError) {
    if case .references(let stage) = pass { return try resolveReferences(stage, view) }
    if pass == .lists {
      try skipLostOwners(view)
      return try resolveLists(view)
    }
    if pass == .waiting { try turnAwayRepeats(nodes[plan.root], view) }
    // Before anything is done with their other targets, so that nothing is left of records without a late one.
    let expected = try expectFirst(view)
    let settled = rejects.count
    var written: Set<RootIndex> = []
    for state in nodes where !state.isLateTarget && state.role != .given && isResolved(state) {
      // Seeks see what is in the store only, so what an earlier node of the hierarchy did has to be there.
      if !written.insert(state.plan.rootEntity).inserted { try flush(state.plan.rootEntity) }
      if state.role == .root, let expected {
        // Only those that were rejected since can be missed.
        let known = rejects.count
        if known > expected { try expectTargets(state, view, rejectedSince: rejects[expected...]) }
        if rejectAnew(since: known) { return }
      } else {
        try expectTargets(state, view)
      }
      let isFirst = pass.postpones && state.role == .root
      if isFirst { try findKnownTargets(state, view) }
      try resolve(state, view)
      if state.role == .root, leavesTraces(since: settled, view) { return }
      if isFirst { try linkKnown(state, view) }
      for relationship in state.plan.relationships where isDueNow(relationship) {
        try flush(state.plan.rootEntity)
        let known = rejects.count
        try resolve(nodes[relationship.target], view)
        if rejectAnew(since: known) { return }
        if state.role == .root, makesSkipped(nodes[relationship.target], state, view) { throw retryAlone() }
        try flush(state.plan.rootEntity)
        try link(relationship, state, view)
      }
    }
    try checkOrder(view)
    try checkClashes(view)
    if !lists.isEmpty { try resolveLists(view) }
  }

  /// Whether records were rejected since, of which other nodes are done.
  ///
  /// Then the attempt is rolled back and made anew without them, so that they leave nothing.
  private func rejectAnew(since known: Int) -> Bool {
    // Rejected elements have their records rolled back anyway.
    guard owner == nil, rejects.count > known else { return false }
    elementRejects += rejects[known...]
    return true
  }

  /// Whether a node's objects are found or created with the batch: the targets of records that were put off are known
  /// already, unless some of them may have gone since, and those of postponed relationships come with the second pass.
  func isResolved(_ state: NodeImporter) -> Bool {
    switch pass {
    case .lists: false
    case .references(let stage): plan.postponed(in: stage).contains { $0.target == state.node }
    case .waiting where state.isPostponed: true
    default:
      !state.isPostponed && (!pass.isReplay || state.role == .root || shrunkRoots.contains(state.plan.rootEntity))
    }
  }

  /// Whether a target that a record has made may be the object that a later record of mode “update” was skipped for.
  private func makesSkipped(_ target: NodeImporter, _ owner: NodeImporter, _ view: BatchView) -> Bool {
    guard owner.plan.mode == .update, view.records.count > 1, let first = target.inserts.min() else { return false }
    let ownKeys = NodeKeys(owner, view)
    let keys = NodeKeys(target, view)
    var own = OwnKeys()
    defer { own.keyBytes.deallocate() }
    for record in view.records where record > first && view.outcomes[record] == .skipped {
      guard ownKeys.node.keyStates[record] == ImportBatch.KeyState.usable else { continue }
      // Found by other attributes: only one record after the other can tell.
      guard keys.slots == ownKeys.slots else { return true }
      own.add(record, ownKeys, view.arena)
    }
    return target.inserts.contains { own.entry(Int($0), keys, view.arena) >= 0 }
  }

  /// Whether a relationship within one hierarchy is set with the batch, not in a second pass.
  func isDueNow(_ relationship: ImportRelationship) -> Bool {
    relationship.isLate && !(pass.postpones && relationship.isPostponed)
  }

  /// Writes what the batch has changed so far and forgets the rows of one hierarchy.
  func flush(_ root: RootIndex) throws(ImportError) {
    try writeChanges()
    context.buffer(root: root).removeAll()
  }

  /// Sets the relationship of every record's object to the target that was found.
  func link(
    _ relationship: ImportRelationship, _ owner: NodeImporter, _ view: BatchView
  ) throws(ImportError) {
    let own = view.nodes[owner.node].targets
    let targets = view.nodes[relationship.target].targets
    let root = owner.plan.rootEntity
    let buffer = context.buffer(root: root)
    do {
      var keys: Set<Int64> = []
      for record in view.records where isLinked(record, own, view) { keys.insert(own[record]) }
      try store.fetch(keys.sorted(), of: root, into: buffer)
      fetches += 1
      for record in view.records where isLinked(record, own, view) {
        guard targets[record] != NodeColumns.unspecified, let row = buffer.row(primaryKey: own[record]) else {
          continue
        }
        let isChanged = try context.setToOne(
          table: TableID(root: root), row: row, relationship: relationship.description, target: targets[record],
          targetEntity: destinationEntity(relationship, view, record))
        if isChanged { noteMove(relationship.description) }
        if isChanged, owner.role == .root, view.outcomes[record] == .unchanged {
          view.outcomes[record] = .updated
          owner.counts.unchanged -= 1
          owner.counts.updated += 1
        }
      }
    } catch {
      throw ImportError(error)
    }
  }

  /// Whether a record's object takes the record's relationship: it was created or may be updated.
  private func isLinked(_ record: Int, _ own: UnsafeMutablePointer<Int64>, _ view: BatchView) -> Bool {
    guard own[record] > 0 else { return false }
    switch view.outcomes[record] {
    case .rejected, .skipped, .deferred: return false
    default: return true
    }
  }
}
