import MergewalkObjectModel
import MergewalkObjectStore

/// A to-one relationship of an entity: where its rows have it, and where it leads.
struct StoredReferencePlace {
  var slot: Int
  /// The table that it leads to, and the entity there.
  var table: TableID
  var entity: Int
  var hasInverse: Bool
}

/// References to objects that are gone: a save writes none.
///
/// Deleting an object clears at once what refers to it, by its inverses and, here, where there is none. What refers to
/// it only afterwards, or was brought by a child context, is cleared when the save begins.
extension ManagedObjectContext {
  /// The to-one relationships without an inverse that may refer to objects of an entity.
  ///
  /// - Complexity: O(relationships of the model) the first time, then O(1).
  func unpairedReferences(to entity: EntityDescription) -> [RelationshipDescription] {
    if let known = unpairedReferences[entity.index] { return known }
    let found = model.unpairedRelationships(to: entity, isToMany: false)
    unpairedReferences[entity.index] = found
    return found
  }

  /// Clears the references to an object that is about to go by relationships without an inverse; a mandatory one then
  /// fails the save, unless its object goes too.
  ///
  /// - Complexity: One statement for each such relationship.
  func clearUnpairedReferences(to object: ManagedObject) throws(ObjectError) {
    for relationship in unpairedReferences(to: object.entity) {
      let owner = model.entities[relationship.declaringEntity]
      guard try openStore(table: object.table).contains(owner) else { continue }
      let others = try referring(to: object, by: relationship, from: object.table.sibling(owner))
      for other in others where other !== object { clear(other, relationship) }
    }
  }

  /// Clears a to-one relationship, and nothing at its other end.
  func clear(_ object: ManagedObject, _ relationship: RelationshipDescription) {
    buffer(table: object.table).setReference(
      row: object.row, slot: relationship.slot, primaryKey: 0, destinationEntity: -1)
  }

  /// Frees the row of an object that was never saved.
  func annihilate(_ buffer: RowBuffer, row: Int) {
    let key = buffer.primaryKeys[row]
    // A temporary unknown key is known to lead nowhere.
    if key > 0 { annihilated[buffer.table, default: []].insert(key) }
    registry.object(table: buffer.table, row: row)?.takeUnretainedValue().flags.insert(.isInaccessible)
    detach(buffer, row: row)
    buffer.release(row: row)
  }

  /// Clears, before a save is checked, the references and pairs that it would write and that lead to no object.
  ///
  /// - Complexity: O(changed rows × relationships).
  func clearLostReferences() {
    let hasDeletions = allBuffers.contains { buffer in
      buffer.touchedRows.contains { buffer.states[Int($0)] == RowState.deleted }
    }
    let mayLosePermanent = hasDeletions || parent != nil || !annihilated.isEmpty
    for buffer in allBuffers where !buffer.touchedRows.isEmpty {
      clearLostReferences(buffer, buffer.touchedRows, mayLosePermanent)
    }
    for place in pendingLinks.order {
      guard let changes = pendingLinks.changes(place) else { continue }
      clearLostPairs(changes, changes.changes.keys, mayLosePermanent)
    }
    joinChanges()
  }

  /// Clears the references and pairs that a step has brought back and that lead to objects whose own deletion is saved.
  ///
  /// They go to the step before, as undoing the deletion of these objects needs them again.
  ///
  /// - Complexity: O(changes of the step).
  func clearLostReferences(of changes: UndoChanges) {
    guard let recorder, !annihilated.isEmpty else { return }
    let live = changes.records.lazy.map(\.object).filter { $0.isValid && !$0.isDeleted && !$0.isFault }
    for (table, objects) in Dictionary(grouping: live, by: \.table) {
      clearLostReferences(buffer(table: table), objects.map { Int32($0.row) }, true)
    }
    for old in changes.pairs {
      let pair = recorder.current(old).change.row
      guard let known = pendingLinks.changes(old.relation.place) else { continue }
      clearLostPairs(known, [LinkChanges.Pair(owner: pair.owner, target: pair.target)], true)
    }
    guard !recorder.isEmpty else { return }
    joinChanges()
    updateResults()
  }

  private func clearLostReferences(_ buffer: RowBuffer, _ rows: some Collection<Int32>, _ mayLosePermanent: Bool) {
    let changed = rows.lazy.map(Int.init).filter {
      buffer.states[$0] == RowState.inserted || buffer.states[$0] == RowState.updated
    }
    forEachChangedReference(buffer, changed) { row, key, reference in
      guard key < 0 || mayLosePermanent, isLost(key, table: reference.table, staysWhenDeleted: reference.hasInverse)
      else { return }
      buffer.setReference(row: row, slot: reference.slot, primaryKey: 0, destinationEntity: -1)
      pendingReferences = nil
    }
  }

  private func clearLostPairs(
    _ changes: LinkChanges, _ pairs: some Sequence<LinkChanges.Pair>, _ mayLosePermanent: Bool
  ) {
    func isLost(_ key: Int64, _ table: TableID) -> Bool {
      (key < 0 || mayLosePermanent) && self.isLost(key, table: table, staysWhenDeleted: true)
    }
    for pair in pairs {
      guard var change = changes.changes[pair], change.isLinked, !change.isStored,
        isLost(pair.owner, changes.ownerTable) || isLost(pair.target, changes.targetTable)
      else { continue }
      change.isLinked = false
      pendingLinks.set(change, changes.relation)
    }
  }

  /// Calls `body` with each reference that a save of some rows would write: by to-one relationships of new rows, and by
  /// those that were set in others.
  func forEachChangedReference(
    _ buffer: RowBuffer, _ rows: some Sequence<Int>,
    _ body: (_ row: Int, _ key: Int64, _ reference: StoredReferencePlace) -> Void
  ) {
    // Looked up once an entity: descriptions are large, and rows many.
    var known: (entity: Int32, references: [StoredReferencePlace]) = (-1, [])
    for row in rows {
      let entity = buffer.entities[row]
      if entity != known.entity {
        let relationships = model.entities[Int(entity)].relationships.filter { !$0.isToMany && !$0.isTransient }
        known = (
          entity,
          relationships.map {
            StoredReferencePlace(
              slot: $0.slot, table: destinationTable($0, from: buffer.table), entity: $0.destinationEntity,
              hasInverse: $0.inverseSlot >= 0)
          }
        )
      }
      let isNew = buffer.states[row] == RowState.inserted
      for reference in known.references {
        let slot = reference.slot
        guard buffer.tags[slot][row] == CellTag.integer, isNew || buffer.isDirty(row: row, slot: slot) else { continue }
        body(row, Int64(bitPattern: buffer.payloads[slot][row]), reference)
      }
    }
  }

  /// Whether no object has a key, or none will have it after the save.
  ///
  /// - Parameter staysWhenDeleted: Whether a reference to an object that the stores have is a delete rule's business.
  private func isLost(_ key: Int64, table: TableID, staysWhenDeleted: Bool) -> Bool {
    let buffer = buffer(table: table)
    if let row = buffer.row(primaryKey: key) {
      switch buffer.states[row] {
      // Also of one that only a parent has: what is left of the reference is cleared when the parent saves.
      case RowState.deleted: return !staysWhenDeleted
      case RowState.fault: break
      default: return false
      }
    }
    if annihilated[table]?.contains(key) ?? false {
      // A parent that rolled back, or another context that undid its deletion, has it again.
      try? fetchMissing(buffer, [key])
      return buffer.row(primaryKey: key).map { buffer.states[$0] == RowState.fault } ?? true
    }
    if let parent { return parent.isLost(key, table: table, staysWhenDeleted: staysWhenDeleted) }
    return key < 0
  }
}

extension ManagedObjectModel {
  /// The relationships without an inverse that may refer to objects of an entity, each as its own entity has it.
  func unpairedRelationships(to entity: EntityDescription, isToMany: Bool) -> [RelationshipDescription] {
    entities.flatMap { owner in
      owner.relationships.filter {
        $0.declaringEntity == owner.index && $0.isToMany == isToMany && $0.inverseSlot < 0 && !$0.isTransient
          && $0.destinationEntity >= 0 && entity.isKind(of: entities[$0.destinationEntity])
      }
    }
  }
}
