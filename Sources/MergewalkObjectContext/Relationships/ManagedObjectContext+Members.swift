import MergewalkObjectModel
import MergewalkObjectStore

/// To-many relationships as objects see them.
extension ManagedObjectContext {
  /// The objects that a to-many relationship refers to: what the store says plus what was changed here, without those
  /// that are deleted here.
  func members(of object: ManagedObject, _ relationship: RelationshipDescription) throws(ObjectError) -> [ManagedObject]
  {
    // An entity that the store's configuration does not have has no objects in it.
    guard try hasTable(for: relationship, of: object.table) else { return [] }
    if let inverse = model.inverse(of: relationship), !inverse.isToMany {
      return try referring(to: object, relationship, inverse)
    }
    let relation = try linkRelation(relationship, table: object.table)
    let keys = try partners(of: object, relationship, relation).map(\.primaryKey)
    return try objects(table: destinationTable(relationship, from: object.table), primaryKeys: keys)
  }

  /// Whether the store that a table is in has the entity that a relationship leads to.
  func hasTable(for relationship: RelationshipDescription, of table: TableID) throws(ObjectError) -> Bool {
    let store = try openStore(table: table)
    return store.contains(model.entities[relationship.destinationEntity])
  }

  /// The objects with primary keys, in this order; what is not in the store, or deleted here, is left out.
  ///
  /// - Complexity: One statement however many rows are missing.
  func objects(table: TableID, primaryKeys: [Int64]) throws(ObjectError) -> [ManagedObject] {
    let buffer = buffer(table: table)
    try fetchMissing(buffer, primaryKeys)
    let maker = ObjectMaker(self, buffer)
    var found: [ManagedObject] = []
    found.reserveCapacity(primaryKeys.count)
    for key in primaryKeys {
      if let row = buffer.row(primaryKey: key), buffer.isLive(row: row) { found.append(maker.object(row: row)) }
    }
    return found
  }

  /// Fetches those of the rows that are not here or are faults.
  func fetchMissing(_ buffer: RowBuffer, _ primaryKeys: [Int64]) throws(ObjectError) {
    let missing = primaryKeys.filter { key in
      buffer.row(primaryKey: key).map { !buffer.realize(row: $0) } ?? true
    }
    if !missing.isEmpty { try origin.bring(missing, table: buffer.table) }
  }

  /// The objects whose to-one relationship `inverse` refers to an object, in their order.
  private func referring(
    to object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) throws(ObjectError) -> [ManagedObject] {
    guard !inverse.isTransient else {
      throw ObjectError(.transient, "the inverse of \"\(relationship.name)\" is transient: no table holds its members")
    }
    return try referring(
      to: object, by: inverse, from: destinationTable(relationship, from: object.table), for: relationship)
  }

  /// The objects of a table whose to-one relationship refers to an object.
  ///
  /// - Parameter members: The relationship back, which keeps what the store said and has the order; `nil` for none.
  func referring(
    to object: ManagedObject, by relationship: RelationshipDescription, from table: TableID,
    for members: RelationshipDescription? = nil
  ) throws(ObjectError) -> [ManagedObject] {
    let buffer = buffer(table: table)
    let (slot, target) = (relationship.slot, object.primaryKey)
    var rows: [Int32] = []
    if !object.isInserted {
      if let members, let known = object.extras?.storedMembers[members.slot], known.version == storedVersion {
        try fetchMissing(buffer, known.primaryKeys)
        rows = known.primaryKeys.compactMap { buffer.row(primaryKey: $0).map(Int32.init) }
      } else {
        rows = try origin.referring(to: object, by: relationship, from: table)
        if let members {
          let keys = buffer.primaryKeys
          object.makeExtras().storedMembers[members.slot] = StoredMembers(
            version: storedVersion, primaryKeys: rows.map { keys[Int($0)] })
        }
      }
    }
    if pendingReferences == nil { pendingReferences = PendingReferences() }
    let candidates = pendingReferences?.candidates(
      buffer, slot: slot, target: target, slots: referenceSlots(table: table))
    rows += candidates ?? []
    rows.removeAll { !buffer.refers(row: Int($0), slot: slot, to: target) }
    let keys = buffer.primaryKeys
    let orders = members?.isOrdered ?? false ? buffer.orderKeys[slot] : nil
    func comesBefore(_ left: Int32, _ right: Int32) -> Bool {
      let (left, right) = (Int(left), Int(right))
      if let orders, orders[left] != orders[right] { return orders[left] < orders[right] }
      return keys[left].comesBefore(keys[right])
    }
    // Rows of a store come in their order, once each; others may be there twice, side by side when they are sorted.
    if zip(rows, rows.dropFirst()).contains(where: { !comesBefore($0, $1) }) {
      rows.sort(by: comesBefore)
      var last: Int32 = -1
      rows.removeAll { row in
        defer { last = row }
        return row == last
      }
    }
    let maker = ObjectMaker(self, buffer)
    return rows.map { maker.object(row: Int($0)) }
  }

  /// The slots of a table's to-one relationships that have no to-one inverse: who refers to an object by them is not in
  /// its own row.
  private func referenceSlots(table: TableID) -> [Int] {
    var slots = Set<Int>()
    for entity in model.family(of: table.root) {
      for relationship in entity.relationships
      where !relationship.isToMany && (relationship.isInverseToMany || relationship.inverseSlot < 0) {
        slots.insert(relationship.slot)
      }
    }
    return slots.sorted()
  }

  // MARK: Changing

  /// Puts an object into a to-many relationship; returns whether it was not there.
  func add(
    _ member: ManagedObject, to object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      return try link(object, member, relationship, try linkRelation(relationship, table: object.table))
    }
    return try refer(member, to: object, by: inverse)
  }

  /// Takes an object out of a to-many relationship; returns whether it was there.
  func remove(
    _ member: ManagedObject, from object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      let relation = try linkRelation(relationship, table: object.table)
      return try unlink(object, member.primaryKey, isUnsaved: member.isInserted, relation)
    }
    guard try referenced(by: member, inverse) == object.primaryKey else { return false }
    return try refer(member, to: nil, by: inverse)
  }

  /// Sets a to-one relationship and keeps its inverse; returns whether that changed anything.
  func refer(
    _ object: ManagedObject, to target: ManagedObject?, by relationship: RelationshipDescription
  ) throws(ObjectError) -> Bool {
    try openStore(table: object.table)
    try fire(object)
    // The store wants to know the destination's own entity, not an ancestor.
    if let target, model.entities[relationship.destinationEntity].hasSubentities {
      try fire(target)
      try check(object)
    }
    let (table, row) = (object.table, object.row)
    let (key, entity) = (target?.primaryKey ?? 0, Int32(target?.entityIndex ?? -1))
    return try objectErrors { () throws(StoreError) in
      try setToOne(table: table, row: row, relationship: relationship, target: key, targetEntity: entity)
    }
  }

  /// The primary key that a to-one relationship refers to, 0 for none.
  func referenced(by object: ManagedObject, _ relationship: RelationshipDescription) throws(ObjectError) -> Int64 {
    try fire(object, for: relationship.slot)
    return buffer(table: object.table).reference(row: object.row, slot: relationship.slot)
  }

  /// Brings the members of an ordered relationship into an order; all of them must be in the list.
  ///
  /// Positions that are in order already stay; a single object out of place moves alone when there is room.
  func arrange(
    _ members: [ManagedObject], in object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) {
    let inverse = model.inverse(of: relationship)
    let relation = inverse?.isToMany == false ? nil : try linkRelation(relationship, table: object.table)
    var positions: [Int64] = []
    if let relation {
      var known: [Int64: Int64] = [:]
      for partner in try partners(of: object, relationship, relation) { known[partner.primaryKey] = partner.order }
      positions = members.map { known[$0.primaryKey] ?? 0 }
    } else if let inverse {
      positions = members.map { buffer(table: $0.table).orderKeys[inverse.slot]?[$0.row] ?? 0 }
    }
    for (i, position) in OrderKey.rearranged(positions) {
      positions[i] = position
      if let relation {
        try setPosition(object, members[i].primaryKey, relation, position)
      } else if let inverse {
        buffer(table: members[i].table).setOrderKey(row: members[i].row, slot: inverse.slot, position)
      }
    }
    if let inverse, relation == nil, let table = members.first?.table, let greatest = positions.max() {
      // A member that has left may come back, by a rollback, to a later position.
      try objectErrors { () throws(StoreError) in
        try giveOut(greatest, table: table, slot: inverse.slot, target: object.primaryKey)
      }
    }
  }
}
