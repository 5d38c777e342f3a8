import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

/// The members of owners, as far as the store knows them before their lists are looked at.
struct StoredMembers {
  /// The members of each owner with their positions.
  var keys: [Int64: [(key: Int64, order: Int64)]] = [:]
  /// Members that the list does not speak of, because they are of other entities: they stay, in their places.
  var others: [Int64: [(key: Int64, order: Int64)]] = [:]
}

/// Members whose own rows refer to their owners.
extension ListImporter {
  func readMembers(_ records: [Int], _ view: BatchView, _ owners: BatchImporter) throws(ImportError) {
    let own = view.nodes[owners.plan.root].targets
    try readMembers(of: records.filter { mayHaveMembers($0, view) }.map { own[$0] }.sorted())
  }

  /// Prepares look-ups of elements: those of a scoped list get their owners, and the owners' members are read.
  func beginLookUp(_ elements: inout ListBatch, owners: [Int: Int64]) throws(ImportError) {
    guard list.isScoped, let node = list.ownerNode else { return }
    for (record, owner) in owners {
      for element in elements.range(record) { elements.batch.nodes[node].targets[element] = owner }
    }
    try readMembers(of: Set(owners.values).sorted())
  }

  /// Ends what ``beginLookUp(_:owners:)`` has begun.
  func endLookUp() { if list.isScoped { forgetMembers() } }

  /// Forgets the members that were read, and their rows.
  func forgetMembers() {
    members = StoredMembers()
    (target.finder as? MemberFinder)?.removeAll()
    importer.context.buffer(root: target.plan.rootEntity).removeAll()
  }

  /// Reads the members of objects, in the order of their keys.
  func readMembers(of stored: [Int64]) throws(ImportError) {
    members = StoredMembers()
    let finder = target.finder as? MemberFinder
    finder?.removeAll()
    guard !stored.isEmpty else { return }
    let root = target.plan.rootEntity
    let buffer = importer.context.buffer(root: root)
    var found: [Int64: [(key: Int64, order: Int64)]] = [:]
    do {
      let access = try importer.store.access(root: root)
      if let finder {
        let first = buffer.count
        var rows: [Int] = []
        try access.fetchMembers(
          slot: list.inverseSlot, of: stored, slots: target.plan.fetchedSlots, into: buffer)
        for row in first..<buffer.count {
          let owner = Int64(bitPattern: buffer.payloads[list.inverseSlot][row])
          let member = (buffer.primaryKeys[row], buffer.orderKeys[list.inverseSlot]?[row] ?? 0)
          guard target.takes(buffer.entities[row]) else {
            members.others[owner, default: []].append(member)
            continue
          }
          found[owner, default: []].append(member)
          rows.append(row)
        }
        finder.read(rows, buffer, target, importer)
      } else {
        try access.forEachMember(slot: list.inverseSlot, of: stored, buffer) { owner, key, order in
          found[owner, default: []].append((key, order))
        }
      }
      importer.fetches += 1
    } catch {
      throw ImportError(error)
    }
    members.keys = found
  }

  /// Settles who is no longer a member and the order of those who are; the members' own rows refer to their owners.
  ///
  /// - Parameter letGo: is called with the number of a list that leaves out an object that is to be deleted, and its
  ///   key.
  func relateMembers(
    _ lists: [LinkList], _ targets: ContiguousArray<Int64>, _ owners: BatchImporter, letGo: (Int, Int64) -> Void
  ) throws -> [Bool] {
    let root = target.plan.rootEntity
    let (context, slot) = (importer.context, list.inverseSlot)
    let buffer = context.buffer(root: root)
    var changed: [Bool] = []
    var orphans: [Int64] = []
    var orders: [(key: Int64, owner: Int64, position: Int64)] = []
    // Whose own row is not touched where only new objects are wanted.
    var takenOver: [(key: Int64, list: Int)] = []
    var added = 0
    let hasOrphans = owners.orphans.contains { $0.list === self }
    // Lists take effect one after the other: a later one does not find what an earlier one has taken, and makes anew what
    // an earlier one has let go.
    let mayMeet = !self.list.isScoped && lists.count > 1
    let notesMoves = !self.list.isScoped && (isWatched || !top.rootsThatMayGo.isEmpty)
    var taken = Set<Int64>()
    var leftOut = Set<Int64>()
    for (index, list) in lists.enumerated() {
      var isWanted = Set<Int64>()
      var wanted: [Int64] = []
      for target in targets[list.targets] where target > 0 && isWanted.insert(target).inserted { wanted.append(target) }
      var stored = (members.keys[list.owner] ?? []).sorted { ($0.order, $0.key) < ($1.order, $1.key) }
      if !taken.isEmpty { stored.removeAll { taken.contains($0.key) } }
      var known = Dictionary(stored.map { ($0.key, $0.order) }, uniquingKeysWith: { first, _ in first })
      let new = wanted.count { known[$0] == nil }
      added += new
      noteLinks(list, new)
      // What was there before may have belonged to another owner, and delete rules look at what owners have.
      if notesMoves, new > 0, wanted.contains(where: { known[$0] == nil && !isNew($0, buffer) }) {
        top.movedEntities.insert(target.entity.index)
        if isWatched { top.hasTaken = true }
      }
      var isChanged = new > 0
      if new > 0, target.plan.mode == .createMissing {
        for key in wanted where known[key] == nil { takenOver.append((key, index)) }
      }
      if hasOrphans { owners.keepOrphans(of: self, list.owner, isWanted) }
      var order = wanted
      if self.list.options.links == .replace {
        for member in stored where !isWanted.contains(member.key) {
          orphans.append(member.key)
          if mayMeet { leftOut.insert(member.key) }
          isChanged = true
        }
      } else {
        order = stored.map(\.key) + wanted.filter { known[$0] == nil }
      }
      if self.list.description.isOrdered {
        for other in (members.others[list.owner] ?? []).sorted(by: { $0.order < $1.order }) {
          let place = order.firstIndex { known[$0].map { $0 > other.order } ?? false }
          order.insert(other.key, at: place ?? order.endIndex)
          known[other.key] = other.order
        }
        for (index, position) in context.listPositions(order.map { known[$0] }) {
          orders.append((order[index], list.owner, position))
          isChanged = true
        }
      }
      changed.append(isChanged)
      guard mayMeet else { continue }
      if self.list.options.orphans == .delete, top.attempted > 1, wanted.contains(where: leftOut.contains) {
        throw top.retryAlone()
      }
      taken.formUnion(wanted)
    }
    count(named: targets.count(where: { $0 > 0 }), added: added)
    if !takenOver.isEmpty {
      try fetch(takenOver.map(\.key))
      for (key, index) in takenOver {
        guard let row = buffer.row(primaryKey: key),
          buffer.setReference(
            row: row, slot: slot, primaryKey: lists[index].owner, destinationEntity: lists[index].ownerEntity)
        else { continue }
        target.finder.forgetContent(of: StoredKey(buffer: buffer, row: row, slots: target.plan.keySlots), importer)
      }
    }
    if !orders.isEmpty {
      try fetch(orders.map(\.key))
      for (key, owner, position) in orders {
        // An object that a later list took has its place there.
        guard let row = buffer.row(primaryKey: key), owns(buffer, row, slot, owner) else { continue }
        buffer.setOrderKey(row: row, slot: slot, position)
      }
    }
    guard !orphans.isEmpty else { return changed }
    if isWatched { top.hasTaken = true }
    let lost = Set(orphans)
    try fetch(orphans)
    var left: [Int64: Int] = [:]
    for (index, list) in lists.enumerated() {
      for member in members.keys[list.owner] ?? [] {
        guard lost.contains(member.key) else { continue }
        guard let row = buffer.row(primaryKey: member.key), owns(buffer, row, slot, list.owner) else { continue }
        if targets[list.targets].contains(member.key) { continue }
        if self.list.options.orphans == .unlink {
          unlink(row, buffer)
        } else {
          left[member.key] = index
        }
      }
    }
    for (key, index) in left.sorted(by: { $0.key < $1.key }) { letGo(index, key) }
    return changed
  }

  /// Fetches the rows of objects that the context does not hold.
  func fetch(_ keys: [Int64]) throws {
    let root = target.plan.rootEntity
    let buffer = importer.context.buffer(root: root)
    let missing = Set(keys.filter { buffer.row(primaryKey: $0) == nil }).sorted()
    guard !missing.isEmpty else { return }
    try importer.store.fetch(missing, of: root, into: buffer)
    importer.fetches += 1
  }

  /// Clears the owner of a member.
  func unlink(_ row: Int, _ buffer: RowBuffer) {
    buffer.setReference(row: row, slot: list.inverseSlot, primaryKey: 0, destinationEntity: -1)
    target.finder.forgetContent(of: StoredKey(buffer: buffer, row: row, slots: target.plan.keySlots), importer)
  }

  /// Whether an object was made a moment ago.
  private func isNew(_ key: Int64, _ buffer: RowBuffer) -> Bool {
    buffer.row(primaryKey: key).map { buffer.states[$0] == RowState.inserted } ?? false
  }

  func owns(_ buffer: RowBuffer, _ row: Int, _ slot: Int, _ owner: Int64) -> Bool {
    buffer.tags[slot][row] == CellTag.integer && Int64(bitPattern: buffer.payloads[slot][row]) == owner
  }
}
