import MergewalkObjectModel

/// A reference as the row of an object has it before the migration.
struct RowReference {
  /// The column with the other object's key.
  var column: String
  /// The column with the number of its entity, if there is one.
  var entityColumn: String?
  /// The index of the entity that the reference is declared to lead to.
  var declaredEntity: Int
  /// The column with the position among those that refer to the same object, if there is one.
  var orderColumn: String?
}

/// Finds in the old rows what the new columns are to hold.
struct RowReferences {
  let mapping: InferredMapping
  let old: StoreSchema
  let new: StoreSchema

  /// The table of an entity before the migration.
  func oldTable(_ entity: EntityDescription) -> EntityTable { old.table(forRoot: entity.root) }

  /// The reference that a relationship to one object takes over, for the rows of one entity; `nil` when there is none.
  func reference(of relationship: RelationshipDescription, in entity: EntityDescription, was: EntityDescription)
    -> RowReference?
  {
    if let source = mapping.sourceRelationship(of: relationship, in: entity), !source.isToMany {
      return toOne(source, was)
    }
    guard let inverse = mapping.destination.inverse(of: relationship) else { return nil }
    return back(of: inverse, was: was)
  }

  /// The reference back to the owner of a relationship to many objects, in the rows of one entity.
  func back(of relationship: RelationshipDescription, was: EntityDescription) -> RowReference? {
    for source in mapping.sources(of: relationship) {
      switch mapping.source.place(of: source) {
      case .reverse:
        guard was.isKind(of: mapping.source.entities[source.destinationEntity]) else { continue }
        let owner = source.declaringEntity
        let columns = oldTable(was).columns
        func name(_ role: ColumnDefinition.Role) -> String? { columns.first { $0.role == role }?.name }
        guard let column = name(.reverse(ofSlot: source.slot, ownerEntity: owner)) else { continue }
        return RowReference(
          column: column, entityColumn: name(.reverseEntity(ofSlot: source.slot, ownerEntity: owner)),
          declaredEntity: owner, orderColumn: name(.reverseOrderKey(ofSlot: source.slot, ownerEntity: owner)))
      case .inverseColumn:
        guard let inverse = mapping.source.inverse(of: source),
          was.isKind(of: mapping.source.entities[inverse.declaringEntity])
        else { continue }
        return toOne(inverse, was)
      default: continue
      }
    }
    return nil
  }

  private func toOne(_ source: RelationshipDescription, _ was: EntityDescription) -> RowReference? {
    let table = oldTable(was)
    guard let column = table.columnName(slot: source.slot) else { return nil }
    return RowReference(
      column: column, entityColumn: table.destinationEntityColumn(slot: source.slot),
      declaredEntity: source.destinationEntity, orderColumn: table.orderKeyColumn(slot: source.slot))
  }

  // MARK: - Cells

  /// Where the cell of a column comes from in the rows of an entity; `nil` when these rows have no such property.
  func rule(_ column: ColumnDefinition, entity: EntityDescription, was: EntityDescription) -> CellRule? {
    switch column.role {
    case .primaryKey: return .copy("Z_PK")
    case .version: return .copy("Z_OPT")
    case .entity: return renumbered("Z_ENT", below: was.rootIndex)
    case .slot(let slot):
      if let attribute = entity.attributes.first(where: { $0.slot == slot }) {
        return value(attribute, entity, was)
      }
      guard let relationship = toOne(slot, entity) else { return nil }
      return reference(of: relationship, in: entity, was: was).map { .copy($0.column) } ?? .null
    case .destinationEntity(let slot):
      guard let relationship = toOne(slot, entity) else { return nil }
      return number(reference(of: relationship, in: entity, was: was))
    case .orderKey(let slot):
      guard let relationship = toOne(slot, entity) else { return nil }
      return reference(of: relationship, in: entity, was: was)?.orderColumn.map { .copy($0) } ?? .null
    case .reverse(let slot, let owner):
      guard let relationship = toMany(slot, owner, to: entity) else { return nil }
      return back(of: relationship, was: was).map { .copy($0.column) } ?? .null
    case .reverseEntity(let slot, let owner):
      guard let relationship = toMany(slot, owner, to: entity) else { return nil }
      return number(back(of: relationship, was: was))
    case .reverseOrderKey(let slot, let owner):
      guard let relationship = toMany(slot, owner, to: entity) else { return nil }
      return back(of: relationship, was: was)?.orderColumn.map { .copy($0) } ?? .null
    }
  }

  /// The relationship to one object at a slot, if the entity has it.
  func toOne(_ slot: Int, _ entity: EntityDescription) -> RelationshipDescription? {
    entity.relationships.first { $0.slot == slot && !$0.isToMany }
  }

  /// The relationship to many objects without a way back, if it may lead to objects of the entity.
  func toMany(_ slot: Int, _ owner: Int, to entity: EntityDescription) -> RelationshipDescription? {
    guard let found = mapping.destination.entities[owner].relationships.first(where: { $0.slot == slot }),
      entity.isKind(of: mapping.destination.entities[found.destinationEntity])
    else { return nil }
    return found
  }

  private func value(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ was: EntityDescription
  ) -> CellRule {
    let isExternal = attribute.allowsExternalBinaryDataStorage
    let literal = attribute.isDerived ? nil : attribute.defaultValue?.sqlLiteral(isTagged: isExternal)
    guard let source = mapping.sourceAttribute(of: attribute, in: entity),
      let column = oldTable(was).columnName(slot: source.slot),
      // What was stored is not what the expression gives.
      source.isDerived || !attribute.isDerived
    else { return literal.map { .literal($0) } ?? .null }
    let filling = source.isOptional && !attribute.isOptional ? literal : nil
    if source.allowsExternalBinaryDataStorage != isExternal {
      return isExternal ? .tagged(column, literal: filling) : .untagged(column, literal: filling)
    }
    return filling.map { .filled(column, literal: $0) } ?? .copy(column)
  }

  /// The numbers of a hierarchy's entities, from those before to those afterwards.
  private func renumbered(_ column: String, below ancestor: Int) -> CellRule {
    let changes = mapping.source.family(of: ancestor).filter { old.entityNumbers[$0.index] > 0 }.map { entity in
      CellRule.NumberChange(
        old: old.entityNumbers[entity.index],
        new: mapping.destinationEntities[entity.index].map { new.entityNumbers[$0] })
    }
    return changes.allSatisfy { $0.old == $0.new } ? .copy(column) : .renumbered(column, changes)
  }

  private func number(_ reference: RowReference?) -> CellRule {
    guard let reference else { return .null }
    if let column = reference.entityColumn { return renumbered(column, below: reference.declaredEntity) }
    guard let entity = mapping.destinationEntities[reference.declaredEntity] else { return .null }
    return .number(new.entityNumbers[entity], whereSet: reference.column)
  }

  /// Whether rows of an entity could have a value in a column before the migration.
  func had(_ column: String, _ was: EntityDescription) -> Bool {
    guard let definition = oldTable(was).columns.first(where: { $0.name == column }) else { return false }
    switch definition.role {
    case .primaryKey, .entity, .version: return true
    case .slot(let slot), .destinationEntity(let slot), .orderKey(let slot):
      return was.attributes.contains { $0.slot == slot } || was.relationships.contains { $0.slot == slot }
    case .reverse(let slot, let owner), .reverseEntity(let slot, let owner), .reverseOrderKey(let slot, let owner):
      guard let found = mapping.source.entities[owner].relationships.first(where: { $0.slot == slot }) else {
        return false
      }
      return was.isKind(of: mapping.source.entities[found.destinationEntity])
    }
  }
}
