package import MergewalkObjectModel
package import MergewalkObjectStore

/// The objects that a to-many relationship of one object is to have.
package struct LinkList {
  /// The primary key of the object.
  package var owner: Int64
  package var ownerEntity: Int32
  /// Whether the store cannot have pairs of it yet.
  package var isNew: Bool
  /// The primary keys of the others, as a range of a list of keys; 0 is none of them.
  package var targets: Range<Int>

  /// Names an object and a part of a list of keys.
  package init(owner: Int64, ownerEntity: Int32, isNew: Bool, targets: Range<Int>) {
    self.owner = owner
    self.ownerEntity = ownerEntity
    self.isNew = isNew
    self.targets = targets
  }
}

/// Whole lists of relationships that are kept as pairs, for imports.
extension ManagedObjectContext {
  /// Makes to-many relationships refer to the objects of lists, in their order where the relationship is ordered; the
  /// inverse follows.
  ///
  /// What is as it should be is not written.
  ///
  /// - Parameters:
  ///   - table: The root entity of the objects.
  ///   - lists: One for each object; of two for one object the second is the truth.
  ///   - targets: The keys that the lists are ranges of; a key that comes twice in a list counts once.
  ///   - replaces: Whether objects that are not in the list are taken out; else those of the list are added.
  ///   - added: gets for each list how many objects were not related before.
  /// - Returns: Whether each list changed anything.
  /// - Complexity: At most three statements, whatever the number of lists, and nothing for new objects.
  package func setLinks(
    _ relationship: RelationshipDescription, table: TableID, lists: [LinkList], targets: ContiguousArray<Int64>,
    replaces: Bool, added: inout [Int]
  ) throws(StoreError) -> [Bool] {
    let store = store(table: table)
    guard let relation = LinkRelation(relationship, schema: store.schema, store: table.store) else {
      return Array(repeating: false, count: lists.count)
    }
    let links = try store.links(relation.storage)
    var state = StoredPairs()
    try state.read(lists.filter { !$0.isNew }.map(\.owner), links, relation)
    let keepsInverse = relation.isInverseOrdered && !relation.isReflexive
    if keepsInverse || relation.isExclusive {
      let others = Set(lists.lazy.flatMap { targets[$0.targets] }).filter { $0 > 0 }.sorted()
      if keepsInverse {
        state.lastPositions = try links.lastInverseOrders(of: others, isOwner: relation.isOwner)
      }
      if relation.isExclusive {
        try links.forEachPair(of: others, isOwner: false) { state.owners[$0.target] = $0.owner }
      }
    }
    var changed: [Bool] = []
    changed.reserveCapacity(lists.count)
    for list in lists {
      var count = 0
      changed.append(setLinks(list, targets[list.targets], relation, &state, replaces: replaces, added: &count))
      added.append(count)
    }
    return changed
  }

  /// The positions that the members of an ordered relationship have to take so that they stand in a list's order.
  ///
  /// - Parameter known: The positions that the members have, in the list's order; nil for new ones.
  /// - Returns: Those that are new or move, with their places in the list.
  package func listPositions(_ known: [Int64?]) -> [(index: Int, position: Int64)] {
    let positions = OrderKey.placed(known)
    return positions.indices.filter { known[$0] != positions[$0] }.map { ($0, positions[$0]) }
  }

  /// The store's pairs for the lists.
  private struct StoredPairs {
    /// The pairs of each object, by its key.
    var rows: [Int64: [LinkRow]] = [:]
    /// The greatest positions in the ordered relationships back.
    var lastPositions: [Int64: Int64] = [:]
    /// The owners of targets that have one at most.
    var owners: [Int64: Int64] = [:]

    mutating func read(_ keys: [Int64], _ links: LinkAccess, _ relation: LinkRelation) throws(StoreError) {
      var found: [Int64: [LinkRow]] = [:]
      try links.forEachPair(of: Set(keys).sorted(), isOwner: relation.isOwner) { row in
        found[relation.isOwner ? row.owner : row.target, default: []].append(row)
      }
      rows = found
    }
  }

  private func setLinks(
    _ list: LinkList, _ targets: ContiguousArray<Int64>.SubSequence, _ relation: LinkRelation,
    _ state: inout StoredPairs, replaces: Bool, added: inout Int
  ) -> Bool {
    var current = current(list.owner, relation, state)
    var isChanged = false
    var wanted: [Int64] = []
    var isWanted = Set<Int64>()
    for target in targets where target > 0 && isWanted.insert(target).inserted { wanted.append(target) }
    if replaces {
      for change in current where !isWanted.contains(other(change, relation)) {
        unlinkPair(list.owner, other(change, relation), relation, state)
        isChanged = true
      }
      current.removeAll { !isWanted.contains(other($0, relation)) }
    }
    let known = Dictionary(
      current.map { (other($0, relation), position($0, relation)) }, uniquingKeysWith: { first, _ in first })
    var order: [Int64] = replaces ? wanted : current.map { other($0, relation) }
    if !replaces { order += wanted.filter { known[$0] == nil } }
    let positions =
      relation.isOrdered ? OrderKey.placed(order.map { known[$0] }) : order.map { known[$0] ?? OrderKey.usual(0) }
    for (index, target) in order.enumerated() {
      let isNew = known[target] == nil
      if isNew { added += 1 }
      guard isNew || known[target] != positions[index] else { continue }
      isChanged = true
      linkPair(list, target, positions[index], isNew: isNew, relation, &state)
    }
    return isChanged
  }

  /// The pairs that an object has now: those of the store with what is going to change, by position.
  private func current(
    _ owner: Int64, _ relation: LinkRelation, _ state: StoredPairs
  ) -> [LinkChanges.Change] {
    var found = (state.rows[owner] ?? []).map { LinkChanges.Change(row: $0, isStored: true, isLinked: true) }
    if let changes = pendingLinks.changes(relation.place) {
      for partner in changes.partners(of: owner, isOwner: relation.isOwner) {
        let pair = relation.pair(owner, partner)
        guard let change = changes[pair] else { continue }
        found.removeAll { $0.row.owner == pair.owner && $0.row.target == pair.target }
        if change.isLinked { found.append(change) }
      }
    }
    if found.count > 1 {
      found.sort {
        let (left, right) = (position($0, relation), position($1, relation))
        return left == right ? other($0, relation) < other($1, relation) : left < right
      }
    }
    return found
  }

  private func other(_ change: LinkChanges.Change, _ relation: LinkRelation) -> Int64 {
    relation.isOwner ? change.row.target : change.row.owner
  }

  private func position(_ change: LinkChanges.Change, _ relation: LinkRelation) -> Int64 {
    relation.isOwner ? change.row.order : change.row.inverseOrder
  }

  /// The state of a pair.
  private func change(
    _ pair: LinkChanges.Pair, _ own: Int64, _ relation: LinkRelation, _ state: StoredPairs
  ) -> LinkChanges.Change {
    if let known = pendingLinks.changes(relation.place)?[pair] { return known }
    let row = state.rows[own]?.first { $0.owner == pair.owner && $0.target == pair.target }
    return LinkChanges.Change(
      row: row ?? LinkRow(owner: pair.owner, target: pair.target), isStored: row != nil, isLinked: row != nil)
  }

  private func unlinkPair(_ own: Int64, _ partner: Int64, _ relation: LinkRelation, _ state: StoredPairs) {
    var change = change(relation.pair(own, partner), own, relation, state)
    change.isLinked = false
    pendingLinks.set(change, relation)
    guard relation.isReflexive, own != partner else { return }
    // A pair of a relationship that is its own inverse is stored in both directions.
    let back = relation.pair(partner, own)
    var other =
      pendingLinks.changes(relation.place)?[back]
      ?? LinkChanges.Change(
        row: LinkRow(owner: back.owner, target: back.target), isStored: change.isStored, isLinked: true)
    other.isLinked = false
    pendingLinks.set(other, relation)
  }

  private func linkPair(
    _ list: LinkList, _ partner: Int64, _ position: Int64, isNew: Bool, _ relation: LinkRelation,
    _ state: inout StoredPairs
  ) {
    var change = change(relation.pair(list.owner, partner), list.owner, relation, state)
    if isNew, relation.isExclusive { takeAway(partner, from: list.owner, relation, &state) }
    change.isLinked = true
    change.isMoved = relation.isOrdered || relation.isInverseOrdered
    change.row.ownerEntity = list.ownerEntity
    if relation.isOwner { change.row.order = position } else { change.row.inverseOrder = position }
    if isNew, relation.isInverseOrdered, !relation.isReflexive {
      let next = OrderKey.next(after: state.lastPositions[partner])
      state.lastPositions[partner] = next
      if relation.isOwner { change.row.inverseOrder = next } else { change.row.order = next }
    }
    pendingLinks.set(change, relation)
    guard isNew, relation.isReflexive, list.owner != partner else { return }
    let back = relation.pair(partner, list.owner)
    var other =
      pendingLinks.changes(relation.place)?[back]
      ?? LinkChanges.Change(
        row: LinkRow(owner: back.owner, target: back.target), isStored: change.isStored, isLinked: false)
    if relation.isOrdered {
      let next = OrderKey.next(after: state.lastPositions[partner])
      state.lastPositions[partner] = next
      other.row.order = next
    }
    other.isLinked = true
    other.isMoved = relation.isOrdered
    pendingLinks.set(other, relation)
  }

  /// Takes an object away from the owner it has: its row has room for one.
  private func takeAway(_ target: Int64, from owner: Int64, _ relation: LinkRelation, _ state: inout StoredPairs) {
    let stored = state.owners[target]
    var owners = pendingLinks.changes(relation.place)?.partners(of: target, isOwner: false) ?? []
    if let stored, !owners.contains(stored) { owners.append(stored) }
    for other in owners where other != owner {
      let pair = LinkChanges.Pair(owner: other, target: target)
      var change =
        pendingLinks.changes(relation.place)?[pair]
        ?? LinkChanges.Change(
          row: LinkRow(owner: other, target: target), isStored: other == stored, isLinked: other == stored)
      guard change.isLinked else { continue }
      change.isLinked = false
      pendingLinks.set(change, relation)
    }
  }
}
