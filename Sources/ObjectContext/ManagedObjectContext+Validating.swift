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
  public var code: ValidationFailureCode
  /// The index of the root entity, which names the row buffer.
  package var rootEntity: Int
  /// The row in its buffer.
  package var row: Int32

  /// `Customer 17: country: validate.tooLong`
  public var description: String { "\(entity) \(primaryKey): \(property): \(code.rawValue)" }
}

/// The rules of one entity, ready to be held against rows.
struct EntityValidator {
  /// The rules of attributes that have any, by slot.
  let attributes: [(slot: Int, name: String, rule: AttributeValidator)]
  /// The to-one relationships that must refer to something.
  let mandatory: [(slot: Int, name: String)]

  init(_ entity: EntityDescription) {
    attributes = entity.attributes.compactMap { attribute in
      if attribute.isDerived { return nil }
      let rule = AttributeValidator(attribute)
      return rule.canFail ? (attribute.slot, attribute.name, rule) : nil
    }
    mandatory = entity.relationships.compactMap { relationship in
      relationship.isToMany || relationship.isOptional ? nil : (relationship.slot, relationship.name)
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
              entity: model.entities[entity].name, primaryKey: buffer.primaryKeys[row], property: name, code: code,
              rootEntity: buffer.rootEntity, row: touched))
        }
      }
      for (slot, name) in rules.mandatory where isNew || buffer.isDirty(row: row, slot: slot) {
        if buffer.tags[slot][row] == CellTag.null {
          failures.append(
            ObjectValidationFailure(
              entity: model.entities[entity].name, primaryKey: buffer.primaryKeys[row], property: name,
              code: .missing, rootEntity: buffer.rootEntity, row: touched))
        }
      }
    }
    return failures
  }
}
