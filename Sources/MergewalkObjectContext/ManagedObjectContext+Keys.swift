import MergewalkObjectModel
import MergewalkObjectStore

/// The keys that took the place of temporary ones, by table.
struct AssignedKeys {
  /// By table: the new key of each old one.
  var tables: [TableID: ReplacedKeys] = [:]

  /// The way back.
  var inverted: AssignedKeys { AssignedKeys(tables: tables.mapValues(\.inverted)) }
}

/// New keys of old ones.
///
/// Records that are inserted one after the other have keys that follow each other, before and after: such keys are found
/// by counting, others by bisection.
struct ReplacedKeys: Sequence {
  /// The old keys, ascending.
  private let old: [Int64]
  /// The new key of each.
  private let new: [Int64]

  /// Takes old keys and their new ones; each old key comes once.
  init(_ pairs: [(old: Int64, new: Int64)]) {
    let isSorted = zip(pairs, pairs.dropFirst()).allSatisfy { $0.old < $1.old }
    let pairs = isSorted ? pairs : pairs.sorted { $0.old < $1.old }
    old = pairs.map(\.old)
    new = pairs.map(\.new)
  }

  /// The new key of an old one; `nil` when it stays.
  subscript(key: Int64) -> Int64? {
    guard let first = old.first, let last = old.last, key >= first, key <= last else { return nil }
    let place = last &- first == Int64(old.count - 1) ? Int(key &- first) : place(key)
    return old[place] == key ? new[place] : nil
  }

  /// The first place whose key is not below `key`.
  private func place(_ key: Int64) -> Int {
    var (low, high) = (0, old.count)
    while low < high {
      let middle = (low + high) / 2
      if old[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The way back.
  var inverted: ReplacedKeys { ReplacedKeys(map { (old: $1, new: $0) }) }

  /// Old keys and their new ones, by old key.
  func makeIterator() -> Zip2Sequence<[Int64], [Int64]>.Iterator { zip(old, new).makeIterator() }
}

private struct OrderedSide: Hashable {
  var table: TableID
  var slot: Int
}

/// Primary keys in place of the temporary ones that records have before their first save.
extension ManagedObjectContext {
  /// Gives objects that were never saved the IDs that they will have in their stores.
  ///
  /// The keys are taken from the stores' sequences immediately, in one transaction for each store; an insert that is
  /// never saved leaves a gap.
  ///
  /// - Throws: ``ObjectError`` with `closed` or `database`.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(ObjectError) {
    var waiting: [TableID: [Int64]] = [:]
    var known: [TableID: Set<Int64>] = [:]
    var newInParent: [ManagedObject] = []
    for object in objects where object.objectID.isTemporary {
      try check(object)
      if let parent, !object.isInserted {
        newInParent.append(counterpart(of: object, in: parent))
      } else if object.isInserted, known[object.table, default: []].insert(object.primaryKey).inserted {
        waiting[object.table, default: []].append(object.primaryKey)
      }
    }
    // The parent has them as new objects, and tells its children.
    if let parent, !newInParent.isEmpty { try parent.obtainPermanentIDs(for: newInParent) }
    var keys = AssignedKeys()
    for number in Set(waiting.keys.map(\.store)).sorted() {
      let tables = waiting.filter { $0.key.store == number }.sorted { $0.key < $1.key }
      for (table, _) in tables { try openStore(table: table) }
      let store = store(table: tables[0].key)
      let isOwn = !store.isInTransaction
      try store.inTransaction({ ObjectError($0) }) { () throws(ObjectError) in
        for (table, temporary) in tables {
          let key = store.takePrimaryKeys(root: table.root, count: temporary.count)
          keys.tables[table] = ReplacedKeys(
            temporary.enumerated().map { (old: $1, new: key + Int64($0)) })
        }
        if isOwn { try objectErrors { () throws(StoreError) in try store.writeMaxima() } }
      }
    }
    replaceKeys(keys)
  }

  /// Gives the records that a save inserts their primary keys, in the order of the inserts.
  func assignKeys(_ run: SaveRun) {
    for index in run.plan.roots.indices {
      let buffer = run.plan.roots[index].buffer
      let new = run.plan.roots[index].inserted.filter { buffer.primaryKeys[Int($0)] < 0 }
      guard !new.isEmpty else { continue }
      let first = store(table: buffer.table).takePrimaryKeys(root: buffer.rootEntity, count: new.count)
      var keys: [(old: Int64, new: Int64)] = []
      keys.reserveCapacity(new.count)
      for (number, row) in new.enumerated() {
        let key = first + Int64(number)
        keys.append((old: buffer.primaryKeys[Int(row)], new: key))
        replaceKey(buffer, row: Int(row), with: key)
      }
      run.assignedKeys.tables[buffer.table] = ReplacedKeys(keys)
    }
    replaceKeys(run.assignedKeys, ofRows: false)
    for index in run.plan.roots.indices {
      let buffer = run.plan.roots[index].buffer
      sortByPrimaryKey(&run.plan.roots[index].inserted, buffer)
    }
  }

  /// Gives records back the keys that they had before a save that failed.
  func takeBackKeys(_ run: SaveRun, of isMeant: (_ store: Int) -> Bool) {
    var keys = run.assignedKeys
    keys.tables = keys.tables.filter { isMeant($0.key.store) }
    replaceKeys(keys.inverted)
  }

  /// Replaces keys wherever the context knows them: in rows, in what refers to them, in pairs, and in objects.
  ///
  /// - Complexity: O(new records + changed rows × relationships).
  ///
  /// - Parameter ofRows: Whether the rows have their old keys still.
  func replaceKeys(_ keys: AssignedKeys, ofRows: Bool = true) {
    if keys.tables.isEmpty { return }
    for (table, replaced) in keys.tables where ofRows {
      let buffer = buffer(table: table)
      for (old, new) in replaced {
        if let row = buffer.row(primaryKey: old) { replaceKey(buffer, row: row, with: new) }
      }
    }
    for buffer in allBuffers where !buffer.touchedRows.isEmpty || parent != nil { replaceReferences(in: buffer, keys) }
    // Members that objects know may be named by their old keys.
    if parent != nil { storedVersion &+= 1 }
    pendingLinks.replace(keys)
    pendingReferences = nil
    replaceOrderedOwners(keys)
    keysWereReplaced(keys)
  }

  private func replaceKey(_ buffer: RowBuffer, row: Int, with key: Int64) {
    buffer.setPrimaryKey(row: row, key)
    registry.object(table: buffer.table, row: row)?.takeUnretainedValue().learnKey(key)
  }

  /// Replaces the keys of objects that gave out positions to others.
  private func replaceOrderedOwners(_ keys: AssignedKeys) {
    var ownerTables: [OrderedSide: TableID] = [:]
    for (name, last) in lastOrderKeys {
      let side = OrderedSide(table: name.table, slot: name.slot)
      let table = ownerTables[side] ?? ownerTable(side)
      ownerTables[side] = table
      guard let table, let key = keys.tables[table]?[name.owner] else { continue }
      lastOrderKeys[name] = nil
      lastOrderKeys[OrderedOwner(table: name.table, slot: name.slot, owner: key)] = last
    }
  }

  /// The table that a to-one relationship leads to.
  private func ownerTable(_ side: OrderedSide) -> TableID? {
    for entity in model.family(of: side.table.root) {
      for relationship in entity.relationships where !relationship.isToMany && relationship.slot == side.slot {
        return destinationTable(relationship, from: side.table)
      }
    }
    return nil
  }

  /// Replaces the keys in the to-one relationships of changed rows: only these can refer to records that are new here.
  ///
  /// In a child all rows can, as its parent's records may be new too.
  func replaceReferences(in buffer: RowBuffer, _ keys: AssignedKeys) {
    var replacedOfSlot: [(slot: Int, keys: ReplacedKeys)] = []
    for entity in model.family(of: buffer.rootEntity) {
      for relationship in entity.relationships where !relationship.isToMany {
        let table = destinationTable(relationship, from: buffer.table)
        guard let replaced = keys.tables[table], !replacedOfSlot.contains(where: { $0.slot == relationship.slot })
        else {
          continue
        }
        replacedOfSlot.append((relationship.slot, replaced))
      }
    }
    for (slot, replaced) in replacedOfSlot {
      let (tags, payloads) = (buffer.tags[slot], buffer.payloads[slot])
      func replace(_ row: Int) {
        guard tags[row] == CellTag.integer, let key = replaced[Int64(bitPattern: payloads[row])] else { return }
        payloads[row] = UInt64(bitPattern: key)
      }
      if parent == nil {
        for touched in buffer.touchedRows { replace(Int(touched)) }
        continue
      }
      for row in 0..<buffer.count where buffer.states[row] != RowState.free { replace(row) }
      for index in buffer.snapshots.indices where Int(buffer.snapshots[index].slot) == slot {
        guard buffer.snapshots[index].tag == CellTag.integer else { continue }
        if let key = replaced[Int64(bitPattern: buffer.snapshots[index].payload)] {
          buffer.snapshots[index].payload = UInt64(bitPattern: key)
        }
      }
    }
  }
}

extension PendingLinks {
  func replace(_ keys: AssignedKeys) {
    for place in order {
      guard let old = changes(place) else { continue }
      let (owners, targets) = (keys.tables[old.ownerTable], keys.tables[old.targetTable])
      if owners == nil && targets == nil { continue }
      var new = LinkChanges(old.relation)
      for (pair, change) in old.changes {
        var change = change
        change.row.owner = owners?[pair.owner] ?? pair.owner
        change.row.target = targets?[pair.target] ?? pair.target
        new[LinkChanges.Pair(owner: change.row.owner, target: change.row.target)] = change
      }
      replace(place, with: new)
    }
    forgetPositions()
  }
}
