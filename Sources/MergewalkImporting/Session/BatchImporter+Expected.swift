import MergewalkObjectModel

/// Records whose targets in their own hierarchy will be missing, settled before any of their rows is written.
extension BatchImporter {
  /// Settles the records whose targets in their own hierarchy will not be there, unless other nodes may make some of these.
  ///
  /// - Returns: How many rejects there are then.
  func expectFirst(_ view: BatchView) throws(ImportError) -> Int? {
    let root = nodes[plan.root]
    guard root.role == .root, root.plan.relationships.contains(where: isDueNow), !meetsOwnBefore else { return nil }
    try expectTargets(root, view)
    return rejects.count
  }

  /// Settles, before anything of the records is written, those whose targets will not be there.
  ///
  /// A target is there when the store has it, or when a record of the batch is it. When the last such record is rejected
  /// because of its own target, those that name it are looked at again.
  ///
  /// - Parameter rejectedSince: Records that another target has rejected since they were looked at: they are no targets any
  ///   more, and are looked at once more themselves, as what lacks a target in its own hierarchy makes no other one.
  /// - Complexity: O(records), and one fetch for each link of a chain of records that are rejected.
  func expectTargets(
    _ owner: NodeImporter, _ view: BatchView, rejectedSince: ArraySlice<RecordReject> = []
  ) throws(ImportError) {
    let due = owner.plan.relationships.filter { relationship in
      isDueNow(relationship) && !(nodes[relationship.target].plan.canCreate && relationship.missing == .create)
    }
    guard !due.isEmpty else { return }
    // What has waited takes effect in its order, whatever the batch.
    guard owner.role == .root, pass != .waiting else { return try expectInOrder(due, owner, view) }
    let ownKeys = NodeKeys(owner, view)
    var own = OwnKeys()
    defer { own.keyBytes.deallocate() }
    let again = Set(rejectedSince.map { Int($0.record) })
    for record in again { view.outcomes[record] = .pending }
    defer { for record in again { view.outcomes[record] = .rejected } }
    if owner.plan.mode != .update {
      for record in view.records where view.isWanted(record, ownKeys.node) { own.add(record, ownKeys, view.arena) }
    }
    var lost: [Int] = []
    for record in again.sorted() {
      let entry = own.entry(record, ownKeys, view.arena)
      if entry >= 0, own.remove(entry) { lost.append(entry) }
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
    while true {
      if !lost.isEmpty {
        let names = namedBy ?? namedRecords(due, owner, &own, ownKeys, view)
        namedBy = names
        for entry in lost {
          for name in names[entry] ?? [] where view.outcomes[Int(name.record)] != .rejected {
            unknown[name.due].append(name.record)
          }
        }
      }
      guard unknown.contains(where: { !$0.isEmpty }) else { return }
      lost = []
      for (index, relationship) in due.enumerated() where !unknown[index].isEmpty {
        let rejected = try settleMissing(unknown[index], relationship, owner, view)
        unknown[index].removeAll(keepingCapacity: true)
        for record in rejected where !again.contains(record) {
          let entry = own.entry(record, ownKeys, view.arena)
          if entry >= 0, own.remove(entry) { lost.append(entry) }
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
    if !missing.isEmpty, mayMake(owner, target) { throw top.retryAlone() }
    return missing.filter { settleMissing($0, relationship, view) }
  }

  /// Says what a record means whose target does not exist; whether it is rejected.
  private func settleMissing(_ record: Int, _ relationship: ImportRelationship, _ view: BatchView) -> Bool {
    let target = nodes[relationship.target]
    if relationship.missing == .null, relationship.isOptional {
      view.nodes[target.node].keyStates[record] = ImportBatch.KeyState.missing
      return false
    }
    reject(record, field: target.plan.keyFields.first, .missingTarget, view)
    return true
  }

  /// Whether an earlier record of the attempt may make or change an object that is looked for by other attributes than its
  /// own key: only one record after the other can tell.
  private func mayMake(_ owner: NodeImporter, _ target: NodeImporter) -> Bool {
    top.attempted > 1 && target.plan.keySlots != owner.plan.keySlots
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
      let wanted = view.wanted(target.node)
      if !wanted.isEmpty { try findTargets(wanted, target, view) }
    }
    for record in view.records {
      let entry = makes && view.isWanted(record, ownKeys.node) ? own.add(record, ownKeys, view.arena) : -1
      for (relationship, keys) in zip(due, keys) {
        let target = nodes[relationship.target]
        let isThere = keys.node.targets[record] > 0
        if isThere { keys.node.targets[record] = 0 }
        guard !isThere, view.isWanted(record, keys.node) else { continue }
        if mayMake(owner, target) { throw top.retryAlone() }
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
}
