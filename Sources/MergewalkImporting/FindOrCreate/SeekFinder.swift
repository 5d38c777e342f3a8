import MergewalkObjectContext
import MergewalkObjectStore

/// One fetch of the batch's sorted keys, and one merge walk.
class SeekFinder: Finder {
  var name: String { "seek" }
  var fetchesBatches: Bool { true }
  var usesIndex: Bool { true }
  var findsByHash: Bool { false }
  var search: KeySearch { .store }

  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) throws(ImportError) {
    try importer.seek(view.wanted(state.node), state, view)
  }
}

/// Applies the results of a partitioned scan to the records; seeks those without a result.
final class VerdictFinder: SeekFinder {
  let verdicts: RecordVerdicts

  init(_ verdicts: RecordVerdicts) { self.verdicts = verdicts }

  override var name: String { "partitioned scan" }
  override var fetchesBatches: Bool { false }
  override var findsByHash: Bool { true }
  override var search: KeySearch { .pieces(isDecided: verdicts.areNearlyAll) }

  override func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) throws(ImportError) {
    let node = view.nodes[state.node]
    importer.startKeys(state)
    var unknown = ContiguousArray<Int32>()
    for record in view.records where view.isWanted(record, node) {
      switch verdicts.verdict(importer.recordsBefore + record) {
      case .unchanged: importer.settle(record, .unchanged, state, view)
      case .new: if importer.mayInsert(record, state, view) { importer.create(record, state, view) }
      case .changed(let primaryKey):
        node.targets[record] = primaryKey
        if importer.mayUpdate(record, state, view) { state.apply(record, primaryKey) }
      case .unknown: unknown.append(Int32(record))
      }
    }
    if !unknown.isEmpty { try importer.seek(unknown, state, view) }
  }
}

extension BatchImporter {
  /// Finds records in the store and decides their outcome.
  func seek(_ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    try fetchTargets(records, state, view)
    // Records act in the order of the input, so that the last of several with one key wins.
    startKeys(state)
    state.nextKey += Int64(state.inserts.count)
    settleSought(records, state, view)
  }

  /// Gives the primary keys of the objects that records name, by one fetch, and leaves no trace of it.
  func lookUpBySeek(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView, _ body: (Int, Int64) -> Void
  ) throws(ImportError) {
    guard !records.isEmpty, !state.plan.keyFields.isEmpty else { return }
    let targets = view.nodes[state.node].targets
    let before = records.map { targets[Int($0)] }
    for record in records { targets[Int(record)] = 0 }
    try findTargets(records, state, view)
    for (record, known) in zip(records.lazy.map(Int.init), before) {
      if targets[record] > 0 { body(record, targets[record]) }
      targets[record] = known
    }
  }

  /// Notes which objects of the store records name, by one fetch, and keeps none of their rows.
  func findTargets(_ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView) throws(ImportError) {
    try fetchTargets(records, state, view)
    context.buffer(root: state.plan.rootEntity).removeAll()
  }

  /// Fetches the rows that records name by one sorted list of keys, and notes them by one merge walk.
  private func fetchTargets(
    _ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView
  ) throws(ImportError) {
    let node = view.nodes[state.node]
    let arena = view.arena
    let keys = state.plan.keyFields.map { view.fields[$0] }
    keyOrder.sort(records, keys, arena: arena, into: &state.sorted)
    state.distinct.removeAll(keepingCapacity: true)
    for record in state.sorted {
      if let last = state.distinct.last, KeyOrder.compare(keys, Int(last), Int(record), arena) == 0 { continue }
      state.distinct.append(record)
    }
    let buffer = context.buffer(root: state.plan.rootEntity)
    // Both lists are in key order. On equal keys the incoming side takes the object; an incoming key that is smaller
    // than the fetched one is new and advances alone; a fetched row that is smaller was fetched twice for one key.
    var row = buffer.count
    try fetchDistinct(state, view, keys, into: buffer)
    var found = 0
    while found < state.sorted.count {
      let first = found
      let record = Int(state.sorted[first])
      found = endOfGroup(first, state, keys, arena)
      while row < buffer.count, compare(buffer, row, state, keys, record, arena) < 0 { row += 1 }
      guard row < buffer.count, compare(buffer, row, state, keys, record, arena) == 0 else { continue }
      for i in first..<found {
        node.targets[Int(state.sorted[i])] = buffer.primaryKeys[row]
        node.targetEntities?[Int(state.sorted[i])] = buffer.entities[row]
      }
      row += 1
    }
  }

  /// Fetches the rows whose keys are those of the records on the node's list of distinct keys.
  func fetchDistinct(
    _ state: NodeImporter, _ view: BatchView, _ keys: [CellColumnView], into buffer: RowBuffer
  ) throws(ImportError) {
    do {
      let access = try store.access(root: state.plan.rootEntity)
      try state.distinct.withUnsafeBufferPointer { order throws(StoreError) in
        try access.fetch(
          keys: keys, order: order, arena: view.arena, keySlots: state.plan.keySlots, entity: state.entity,
          slots: state.plan.fetchedSlots, into: buffer)
      }
      fetches += 1
    } catch {
      throw ImportError(error)
    }
  }

  /// Where, in the sorted list, the records end that have the key of the one at `first`.
  private func endOfGroup(_ first: Int, _ state: NodeImporter, _ keys: [CellColumnView], _ arena: UnsafeRawPointer)
    -> Int
  {
    let record = Int(state.sorted[first])
    var end = first + 1
    while end < state.sorted.count, KeyOrder.compare(keys, record, Int(state.sorted[end]), arena) == 0 { end += 1 }
    return end
  }

  private func settleSought(_ records: ContiguousArray<Int32>, _ state: NodeImporter, _ view: BatchView) {
    let node = view.nodes[state.node]
    let keys = state.plan.keyFields.map { view.fields[$0] }
    var created: [Int32: Int64] = [:]
    var leaders: [Int32: Int32] = [:]
    // Every record of a group of new keys points at the group's first record in input order.
    var start = 0
    while start < state.sorted.count {
      let end = endOfGroup(start, state, keys, view.arena)
      if end - start > 1 { for i in start..<end { leaders[state.sorted[i]] = state.sorted[start] } }
      start = end
    }
    let foundWereNamed = pass.foundWereMade && state.role == .root
    for wanted in records {
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
      if !state.isFirst(hash), !mayRepeat(record, state, view) { continue }
      if foundWereNamed, !mayRepeat(record, state, view) { continue }
      guard mayUpdate(record, state, view) else { continue }
      state.apply(record, primaryKey)
    }
  }

  /// Compares a fetched row's key with a record's.
  @inline(__always)
  private func compare(
    _ buffer: RowBuffer, _ row: Int, _ state: NodeImporter, _ keys: [CellColumnView], _ record: Int,
    _ arena: UnsafeRawPointer
  ) -> Int {
    for (i, slot) in state.plan.keySlots.enumerated() {
      let order = KeyOrder.compare(
        buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, keys[i].tags[record],
        keys[i].payloads[record], arena)
      if order != 0 { return order }
    }
    return 0
  }
}
