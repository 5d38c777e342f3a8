import MergewalkObjectModel
import MergewalkObjectStore

/// Records that others began to refer to while they were being deleted here. The delete rules did not see these references,
/// and no version tells of them: the rows of the deleted records were not written.
extension ManagedObjectContext {
  /// The deletions of a plan that would leave references behind which lead nowhere.
  ///
  /// - Complexity: Where other contexts or processes wrote, one statement for each deleted record and relationship that
  ///   may lead to it; else nothing.
  func unseenReferences(_ plan: SavePlan) throws(SaveError) -> [MergeConflict] {
    guard storeList.writeMark != knownWriteMark else { return [] }
    var conflicts: [MergeConflict] = []
    for changes in plan.roots where !changes.deleted.isEmpty {
      let (buffer, table) = (changes.buffer, changes.buffer.table)
      var found = try saveErrors { () throws(StoreError) in
        try unseenReferences(to: changes.deleted.map { buffer.primaryKeys[Int($0)] }, table)
      }
      for deleted in changes.deleted {
        let (row, key) = (Int(deleted), buffer.primaryKeys[Int(deleted)])
        let entity = Int(buffer.entities[row])
        found[key, default: []] += try saveErrors { () throws(StoreError) in
          try unseenPairs(of: key, model.entities[entity], table)
        }
        guard let ids = found[key], !ids.isEmpty else { continue }
        let committed = self.snapshot(buffer, table: table, row: row, isCommitted: true)
        conflicts.append(
          MergeConflict(
            objectID: objectID(table: table, entity: entity, primaryKey: key), oldVersion: buffer.versions[row],
            newVersion: buffer.versions[row], objectSnapshot: nil, cachedSnapshot: committed,
            persistedSnapshot: committed, referringIDs: ids))
      }
    }
    return conflicts
  }

  /// Carries the delete rules of deleted records out once more, now that the references of others are known.
  func carryOutRulesAgain(_ conflicts: [MergeConflict]) throws(ObjectError) {
    for conflict in conflicts where !conflict.referringIDs.isEmpty {
      for id in conflict.referringIDs {
        try learnReference(id)
      }
      let object = try self.object(with: conflict.objectID)
      if object.isDeleted { try carryOutRules(of: object) }
    }
  }

  /// Takes over what the store has of a record that refers to another one: what is known of its row is older.
  private func learnReference(_ id: ManagedObjectID) throws(ObjectError) {
    let table = try table(id)
    let buffer = buffer(table: table)
    guard let row = buffer.row(primaryKey: id.primaryKey) else { return }
    switch buffer.states[row] {
    case RowState.clean: buffer.makeFault(row: row)
    case RowState.updated:
      // Changes of other properties stay; a row that was set back to what it was has none, and is not written.
      let access = try access(table: table)
      let stored = RowBuffer(model: model, root: model.entities[table.root.index])
      try objectErrors { () throws(StoreError) in try access.fetchRows(primaryKeys: [id.primaryKey], into: stored) }
      guard let found = stored.row(primaryKey: id.primaryKey) else { return }
      try buffer.requireRoom(for: found, of: stored, slots: access.storedSlots)
      buffer.takeStored(row: row, from: stored, row: found, slots: access.storedSlots)
    default: break
    }
  }

  /// The records that refer to others by a to-one relationship in the store and that the save leaves so, by the record
  /// that they refer to.
  private func unseenReferences(to keys: [Int64], _ table: TableID) throws(StoreError) -> [Int64: [ManagedObjectID]] {
    let store = store(table: table)
    var found: [Int64: [ManagedObjectID]] = [:]
    var seen = Set<[Int]>()
    for owner in model.entities where store.contains(owner) {
      let others = table.sibling(owner)
      for relationship in owner.relationships where leads(relationship, to: table) {
        let slot = relationship.slot
        guard seen.insert([others.root.index, slot]).inserted,
          store.schema.table(forRoot: others.root).columnName(slot: slot) != nil
        else { continue }
        let buffer = buffer(table: others)
        try store.access(root: others.root).forEachReference(slot: slot, to: keys) { key, target in
          let row = buffer.row(primaryKey: key)
          if let row, replaces(buffer, row, slot: slot) { return }
          let entity = row.map { Int(buffer.entities[$0]) } ?? relationship.declaringEntity
          found[target, default: []].append(objectID(table: others, entity: entity, primaryKey: key))
        }
      }
    }
    return found
  }

  /// Whether a relationship is a to-one that refers to records of a table, and may not go on doing so when they are gone.
  private func leads(_ relationship: RelationshipDescription, to table: TableID) -> Bool {
    guard !relationship.isToMany, !relationship.isTransient, relationship.destinationEntity >= 0 else { return false }
    return model.entities[relationship.destinationEntity].root == table.root
      && model.inverse(of: relationship)?.deleteRule != .noAction
  }

  /// Whether the save sets what a row has at a slot, or deletes the row.
  private func replaces(_ buffer: RowBuffer, _ row: Int, slot: Int) -> Bool {
    switch buffer.states[row] {
    case RowState.deleted: true
    case RowState.updated: buffer.isDirty(row: row, slot: slot)
    default: false
    }
  }

  /// The other ends of pairs of a record that the store has and the save leaves.
  private func unseenPairs(
    of key: Int64, _ entity: EntityDescription, _ table: TableID
  ) throws(StoreError) -> [ManagedObjectID] {
    let store = store(table: table)
    var found: [ManagedObjectID] = []
    for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
      let destination = model.entities[relationship.destinationEntity]
      guard store.contains(destination),
        let relation = LinkRelation(relationship, schema: store.schema, store: table.store)
      else { continue }
      let (pending, others) = (pendingLinks.changes(relation.place), destinationTable(relationship, from: table))
      try store.links(relation.storage).forEachPartner(of: key, isOwner: relation.isOwner) { partner, _ in
        // Only what was in the store when it was taken apart here is deleted by the save.
        if let change = pending?[relation.pair(key, partner)], change.isStored, !change.isLinked { return }
        let known = knownEntity(partner, others)
        found.append(objectID(table: others, entity: known >= 0 ? known : destination.index, primaryKey: partner))
      }
    }
    return found
  }
}
