import MergewalkObjectModel
import MergewalkObjectStore

/// A record whose pairs change.
private struct LinkedRecord: Hashable {
  var root: RootIndex
  var primaryKey: Int64
}

extension ManagedObjectContext {
  /// Adds to the list of what a save does to a store the to-many relationships whose pairs change: records of which
  /// nothing else changes are updated too.
  ///
  /// - Complexity: O(changes), nothing when no pairs change.
  func addChangedLinks(to list: inout StoreChanges, store number: Int) {
    guard pendingLinks.hasChanges, let store = storeList.store(number) else { return }
    let records = changedLinks(store, number)
    guard !records.isEmpty else { return }
    var positions: [LinkedRecord: Int] = [:]
    for (position, change) in list.changes.enumerated() {
      let root = model.entities[change.entity].root
      positions[LinkedRecord(root: root, primaryKey: change.primaryKey)] = position
    }
    var sets = Dictionary(list.slotSets.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })
    func index(_ set: [UInt64]) -> Int32 {
      if let known = sets[set] { return known }
      let index = Int32(list.slotSets.count)
      list.slotSets.append(set)
      sets[set] = index
      return index
    }
    for (record, slots) in records {
      var set: [UInt64] = []
      if let position = positions[record] {
        let change = list.changes[position]
        guard change.kind == .update, !slots.isEmpty else { continue }
        if change.slotSet >= 0 { set = list.slotSets[Int(change.slotSet)] }
        set.insert(slots)
        list.changes[position].slotSet = index(set)
      } else {
        let table = TableID(root: record.root, store: number, of: model)
        let buffer = buffer(table: table)
        // A record that lost a partner to another one need not be here; one that cannot be read has nothing to lose.
        let known = buffer.row(primaryKey: record.primaryKey)
        guard let row = known ?? (try? rowForChange(table: table, primaryKey: record.primaryKey)) else { continue }
        set.insert(slots)
        list.changes.append(
          StoreChanges.Change(
            kind: .update, entity: Int(buffer.entities[row]), primaryKey: record.primaryKey,
            slotSet: slots.isEmpty ? -1 : index(set)))
      }
    }
  }

  /// The records whose pairs change, with the slots of the relationships, in order; a record that others refer to by a
  /// relationship without an inverse has none.
  private func changedLinks(_ store: PersistentStore, _ number: Int) -> [(LinkedRecord, Set<Int>)] {
    var found: [LinkedRecord: Set<Int>] = [:]
    for place in pendingLinks.order where place.store == number {
      guard let changes = pendingLinks.changes(place) else { continue }
      var (ownerSlot, targetSlot): (Int?, Int?)
      switch place.storage {
      case .join(let position):
        ownerSlot = store.schema.joinTables[position].master.slot
        targetSlot = store.schema.joinTables[position].inverse.slot
      case .reverse(_, let slot, _): ownerSlot = slot
      }
      func add(_ table: TableID, _ key: Int64, _ slot: Int?) {
        let record = LinkedRecord(root: table.root, primaryKey: key)
        found[record, default: []].formUnion(slot.map { [$0] } ?? [])
      }
      for (pair, change) in changes.changes where change.isEffective {
        add(changes.ownerTable, pair.owner, ownerSlot)
        add(changes.targetTable, pair.target, targetSlot)
      }
    }
    return found.sorted { ($0.key.root, $0.key.primaryKey) < ($1.key.root, $1.key.primaryKey) }.map { ($0, $1) }
  }
}

extension [UInt64] {
  /// Sets the bits of slots.
  fileprivate mutating func insert(_ slots: Set<Int>) {
    for slot in slots {
      while count <= slot >> 6 { append(0) }
      self[slot >> 6] |= 1 << (UInt64(slot) & 63)
    }
  }
}
