import ObjectModel
import ObjectStore

/// One thing about one object that breaks what the model demands.
public struct ObjectValidationFailure: Sendable, Hashable, CustomStringConvertible {
  /// The entity's name.
  public var entity: String
  /// The primary key of the object.
  public var primaryKey: Int64
  /// The property's name.
  public var property: String
  /// What is wrong.
  public var code: ObjectFailureCode
  /// The index of the root entity, which names the row buffer.
  package var rootEntity: Int
  /// The row in its buffer.
  package var row: Int32

  /// `Customer 17: country: validate.tooLong`
  public var description: String { "\(entity) \(primaryKey): \(property): \(code.name)" }
}

/// What can be wrong with an object.
public enum ObjectFailureCode: Sendable, Hashable {
  /// The value of an attribute, or a to-one relationship that must refer to something.
  case value(ValidationFailureCode)
  /// A to-many relationship has fewer objects than the minimum.
  case tooFewObjects
  /// A to-many relationship has more objects than the maximum.
  case tooManyObjects
  /// The object is to be deleted, and a relationship with the rule "deny" still refers to others.
  case deletionDenied

  /// A stable name, such as `validate.tooLong`.
  public var name: String {
    switch self {
    case .value(let code): code.rawValue
    case .tooFewObjects: "validate.tooFewObjects"
    case .tooManyObjects: "validate.tooManyObjects"
    case .deletionDenied: "validate.deletionDenied"
    }
  }

  /// The number that Core Data gives this error in `NSCocoaErrorDomain`.
  ///
  /// Source: Apple, `CoreDataErrors.h` (`NSValidationRelationshipLacksMinimumCountError` and the constants behind it).
  public var coreDataErrorNumber: Int {
    switch self {
    case .value(let code): code.coreDataErrorNumber
    case .tooFewObjects: 1580
    case .tooManyObjects: 1590
    case .deletionDenied: 1600
    }
  }
}

/// The rules of one entity, ready to be held against rows.
struct EntityValidator {
  /// The rules of attributes that have any, by slot.
  let attributes: [(slot: Int, name: String, rule: AttributeValidator)]
  /// The to-one relationships that must refer to something.
  let mandatory: [(slot: Int, name: String)]
  /// The to-many relationships that must have, or must not exceed, some number of objects.
  let counted: [RelationshipDescription]

  init(_ entity: EntityDescription) {
    attributes = entity.attributes.compactMap { attribute in
      if attribute.isDerived { return nil }
      // Model lint refuses rules that cannot be compiled, so a frozen model has none.
      guard let rule = try? AttributeValidator(attribute) else {
        preconditionFailure("\(entity.name).\(attribute.name) has a rule that model lint should have refused")
      }
      return rule.canFail ? (attribute.slot, attribute.name, rule) : nil
    }
    mandatory = entity.relationships.compactMap { relationship in
      relationship.isToMany || relationship.isOptional ? nil : (relationship.slot, relationship.name)
    }
    counted = entity.relationships.filter { relationship in
      relationship.isToMany && !relationship.isTransient
        && (!relationship.isOptional || relationship.minCount > 0 || relationship.maxCount > 0)
    }
  }
}

extension ManagedObjectContext {
  /// Everything that is wrong with the rows that the next save would insert or update.
  ///
  /// Of an updated row only the cells that were set are looked at: the others came from the store.
  func validate(_ buffer: RowBuffer) -> [ObjectValidationFailure] {
    var failures: [ObjectValidationFailure] = []
    var entity = -1
    var rules: EntityValidator?
    let base = buffer.arena.base
    for touched in buffer.touchedRows {
      let row = Int(touched)
      let state = buffer.states[row]
      guard state == RowState.inserted || state == RowState.updated else { continue }
      if Int(buffer.entities[row]) != entity {
        entity = Int(buffer.entities[row])
        rules = validator(model.entities[entity])
      }
      guard let rules else { continue }
      let isNew = state == RowState.inserted
      for (slot, name, rule) in rules.attributes where isNew || buffer.isDirty(row: row, slot: slot) {
        if let code = rule.check(tag: buffer.tags[slot][row], payload: buffer.payloads[slot][row], arena: base) {
          failures.append(
            ObjectValidationFailure(
              entity: model.entities[entity].name, primaryKey: buffer.primaryKeys[row], property: name,
              code: .value(code),
              rootEntity: buffer.rootEntity, row: touched))
        }
      }
      for (slot, name) in rules.mandatory where isNew || buffer.isDirty(row: row, slot: slot) {
        if buffer.tags[slot][row] == CellTag.null {
          failures.append(
            ObjectValidationFailure(
              entity: model.entities[entity].name, primaryKey: buffer.primaryKeys[row], property: name,
              code: .value(.missing), rootEntity: buffer.rootEntity, row: touched))
        }
      }
    }
    return failures
  }

  /// To-many relationships with too few or too many objects, among the objects that are inserted here and those that
  /// gained or lost members here.
  ///
  /// An optional relationship may be empty whatever its minimum; a mandatory one has at least one object.
  func wrongCounts(_ buffers: [RowBuffer]) throws(ObjectError) -> [ObjectValidationFailure] {
    guard registry.isInUse, model.entities.contains(where: { !validator($0).counted.isEmpty }) else { return [] }
    var failures: [ObjectValidationFailure] = []
    var checked = Set<CountedRelationship>()
    for place in changedOwners(buffers) where checked.insert(place).inserted {
      // A record that is deleted here, or that the store does not have, has no number to be wrong.
      guard let object = try objects(root: place.root, primaryKeys: [place.owner]).first,
        let relationship = validator(object.entity).counted.first(where: { $0.slot == place.slot })
      else { continue }
      let count = try members(of: object, relationship).count
      let least = max(relationship.minCount, relationship.isOptional ? 0 : 1)
      let code: ObjectFailureCode
      if count < least, count > 0 || !relationship.isOptional {
        code = .tooFewObjects
      } else if relationship.maxCount > 0, count > relationship.maxCount {
        code = .tooManyObjects
      } else {
        continue
      }
      failures.append(
        ObjectValidationFailure(
          entity: object.entity.name, primaryKey: object.primaryKey, property: relationship.name, code: code,
          rootEntity: object.root, row: Int32(object.row)))
    }
    return failures
  }

  /// The to-many relationships of objects whose members may have changed, as far as their number matters.
  private func changedOwners(_ buffers: [RowBuffer]) -> [CountedRelationship] {
    var places: [CountedRelationship] = []
    for buffer in buffers {
      for touched in buffer.touchedRows where RowState.isChange(buffer.states[Int(touched)]) {
        let row = Int(touched)
        let entity = model.entities[Int(buffer.entities[row])]
        if buffer.states[row] == RowState.inserted {
          for relationship in validator(entity).counted {
            places.append(
              CountedRelationship(root: entity.rootIndex, owner: buffer.primaryKeys[row], slot: relationship.slot))
          }
        }
        for relationship in entity.relationships where !relationship.isToMany {
          guard let inverse = model.inverse(of: relationship), isCounted(inverse),
            buffer.tags[relationship.slot][row] == CellTag.integer
          else { continue }
          places.append(
            CountedRelationship(
              root: model.entities[inverse.declaringEntity].rootIndex,
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
            root: model.entities[inverse.declaringEntity].rootIndex, owner: Int64(bitPattern: snapshot.payload),
            slot: inverse.slot))
      }
    }
    for (root, key) in pendingLinks.changedObjects() {
      let buffer = buffer(root: root)
      guard let row = buffer.row(primaryKey: key) else { continue }
      let entity = model.entities[Int(buffer.entities[row])]
      for relationship in validator(entity).counted {
        places.append(CountedRelationship(root: root, owner: key, slot: relationship.slot))
      }
    }
    return places
  }

  private func isCounted(_ relationship: RelationshipDescription) -> Bool {
    validator(model.entities[relationship.declaringEntity]).counted.contains { $0.slot == relationship.slot }
  }
}

/// A to-many relationship of one object.
private struct CountedRelationship: Hashable {
  var root: Int
  var owner: Int64
  var slot: Int
}
