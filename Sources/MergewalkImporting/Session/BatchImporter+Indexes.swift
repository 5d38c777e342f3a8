import MergewalkObjectModel
import MergewalkObjectStore

extension BatchImporter {
  /// Builds what a new store needs from its first row on: the indexes that seeks use, and those of uniqueness
  /// constraints that finding does not look after.
  ///
  /// All other indexes are built at the end, from sorted rows, which is several times faster than keeping them up.
  ///
  /// - Parameter cacheKiB: The page cache for a store that refuses rows by indexes that are kept up, whose pages are needed
  ///   in any order. Elsewhere a large one only makes the sorting of indexes slower.
  func buildEarlyIndexes(_ file: StoreFile, cacheKiB: Int) throws(ImportError) {
    try buildKeptIndexes(file)
    // An earlier process may have built them.
    guard store.schema.indexes.contains(where: { index in allNodes.contains { isGuard(index, $0) } }) else { return }
    do { try file.setCache(kiB: cacheKiB) } catch { throw ImportError(error) }
  }

  private func buildKeptIndexes(_ file: StoreFile) throws(ImportError) {
    for state in allNodes where !state.isPostponed && state.finder.usesIndex { try buildIndexes(file, for: state) }
    let guarded = file.unbuiltIndexes.filter { index in allNodes.contains { isGuard(index, $0) } }
    guard keepsSavepoints || !guarded.isEmpty else { return }
    try storeErrors { () throws(StoreError) in
      if !file.keepsBatches { try file.keepJournalInMemory() }
      try file.buildIndexes { guarded.contains($0) }
    }
  }

  /// Whether the store may refuse a node's rows although their keys were looked for.
  func hasGuards(_ state: NodeImporter) -> Bool {
    store.model.entities[state.plan.rootEntity.index].hasSubentities || isGuardedByOthers(state)
      || store.schema.indexes.contains { isGuard($0, state) }
  }

  /// Whether something may refuse a node's rows that others have added to the store, such as a trigger.
  func isGuardedByOthers(_ state: NodeImporter) -> Bool {
    !store.file.guardedTables.isEmpty
      && store.file.guardedTables.contains(store.schema.table(forRoot: state.plan.rootEntity).name.uppercased())
  }

  private func isGuard(_ index: IndexDefinition, _ state: NodeImporter) -> Bool {
    guard index.isUnique, store.schema.table(forRoot: state.plan.rootEntity).name == index.table else { return false }
    // A key that is found before it is inserted needs no guard, unless objects that are not looked at may have it.
    return !state.finder.looksForKeys || keyColumns(state) != Set(index.columns) || hasRelatives(state)
  }

  /// Whether the table may hold objects of entities among which a node does not look.
  private func hasRelatives(_ state: NodeImporter) -> Bool {
    let root = state.plan.rootEntity
    if state.entity.isRoot { return false }
    return store.maximum(root: root) > 0
      || allNodes.contains { $0.plan.rootEntity == root && $0.plan.entity != state.plan.entity }
  }

  /// Builds the unique indexes over a node's key in a new store.
  func buildIndexes(_ file: StoreFile, for state: NodeImporter) throws(ImportError) {
    let table = store.schema.table(forRoot: state.plan.rootEntity)
    let columns = keyColumns(state)
    do {
      try file.buildIndexes { index in
        index.table == table.name && Set(index.columns.prefix(columns.count)) == columns
      }
    } catch {
      throw ImportError(code: .database, message: error.description)
    }
  }

  /// Builds in a new store the indexes by which those are found that refer to objects of a hierarchy, which are to go.
  func buildIndexes(_ file: StoreFile, referringTo root: RootIndex) throws(ImportError) {
    guard file.isNew else { return }
    var columns: [String: Set<String>] = [:]
    for entity in store.model.entities {
      let table = store.schema.table(forRoot: entity.root)
      for relationship in entity.relationships where !relationship.isToMany && !relationship.isTransient {
        guard store.model.entities[relationship.destinationEntity].root == root else { continue }
        columns[table.name, default: []].formUnion(table.columnName(slot: relationship.slot).map { [$0] } ?? [])
      }
    }
    try storeErrors { () throws(StoreError) in
      try file.buildIndexes { index in
        index.columns.first.map { columns[index.table]?.contains($0) ?? false } ?? false
      }
    }
  }

  private func keyColumns(_ state: NodeImporter) -> Set<String> {
    let table = store.schema.table(forRoot: state.plan.rootEntity)
    return Set(state.plan.keySlots.compactMap { table.columnName(slot: $0) })
  }
}
