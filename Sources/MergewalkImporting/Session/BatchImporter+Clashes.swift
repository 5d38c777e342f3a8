import MergewalkObjectStore

/// Two nodes of a plan that write the same attributes of objects of one hierarchy.
struct NodeClash {
  /// The node that a batch goes through first.
  let first: NodeImporter
  let second: NodeImporter
  /// The fields that both write, of the first node and of the second one.
  let fields: [(Int, Int)]
  /// The nodes of the targets that both set, likewise.
  let targets: [(Int, Int)]
  /// Whether it matters which of the two makes an object: one of them changes none that is there.
  let makes: Bool

  /// - Parameter first: The node that a batch goes through first.
  init?(_ first: NodeImporter, _ second: NodeImporter) {
    let (one, other) = (first.plan, second.plan)
    guard one.rootEntity == other.rootEntity else { return nil }
    (self.first, self.second) = (first, second)
    makes = [one, other].contains { $0.mode == .createMissing && $0.fills }
    var fields: [(Int, Int)] = []
    for (slot, field) in zip(one.attributeSlots, one.attributeFields) {
      for (otherSlot, other) in zip(other.attributeSlots, other.attributeFields) where otherSlot == slot {
        fields.append((field, other))
      }
    }
    var targets: [(Int, Int)] = []
    for relationship in one.relationships where !relationship.isLate {
      for other in other.relationships where !other.isLate && other.slot == relationship.slot {
        targets.append((relationship.target, other.target))
      }
    }
    (self.fields, self.targets) = (fields, targets)
    guard makes || !fields.isEmpty || !targets.isEmpty else { return nil }
  }
}

/// A batch goes through its nodes one after the other, so the second node's values for an object would count even if
/// the first one has others in a later record. Such a batch is imported in pieces.
extension BatchImporter {
  func findClashes() -> [NodeClash] {
    var order: [NodeImporter] = []
    for state in nodes where !state.isLateTarget && state.role != .given {
      order.append(state)
      for relationship in state.plan.relationships where relationship.isLate {
        order.append(nodes[relationship.target])
      }
    }
    var clashes: [NodeClash] = []
    for (place, first) in order.enumerated() {
      clashes += order[(place + 1)...].compactMap { NodeClash(first, $0) }
    }
    return clashes
  }

  /// Has the attempt's records imported in pieces where two nodes say different things about one object in the wrong order.
  func checkClashes(_ view: BatchView) throws(ImportError) {
    guard top.attempted > 1, !clashes.isEmpty else { return }
    var found: Set<Int> = []
    for clash in clashes where isResolved(clash.first) && isResolved(clash.second) { cut(clash, view, &found) }
    guard !found.isEmpty else { return }
    if owner == nil { cuts = found.sorted() }
    throw top.retryAlone()
  }

  /// Finds the records before which the view has to be cut for a pair of nodes.
  private func cut(_ clash: NodeClash, _ view: BatchView, _ cuts: inout Set<Int>) {
    let first = view.nodes[clash.first.node]
    let second = view.nodes[clash.second.node]
    let made = clash.makes ? Set(clash.first.inserts) : []
    // What the second node has said of each object since the last cut; nil where it has said several things.
    var said: [Int64: UInt64?] = [:]
    for record in view.records {
      let key = speaks(record, clash.first, view) ? first.targets[record] : 0
      if key > 0, let content = said[key],
        content != hash(record, clash.fields.map(\.0), clash.targets.map(\.0), view)
          || made.contains(Int32(truncatingIfNeeded: record))
      {
        cuts.insert(record)
        said.removeAll(keepingCapacity: true)
      }
      let other = second.targets[record]
      guard other > 0, speaks(record, clash.second, view) else { continue }
      let content = hash(record, clash.fields.map(\.1), clash.targets.map(\.1), view)
      if let known = said[other], known != content {
        said[other] = .some(nil)
      } else {
        said[other] = content
      }
    }
  }

  /// Whether what a record says of an object that it names is written in the attempt: of its own object only if it is
  /// neither rejected nor put off, of its targets in any case, as one that is rejected has none any more.
  func speaks(_ record: Int, _ state: NodeImporter, _ view: BatchView) -> Bool {
    !state.role.settles || view.outcomes[record] != .rejected && view.outcomes[record] != .deferred
  }

  /// The hash of a record's values in some fields, and of the targets of some nodes.
  func hash(_ record: Int, _ fields: [Int], _ nodes: [Int], _ view: BatchView) -> UInt64 {
    var hash = seed
    for field in fields {
      hash = CellHash.cell(
        view.fields[field].tags[record], view.fields[field].payloads[record], view.arena, seed: hash)
    }
    for node in nodes {
      hash = CellHash.cell(
        CellTag.integer, UInt64(bitPattern: view.nodes[node].targets[record]), view.arena, seed: hash)
    }
    return hash
  }
}
