import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats

extension BatchImporter {
  /// Finds or creates the objects that the batch's records name in one node.
  func resolve(_ state: NodeState, _ view: BatchView) throws(ImportError) {
    state.inserts.removeAll(keepingCapacity: true)
    state.applies.removeAll(keepingCapacity: true)
    state.wanted.removeAll(keepingCapacity: true)
    chainTargets(state, view)
    if state.isScoped { findAmongMembers(state, view) } else { try find(state, view) }
    if phase == .first, state.isRoot { postpone(state, view) }
    try insert(state, view)
    try apply(state, view)
  }

  /// Finds out by the node's strategy what becomes of each record.
  private func find(_ state: NodeState, _ view: BatchView) throws(ImportError) {
    switch state.strategy {
    case .none: insertAll(state, view)
    case .table(let table): findInTable(table, state, view)
    case .filter(let filter): findInFilter(filter, state, view)
    case .scan(let table): findInScan(table, state, view)
    case .deduplicate: try createAndDeduplicate(state, view)
    case .seek:
      if let verdicts = state.verdicts, !isReplaying {
        try findByVerdict(verdicts, state, view)
      } else {
        try findBySeek(state, view, only: nil)
      }
    }
  }

  /// Chains the primary keys of the relationships' targets to the content hashes.
  private func chainTargets(_ state: NodeState, _ view: BatchView) {
    let contents = view.nodes[state.node].contents
    for relationship in state.part.relationships where !relationship.isLate {
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
    for _ in state.part.clearedReferences {
      for i in view.records where contents[i] != 0 { contents[i] = ContentHash.null(seed: contents[i]) }
    }
  }

  /// Settles a record of the root node; other nodes' records are only counted.
  @inline(__always)
  func settle(
    _ record: Int, _ outcome: RecordLedger.Outcome, _ state: NodeState, _ view: BatchView, counts: Bool = true
  ) {
    if state.settles { view.outcomes[record] = outcome }
    switch outcome {
    case .inserted: state.counts.inserted += 1
    case .updated: state.counts.updated += 1
    case .unchanged: if counts { state.counts.unchanged += 1 }
    default: break
    }
  }

  /// What a record means whose object is not there; returns whether to create it.
  @inline(__always)
  func mayInsert(_ record: Int, _ state: NodeState, _ view: BatchView) -> Bool {
    if state.isRoot {
      if state.part.mode != .update { return true }
      view.outcomes[record] = .skipped
      return false
    }
    if state.part.mode != .update, state.part.createsMissing { return true }
    if rejectsMissing(state) { reject(record, field: state.part.keyFields.first, .missingTarget, view) }
    return false
  }

  /// Whether a target that is named but not there rejects its record: by policy, or because the owner needs one.
  private func rejectsMissing(_ state: NodeState) -> Bool {
    if let rejects = state.rejectsMissing { return rejects }
    for owner in nodes {
      for relationship in owner.part.relationships where relationship.target == state.node {
        return relationship.missing == .reject || !relationship.isOptional
      }
    }
    return false
  }

  /// What a record means whose object is there; returns whether to compare and update it.
  @inline(__always)
  func mayUpdate(_ record: Int, _ state: NodeState, _ view: BatchView) -> Bool {
    switch state.part.mode {
    case .upsert, .update, .sync, .replace: return true
    case .createMissing:
      if state.isRoot { view.outcomes[record] = .skipped }
      return false
    case .insert:
      reject(record, field: state.part.keyFields.first, .duplicateKey, view)
      return false
    }
  }

  /// Applies the policy for keys that an earlier record of this run has named; returns whether to go on.
  @inline(__always)
  func mayRepeat(_ record: Int, _ state: NodeState, _ view: BatchView) -> Bool {
    switch state.part.duplicates {
    case .last: return true
    case .first:
      if state.isRoot { view.outcomes[record] = .skipped }
      return false
    case .reject:
      reject(record, field: state.part.keyFields.first, .duplicateKey, view)
      return false
    }
  }

  // MARK: Strategies

  private func insertAll(_ state: NodeState, _ view: BatchView) {
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    for record in view.records where view.outcomes[record] == .pending { create(record, state, view) }
  }

  /// Puts a record on the list of those that create an object, and gives the object its primary key.
  @inline(__always)
  func create(_ record: Int, _ state: NodeState, _ view: BatchView) {
    // The rows are added when the list is complete, and take the next keys of the sequence in the order of the list.
    view.nodes[state.node].targets[record] = state.nextKey
    state.nextKey += 1
    state.inserts.append(Int32(truncatingIfNeeded: record))
    settle(record, .inserted, state, view)
  }

  private func findInTable(_ table: KeyTable, _ state: NodeState, _ view: BatchView) {
    let node = view.nodes[state.node]
    let keys = state.part.keyFields.map { view.fields[$0] }
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    let settles = state.settles
    // Nothing but an equal content is asked of a record whose object is there.
    let takesUnchanged = state.seenKeys == nil && state.part.mode.updates
    var keyBytes = self.keyBytes
    var unchanged = 0
    for record in view.records where view.isWanted(record, node) {
      let hash = node.keyHashes[record]
      let content = node.contents[record]
      if takesUnchanged, content != 0 {
        let entry = table.findUnchanged(hash: hash, content: content)
        if entry >= 0 {
          let primaryKey = table.primaryKey(entry)
          node.targets[record] = primaryKey
          if settles { view.outcomes[record] = .unchanged }
          if state.countsUnchanged(primaryKey) { unchanged += 1 }
          continue
        }
      }
      let key = keyBytes.key(keys, row: record, arena: view.arena)
      let entry = table.find(hash: hash, key: key)
      if entry < 0 {
        guard mayInsert(record, state, view) else { continue }
        create(record, state, view)
        table.insert(hash: hash, key: key, primaryKey: node.targets[record], content: content)
        state.seenKeys?.noteFirst(hash)
        continue
      }
      let primaryKey = table.primaryKey(entry)
      node.targets[record] = primaryKey
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state, view) { continue }
      guard mayUpdate(record, state, view) else { continue }
      if content != 0, content == table.content(entry) {
        if state.settles { view.outcomes[record] = .unchanged }
        if state.countsUnchanged(primaryKey) { unchanged += 1 }
      } else {
        table.setContent(entry, content)
        state.apply(record, primaryKey)
      }
    }
    self.keyBytes = keyBytes
    state.counts.unchanged += unchanged
  }

  private func findInFilter(_ filter: KeyFilter, _ state: NodeState, _ view: BatchView) {
    let node = view.nodes[state.node]
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    for record in view.records where view.isWanted(record, node) {
      if filter.testAndInsert(node.keyHashes[record]) {
        view.outcomes[record] = .deferred
      } else if mayInsert(record, state, view) {
        create(record, state, view)
      }
    }
  }

  private func findInScan(_ table: ScanTable, _ state: NodeState, _ view: BatchView) {
    let node = view.nodes[state.node]
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    var unchanged = 0
    for record in view.records where view.isWanted(record, node) {
      let hash = node.keyHashes[record]
      let content = node.contents[record]
      let place = table.find(hash)
      if place < 0 {
        guard mayInsert(record, state, view) else { continue }
        create(record, state, view)
        table.add(hash, content: content, primaryKey: node.targets[record])
        state.seenKeys?.noteFirst(hash)
        continue
      }
      let primaryKey = table.primaryKey(place)
      node.targets[record] = primaryKey
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state, view) { continue }
      guard mayUpdate(record, state, view) else { continue }
      if content != 0, content == table.content(place) {
        if state.settles { view.outcomes[record] = .unchanged }
        if state.countsUnchanged(primaryKey) { unchanged += 1 }
      } else {
        table.setContent(place, content)
        state.apply(record, primaryKey)
      }
    }
    state.counts.unchanged += unchanged
  }

  /// Follows what a partitioned scan found out; seeks the records it knows nothing of.
  private func findByVerdict(
    _ verdicts: RecordVerdicts, _ state: NodeState, _ view: BatchView
  ) throws(ImportError) {
    let node = view.nodes[state.node]
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1
    var unknown = ContiguousArray<Int32>()
    for record in view.records where view.isWanted(record, node) {
      switch verdicts.verdict(recordsBefore + record) {
      case .unchanged: settle(record, .unchanged, state, view)
      case .new: if mayInsert(record, state, view) { create(record, state, view) }
      case .changed(let primaryKey):
        node.targets[record] = primaryKey
        if mayUpdate(record, state, view) {
          state.apply(record, primaryKey)
        }
      case .unknown: unknown.append(Int32(record))
      }
    }
    if !unknown.isEmpty { try findBySeek(state, view, only: unknown) }
  }

  /// One sorted fetch and one merge walk.
  ///
  /// - Parameter only: The records to find; `nil` for all that are wanted.
  func findBySeek(
    _ state: NodeState, _ view: BatchView, only: ContiguousArray<Int32>?
  ) throws(ImportError) {
    let node = view.nodes[state.node]
    let arena = view.arena
    let keys = state.part.keyFields.map { view.fields[$0] }
    state.nextKey = store.maximum(root: state.part.rootEntity) + 1 + Int64(state.inserts.count)
    if let only {
      state.wanted = only
    } else {
      for record in view.records where view.isWanted(record, node) {
        state.wanted.append(Int32(record))
      }
    }
    keyOrder.sort(state.wanted, keys, arena: arena, into: &state.sorted)
    state.distinct.removeAll(keepingCapacity: true)
    for record in state.sorted {
      if let last = state.distinct.last, KeyOrder.compare(keys, Int(last), Int(record), arena) == 0 { continue }
      state.distinct.append(record)
    }

    let buffer = context.buffer(table: state.part.rootEntity)
    let firstRow = buffer.count
    do {
      let access = try store.access(root: state.part.rootEntity)
      try state.distinct.withUnsafeBufferPointer { order throws(StoreError) in
        try access.fetch(
          keys: keys, order: order, arena: arena, keySlots: state.part.keySlots, entity: state.entity,
          slots: state.part.fetchedSlots, into: buffer)
      }
      fetches += 1
    } catch {
      throw ImportError(error)
    }

    // Both lists are in key order. On equal keys the incoming side takes the object; an incoming key that is smaller
    // than the fetched one is new and advances alone; a fetched row that is smaller was fetched twice for one key.
    var row = firstRow
    var found = 0
    while found < state.sorted.count {
      let first = found
      let record = Int(state.sorted[first])
      var end = first + 1
      while end < state.sorted.count, KeyOrder.compare(keys, record, Int(state.sorted[end]), arena) == 0 { end += 1 }
      found = end
      while row < buffer.count, compare(buffer, row, state, keys, record, arena) < 0 { row += 1 }
      let isThere = row < buffer.count && compare(buffer, row, state, keys, record, arena) == 0
      if isThere {
        for i in first..<end {
          node.targets[Int(state.sorted[i])] = buffer.primaryKeys[row]
          node.targetEntities?[Int(state.sorted[i])] = buffer.entities[row]
        }
        row += 1
      }
    }
    // Records act in the order of the input, so that the last of several with one key wins.
    if !state.lookUpOnly { settleSought(state, view, keys) }
  }

  private func settleSought(_ state: NodeState, _ view: BatchView, _ keys: [CellColumnView]) {
    let node = view.nodes[state.node]
    let arena = view.arena
    var created: [Int32: Int64] = [:]
    var leaders: [Int32: Int32] = [:]
    // Every record of a group of new keys points at the group's first record in input order.
    var start = 0
    while start < state.sorted.count {
      let record = Int(state.sorted[start])
      var end = start + 1
      while end < state.sorted.count, KeyOrder.compare(keys, record, Int(state.sorted[end]), arena) == 0 { end += 1 }
      if end - start > 1 { for i in start..<end { leaders[state.sorted[i]] = state.sorted[start] } }
      start = end
    }
    for wanted in state.wanted {
      let record = Int(wanted)
      let hash = node.keyHashes[record]
      let leader = leaders[wanted] ?? wanted
      if node.targets[record] == 0, let key = created[leader] { node.targets[record] = key }
      let primaryKey = node.targets[record]
      if primaryKey == 0 {
        guard mayInsert(record, state, view) else { continue }
        create(record, state, view)
        if leaders[wanted] != nil { created[leader] = node.targets[record] }
        state.seenKeys?.noteFirst(hash)
        continue
      }
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state, view) { continue }
      if state.foundMeansSeen, !mayRepeat(record, state, view) { continue }
      guard mayUpdate(record, state, view) else { continue }
      state.apply(record, primaryKey)
    }
  }

  /// Compares a fetched row's key with a record's.
  @inline(__always)
  private func compare(
    _ buffer: RowBuffer, _ row: Int, _ state: NodeState, _ keys: [CellColumnView], _ record: Int,
    _ arena: UnsafeRawPointer
  ) -> Int {
    for (i, slot) in state.part.keySlots.enumerated() {
      let order = KeyOrder.compare(
        buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, keys[i].tags[record],
        keys[i].payloads[record], arena)
      if order != 0 { return order }
    }
    return 0
  }
}
