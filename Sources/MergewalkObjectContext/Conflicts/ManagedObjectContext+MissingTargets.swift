import MergewalkObjectModel
import MergewalkObjectStore

/// Records that what is written refers to and that are not there: another context or process deleted them, so that, as
/// their own rows are not written, no version says so, or they were named by an unknown ID.
extension ManagedObjectContext {
  /// Throws when what is written refers to records that are not there, or what is deleted is referred to: no reference is
  /// committed that leads nowhere.
  func checkTargets(_ plan: SavePlan) throws(SaveError) {
    let missing = try missingTargets(plan) + unseenReferences(plan)
    if !missing.isEmpty { throw SaveError(missing) }
  }

  /// The records that a plan refers to and that are not in the store.
  ///
  /// - Complexity: O(changed references), and one SELECT for a table with records that the context does not hold, or
  ///   that it holds while other processes write to the stores.
  func missingTargets(_ plan: SavePlan) throws(SaveError) -> [MergeConflict] {
    let othersWrote = storeList.writeMark != knownWriteMark
    var conflicts: [MergeConflict] = []
    for (table, keys) in targets(plan, othersWrote: othersWrote).sorted(by: { $0.key < $1.key }) {
      let buffer = buffer(table: table)
      let asked = Array(keys.keys)
      let store = store(table: table)
      let versions = try saveErrors { () throws(StoreError) in
        try store.access(root: table.root).versions(primaryKeys: asked.sorted(), buffer)
      }
      for key in asked.sorted() where versions[key] == nil {
        let row = buffer.row(primaryKey: key).flatMap { buffer.states[$0] == RowState.clean ? $0 : nil }
        let snapshot = row.map { self.snapshot(buffer, table: table, row: $0) }
        conflicts.append(
          MergeConflict(
            objectID: objectID(
              table: table, entity: row.map { Int(buffer.entities[$0]) } ?? keys[key] ?? table.root.index,
              primaryKey: key),
            oldVersion: row.map { buffer.versions[$0] } ?? 0, newVersion: 0, objectSnapshot: snapshot,
            cachedSnapshot: snapshot ?? [:], persistedSnapshot: nil))
      }
    }
    return conflicts
  }

  /// The keys that a plan starts to refer to and that the stores have to be asked for, with the entities that are
  /// known, by table.
  private func targets(_ plan: SavePlan, othersWrote: Bool) -> [TableID: [Int64: Int]] {
    var found: [TableID: [Int64: Int]] = [:]
    var last: (key: Int64, table: TableID)?
    let written = othersWrote ? writtenKeys(plan) : [:]
    func add(_ key: Int64, _ table: TableID, _ entity: Int) {
      // Rows that follow each other often refer to the same record.
      guard key > 0, last?.key != key || last?.table != table else { return }
      last = (key, table)
      let buffer = buffer(table: table)
      if let row = buffer.row(primaryKey: key), buffer.states[row] != RowState.fault {
        // New ones are there in a moment, and changed ones have their versions checked.
        if !othersWrote || written[table]?.contains(key) ?? false { return }
      }
      found[table, default: [:]][key] = entity
    }
    for changes in plan.roots {
      let buffer = changes.buffer
      let rows = (changes.inserted + changes.updated.values.joined()).lazy.map(Int.init)
      forEachChangedReference(buffer, rows) { _, key, reference in add(key, reference.table, reference.entity) }
    }
    for place in pendingLinks.order {
      guard let changes = pendingLinks.changes(place) else { continue }
      for (pair, change) in changes.changes where change.isLinked && !change.isStored {
        add(pair.owner, changes.ownerTable, changes.ownerTable.root.index)
        add(pair.target, changes.targetTable, changes.targetTable.root.index)
      }
    }
    return found
  }

  /// The records that a plan writes, by table.
  private func writtenKeys(_ plan: SavePlan) -> [TableID: Set<Int64>] {
    var written: [TableID: Set<Int64>] = [:]
    for changes in plan.roots {
      let keys = changes.buffer.primaryKeys
      for row in changes.inserted { written[changes.buffer.table, default: []].insert(keys[Int(row)]) }
      for row in changes.updated.values.joined() {
        written[changes.buffer.table, default: []].insert(keys[Int(row)])
      }
    }
    return written
  }

  /// Takes note of a transaction of this context in some stores: others have to look out for it.
  func noteWrite(_ numbers: [Int]) {
    for number in numbers {
      guard let store = storeList.store(number) else { continue }
      store.writes += 1
      knownWriteMark += 1
    }
  }
}
