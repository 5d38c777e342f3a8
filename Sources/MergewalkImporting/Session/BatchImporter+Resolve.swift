import MergewalkObjectStore

extension BatchImporter {
  /// Finds or creates the objects that the batch's records name in one node.
  func resolve(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    state.inserts.removeAll(keepingCapacity: true)
    state.applies.removeAll(keepingCapacity: true)
    state.unrelated.count = 0
    chainTargets(state, view)
    if pass == .references(.rejecting), state.plan.fills { return try findOnly(state, view) }
    try state.finder.find(state, view, self)
    if pass.postpones, state.role == .root { postpone(state, view) }
    try insert(state, view)
    try apply(state, view)
  }

  /// Finds the objects that the batch's records name and leaves them as they are: they count when what is said of them is
  /// written.
  private func findOnly(_ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    let named = state.named
    state.named = nil
    defer { state.named = named }
    try state.finder.find(state, view, self)
    state.applies.removeAll(keepingCapacity: true)
  }

  /// Chains the primary keys of the relationships' targets to the content hashes.
  private func chainTargets(_ state: NodeImporter, _ view: BatchView) {
    let contents = view.nodes[state.node].contents
    for relationship in state.plan.relationships where !relationship.isLate {
      if relationship.isTakenByOthers {
        for i in view.records { contents[i] = 0 }
        continue
      }
      let targets = view.nodes[relationship.target].targets
      for i in view.records where contents[i] != 0 {
        switch targets[i] {
        case NodeColumns.unspecified: contents[i] = 0
        case 0: contents[i] = ContentHash.null(seed: contents[i])
        default: contents[i] = ContentHash.primaryKey(targets[i], seed: contents[i])
        }
      }
    }
    for _ in state.plan.clearedReferences {
      for i in view.records where contents[i] != 0 { contents[i] = ContentHash.null(seed: contents[i]) }
    }
  }

  /// The hash of what a record says of an object beside its targets, as ``BatchPreparer`` makes it; 0 for unknown, which is
  /// always right.
  func content(of record: Int, _ state: NodeImporter, _ view: BatchView) -> UInt64 {
    // Records that come back have no other cells than those of their own object.
    guard state.finder.keepsKeys, !pass.isReplay else { return 0 }
    var hash = ContentHash.start(seed)
    for field in state.plan.keyFields + state.plan.attributeFields {
      let tag = view.fields[field].tags[record]
      if tag == CellTag.absent { return 0 }
      hash = CellHash.cell(tag, view.fields[field].payloads[record], view.arena, seed: hash)
    }
    return hash
  }

  /// Settles a record of the root node; other nodes' records are only counted.
  @inline(__always)
  func settle(
    _ record: Int, _ outcome: RecordLedger.Outcome, _ state: NodeImporter, _ view: BatchView, counts: Bool = true
  ) {
    if state.role.settles { view.outcomes[record] = outcome }
    switch outcome {
    case .inserted: state.counts.inserted += 1
    case .updated: state.counts.updated += 1
    case .unchanged: if counts { state.counts.unchanged += 1 }
    default: break
    }
  }

  /// Handles a record whose object does not exist; returns whether to create it.
  @inline(__always)
  func mayInsert(_ record: Int, _ state: NodeImporter, _ view: BatchView) -> Bool {
    if state.role == .root {
      if state.plan.mode != .update { return true }
      view.outcomes[record] = .skipped
      return false
    }
    if state.plan.mode != .update, state.plan.createsMissing { return true }
    // A target that was there when the relationship was set has gone with a list since: nothing is said of it.
    if pass != .references(.telling), rejectsMissing(state) {
      reject(record, field: state.plan.keyFields.first, .missingTarget, view)
    }
    return false
  }

  /// Whether a target that is named but not there rejects its record: by policy, or because the owner needs one.
  private func rejectsMissing(_ state: NodeImporter) -> Bool {
    if let rejects = state.rejectsMissing { return rejects }
    for owner in nodes {
      for relationship in owner.plan.relationships where relationship.target == state.node {
        return relationship.missing == .reject || !relationship.isOptional
      }
    }
    return false
  }

  /// Handles a record whose object exists; returns whether to compare and update it.
  @inline(__always)
  func mayUpdate(_ record: Int, _ state: NodeImporter, _ view: BatchView) -> Bool {
    switch state.plan.mode {
    case .upsert, .update, .sync, .replace: return true
    case .createMissing:
      if state.role == .root { view.outcomes[record] = .skipped }
      return false
    case .insert:
      reject(record, field: state.plan.keyFields.first, .duplicateKey, view)
      return false
    }
  }

  /// Applies the policy for keys that an earlier record of this run has named; returns whether to go on.
  @inline(__always)
  func mayRepeat(_ record: Int, _ state: NodeImporter, _ view: BatchView) -> Bool {
    switch state.plan.duplicates {
    case .last: return true
    case .first:
      noteRepeat(record, state)
      if state.role == .root { view.outcomes[record] = .skipped }
      return false
    case .reject:
      noteRepeat(record, state)
      reject(record, field: state.plan.keyFields.first, .duplicateKey, view)
      return false
    }
  }

  /// Notes a record that is turned away for an earlier one of the run.
  ///
  /// In modes that leave stored objects alone a later run, which may read it without the earlier one, does not take it
  /// either.
  func noteRepeat(_ record: Int, _ state: NodeImporter) {
    guard since != nil, state.role == .root, state.plan.mode.updates else { return }
    repeats.append(record)
  }

  /// Starts the primary keys that the node's new objects of a batch get.
  func startKeys(_ state: NodeImporter) { state.nextKey = store.nextPrimaryKey(root: state.plan.rootEntity) }

  /// Puts a record on the list of those that create an object, and gives the object its primary key.
  @inline(__always)
  func create(_ record: Int, _ state: NodeImporter, _ view: BatchView) {
    // The rows are added when the list is complete, and take the next keys of the sequence in the order of the list.
    view.nodes[state.node].targets[record] = state.nextKey
    state.nextKey += 1
    state.inserts.append(Int32(truncatingIfNeeded: record))
    settle(record, .inserted, state, view)
  }
}
