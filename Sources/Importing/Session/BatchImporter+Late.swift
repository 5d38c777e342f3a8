import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats

/// Relationships within one hierarchy, such as an employee's manager: the target may be an object that the same batch
/// creates, so it is found after the owner's objects are written.
///
/// A target is there when the store has it or when a record of the same batch names it as its own. One that comes in a
/// later batch is not there yet: put such records first, or raise the batch's limits.
extension BatchImporter {
  /// Finds or creates the objects of every node, in the order of the plan.
  func resolveAll(_ view: BatchView, onlyRoot: Bool) throws(ImportError) {
    if phase == .second { return try resolveReferences(view) }
    var written: Set<Int> = []
    for state in nodes where !state.isLateTarget && !state.part.isGiven && (!onlyRoot || state.isRoot) {
      // Seeks see what is in the store only, so what an earlier node of the hierarchy did has to be there.
      if !written.insert(state.part.rootEntity).inserted { try flush(state.part.rootEntity) }
      for relationship in state.part.relationships where isDueNow(relationship) {
        try expectTargets(relationship, state, view)
      }
      let isFirst = phase == .first && state.isRoot
      if isFirst { try findKnownTargets(state, view) }
      try resolve(state, view)
      if isFirst { try linkKnown(state, view) }
      for relationship in state.part.relationships where isDueNow(relationship) {
        try flush(state.part.rootEntity)
        try resolve(nodes[relationship.target], view)
        try flush(state.part.rootEntity)
        try link(relationship, state, view)
      }
    }
    if !lists.isEmpty { try resolveLists(view) }
  }

  /// Whether a relationship within one hierarchy is set with the batch, not in a second pass.
  private func isDueNow(_ relationship: ImportRelationship) -> Bool {
    relationship.isLate && !(phase == .first && relationship.isPostponed)
  }

  /// Writes what the batch has changed so far and forgets the rows of one hierarchy.
  func flush(_ root: Int) throws(ImportError) {
    try writeChanges()
    context.buffer(table: root).removeAll()
  }

  /// Settles, before anything of the records is written, those whose target will not be there.
  private func expectTargets(
    _ relationship: ImportRelationship, _ owner: NodeState, _ view: BatchView
  ) throws(ImportError) {
    let target = nodes[relationship.target]
    let node = view.nodes[target.node]
    if target.part.canCreate, relationship.missing == .create { return }
    let own = ownKeys(owner, target, view)
    defer { own.keyBytes.deallocate() }
    var keyBytes = own.keyBytes
    let keys = target.part.keyFields.map { view.fields[$0] }

    // Those that are neither in the batch nor in the store have no target.
    var unknown = ContiguousArray<Int32>()
    for record in view.records where view.isWanted(record, node) {
      let key = keyBytes.key(keys, row: record, arena: view.arena)
      if own.table.find(hash: node.keyHashes[record], key: key) < 0 { unknown.append(Int32(record)) }
    }
    guard !unknown.isEmpty else { return }
    target.lookUpOnly = true
    defer { target.lookUpOnly = false }
    try findBySeek(target, view, only: unknown)
    context.buffer(table: target.part.rootEntity).removeAll()
    for record in unknown.map(Int.init) {
      let isThere = node.targets[record] != 0
      node.targets[record] = 0
      if isThere { continue }
      if relationship.missing == .null, relationship.isOptional {
        node.keyStates[record] = ImportBatch.KeyState.null
      } else {
        reject(record, field: target.part.keyFields.first, .missingTarget, view)
      }
    }
  }

  /// The keys that the batch's records have themselves, when the target is found by the same attributes.
  private func ownKeys(
    _ owner: NodeState, _ target: NodeState, _ view: BatchView
  ) -> (table: KeyTable, keyBytes: KeyBytes) {
    let table = KeyTable()
    var keyBytes = KeyBytes()
    if owner.part.keySlots == target.part.keySlots, owner.part.mode != .update {
      let keys = owner.part.keyFields.map { view.fields[$0] }
      let node = view.nodes[owner.node]
      for record in view.records where view.isWanted(record, node) {
        let key = keyBytes.key(keys, row: record, arena: view.arena)
        if table.find(hash: node.keyHashes[record], key: key) < 0 {
          table.insert(hash: node.keyHashes[record], key: key, primaryKey: 0, content: 0)
        }
      }
    }
    return (table, keyBytes)
  }

  /// Sets the relationship of every record's object to the target that was found.
  func link(
    _ relationship: ImportRelationship, _ owner: NodeState, _ view: BatchView
  ) throws(ImportError) {
    let own = view.nodes[owner.node].targets
    let targets = view.nodes[relationship.target].targets
    let root = owner.part.rootEntity
    let buffer = context.buffer(table: root)
    do {
      let access = try store.access(root: root)
      var keys: Set<Int64> = []
      for record in view.records where isLinked(record, own, view) { keys.insert(own[record]) }
      try keys.sorted().withUnsafeBufferPointer { keys throws(StoreError) in
        try access.fetch(primaryKeys: keys, slots: access.storedSlots, into: buffer)
      }
      fetches += 1
      for record in view.records where isLinked(record, own, view) {
        guard targets[record] != NodeColumns.unspecified, let row = buffer.row(primaryKey: own[record]) else {
          continue
        }
        let isChanged = try context.setToOne(
          table: root, row: row, relationship: relationship.description, target: targets[record],
          targetEntity: destinationEntity(relationship, view, record))
        if isChanged, owner.isRoot, view.outcomes[record] == .unchanged {
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
