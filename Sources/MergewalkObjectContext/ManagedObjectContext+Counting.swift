import MergewalkObjectModel
import MergewalkObjectStore

extension ManagedObjectContext {
  /// To-many relationships with too few or too many objects, among the objects that are inserted here and those that
  /// gained or lost members here.
  ///
  /// An optional relationship may be empty whatever its minimum; a mandatory one has at least one object.
  func wrongCounts(_ buffers: [RowBuffer]) throws(ObjectError) -> [ObjectValidationFailure] {
    guard registry.isInUse, model.entities.contains(where: { !validator($0).counted.isEmpty }) else { return [] }
    var failures: [ObjectValidationFailure] = []
    var checked = Set<CountedRelationship>()
    for place in try changedOwners(buffers) where checked.insert(place).inserted {
      // A record that is deleted here, or that the store does not have, has no number to be wrong.
      guard let object = try objects(table: place.table, primaryKeys: [place.owner]).first,
        let relationship = validator(object.entity).counted.first(where: { $0.slot == place.slot })
      else { continue }
      if let failure = try countFailure(object, relationship) { failures.append(failure) }
    }
    return failures
  }

  /// The error in the number of objects in a to-many relationship, if any.
  private func countFailure(
    _ object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(ObjectError) -> ObjectValidationFailure? {
    let count = try members(of: object, relationship).count
    let least = max(relationship.minCount, relationship.isOptional ? 0 : 1)
    let code: ObjectFailureCode
    if count < least, count > 0 || !relationship.isOptional {
      code = .tooFewObjects
    } else if relationship.maxCount > 0, count > relationship.maxCount {
      code = .tooManyObjects
    } else {
      return nil
    }
    return failure(object, relationship.name, code)
  }

  /// The errors in the relationships of an object: too few or too many objects, or none where there must be one.
  func relationshipFailures(_ object: ManagedObject) throws(ObjectError) -> [ObjectValidationFailure] {
    let rules = validator(object.entity)
    let buffer = buffer(table: object.table)
    var failures: [ObjectValidationFailure] = []
    for (slot, name) in rules.mandatory where buffer.tags[slot][object.row] == CellTag.null {
      failures.append(failure(object, name, .value(.missing)))
    }
    for relationship in rules.counted {
      if let failure = try countFailure(object, relationship) { failures.append(failure) }
    }
    return failures
  }

  private func failure(
    _ object: ManagedObject, _ property: String, _ code: ObjectFailureCode
  ) -> ObjectValidationFailure {
    ObjectValidationFailure(
      entity: object.entity.name, primaryKey: object.primaryKey, property: property, code: code, table: object.table,
      row: Int32(object.row), objectID: object.objectID)
  }

  /// The to-many relationships of objects whose members may have changed, as far as their number matters.
  private func changedOwners(_ buffers: [RowBuffer]) throws(ObjectError) -> [CountedRelationship] {
    var places: [CountedRelationship] = []
    for buffer in buffers {
      for touched in buffer.touchedRows where RowState.isChange(buffer.states[Int(touched)]) {
        let row = Int(touched)
        let entity = model.entities[Int(buffer.entities[row])]
        if buffer.states[row] == RowState.inserted {
          for relationship in validator(entity).counted {
            places.append(
              CountedRelationship(table: buffer.table, owner: buffer.primaryKeys[row], slot: relationship.slot))
          }
        }
        for relationship in entity.relationships where !relationship.isToMany {
          guard let inverse = model.inverse(of: relationship), isCounted(inverse),
            buffer.tags[relationship.slot][row] == CellTag.integer
          else { continue }
          places.append(
            CountedRelationship(
              table: buffer.table.sibling(model.entities[inverse.declaringEntity]),
              owner: Int64(bitPattern: buffer.payloads[relationship.slot][row]), slot: inverse.slot))
        }
      }
      // The owners that members were taken from.
      for snapshot in buffer.snapshots where snapshot.tag == CellTag.integer {
        let entity = model.entities[Int(buffer.entities[Int(snapshot.row)])]
        guard let relationship = entity.relationships.first(where: { !$0.isToMany && $0.slot == Int(snapshot.slot) }),
          let inverse = model.inverse(of: relationship), isCounted(inverse)
        else { continue }
        places.append(
          CountedRelationship(
            table: buffer.table.sibling(model.entities[inverse.declaringEntity]),
            owner: Int64(bitPattern: snapshot.payload),
            slot: inverse.slot))
      }
    }
    for (table, key) in pendingLinks.changedObjects() where countsBelow(table.root) {
      // A pair may go without one of its ends being held, with the deletion of the other one for example.
      guard let object = try objects(table: table, primaryKeys: [key]).first else { continue }
      for relationship in validator(object.entity).counted {
        places.append(CountedRelationship(table: table, owner: key, slot: relationship.slot))
      }
    }
    return places
  }

  /// Whether a hierarchy has relationships whose number of objects matters.
  private func countsBelow(_ root: RootIndex) -> Bool {
    model.family(of: root).contains { !validator($0).counted.isEmpty }
  }

  private func isCounted(_ relationship: RelationshipDescription) -> Bool {
    validator(model.entities[relationship.declaringEntity]).counted.contains { $0.slot == relationship.slot }
  }
}

private struct CountedRelationship: Hashable {
  var table: TableID
  var owner: Int64
  var slot: Int
}
