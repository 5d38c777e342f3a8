import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats
import SQLite

extension BatchImporter {
  /// The cells of a batch, lent for the time of its import.
  typealias Views = [CellColumnView]

  /// Finds or creates the objects that the batch's records name in one node.
  func resolve(
    _ state: NodeState, _ batch: inout ImportBatch, _ views: Views, _ arena: UnsafeRawPointer, byteCount: Int
  ) throws(ImportError) {
    state.inserts.removeAll(keepingCapacity: true)
    state.applies.removeAll(keepingCapacity: true)
    state.wanted.removeAll(keepingCapacity: true)
    chainTargets(state, &batch)
    let keys = state.part.keyFields.map { views[$0] }
    switch state.strategy {
    case .none: insertAll(state, &batch)
    case .table(let table): findInTable(table, state, &batch, keys, arena)
    case .filter(let filter): findInFilter(filter, state, &batch)
    case .scan(let table): findInScan(table, state, &batch)
    case .seek: try findBySeek(state, &batch, keys, arena, only: nil)
    }
    try insert(state, batch, views, arena, byteCount: byteCount)
    try apply(state, &batch, views, arena)
  }

  /// Whether a record has something to say about a node.
  @inline(__always)
  func isWanted(_ record: Int, _ state: NodeState, _ batch: ImportBatch) -> Bool {
    outcomes[record] != .rejected && batch.keyStates[state.node][record] == ImportBatch.KeyState.usable
  }

  /// Chains the primary keys of the relationships' targets to the content hashes.
  private func chainTargets(_ state: NodeState, _ batch: inout ImportBatch) {
    for relationship in state.part.relationships {
      let count = batch.records.recordCount
      for i in 0..<count where batch.contentHashes[state.node][i] != 0 {
        let target = batch.targets[relationship.target][i]
        let hash = batch.contentHashes[state.node][i]
        batch.contentHashes[state.node][i] =
          target == 0 ? ContentHash.null(seed: hash) : ContentHash.primaryKey(target, seed: hash)
      }
    }
  }

  /// Settles a record of the root node; other nodes' records are only counted.
  @inline(__always)
  func settle(_ record: Int, _ outcome: RecordLedger.Outcome, _ state: NodeState) {
    if state.node == plan.root { outcomes[record] = outcome }
    switch outcome {
    case .inserted: state.counts.inserted += 1
    case .updated: state.counts.updated += 1
    case .unchanged: state.counts.unchanged += 1
    default: break
    }
  }

  /// What a record means whose object is not there; returns whether to create it.
  @inline(__always)
  func mayInsert(_ record: Int, _ state: NodeState) -> Bool {
    if state.node == plan.root {
      if state.part.mode != .update { return true }
      outcomes[record] = .skipped
      return false
    }
    if state.part.mode != .update { return true }
    if rejectsMissing(state) { reject(record, field: state.part.keyFields.first, .missingTarget) }
    return false
  }

  /// Whether a target that is named but not there rejects its record: by policy, or because the owner needs one.
  private func rejectsMissing(_ state: NodeState) -> Bool {
    for owner in nodes {
      for relationship in owner.part.relationships where relationship.target == state.node {
        return relationship.missing == .reject || !relationship.isOptional
      }
    }
    return false
  }

  /// What a record means whose object is there; returns whether to compare and update it.
  @inline(__always)
  func mayUpdate(_ record: Int, _ state: NodeState) -> Bool {
    switch state.part.mode {
    case .upsert, .update: return true
    case .createMissing:
      if state.node == plan.root { outcomes[record] = .skipped }
      return false
    case .insert:
      reject(record, field: state.part.keyFields.first, .duplicateKey)
      return false
    }
  }

  /// Applies the policy for keys that an earlier record of this run has named; returns whether to go on.
  @inline(__always)
  func mayRepeat(_ record: Int, _ state: NodeState) -> Bool {
    switch state.part.duplicates {
    case .last: return true
    case .first:
      if state.node == plan.root { outcomes[record] = .skipped }
      return false
    case .reject:
      reject(record, field: state.part.keyFields.first, .duplicateKey)
      return false
    }
  }

  // MARK: Strategies

  private func insertAll(_ state: NodeState, _ batch: inout ImportBatch) {
    for record in 0..<batch.records.recordCount where outcomes[record] != .rejected {
      create(record, state, &batch)
    }
  }

  /// Puts a record on the list of those that create an object, and gives the object its primary key.
  @inline(__always)
  private func create(_ record: Int, _ state: NodeState, _ batch: inout ImportBatch) {
    // The rows are added when the list is complete, and take the next keys of the sequence in the order of the list.
    let key = store.maximum(root: state.part.rootEntity) + 1 + Int64(state.inserts.count)
    state.inserts.append(Int32(record))
    batch.targets[state.node][record] = key
    settle(record, .inserted, state)
  }

  private func findInTable(
    _ table: KeyTable, _ state: NodeState, _ batch: inout ImportBatch, _ keys: Views, _ arena: UnsafeRawPointer
  ) {
    let node = state.node
    for record in 0..<batch.records.recordCount where isWanted(record, state, batch) {
      let hash = batch.keyHashes[node][record]
      let content = batch.contentHashes[node][record]
      let key = keyBytes.key(keys, row: record, arena: arena)
      let entry = table.find(hash: hash, key: key)
      if entry < 0 {
        guard mayInsert(record, state) else { continue }
        create(record, state, &batch)
        table.insert(hash: hash, key: key, primaryKey: batch.targets[node][record], content: content)
        state.seenKeys?.noteFirst(hash)
        continue
      }
      let primaryKey = table.primaryKey(entry)
      batch.targets[node][record] = primaryKey
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state) { continue }
      guard mayUpdate(record, state) else { continue }
      if content != 0, content == table.content(entry) {
        settle(record, .unchanged, state)
      } else {
        table.setContent(entry, content)
        state.applies.append(NodeState.Apply(record: Int32(record), primaryKey: primaryKey))
      }
    }
  }

  private func findInFilter(_ filter: KeyFilter, _ state: NodeState, _ batch: inout ImportBatch) {
    for record in 0..<batch.records.recordCount where isWanted(record, state, batch) {
      if filter.testAndInsert(batch.keyHashes[state.node][record]) {
        outcomes[record] = .deferred
      } else if mayInsert(record, state) {
        create(record, state, &batch)
      }
    }
  }

  private func findInScan(_ table: ScanTable, _ state: NodeState, _ batch: inout ImportBatch) {
    let node = state.node
    for record in 0..<batch.records.recordCount where isWanted(record, state, batch) {
      let hash = batch.keyHashes[node][record]
      let content = batch.contentHashes[node][record]
      let place = table.find(hash)
      if place < 0 {
        guard mayInsert(record, state) else { continue }
        create(record, state, &batch)
        table.insert(hash, content: content, primaryKey: batch.targets[node][record])
        state.seenKeys?.noteFirst(hash)
        continue
      }
      let primaryKey = table.primaryKey(place)
      batch.targets[node][record] = primaryKey
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state) { continue }
      guard mayUpdate(record, state) else { continue }
      if content != 0, content == table.content(place) {
        settle(record, .unchanged, state)
      } else {
        table.setContent(place, content)
        state.applies.append(NodeState.Apply(record: Int32(record), primaryKey: primaryKey))
      }
    }
  }

  /// One sorted fetch and one merge walk.
  ///
  /// - Parameter only: The records to find; `nil` for all that are wanted.
  func findBySeek(
    _ state: NodeState, _ batch: inout ImportBatch, _ keys: Views, _ arena: UnsafeRawPointer,
    only: ContiguousArray<Int32>?
  ) throws(ImportError) {
    let node = state.node
    if let only {
      state.wanted = only
    } else {
      for record in 0..<batch.records.recordCount where isWanted(record, state, batch) {
        state.wanted.append(Int32(record))
      }
    }
    keyOrder.sort(state.wanted, keys, arena: arena, into: &state.sorted)
    state.distinct.removeAll(keepingCapacity: true)
    for record in state.sorted {
      if let last = state.distinct.last, KeyOrder.compare(keys, Int(last), Int(record), arena) == 0 { continue }
      state.distinct.append(record)
    }

    let buffer = context.buffer(root: state.part.rootEntity)
    let firstRow = buffer.count
    do {
      let access = try store.access(root: state.part.rootEntity)
      try state.distinct.withUnsafeBufferPointer { order throws(SQLiteError) in
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
          batch.targets[node][Int(state.sorted[i])] = buffer.primaryKeys[row]
          if state.entity.hasSubentities {
            batch.targetEntities[node][Int(state.sorted[i])] = buffer.entities[row]
          }
        }
        row += 1
      }
    }
    // Records act in the order of the input, so that the last of several with one key wins.
    try settleSought(state, &batch, keys, arena)
  }

  private func settleSought(
    _ state: NodeState, _ batch: inout ImportBatch, _ keys: Views, _ arena: UnsafeRawPointer
  ) throws(ImportError) {
    let node = state.node
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
      let hash = batch.keyHashes[node][record]
      let leader = leaders[wanted] ?? wanted
      if batch.targets[node][record] == 0, let key = created[leader] { batch.targets[node][record] = key }
      let primaryKey = batch.targets[node][record]
      if primaryKey == 0 {
        guard mayInsert(record, state) else { continue }
        create(record, state, &batch)
        if leaders[wanted] != nil { created[leader] = batch.targets[node][record] }
        state.seenKeys?.noteFirst(hash)
        continue
      }
      if let seen = state.seenKeys, !seen.noteFirst(hash), !mayRepeat(record, state) { continue }
      if state.foundMeansSeen, !mayRepeat(record, state) { continue }
      guard mayUpdate(record, state) else { continue }
      state.applies.append(NodeState.Apply(record: wanted, primaryKey: primaryKey))
    }
  }

  /// Compares a fetched row's key with a record's.
  @inline(__always)
  private func compare(
    _ buffer: RowBuffer, _ row: Int, _ state: NodeState, _ keys: Views, _ record: Int, _ arena: UnsafeRawPointer
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
