/// Several nodes of a plan that fill one hierarchy: one of them may look for objects that another one creates.
///
/// A batch goes through its nodes one after the other, so the first one sees no objects of the second one, and the
/// second one sees all objects of the first one, those of later records, too. If this gives another result than one
/// record after the other, the records are imported alone.
extension BatchImporter {
  /// The nodes that look for objects, each with one that makes some in the same hierarchy: of several that make them it
  /// matters only whether the objects are those of the records.
  func findMeetings() -> [(looker: NodeImporter, maker: NodeImporter)] {
    let makers = nodes.filter {
      $0.role != .given && $0.plan.mode != .update && ($0.role == .root || $0.plan.createsMissing)
    }
    var found: [(looker: NodeImporter, maker: NodeImporter)] = []
    for looker in nodes where looker.role == .target && (!looker.isLateTarget || looker.isPostponed) {
      let makes = makers.contains { $0 === looker }
      for maker in makers where maker.plan.rootEntity == looker.plan.rootEntity && (!makes || maker.role == .root) {
        found.append((looker, maker))
      }
    }
    return found
  }

  /// Has the attempt's records imported alone where one finds what a later one makes, or misses what an earlier one makes.
  func checkOrder(_ view: BatchView) throws(ImportError) {
    guard top.attempted > 1, !meetings.isEmpty else { return }
    for (looker, maker) in meetings where !maker.inserts.isEmpty && isResolved(looker) && isResolved(maker) {
      if isOutOfOrder(looker, maker, view) { throw top.retryAlone() }
    }
  }

  private func isOutOfOrder(_ looker: NodeImporter, _ maker: NodeImporter, _ view: BatchView) -> Bool {
    let lookerKeys = NodeKeys(looker, view)
    let makerKeys = NodeKeys(maker, view)
    let made = view.nodes[maker.node].targets
    var makers: [Int64: Int] = [:]
    var own = OwnKeys()
    defer { own.keyBytes.deallocate() }
    // By entry, the record that makes the object.
    var places: [Int] = []
    for record in maker.inserts.lazy.map(Int.init) {
      makers[made[record]] = record
      if own.add(record, makerKeys, view.arena) == places.count { places.append(record) }
    }
    let isSame = lookerKeys.slots == makerKeys.slots
    let mayMeet = !Set(maker.plan.keySlots + maker.plan.attributeSlots).isDisjoint(with: looker.plan.keySlots)
    var rejected: Set<Int32> = []
    for reject in rejects where reject.code == .missingTarget { rejected.insert(reject.record) }
    for record in view.records where ImportBatch.KeyState.isName(lookerKeys.node.keyStates[record]) {
      // What is skipped for its own object names others all the same.
      if owner == nil, firstOutcomes[record] == .skipped { continue }
      if lookerKeys.node.targets[record] > 0 {
        if let maker = makers[lookerKeys.node.targets[record]], maker > record { return true }
      } else if view.outcomes[record] != .rejected || rejected.contains(Int32(truncatingIfNeeded: record)) {
        let entry = isSame ? own.entry(record, lookerKeys, view.arena) : -1
        if entry >= 0, places[entry] < record { return true }
        if !isSame, mayMeet, places[0] < record { return true }
      }
    }
    return false
  }
}
