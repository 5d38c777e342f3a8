import ObjectContext
import ObjectModel
import ObjectStore
import RecordFormats

/// Flat data the other way round: objects are made for all records of a batch, one fetch with all their keys finds those
/// that are there already, and the superfluous ones are deleted again before anything is saved.
///
/// The result is that of finding first. Keys need not be sorted; in return rows are filled that are thrown away. Source:
/// Apple, "Efficiently Importing Data" (Core Data Programming Guide), on flat data without relationships.
extension BatchImporter {
  /// Creates, finds and settles the records of one node.
  func createAndDeduplicate(_ state: NodeState, _ view: BatchView) throws(ImportError) {
    let node = view.nodes[state.node]
    let root = state.part.rootEntity
    let sequences = store.sequences
    for record in view.records where view.isWanted(record, node) { state.inserts.append(Int32(record)) }
    guard !state.inserts.isEmpty else { return }
    let created = state.inserts
    let buffer = context.buffer(table: root)
    let first = buffer.count
    try insert(state, view)
    let firstKey = buffer.primaryKeys[first]

    let keys = state.part.keyFields.map { view.fields[$0] }
    let table = KeyTable(expecting: created.count)
    var entries = ContiguousArray<Int32>()
    entries.reserveCapacity(created.count)
    state.distinct.removeAll(keepingCapacity: true)
    for record in created.map(Int.init) {
      let key = keyBytes.key(keys, row: record, arena: view.arena)
      var entry = table.find(hash: node.keyHashes[record], key: key)
      if entry < 0 {
        entry = table.insert(hash: node.keyHashes[record], key: key, primaryKey: 0, content: 0)
        state.distinct.append(Int32(record))
      }
      entries.append(Int32(entry))
    }
    var found = ContiguousArray<Int64>(repeating: 0, count: table.count)
    try fetchStored(state, view, keys, table, buffer, into: &found)

    // Those that are kept take the keys from the first on, so that none is left out.
    var kept: Int64 = 0
    for (position, record) in created.map(Int.init).enumerated() {
      let row = first + position
      let entry = Int(entries[position])
      let hash = node.keyHashes[record]
      if found[entry] == 0 {
        if mayInsert(record, state, view) {
          buffer.primaryKeys[row] = firstKey + kept
          found[entry] = firstKey + kept
          node.targets[record] = firstKey + kept
          kept += 1
          settle(record, .inserted, state, view)
          state.seenKeys?.noteFirst(hash)
          continue
        }
      } else {
        node.targets[record] = found[entry]
        let isMeant = state.seenKeys.map { $0.noteFirst(hash) } ?? true || mayRepeat(record, state, view)
        if isMeant, mayUpdate(record, state, view) {
          state.apply(record, found[entry])
        }
      }
      buffer.states[row] = RowState.free
    }
    buffer.touchedRows.removeAll { buffer.states[Int($0)] == RowState.free }
    store.sequences = sequences
    if kept > 0 { _ = store.takePrimaryKeys(root: root, count: Int(kept)) }
    state.inserts.removeAll(keepingCapacity: true)
  }

  /// Fetches the rows with one of the keys, in one statement, and notes which entry of the table each belongs to.
  private func fetchStored(
    _ state: NodeState, _ view: BatchView, _ keys: [CellColumnView], _ table: KeyTable, _ buffer: RowBuffer,
    into found: inout ContiguousArray<Int64>
  ) throws(ImportError) {
    let first = buffer.count
    do {
      let access = try store.access(root: state.part.rootEntity)
      try state.distinct.withUnsafeBufferPointer { order throws(StoreError) in
        try access.fetch(
          keys: keys, order: order, arena: view.arena, keySlots: state.part.keySlots, entity: state.entity,
          slots: state.part.fetchedSlots, into: buffer)
      }
      fetches += 1
    } catch {
      throw ImportError(error)
    }
    let stored = state.part.keySlots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
    for row in first..<buffer.count {
      var hash = ContentHash.start(seed)
      for slot in state.part.keySlots {
        hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
      }
      let entry = table.find(hash: hash, key: keyBytes.key(stored, row: row, arena: buffer.arena.base))
      // Several rows with one key: the first counts, as it does for a seek.
      if entry >= 0, found[entry] == 0 { found[entry] = buffer.primaryKeys[row] }
    }
  }
}
