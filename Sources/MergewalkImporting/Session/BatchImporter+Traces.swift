import MergewalkObjectStore

/// A record that is rejected when other objects have been found or made for it.
struct TurnedAway {
  let reject: RecordReject
  /// Its own object; 0 when that is not known.
  let target: Int64
  /// Whether it is one of ``BatchImporter/repeats``.
  let isRepeat: Bool
}

/// A rejected record changes nothing, whatever rejects it.
///
/// The targets of all records of a batch are found and made before their own objects are looked for. When a record turns
/// out to be rejected by then, the attempt is rolled back and made anew without it; if the new one fails, nothing of this
/// is known any more. So it costs nothing where nothing is rejected.
extension BatchImporter {
  /// Whether records have been rejected since for which other objects were found or made; ``turnedAway`` has them.
  func leavesTraces(since known: Int, _ view: BatchView) -> Bool {
    // Rejected elements have their records rolled back anyway.
    guard owner == nil, rejects.count > known else { return false }
    let targets = nodes.filter { $0.role == .target && isResolved($0) }.map { view.nodes[$0.node].targets }
    let own = view.nodes[plan.root].targets
    let repeated = Set(repeats)
    for reject in rejects[known...] {
      let record = Int(reject.record)
      guard targets.contains(where: { $0[record] > 0 }) else { continue }
      turnedAway.append(TurnedAway(reject: reject, target: own[record], isRepeat: repeated.contains(record)))
    }
    return !turnedAway.isEmpty
  }

  /// Rejects a record of a new attempt before anything is done with it.
  func turnAway(_ record: TurnedAway, _ view: BatchView) {
    let number = Int(record.reject.record)
    view.outcomes[number] = .rejected
    rejects.append(record.reject)
    if record.isRepeat { repeats.append(number) }
    guard record.reject.code == .duplicateKey, record.reject.field == rootKeyField else { return }
    // What is counted of it when its own object is found.
    let root = nodes[plan.root]
    let wasThere = record.target > 0 && record.target < store.nextPrimaryKey(root: root.plan.rootEntity)
    if wasThere, root.named != nil {
      // Whether records of the run have named it, those of this batch included, is known at the end of the batch.
      view.nodes[root.node].targets[number] = record.target
    } else if root.plan.mode != .insert || !wasThere {
      root.counts.duplicates += 1
    }
  }

  /// Whether other nodes of the records' own hierarchy are resolved before their own objects.
  var meetsOwnBefore: Bool { nodes.contains(where: isBeforeOwn) }

  /// Whether such nodes have made objects in the attempt, or may have changed keys by which records find their own.
  var madeOwnBefore: Bool {
    let keys = nodes[plan.root].plan.keySlots
    return nodes.contains { state in
      isBeforeOwn(state)
        && (!state.inserts.isEmpty
          || !state.applies.isEmpty && !Set(state.plan.attributeSlots).isDisjoint(with: keys))
    }
  }

  private func isBeforeOwn(_ state: NodeImporter) -> Bool {
    let root = nodes[plan.root]
    return state !== root && !state.isLateTarget && state.plan.rootEntity == root.plan.rootEntity && isResolved(state)
  }
}
