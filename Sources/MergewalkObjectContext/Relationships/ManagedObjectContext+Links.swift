import MergewalkObjectModel
import MergewalkObjectStore

/// Relationships that are kept as pairs: many-to-many, and to-many without an inverse.
extension ManagedObjectContext {
  /// How a to-many relationship is kept.
  ///
  /// - Throws: ``ObjectError`` with `transient` for relationships that no table holds.
  func linkRelation(_ relationship: RelationshipDescription, table: TableID) throws(ObjectError) -> LinkRelation {
    let store = try openStore(table: table)
    guard let relation = LinkRelation(relationship, schema: store.schema, store: table.store) else {
      throw ObjectError(
        .transient, "to-many relationship \"\(relationship.name)\" is transient: no table holds its members")
    }
    return relation
  }

  /// The objects at the other end, by position where the relationship is ordered, else by primary key.
  func partners(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> [Partner] {
    var found: [Int64: Int64] = [:]
    for partner in try storedPartners(of: object, relationship, relation) { found[partner.primaryKey] = partner.order }
    if let changes = pendingLinks.changes(relation.place) {
      for other in changes.partners(of: object.primaryKey, isOwner: relation.isOwner) {
        guard let change = changes[relation.pair(object.primaryKey, other)], !change.isIdle else { continue }
        found[other] = change.isLinked ? (relation.isOwner ? change.row.order : change.row.inverseOrder) : nil
      }
    }
    let list = found.map { Partner(primaryKey: $0.key, order: $0.value) }
    return list.sorted { left, right in
      relation.isOrdered && left.order != right.order
        ? left.order < right.order : left.primaryKey.comesBefore(right.primaryKey)
    }
  }

  private func storedPartners(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> [Partner] {
    if object.isInserted { return [] }
    if let known = object.extras?.storedMembers[relationship.slot], known.version == storedVersion {
      return known.partners
    }
    let found = try origin.partners(of: object, relationship, relation)
    object.makeExtras().storedMembers[relationship.slot] = StoredMembers(version: storedVersion, partners: found)
    return found
  }

  /// Relates two objects, at the end of ordered sides; returns whether they were not related before.
  func link(
    _ object: ManagedObject, _ other: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> Bool {
    let isUnsaved = object.isInserted || other.isInserted
    let pairs = directions(object, other, relation)
    var changes: [LinkChanges.Change] = []
    for pair in pairs { changes.append(try change(pair, relation, isUnsaved: isUnsaved)) }
    if changes.contains(where: \.isLinked) { return false }
    if relation.isExclusive { try unlinkOwner(of: other, relation) }
    let inverse = model.inverse(of: relationship)
    for i in changes.indices {
      // Both directions of a reflexive pair are written from the side of their own first object.
      let (own, partner) = i == 0 ? (object, other) : (other, object)
      var position: Int64 = 0
      var inversePosition: Int64 = 0
      if relation.isOrdered { position = try nextPosition(own, relationship, relation) }
      if relation.isInverseOrdered, !relation.isReflexive, let inverse {
        inversePosition = try nextPosition(partner, inverse, try linkRelation(inverse, table: partner.table))
      }
      changes[i].row.order = relation.isOwner ? position : inversePosition
      changes[i].row.inverseOrder = relation.isOwner ? inversePosition : position
      changes[i].row.ownerEntity = Int32(object.entityIndex)
      changes[i].isLinked = true
      changes[i].isMoved = relation.isOrdered || relation.isInverseOrdered
    }
    for change in changes { pendingLinks.set(change, relation) }
    return true
  }

  /// Takes two objects apart; returns whether they were related.
  func unlink(
    _ object: ManagedObject, _ other: Int64, isUnsaved: Bool, _ relation: LinkRelation
  ) throws(ObjectError) -> Bool {
    var isChanged = false
    var pairs = [relation.pair(object.primaryKey, other)]
    if relation.isReflexive, other != object.primaryKey { pairs.append(relation.pair(other, object.primaryKey)) }
    for pair in pairs {
      var change = try change(pair, relation, isUnsaved: isUnsaved || object.isInserted)
      guard change.isLinked else { continue }
      change.isLinked = false
      pendingLinks.set(change, relation)
      isChanged = true
    }
    return isChanged
  }

  /// Gives a related object another position in an ordered relationship.
  func setPosition(
    _ object: ManagedObject, _ other: Int64, _ relation: LinkRelation, _ position: Int64
  ) throws(ObjectError) {
    var change = try change(relation.pair(object.primaryKey, other), relation, isUnsaved: object.isInserted)
    guard change.isLinked, (relation.isOwner ? change.row.order : change.row.inverseOrder) != position else { return }
    if relation.isOwner { change.row.order = position } else { change.row.inverseOrder = position }
    change.isMoved = true
    pendingLinks.set(change, relation)
    if let last = pendingLinks.lastPosition(object, relation), last < position {
      pendingLinks.setLastPosition(position, object, relation)
    }
  }

  /// Whether the next save changes pairs of an object.
  func hasLinkChanges(_ object: ManagedObject) -> Bool {
    pendingLinks.storages.values.contains { changes in
      for isOwner in [true, false] where (isOwner ? changes.ownerTable : changes.targetTable) == object.table {
        for other in changes.partners(of: object.primaryKey, isOwner: isOwner) {
          let pair =
            isOwner
            ? LinkChanges.Pair(owner: object.primaryKey, target: other)
            : LinkChanges.Pair(owner: other, target: object.primaryKey)
          if changes[pair]?.isEffective ?? false { return true }
        }
      }
      return false
    }
  }

  /// Writes the changed pairs of one store; the rows they refer to are written already.
  func writeLinks(_ store: PersistentStore, number: Int) throws(StoreError) {
    for place in pendingLinks.order where place.store == number {
      guard let changes = pendingLinks.changes(place) else { continue }
      let removed = changes.rows { $0.isStored && !$0.isLinked }
      let added = changes.rows { !$0.isStored && $0.isLinked }
      let moved = changes.rows { $0.isStored && $0.isLinked && $0.isMoved }
      if removed.isEmpty && added.isEmpty && moved.isEmpty { continue }
      let links = try store.links(place.storage)
      try links.delete(removed)
      try links.insert(added)
      try links.updateOrders(moved)
    }
  }

  // MARK: Pairs

  private func directions(
    _ object: ManagedObject, _ other: ManagedObject, _ relation: LinkRelation
  ) -> [LinkChanges.Pair] {
    let pair = relation.pair(object.primaryKey, other.primaryKey)
    guard relation.isReflexive, object !== other else { return [pair] }
    return [pair, relation.pair(other.primaryKey, object.primaryKey)]
  }

  /// The state of a pair: from here, or else from the store.
  func change(
    _ pair: LinkChanges.Pair, _ relation: LinkRelation, isUnsaved: Bool
  ) throws(ObjectError) -> LinkChanges.Change {
    // A pair that was made and taken apart here again is what the store says, where others may have made it meanwhile.
    if let known = pendingLinks.changes(relation.place)?[pair], !known.isIdle { return known }
    let stored = try origin.row(pair, relation, isUnsaved: isUnsaved)
    let change = LinkChanges.Change(
      row: stored ?? LinkRow(owner: pair.owner, target: pair.target), isStored: stored != nil,
      isLinked: stored != nil)
    // Whoever records what changes has to know how it was.
    if recorder != nil { pendingLinks.set(change, relation) }
    return change
  }

  /// Takes an object away from the owner it has now: its row has room for one.
  func unlinkOwner(of target: ManagedObject, _ relation: LinkRelation) throws(ObjectError) {
    for owner in try owners(of: target.primaryKey, relation) {
      let pair = LinkChanges.Pair(owner: owner, target: target.primaryKey)
      var change = try change(pair, relation, isUnsaved: target.isInserted)
      guard change.isLinked else { continue }
      change.isLinked = false
      pendingLinks.set(change, relation)
    }
  }

  /// The objects that may be the owner of a target whose row has room for one.
  func owners(of target: Int64, _ relation: LinkRelation) throws(ObjectError) -> [Int64] {
    let pending = pendingLinks.changes(relation.place)?.partners(of: target, isOwner: false) ?? []
    return try pending + origin.owners(of: target, relation)
  }

  private func nextPosition(
    _ object: ManagedObject, _ relationship: RelationshipDescription, _ relation: LinkRelation
  ) throws(ObjectError) -> Int64 {
    // Looked for once: appending to a long relationship must not walk along it each time.
    var last = pendingLinks.lastPosition(object, relation)
    if last == nil { last = try partners(of: object, relationship, relation).last?.order }
    let next = OrderKey.next(after: last)
    pendingLinks.setLastPosition(next, object, relation)
    return next
  }
}
