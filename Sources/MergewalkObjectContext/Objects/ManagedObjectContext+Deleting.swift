import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// Marks a record for deletion by the next save, and carries out the delete rules of its relationships at once.
  ///
  /// | rule | what happens to the objects at the other end |
  /// |---|---|
  /// | nullify | their inverse is cleared now, or loses this object |
  /// | cascade | they are deleted too, now, with their own rules; cycles are fine |
  /// | deny | nothing now; the next save fails with `deletionDenied` for each object that still has others then |
  /// | no action | nothing: their to-one relationships keep referring to what is gone |
  ///
  /// So the order of deletions does not matter for "deny", also not inside a cascade, and whoever looks at
  /// relationships before the save sees what will be saved. Pairs of many-to-many relationships always go, and so do
  /// references by relationships without an inverse, as in a batch delete: where such a relationship is mandatory, the
  /// next save fails with ``ValidationFailureCode/missing`` for the object that is left. A record that was inserted and
  /// never saved simply disappears, and its object is no longer valid.
  ///
  /// Deleting an object that is deleted already does nothing.
  ///
  /// - Throws: ``ObjectError`` with `notFound`, `otherContext`, `closed` or `database`; roll back then.
  public func delete(_ object: ManagedObject) throws(ObjectError) {
    try check(object)
    if propagatesDeletesAtEndOfEvent, !object.isInserted {
      guard !object.isDeleted, try tellOfDeletion(object) else { return }
      try noteRemoval(object)
      buffer(table: object.table).markDeleted(row: object.row)
      waitingDeletions.append(object)
      return
    }
    try deleteNow([object])
  }

  /// Carries out the delete rules of an object that is marked as deleted.
  func carryOutRules(of object: ManagedObject) throws(ObjectError) {
    for relationship in object.entity.relationships { try deleteNow(try release(object, relationship)) }
    try clearUnpairedReferences(to: object)
  }

  /// Deletes objects, and with them those that delete rules say.
  ///
  /// - Parameters:
  ///   - tellsObjects: Whether `prepareForDeletion` is called.
  ///   - cascadesToOne: Whether the rule "cascade" of a to-one relationship deletes; else it nullifies.
  ///   - cascades: Whether that of a to-many relationship deletes an object; else it nullifies.
  func deleteNow(
    _ objects: [ManagedObject], tellsObjects: Bool = true, cascadesToOne: Bool = true,
    cascades: (ManagedObject) -> Bool = { _ in true }
  ) throws(ObjectError) {
    var waiting = Array(objects.reversed())
    while let next = waiting.popLast() {
      guard next.isValid, !next.isDeleted else { continue }
      if tellsObjects {
        guard try tellOfDeletion(next) else { continue }
      } else {
        try fire(next)
      }
      for relationship in next.entity.relationships {
        waiting += try release(next, relationship, cascadesToOne: cascadesToOne, cascades)
      }
      try clearUnpairedReferences(to: next)
      try noteRemoval(next)
      let buffer = buffer(table: next.table)
      let row = next.row
      if buffer.states[row] == RowState.inserted {
        annihilate(buffer, row: row)
      } else {
        buffer.markDeleted(row: row)
      }
    }
  }

  /// Tells an object that it is about to be deleted, with its values here; returns whether there still is something to
  /// delete.
  private func tellOfDeletion(_ object: ManagedObject) throws(ObjectError) -> Bool {
    try fire(object)
    guard object.flags.contains(.hasHooks) else { return true }
    object.prepareForDeletion()
    guard object.isValid, !object.isDeleted else { return false }
    // The hook may have refreshed the object.
    try fire(object)
    return true
  }

  /// Carries out the delete rule of one relationship of an object; returns the objects that are to be deleted too.
  private func release(
    _ object: ManagedObject, _ relationship: RelationshipDescription, cascadesToOne: Bool = true,
    _ cascades: (ManagedObject) -> Bool = { _ in true }
  ) throws(ObjectError) -> [ManagedObject] {
    guard !relationship.isTransient, try hasTable(for: relationship, of: object.table) else { return [] }
    var rule = relationship.deleteRule
    if rule == .cascade, !cascadesToOne, !relationship.isToMany { rule = .nullify }
    // A record that was never saved leaves nothing behind that could refer to it.
    if object.isInserted, rule != .cascade { rule = .nullify }

    let inverse = model.inverse(of: relationship)
    guard relationship.isToMany else {
      let target = try referenced(by: object, relationship)
      guard target != 0, rule == .cascade || rule == .nullify && inverse?.isToMany == false else { return [] }
      let other = try objects(table: destinationTable(relationship, from: object.table), primaryKeys: [target])
      if rule == .cascade { return other }
      for other in other {
        if let inverse, try referenced(by: other, inverse) == object.primaryKey { clear(other, inverse) }
      }
      return []
    }
    if let inverse, !inverse.isToMany {
      guard !inverse.isTransient, rule == .cascade || rule == .nullify else { return [] }
      let members = try members(of: object, relationship)
      var gone: [ManagedObject] = []
      for member in members {
        if rule == .cascade, cascades(member) { gone.append(member) } else { clear(member, inverse) }
      }
      return gone
    }
    let members = rule == .cascade ? try members(of: object, relationship).filter(cascades) : []
    let relation = try linkRelation(relationship, table: object.table)
    // What stands in the way of the deletion has to be there to be seen.
    if rule == .deny { return [] }
    for partner in try partners(of: object, relationship, relation) {
      _ = try unlink(object, partner.primaryKey, isUnsaved: false, relation)
    }
    return members
  }

  /// The relationships with the rule "deny" that keep records from being deleted.
  func deniedDeletions(_ buffer: RowBuffer, _ deleted: ContiguousArray<Int32>) throws(ObjectError)
    -> [ObjectValidationFailure]
  {
    var failures: [ObjectValidationFailure] = []
    for row in deleted {
      let entity = model.entities[Int(buffer.entities[Int(row)])]
      for relationship in entity.relationships where relationship.deleteRule == .deny && !relationship.isTransient {
        let object = object(buffer, row: Int(row))
        let others: [ManagedObject]
        if relationship.isToMany {
          others = try members(of: object, relationship)
        } else {
          let target = try referenced(by: object, relationship)
          let table = destinationTable(relationship, from: object.table)
          let found = target == 0 ? [] : try objects(table: table, primaryKeys: [target])
          let inverse = model.inverse(of: relationship)
          var still: [ManagedObject] = []
          for other in found {
            // A partner that has found another one since is in no one's way.
            if let inverse, !inverse.isToMany, try referenced(by: other, inverse) != object.primaryKey { continue }
            still.append(other)
          }
          others = still
        }
        guard !others.isEmpty else { continue }
        failures.append(
          ObjectValidationFailure(
            entity: entity.name, primaryKey: object.primaryKey, property: relationship.name, code: .deletionDenied,
            table: buffer.table, row: row, objectID: object.objectID))
      }
    }
    return failures
  }

  /// Releases the objects that keep another one from being deleted.
  func overrule(_ denial: ObjectValidationFailure) throws(ObjectError) {
    let object = object(buffer(table: denial.table), row: Int(denial.row))
    guard let relationship = object.entity.relationships.first(where: { $0.name == denial.property }),
      let inverse = model.inverse(of: relationship), !inverse.isToMany
    else { return }
    if relationship.isToMany {
      for member in try members(of: object, relationship) { clear(member, inverse) }
    } else {
      let target = try referenced(by: object, relationship)
      let table = destinationTable(relationship, from: object.table)
      for other in try objects(table: table, primaryKeys: [target]) { clear(other, inverse) }
    }
  }

  /// Takes objects that are deleted out of relationships with the rule "deny", whose pairs stay until the save:
  /// everybody who kept them from being deleted is deleted too.
  func unlinkDenied(_ buffer: RowBuffer, _ deleted: ContiguousArray<Int32>) throws(ObjectError) {
    for row in deleted {
      let entity = model.entities[Int(buffer.entities[Int(row)])]
      for relationship in entity.relationships where relationship.deleteRule == .deny && relationship.isToMany {
        guard
          let relation = LinkRelation(
            relationship, schema: store(table: buffer.table).schema, store: buffer.table.store)
        else { continue }
        let object = object(buffer, row: Int(row))
        for partner in try partners(of: object, relationship, relation) {
          _ = try unlink(object, partner.primaryKey, isUnsaved: false, relation)
        }
      }
    }
  }
}
