import MergewalkObjectModel
import MergewalkObjectStore

/// Chooses the way to find the objects of each node, by the contents of the store and the size of the input.
///
/// | situation | strategy |
/// |---|---|
/// | mode `insert` without a key | none |
/// | several nodes fill one hierarchy, or the entity has subentities | seek |
/// | new store, the records' own entity, unless it has lists or one-to-one relationships | filter |
/// | new store, a relationship's target | table, filled as objects are created |
/// | few rows in the store compared with the input | table, read once; scan for more than 10,000 of the records' own |
/// | many rows in the store, and many of them in the input | scan |
/// | the same, but more rows than the memory holds | seek, after a partitioned scan |
/// | otherwise | seek |
///
/// Costs behind the numbers (`docs/decisions/0002-find-plans.md`): a sequential scan takes about 0.5 µs per row, a seek
/// with random keys 3 to 4 µs per key.
struct StrategyChoice {
  let plan: ImportPlan
  let store: PersistentStore
  let model: ManagedObjectModel
  let seed: UInt64
  /// How many bytes of input are coming; 0 when it is not known.
  let inputBytes: Int
  let keyMemory: Int
  let override: FindPlan
  /// Is told when a partitioned scan is worth while.
  var partitioned = PartitionedChoice()
  /// How many nodes of the run's plan and of its lists' plans fill each hierarchy; `nil` for those of ``plan``.
  var hierarchyUses: [RootIndex: Int]?
  /// Whether the plan is that of a list, whose elements name their objects again and again.
  var isList = false
  /// Whether the inputs give the same records when they are read again; a database may have been written meanwhile.
  var hasFixedInputs = true
  /// Whether an earlier process has begun the part with a filter in a store that was new to it.
  var resumesFilter = false
  /// Whether the store does not exist yet and stands for a new one.
  var isPlannedStore = false

  /// The assumed size of a record of input, if nothing better is known.
  private static let assumedRecordBytes = 100
  /// The largest size of a filter of keys.
  private static let mostFilterBytes = 16 << 20
  /// The most rows of the records' own entity whose keys are read into a table where an index covers these: above, a scan
  /// is faster, which two threads share where pages can be read directly.
  private static let fewRows = 10_000
  /// The assumed size of a key in a ``KeyTable``.
  private static let assumedKeyBytes = 72

  func nodes() throws(StoreError) -> [NodeImporter] {
    var states: [NodeImporter] = []
    for (index, part) in plan.nodes.enumerated() {
      states.append(
        NodeImporter(
          node: index, plan: part, entity: model.entities[part.entity], role: role(index, part),
          finder: try finder(index, part)))
    }
    for state in states { state.isIndexed = isIndexed(state.plan) }
    for relationship in plan.postponed { states[relationship.target].isPostponed = true }
    for part in plan.nodes {
      for relationship in part.relationships where relationship.isLate {
        states[relationship.target].isLateTarget = true
      }
    }
    return states
  }

  private func role(_ index: Int, _ part: ImportNode) -> Role {
    if part.isGiven { return .given }
    return index == plan.root ? isList ? .element : .root : .target
  }

  /// The size of a filter of the keys: twice the input and 12 bytes a row if that is little.
  ///
  /// A filter that is too small is not wrong: more keys are then looked up.
  private func filterBytes(rows: Int) -> Int {
    inputBytes > 0
      ? min(max(inputBytes * 2 + rows * 12, 1 << 16), Self.mostFilterBytes) : Self.mostFilterBytes
  }

  /// Makes the finder that was decided on, with what has to be read for it.
  private func finder(_ index: Int, _ part: ImportNode) throws(StoreError) -> any Finder {
    let decision = try decide(index)
    if decision.isPartitioned { partitioned.rows = decision.rows ?? 0 }
    let entity = model.entities[part.entity]
    switch decision.plan {
    case .none: return NoFinder()
    case .filter:
      let isExact = plan.rejectsRepeats && plan.postponed.isEmpty
      let filter = KeyFilter(bytes: isExact ? 0 : filterBytes(rows: decision.rows ?? 0))
      filter.meetsAllKeys = isExact
      if !isExact, decision.rows ?? 0 > 0 { try fill(filter, store.access(root: part.rootEntity), entity, part) }
      return filter
    case .seek: return SeekFinder()
    case .deduplicate: return DeduplicateFinder()
    case .table where decision.rows == 0: return KeyTable()
    case .table:
      return try table(store.access(root: part.rootEntity), entity, part, rows: decision.rows ?? 0)
    case .scan:
      return try scan(store.access(root: part.rootEntity), entity, part, rows: decision.rows ?? 0)
    }
  }

  /// Decides how the objects of a node are found; reads nothing but the number of rows.
  func decide(_ index: Int) throws(StoreError) -> FindDecision {
    let part = plan.nodes[index]
    if part.keyFields.isEmpty { return FindDecision(.none, .insertOnly) }
    // How the targets of a second pass are found is chosen when it begins.
    if plan.postponed.contains(where: { $0.target == index }) { return FindDecision(.seek, .sharedTable) }
    let entity = model.entities[part.entity]
    let isShared = (hierarchyUses ?? plan.hierarchyUses(model))[part.rootEntity, default: 0] > 1
    if isShared { return FindDecision(.seek, .sharedTable) }
    if entity.hasSubentities { return FindDecision(.seek, .subentities) }
    let access = try store.access(root: part.rootEntity)
    let rows = try access.count(entity)
    let expected = inputBytes == 0 ? nil : max(inputBytes / Self.assumedRecordBytes, 1)
    let hasIndex = isIndexed(part)
    func decision(_ plan: FindDecision.Plan, _ reason: FindDecision.Reason) -> FindDecision {
      FindDecision(plan, reason, rows: rows, expected: expected, hasIndex: hasIndex)
    }
    if rows == 0 {
      // What is put off comes without its lists, and after records that may take its one-to-one partners or its values. In
      // the first of two passes, it depends on its object whether a record that repeats a key is rejected.
      let isNewRoot =
        isOwn(index) && plan.lists.isEmpty && isNewStore && !part.relationships.contains(where: \.isTakenByOthers)
        && !hasLooseConstraints(part) && (plan.postponed.isEmpty || !plan.rejectsRepeats)
      guard isNewRoot else { return decision(.table, .noRows) }
      return decision(.filter, plan.rejectsRepeats ? .newKeys : .newStore)
    }
    func partitioned(_ reason: FindDecision.Reason) -> FindDecision {
      var found = decision(.seek, reason)
      found.isPartitioned = true
      return found
    }
    if resumesFilter, isOwn(index) { return decision(.filter, .newStore) }
    let coming = expected ?? Int.max / 1024
    // Scans keep primary keys in 32 bits.
    let canScan =
      part.keySlots.count + part.contentSlots.count <= TableAccess.hashedColumnLimit
      && store.maximum(root: part.rootEntity) < 1 << 32
    let fits = canScan && ScanTable.bytes(rows: rows) <= keyMemory
    switch isOwn(index) ? override : .automatic {
    case .seek: return decision(.seek, .asked)
    case .scan where canScan:
      // In pieces it is one scan too, and takes no more memory than is allowed.
      if fits || !canPartition(index, part) { return decision(.scan, .asked) }
      return partitioned(.asked)
    case .deduplicate where canDeduplicate(part): return decision(.deduplicate, .asked)
    case .scan, .automatic, .deduplicate: break
    }
    // Targets are named again and again, so nearly all of the memory is theirs.
    let isSmall = rows * Self.assumedKeyBytes <= (isOwn(index) ? keyMemory / 3 : keyMemory * 4 / 5)
    if isSmall && rows / 16 <= coming {
      return isOwn(index) && fits && hasIndex && rows > Self.fewRows
        ? decision(.scan, .manyRecords) : decision(.table, .fewRows)
    }
    if !hasIndex, isSmall || !canScan { return decision(.table, .noIndex) }
    if !hasIndex { return decision(.scan, .noIndex) }
    if fits, rows / 6 <= coming { return decision(.scan, .manyRecords) }
    if rows / 6 <= coming, canScan, canPartition(index, part) { return partitioned(.partitioned) }
    return decision(.seek, rows / 6 <= coming ? .tooManyRows : .fewRecords)
  }

  /// Whether the store is being built; one that is only planned counts too.
  private var isNewStore: Bool { store.file.isNew || isPlannedStore }

  /// Whether objects can be made before anything is looked for: making one touches no other.
  private func canDeduplicate(_ part: ImportNode) -> Bool {
    plan.lists.isEmpty && part.relationships.allSatisfy { !$0.needsInverse && !$0.isLate }
  }

  /// Whether a node is what the run's records stand for.
  private func isOwn(_ index: Int) -> Bool { index == plan.root && !isList }

  /// Whether a partitioned scan can tell what changes nothing: every look-up is in memory and inputs can be read twice.
  private func canPartition(_ index: Int, _ part: ImportNode) -> Bool {
    isOwn(index) && plan.lists.isEmpty && plan.postponed.isEmpty && inputBytes > 0 && hasFixedInputs
      && part.duplicates == .last && part.mode.updates
  }

  /// How the targets of a postponed relationship are found once all objects exist: in memory when they fit.
  func secondPassFinder(_ index: Int) throws(StoreError) -> any Finder {
    let part = plan.nodes[index]
    let entity = model.entities[part.entity]
    if entity.hasSubentities { return SeekFinder() }
    let access = try store.access(root: part.rootEntity)
    let rows = try access.count(entity)
    if rows * Self.assumedKeyBytes > keyMemory * 4 / 5, isIndexed(part) || store.file.isNew { return SeekFinder() }
    return try table(access, entity, part, rows: rows)
  }

  /// Whether a uniqueness constraint is about more than the key.
  private func hasLooseConstraints(_ part: ImportNode) -> Bool {
    let table = store.schema.table(forRoot: part.rootEntity)
    let columns = Set(part.keySlots.compactMap { table.columnName(slot: $0) })
    return store.schema.indexes.contains { $0.isUnique && $0.table == table.name && Set($0.columns) != columns }
  }

  /// Whether an index of the store begins with the key's columns.
  private func isIndexed(_ part: ImportNode) -> Bool {
    let table = store.schema.table(forRoot: part.rootEntity)
    let columns = Set(part.keySlots.compactMap { table.columnName(slot: $0) })
    return store.schema.indexes.contains { index in
      index.isPlain && index.table == table.name && Set(index.columns.prefix(columns.count)) == columns
    }
  }

  /// Notes the keys of the rows that an earlier process has made.
  private func fill(
    _ filter: KeyFilter, _ access: TableAccess, _ entity: EntityDescription, _ part: ImportNode
  ) throws(StoreError) {
    if part.keySlots.count <= TableAccess.hashedColumnLimit {
      return try access.scanHashes(entity: entity, keySlots: part.keySlots, contentSlots: [], seed: seed) {
        (_, keyHash, _) in
        _ = filter.testAndInsert(keyHash)
      }
    }
    let buffer = RowBuffer(model: model, root: model.entities[part.rootEntity.index])
    try access.scan(entity: entity, slots: part.keySlots, buffer: buffer, blockSize: 4096) {
      for row in 0..<buffer.count where !part.keySlots.contains(where: { buffer.tags[$0][row] == CellTag.null }) {
        var hash = ContentHash.start(seed)
        for slot in part.keySlots {
          hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
        }
        _ = filter.testAndInsert(hash)
      }
    }
  }

  private func scan(
    _ access: TableAccess, _ entity: EntityDescription, _ part: ImportNode, rows: Int
  ) throws(StoreError) -> ScanTable {
    let table = ScanTable(rows: rows)
    try access.scanHashes(
      entity: entity, keySlots: part.keySlots, contentSlots: part.contentSlots, seed: seed,
      restart: { table.removeAll() }
    ) { (primaryKey, keyHash, contentHash) in
      // Several rows with one key: the first counts, as it does for a seek.
      table.insertSoon(keyHash, content: contentHash, primaryKey: primaryKey)
    }
    table.insertRest()
    return table
  }

  private func table(
    _ access: TableAccess, _ entity: EntityDescription, _ part: ImportNode, rows: Int
  ) throws(StoreError) -> KeyTable {
    let table = KeyTable(expecting: rows)
    let buffer = RowBuffer(model: model, root: model.entities[part.rootEntity.index])
    var keyBytes = KeyBytes()
    defer { keyBytes.deallocate() }
    try access.scan(entity: entity, slots: part.keySlots + part.contentSlots, buffer: buffer, blockSize: 4096) {
      let keys = part.keySlots.map { CellColumnView(tags: buffer.tags[$0], payloads: buffer.payloads[$0]) }
      for row in 0..<buffer.count {
        if part.keySlots.contains(where: { buffer.tags[$0][row] == CellTag.null }) { continue }
        var hash = ContentHash.start(seed)
        for slot in part.keySlots {
          hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
        }
        let keyHash = hash
        for slot in part.contentSlots {
          hash = CellHash.cell(buffer.tags[slot][row], buffer.payloads[slot][row], buffer.arena.base, seed: hash)
        }
        let key = keyBytes.key(keys, row: row, arena: buffer.arena.base)
        // Several rows with one key: the first counts, as it does for a seek.
        if table.find(hash: keyHash, key: key) >= 0 { continue }
        table.insert(hash: keyHash, key: key, primaryKey: buffer.primaryKeys[row], content: hash)
      }
    }
    return table
  }
}

/// The result of a choice that needs the input: how many rows a partitioned scan would read, 0 for none.
final class PartitionedChoice {
  var rows = 0
}
