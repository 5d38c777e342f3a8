import MergewalkObjectModel
import MergewalkObjectStore

/// Making one record of several that would have the same unique values.
extension ManagedObjectContext {
  /// Resolves conflicts as one of the standard policies does.
  ///
  /// One record keeps the values. A record in the store goes before new ones, so that its ID stays; with the policies
  /// in which this context wins, a record that was changed here goes before that. New objects become one with the
  /// record that stays: it gets their values where this context wins, and what refers to them refers to it in any case.
  /// Their objects then stand for that record, unless it has an object already; then they are not valid any more.
  func resolve(_ conflicts: [ConstraintConflict], _ kind: MergePolicy.Kind) throws(SaveError) {
    let contextWins = kind == .mergeByPropertyObjectTrump || kind == .overwrite
    for conflict in conflicts {
      try saving { () throws(ObjectError) in
        var holders: [ManagedObject] = []
        for id in conflict.conflictingObjectIDs {
          // An earlier conflict of the list may have settled what becomes of it.
          let table = try table(id)
          let buffer = buffer(table: table)
          guard let row = buffer.row(primaryKey: id.primaryKey) else { continue }
          if buffer.states[row] == RowState.inserted || buffer.states[row] == RowState.updated {
            holders.append(object(buffer, row: row))
          }
        }
        let changed = holders.filter { !$0.isInserted }
        let new = holders.filter(\.isInserted)
        if contextWins, let winner = changed.last {
          if let id = conflict.databaseObjectID, let loser = try existingObject(with: id) { try delete(loser) }
          for other in changed.dropLast() { try revert(other, conflict.constraint) }
          try merge(new, into: winner, kind)
        } else {
          var stays = changed.first ?? new.first
          var hasObject = true
          if let id = conflict.databaseObjectID {
            hasObject = hasObjectAlready(try table(id), id.primaryKey)
            stays = try existingObject(with: id)
          }
          for other in changed where other !== stays {
            try revert(other, kind == .rollback ? nil : conflict.constraint)
          }
          if let stays { try merge(new.filter { $0 !== stays }, into: stays, kind, hasObject: hasObject) }
        }
      }
    }
    pendingReferences = nil
    storedVersion &+= 1
  }

  private func hasObjectAlready(_ table: TableID, _ primaryKey: Int64) -> Bool {
    buffer(table: table).row(primaryKey: primaryKey).map { registry.object(table: table, row: $0) != nil } ?? false
  }

  /// Sets the properties of a constraint, or with `nil` all, back to what the store has.
  private func revert(_ object: ManagedObject, _ names: [String]?) throws(ObjectError) {
    let buffer = buffer(table: object.table)
    try objectErrors { () throws(StoreError) in
      try withPartnersFollowing(buffer, row: object.row) {
        guard let names else { return buffer.rollBack(row: object.row) }
        for name in names {
          if let slot = object.entity.attribute(named: name)?.slot ?? object.entity.relationship(named: name)?.slot {
            buffer.revert(row: object.row, slot: slot)
          }
        }
      }
    }
  }

  /// Makes new objects one with a record, one after the other.
  ///
  /// - Parameter hasObject: Whether the record's object is held; if not, the first of the new ones takes its place.
  private func merge(
    _ objects: [ManagedObject], into record: ManagedObject, _ kind: MergePolicy.Kind, hasObject: Bool = true
  ) throws(ObjectError) {
    var winner = record
    var hasObject = hasObject
    for object in objects {
      if kind == .mergeByPropertyObjectTrump || kind == .overwrite {
        try copyValues(object, winner, onlySet: kind == .mergeByPropertyObjectTrump)
      }
      try moveRelations(object, winner)
      forward(object, to: winner)
      if !hasObject, object.entityIndex == winner.entityIndex {
        takePlace(object, of: winner)
        winner = object
        hasObject = true
      } else {
        let (buffer, row) = (buffer(table: object.table), object.row)
        detach(buffer, row: row)
        buffer.release(row: row)
      }
    }
  }

  /// Gives a record the values of a new object.
  ///
  /// - Parameter onlySet: Whether values that are what the model gives every new object are left out.
  private func copyValues(_ object: ManagedObject, _ winner: ManagedObject, onlySet: Bool) throws(ObjectError) {
    let buffer = buffer(table: winner.table)
    let defaults = template(object.entity)
    for attribute in object.entity.attributes where !attribute.isDerived {
      let slot = attribute.slot
      guard winner.entity.attribute(named: attribute.name)?.slot == slot else { continue }
      let (tag, payload) = (buffer.tags[slot][object.row], buffer.payloads[slot][object.row])
      if onlySet, tag == CellTag.null || defaults.isDefault(buffer, row: object.row, slot: slot) { continue }
      guard tag == CellTag.text || tag == CellTag.blob else {
        buffer.set(
          row: winner.row, slot: slot, tag: tag, payload: payload, arena: UnsafeRawPointer(buffer.arena.base))
        continue
      }
      // The arena may move while the bytes are appended to it.
      let bytes = Array(buffer.arena.bytes(ByteRange(payload: payload)))
      bytes.withUnsafeBytes { bytes in
        _ = buffer.set(
          row: winner.row, slot: slot, tag: tag, payload: ByteRange(offset: 0, length: bytes.count).payload,
          arena: bytes.baseAddress ?? UnsafeRawPointer(buffer.arena.base))
      }
    }
    for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isTransient {
      guard winner.entity.relationship(named: relationship.name)?.slot == relationship.slot else { continue }
      let target = try related(object, relationship)
      if target == nil, onlySet { continue }
      _ = try refer(winner, to: target === object ? winner : target, by: relationship)
    }
  }

  /// The object that a to-one relationship refers to.
  private func related(
    _ object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> ManagedObject? {
    let key = try referenced(by: object, relationship)
    guard key != 0 else { return nil }
    return try objects(table: destinationTable(relationship, from: object.table), primaryKeys: [key]).first
  }

  /// Takes a new object out of all its relationships; those that were related to it are related to the record.
  private func moveRelations(_ object: ManagedObject, _ winner: ManagedObject) throws(ObjectError) {
    for relationship in object.entity.relationships where !relationship.isTransient {
      if relationship.isToMany {
        let own = winner.entity.relationship(named: relationship.name)
        for member in try members(of: object, relationship) {
          _ = try remove(member, from: object, relationship)
          if let own { _ = try add(member === object ? winner : member, to: winner, own) }
        }
      } else if try referenced(by: object, relationship) != 0 {
        _ = try refer(object, to: nil, by: relationship)
      }
    }
  }

  /// Makes relationships without an inverse that refer to a new object refer to the record.
  private func forward(_ object: ManagedObject, to winner: ManagedObject) {
    let keys = AssignedKeys(tables: [object.table: ReplacedKeys([(old: object.primaryKey, new: winner.primaryKey)])])
    for buffer in allBuffers where !buffer.touchedRows.isEmpty { replaceReferences(in: buffer, keys) }
    pendingReferences = nil
  }

  /// Makes a new object the object of a record whose own object is not held.
  private func takePlace(_ object: ManagedObject, of winner: ManagedObject) {
    let (table, row, key) = (winner.table, winner.row, winner.primaryKey)
    detach(buffer(table: table), row: row)
    let (old, oldRow) = (buffer(table: object.table), object.row)
    registry.unregister(table: object.table, row: oldRow)
    old.release(row: oldRow)
    object.forgetRelated()
    object.move(to: table, row: row)
    object.learnKey(key)
    registry.register(object, table: table, row: row)
  }
}
