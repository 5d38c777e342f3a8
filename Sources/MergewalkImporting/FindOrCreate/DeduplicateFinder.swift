import MergewalkObjectContext
import MergewalkObjectStore

/// Finds objects of flat data afterwards: objects are created for all records of a batch, one fetch with all their keys
/// finds those that already exist, and the superfluous ones are deleted again before anything is saved.
///
/// The result is the same as when finding first. Keys need not be sorted; the price is rows that are filled and
/// discarded. Source: Apple, "Efficiently Importing Data" (Core Data Programming Guide), on flat data without
/// relationships.
final class DeduplicateFinder: Finder {
  var name: String { "deduplicate" }
  var fetchesBatches: Bool { true }

  func find(_ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter) throws(ImportError) {
    let node = view.nodes[state.node]
    let root = state.plan.rootEntity
    let store = importer.store
    let sequences = store.sequences
    let created = view.wanted(state.node)
    guard !created.isEmpty else { return }
    state.inserts = created
    let buffer = importer.context.buffer(root: root)
    let first = buffer.count
    try importer.insert(state, view)
    let firstKey = buffer.primaryKeys[first]

    let keys = state.plan.keyFields.map { view.fields[$0] }
    let table = KeyTable(expecting: created.count)
    var entries = ContiguousArray<Int32>()
    entries.reserveCapacity(created.count)
    state.distinct.removeAll(keepingCapacity: true)
    for record in created.map(Int.init) {
      let key = importer.keyBytes.key(keys, row: record, arena: view.arena)
      var entry = table.find(hash: node.keyHashes[record], key: key)
      if entry < 0 {
        entry = table.insert(hash: node.keyHashes[record], key: key, primaryKey: 0, content: 0)
        state.distinct.append(Int32(record))
      }
      entries.append(Int32(entry))
    }
    var found = ContiguousArray<Int64>(repeating: 0, count: table.count)
    try fetchStored(state, view, importer, keys, table, into: &found)

    // Those that are kept take the keys from the first on, so that none is left out.
    var kept: Int64 = 0
    for (position, record) in created.map(Int.init).enumerated() {
      let row = first + position
      let entry = Int(entries[position])
      let hash = node.keyHashes[record]
      if found[entry] == 0 {
        if importer.mayInsert(record, state, view) {
          buffer.primaryKeys[row] = firstKey + kept
          found[entry] = firstKey + kept
          node.targets[record] = firstKey + kept
          kept += 1
          importer.settle(record, .inserted, state, view)
          state.seenKeys?.noteFirst(hash)
          continue
        }
      } else {
        node.targets[record] = found[entry]
        let isMeant = state.isFirst(hash) || importer.mayRepeat(record, state, view)
        if isMeant, importer.mayUpdate(record, state, view) { state.apply(record, found[entry]) }
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
    _ state: NodeImporter, _ view: BatchView, _ importer: BatchImporter, _ keys: [CellColumnView], _ table: KeyTable,
    into found: inout ContiguousArray<Int64>
  ) throws(ImportError) {
    let buffer = importer.context.buffer(root: state.plan.rootEntity)
    let first = buffer.count
    try importer.fetchDistinct(state, view, keys, into: buffer)
    for row in first..<buffer.count {
      let entry = table.find(StoredKey(buffer: buffer, row: row, slots: state.plan.keySlots).key(importer))
      // Several rows with one key: the first counts, as it does for a seek.
      if entry >= 0, found[entry] == 0 { found[entry] = buffer.primaryKeys[row] }
    }
  }
}
