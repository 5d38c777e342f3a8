import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// Relationships within one hierarchy, such as an employee's manager: the target may be an object that the same batch
/// creates, so it is found after the owner's objects are written.
///
/// A target is there when the store has it or when a record of the same batch names it as its own. One that comes in a
/// later batch is not there yet: put such records first, or raise the batch's limits. Of what targets and elements refer
/// to themselves, only earlier records count, whatever the batch.
extension BatchImporter {
  /// Finds or creates the objects of every node, in the order of the plan.
  func resolveAll(_ view: BatchView) throws(ImportError) {
    if case .references(let stage) = pass { return try resolveReferences(stage, view) }
    if pass == .lists { return try resolveLists(view) }
    if pass == .waiting { try skipRepeated(nodes[plan.root], view) }
    // Before anything is done with their other targets, so that nothing is left of records without a late one.
    let expected = try expectFirst(view)
    var written: Set<Int> = []
    for state in nodes where !state.isLateTarget && state.role != .given && isResolved(state) {
      // Seeks see what is in the store only, so what an earlier node of the hierarchy did has to be there.
      if !written.insert(state.plan.rootEntity).inserted { try flush(state.plan.rootEntity) }
      if state.role == .root, let expected {
        // Only those that were rejected since can be missed.
        let known = rejects.count
        if known > expected { try expectTargets(state, view) }
        if rejectAnew(since: known) { return }
      } else {
        try expectTargets(state, view)
      }
      let isFirst = pass.postpones && state.role == .root
      if isFirst { try findKnownTargets(state, view) }
      try resolve(state, view)
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
    if !lists.isEmpty { try resolveLists(view) }
  }

  /// Settles the records whose targets in their own hierarchy will not be there, unless other nodes may make some of these;
  /// returns how many rejects there are then.
  private func expectFirst(_ view: BatchView) throws(ImportError) -> Int? {
    let root = nodes[plan.root]
    guard root.role == .root, root.plan.relationships.contains(where: isDueNow),
      !nodes.contains(where: {
        $0 !== root && !$0.isLateTarget && $0.plan.rootEntity == root.plan.rootEntity && isResolved($0)
      })
    else { return nil }
    try expectTargets(root, view)
    return rejects.count
  }

  /// Sees to it that the records that were rejected since leave nothing, although other nodes of theirs are done; returns
  /// whether there are some. Then the attempt is rolled back and made anew without them.
  private func rejectAnew(since known: Int) -> Bool {
    // Rejected elements have their records rolled back anyway.
    guard owner == nil, rejects.count > known else { return false }
    elementRejects += rejects[known...]
    return true
  }

  /// Whether a node's objects are found or created with the batch: the targets of records that were put off are known
  /// already, unless some of them may have gone since.
  func isResolved(_ state: NodeImporter) -> Bool {
    !pass.isReplay || state.role == .root || pass == .waiting && shrunkRoots.contains(state.plan.rootEntity)
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
  private func isDueNow(_ relationship: ImportRelationship) -> Bool {
    relationship.isLate && !(pass.postpones && relationship.isPostponed)
  }

  /// Writes what the batch has changed so far and forgets the rows of one hierarchy.
  func flush(_ root: Int) throws(ImportError) {
    try writeChanges()
    context.buffer(root: root).removeAll()
  }

  /// Settles, before anything of the records is written, those whose targets will not be there.
  ///
  /// A target is there when the store has it, or when a record of the batch is it. When the last such record is rejected
  /// because of its own target, those that name it are looked at again.
  ///
  /// - Complexity: O(records), and one fetch for each link of a chain of records that are rejected.
  private func expectTargets(_ owner: NodeImporter, _ view: BatchView) throws(ImportError) {
    let due = owner.plan.relationships.filter { relationship in
      isDueNow(relationship) && !(nodes[relationship.target].plan.canCreate && relationship.missing == .create)
    }
    guard !due.isEmpty else { return }
    guard owner.role == .root else { return try expectInOrder(due, owner, view) }
    let ownKeys = NodeKeys(owner, view)
    var own = OwnKeys()
    defer { own.keyBytes.deallocate() }
    if owner.plan.mode != .update {
      for record in view.records where view.isWanted(record, ownKeys.node) { own.add(record, ownKeys, view.arena) }
    }
    // Those that are neither in the batch nor in the store have no target.
    var unknown = due.map { _ in ContiguousArray<Int32>() }
    for (index, relationship) in due.enumerated() {
      let target = nodes[relationship.target]
      let keys = NodeKeys(target, view)
      let mayBeOwn = keys.slots == ownKeys.slots && target.takes(Int32(owner.entity.index))
      for record in view.records where view.isWanted(record, keys.node) {
        if !mayBeOwn || own.entry(record, keys, view.arena) < 0 { unknown[index].append(Int32(record)) }
      }
    }
    var namedBy: [Int: [(due: Int, record: Int32)]]?
    while unknown.contains(where: { !$0.isEmpty }) {
      var lost: [Int] = []
      for (index, relationship) in due.enumerated() where !unknown[index].isEmpty {
        let rejected = try settleMissing(unknown[index], relationship, owner, view)
        unknown[index].removeAll(keepingCapacity: true)
        for record in rejected {
          let entry = own.entry(record, ownKeys, view.arena)
          if entry >= 0, own.remove(entry) { lost.append(entry) }
        }
      }
      guard !lost.isEmpty else { return }
      let names = namedBy ?? namedRecords(due, owner, &own, ownKeys, view)
      namedBy = names
      for entry in lost {
        for name in names[entry] ?? [] where view.outcomes[Int(name.record)] != .rejected {
          unknown[name.due].append(name.record)
        }
      }
    }
  }

  /// Looks in the store for the targets of records; rejects those that cannot be without, and returns them.
  private func settleMissing(
    _ records: ContiguousArray<Int32>, _ relationship: ImportRelationship, _ owner: NodeImporter, _ view: BatchView
  ) throws(ImportError) -> [Int] {
    let target = nodes[relationship.target]
    let node = view.nodes[target.node]
    try findTargets(records, target, view)
    var missing: [Int] = []
    for record in records.map(Int.init) {
      if node.targets[record] == 0 { missing.append(record) }
      node.targets[record] = 0
    }
    if !missing.isEmpty, mayMake(owner, target, view) { throw retryAlone() }
    return missing.filter { settleMissing($0, relationship, view) }
  }

  /// Says what a record means whose target is not there; whether it is rejected.
  private func settleMissing(_ record: Int, _ relationship: ImportRelationship, _ view: BatchView) -> Bool {
    let target = nodes[relationship.target]
    if relationship.missing == .null, relationship.isOptional {
      view.nodes[target.node].keyStates[record] = ImportBatch.KeyState.missing
      return false
    }
    reject(record, field: target.plan.keyFields.first, .missingTarget, view)
    return true
  }

  /// Whether an earlier record of a view may make or change an object that is looked for by other attributes than its own
  /// key: only one record after the other can tell.
  private func mayMake(_ owner: NodeImporter, _ target: NodeImporter, _ view: BatchView) -> Bool {
    view.records.count > 1 && target.plan.keySlots != owner.plan.keySlots
      && !Set(owner.plan.keySlots + owner.plan.attributeSlots).isDisjoint(with: target.plan.keySlots)
  }

  /// Settles the records whose targets or elements refer to what will not be there, as far as it is of their own
  /// hierarchy: a target is there when the store has it, or when an earlier record or the same one makes it.
  ///
  /// - Complexity: O(records), and one fetch for each relationship.
  private func expectInOrder(
    _ due: [ImportRelationship], _ owner: NodeImporter, _ view: BatchView
  ) throws(ImportError) {
    let ownKeys = NodeKeys(owner, view)
    var own = OwnKeys()
    defer { own.keyBytes.deallocate() }
    let makes = owner.plan.mode != .update && owner.plan.createsMissing
    let keys = due.map { NodeKeys(nodes[$0.target], view) }
    for relationship in due {
      let target = nodes[relationship.target]
      try findTargets(view.wanted(target.node), target, view)
    }
    for record in view.records {
      let entry = makes && view.isWanted(record, ownKeys.node) ? own.add(record, ownKeys, view.arena) : -1
      for (relationship, keys) in zip(due, keys) {
        let target = nodes[relationship.target]
        let isThere = keys.node.targets[record] > 0
        if isThere { keys.node.targets[record] = 0 }
        guard !isThere, view.isWanted(record, keys.node) else { continue }
        if mayMake(owner, target, view) { throw retryAlone() }
        let isSame = keys.slots == ownKeys.slots && target.takes(Int32(owner.entity.index))
        if isSame, own.has(record, keys, view.arena) { continue }
        if settleMissing(record, relationship, view), entry >= 0 { _ = own.remove(entry) }
      }
    }
  }

  /// For each key that a record of the batch has itself, the records that name it.
  private func namedRecords(
    _ due: [ImportRelationship], _ owner: NodeImporter, _ own: inout OwnKeys, _ ownKeys: NodeKeys, _ view: BatchView
  ) -> [Int: [(due: Int, record: Int32)]] {
    var names: [Int: [(due: Int, record: Int32)]] = [:]
    for (index, relationship) in due.enumerated() {
      let target = nodes[relationship.target]
      let keys = NodeKeys(target, view)
      guard keys.slots == ownKeys.slots, target.takes(Int32(owner.entity.index)) else { continue }
      for record in view.records where view.isWanted(record, keys.node) {
        let entry = own.entry(record, keys, view.arena)
        if entry >= 0 { names[entry, default: []].append((index, Int32(record))) }
      }
    }
    return names
  }

  /// The keys that the records of a batch have for a node.
  private struct NodeKeys {
    let columns: [CellColumnView]
    let slots: [Int]
    let node: BatchView.NodeView

    init(_ state: NodeImporter, _ view: BatchView) {
      columns = state.plan.keyFields.map { view.fields[$0] }
      slots = state.plan.keySlots
      node = view.nodes[state.node]
    }
  }

  /// The keys that the batch's records have themselves, and how many records have each.
  private struct OwnKeys {
    private let table = KeyTable()
    private var counts: [Int] = []
    var keyBytes = KeyBytes()

    /// Adds a record's key, and returns its entry.
    @discardableResult
    mutating func add(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Int {
      let key = keyBytes.key(keys.columns, row: record, arena: arena)
      var entry = table.find(hash: keys.node.keyHashes[record], key: key)
      if entry >= 0 {
        counts[entry] += 1
      } else {
        entry = table.insert(hash: keys.node.keyHashes[record], key: key, primaryKey: 0, content: 0)
        counts.append(1)
      }
      return entry
    }

    /// The entry of a key that a record has; -1 when no record is that object.
    mutating func entry(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Int {
      if counts.isEmpty { return -1 }
      let key = keyBytes.key(keys.columns, row: record, arena: arena)
      return table.find(hash: keys.node.keyHashes[record], key: key)
    }

    /// Whether a record that was not taken out has a key.
    mutating func has(_ record: Int, _ keys: NodeKeys, _ arena: UnsafeRawPointer) -> Bool {
      let entry = entry(record, keys, arena)
      return entry >= 0 && counts[entry] > 0
    }

    /// Takes a record with a key out; whether it was the last one.
    mutating func remove(_ entry: Int) -> Bool {
      counts[entry] -= 1
      return counts[entry] == 0
    }
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
          table: TableID(root: root), row: row, relationship: relationship.description, target: targets[record],
          targetEntity: destinationEntity(relationship, view, record))
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
