import MergewalkObjectModel

/// Finds the place of each table, column and entity of a prepared store in another store, by names, and collects what
/// has none.
struct ObjectCopyMatcher {
  let source: ObjectCopySource
  let target: StoreSchema
  let options: ObjectCopy.Options
  private(set) var findings: [String] = []
  private(set) var keyFindings = 0

  /// Whether nothing but the options is wrong: the models fit each other.
  var isOnlyKeys: Bool { findings.count == keyFindings }

  private var from: StoreSchema { source.schema }

  /// The plan; it counts only when there are no findings.
  mutating func plan() -> ObjectCopyPlan {
    var plan = ObjectCopyPlan()
    checkKeys()
    keyFindings = findings.count
    let entities = from.model.entities.filter { source.counts[$0.index] > 0 }
    var numbers: [RootIndex: Int] = [:]
    for table in from.tables where entities.contains(where: { $0.root == table.rootEntity }) {
      guard let root = other(from.model.entities[table.rootEntity.index]) else { continue }
      numbers[table.rootEntity] = plan.tables.count
      plan.tables.append(
        .init(
          number: plan.tables.count, source: table.name, target: target.table(forRoot: root.root).name,
          targetRoot: root.root))
    }
    for entity in entities {
      guard let number = numbers[entity.root], let mine = other(entity) else { continue }
      plan.tables[number].entities.append(
        .init(
          name: entity.name, sourceNumber: from.entityNumbers[entity.index],
          targetNumber: target.entityNumbers[mine.index], keys: keys(entity, mine)))
      check(entity, mine)
      plan.tables[number].defaults += defaults(entity, mine)
    }
    // Without a place for each object and property, the columns below would not be found.
    guard findings.isEmpty else { return plan }
    for table in from.tables {
      guard let number = numbers[table.rootEntity] else { continue }
      plan.tables[number].columns = columns(table, plan.tables[number].targetRoot)
      plan.tables[number].references = references(table, plan.tables[number].targetRoot, numbers)
    }
    plan.joins = joins(numbers)
    plan.pairs = pairs(numbers, plan)
    return plan
  }

  // MARK: Entities

  /// The entity of the same name in the target, stored below a root of the same name.
  private mutating func other(_ entity: EntityDescription) -> EntityDescription? {
    guard let mine = target.model.entity(named: entity.name), target.entityNumbers[mine.index] > 0 else {
      note("the store has no entity \(entity.name)")
      return nil
    }
    let roots = (from.model.entities[entity.rootIndex].name, target.model.entities[mine.rootIndex].name)
    guard roots.0 == roots.1, !mine.isAbstract || entity.isAbstract else {
      note(
        roots.0 == roots.1
          ? "\(entity.name) is abstract in the store" : "\(entity.name) inherits from \(roots.1) there, not \(roots.0)")
      return nil
    }
    return mine
  }

  private mutating func note(_ finding: String) {
    if !findings.contains(finding) { findings.append(finding) }
  }

  private mutating func checkKeys() {
    for (name, attributes) in options.findBy.sorted(by: { $0.key < $1.key }) {
      guard let entity = from.model.entity(named: name) else {
        note("the prepared store has no entity \(name), whose objects are to be found")
        continue
      }
      if attributes.isEmpty { note("objects of \(name) are found by no attribute") }
      for attribute in attributes where !entity.attributes.contains(where: { $0.name == attribute && isStored($0) }) {
        note("\(name) has no stored attribute \(attribute), by which objects are to be found")
      }
    }
  }

  /// The columns by which objects of an entity are found: its own entry, or that of the nearest ancestor.
  private func keys(
    _ entity: EntityDescription, _ mine: EntityDescription
  ) -> [(name: String, source: String, target: String)] {
    var index: Int? = entity.index
    while let i = index {
      let ancestor = from.model.entities[i]
      if let names = options.findBy[ancestor.name] {
        return names.compactMap { name in
          guard let attribute = entity.attributes.first(where: { $0.name == name }),
            let same = mine.attributes.first(where: { $0.name == name }),
            let column = from.table(forRoot: entity.root).columnName(slot: attribute.slot),
            let other = target.table(forRoot: mine.root).columnName(slot: same.slot)
          else { return nil }
          return (name, column, other)
        }
      }
      index = ancestor.superentityIndex
    }
    return []
  }

  // MARK: Properties

  private func isStored(_ attribute: AttributeDescription) -> Bool { !attribute.isTransient }

  /// Notes which properties of an entity have no place in the target.
  private mutating func check(_ entity: EntityDescription, _ mine: EntityDescription) {
    for attribute in entity.attributes where isStored(attribute) {
      guard let same = mine.attributes.first(where: { $0.name == attribute.name }), isStored(same) else {
        note("\(entity.name).\(attribute.name) is not a stored attribute of the store")
        continue
      }
      if same.type != attribute.type {
        note("\(entity.name).\(attribute.name) is \(same.type.xmlName) in the store, not \(attribute.type.xmlName)")
      } else if attribute.isOptional && !same.isOptional {
        note("\(entity.name).\(attribute.name) is mandatory in the store")
      }
    }
    for relationship in entity.relationships where !relationship.isTransient {
      guard let same = mine.relationships.first(where: { $0.name == relationship.name }), !same.isTransient else {
        note("\(entity.name).\(relationship.name) is not a stored relationship of the store")
        continue
      }
      let isSame =
        same.destinationEntityName == relationship.destinationEntityName && same.isToMany == relationship.isToMany
        && same.isOrdered == relationship.isOrdered && (same.inverseSlot < 0) == (relationship.inverseSlot < 0)
        && same.isInverseToMany == relationship.isInverseToMany
      if !isSame {
        note("\(entity.name).\(relationship.name) differs in the store")
      } else if relationship.isOptional && !same.isOptional && !same.isToMany {
        note("\(entity.name).\(relationship.name) is mandatory in the store")
      }
    }
    for attribute in mine.attributes where isStored(attribute) && !attribute.isDerived && !attribute.isOptional {
      if !attribute.hasStorableDefault, !entity.attributes.contains(where: { $0.name == attribute.name }) {
        note(
          "\(entity.name).\(attribute.name) is mandatory in the store, without a default, and no prepared object has it"
        )
      }
    }
    for relationship in mine.relationships
    where !relationship.isToMany && !relationship.isTransient && !relationship.isOptional {
      if !entity.relationships.contains(where: { $0.name == relationship.name }) {
        note("\(entity.name).\(relationship.name) is mandatory in the store, and no prepared object has it")
      }
    }
  }

  private func defaults(_ entity: EntityDescription, _ mine: EntityDescription) -> [ObjectCopyPlan.Default] {
    mine.attributes.compactMap { attribute in
      guard let value = attribute.defaultValue, attribute.hasStorableDefault, isStored(attribute), !attribute.isDerived,
        !entity.attributes.contains(where: { $0.name == attribute.name }),
        let column = target.table(forRoot: mine.root).columnName(slot: attribute.slot)
      else { return nil }
      return .init(target: column, value: value, entityNumbers: [from.entityNumbers[entity.index]])
    }
  }

  // MARK: Columns

  /// The property behind a slot of a hierarchy.
  private enum Property {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
  }

  private func property(_ slot: Int, root: RootIndex, _ schema: StoreSchema) -> (owner: EntityDescription, Property)? {
    let family = schema.model.family(of: root)
    for entity in family {
      if let found = entity.attributes.first(where: { $0.slot == slot && $0.declaringEntity == entity.index }) {
        return (entity, .attribute(found))
      }
      if let found = entity.relationships.first(where: { $0.slot == slot && $0.declaringEntity == entity.index }) {
        return (entity, .relationship(found))
      }
    }
    return nil
  }

  /// The relationship or attribute of the same entity and name in the target.
  private func otherSlot(_ owner: EntityDescription, _ name: String) -> Int? {
    guard let mine = target.model.entity(named: owner.name), target.entityNumbers[mine.index] > 0 else { return nil }
    return mine.attributes.first { $0.name == name }?.slot ?? mine.relationships.first { $0.name == name }?.slot
  }

  private func columns(_ table: EntityTable, _ root: RootIndex) -> [ObjectCopyPlan.Column] {
    let mine = target.table(forRoot: root)
    return table.columns.compactMap { column in
      guard case .slot(let slot) = column.role,
        case (let owner, .attribute(let attribute))? = property(slot, root: table.rootEntity, from),
        let same = target.model.entity(named: owner.name)?.attributes.first(where: { $0.name == attribute.name }),
        let name = mine.columnName(slot: same.slot)
      else { return nil }
      return .init(
        name: attribute.name, source: column.name, target: name, slot: same.slot,
        isExternal: attribute.allowsExternalBinaryDataStorage, isMandatory: !same.isOptional)
    }
  }

  /// The columns of to-one relationships, and of to-many ones without an inverse, which lie in their members' tables.
  private func references(
    _ table: EntityTable, _ root: RootIndex, _ numbers: [RootIndex: Int]
  ) -> [ObjectCopyPlan.Reference] {
    let mine = target.table(forRoot: root)
    return table.columns.compactMap { column in
      switch column.role {
      case .slot(let slot):
        guard case (let owner, .relationship(let relationship))? = property(slot, root: table.rootEntity, from),
          let other = otherSlot(owner, relationship.name), let name = mine.columnName(slot: other),
          let number = numbers[from.model.entities[relationship.destinationEntity].root]
        else { return nil }
        return .init(
          source: column.name, target: name, table: number,
          entityTest: from.entityTest(from.model.entities[relationship.destinationEntity]),
          entityColumn: mine.destinationEntityColumn(slot: other),
          position: both(table.orderKeyColumn(slot: slot), mine.orderKeyColumn(slot: other)),
          isPair: relationship.inverseSlot >= 0 && !relationship.isInverseToMany, slot: other)
      case .reverse(let slot, let owner):
        let entity = from.model.entities[owner]
        guard let relationship = entity.relationships.first(where: { $0.slot == slot }),
          let other = otherSlot(entity, relationship.name), let number = numbers[entity.root],
          let there = target.model.entity(named: entity.name)?.index,
          let name = mine.name(of: .reverse(ofSlot: other, ownerEntity: there))
        else { return nil }
        return .init(
          source: column.name, target: name, table: number, entityTest: from.entityTest(entity),
          entityColumn: mine.name(of: .reverseEntity(ofSlot: other, ownerEntity: there)),
          position: both(
            table.name(of: .reverseOrderKey(ofSlot: slot, ownerEntity: owner)),
            mine.name(of: .reverseOrderKey(ofSlot: other, ownerEntity: there))),
          isPair: false, slot: nil)
      default: return nil
      }
    }
  }

  private func both(_ source: String?, _ target: String?) -> (source: String, target: String)? {
    guard let source, let target else { return nil }
    return (source, target)
  }

  // MARK: Relationships

  private func joins(_ numbers: [RootIndex: Int]) -> [ObjectCopyPlan.Join] {
    var result: [ObjectCopyPlan.Join] = []
    for join in from.joinTables {
      let entity = from.model.entities[join.master.entity]
      guard let relationship = entity.relationships.first(where: { $0.slot == join.master.slot }),
        let owner = numbers[entity.root],
        let member = numbers[from.model.entities[relationship.destinationEntity].root],
        let mine = target.model.entity(named: entity.name), let slot = otherSlot(entity, relationship.name),
        let there = target.joinTable(entity: mine.index, slot: slot),
        let side = there.side(entity: mine.index, slot: slot)
      else { continue }
      let opposite = side == there.master ? there.inverse : there.master
      result.append(
        .init(
          number: result.count, source: join.name, target: there.name,
          owner: (join.master.ownerColumn, side.ownerColumn, owner, from.entityTest(entity)),
          member: (
            join.master.targetColumn, side.targetColumn, member,
            from.entityTest(from.model.entities[relationship.destinationEntity])
          ),
          order: both(join.master.orderColumn, side.orderColumn),
          inverseOrder: join.isReflexive ? nil : both(join.inverse.orderColumn, opposite.orderColumn),
          slot: side.slot, inverseSlot: opposite.slot))
    }
    return result
  }

  private func pairs(_ numbers: [RootIndex: Int], _ plan: ObjectCopyPlan) -> [ObjectCopyPlan.Pair] {
    var result: [ObjectCopyPlan.Pair] = []
    for entity in from.model.entities {
      guard let number = numbers[entity.root], let mine = target.model.entity(named: entity.name) else { continue }
      for relationship in mine.relationships
      where relationship.declaringEntity == mine.index && !relationship.isToMany && !relationship.isTransient
        && relationship.inverseSlot >= 0 && !relationship.isInverseToMany
      {
        let destination = target.model.entities[relationship.destinationEntity]
        let table = target.table(forRoot: mine.root)
        let other = target.table(forRoot: destination.root)
        guard let column = table.columnName(slot: relationship.slot),
          let otherColumn = other.columnName(slot: relationship.inverseSlot),
          let otherNumber = plan.tables.first(where: { $0.targetRoot == destination.root })?.number
        else { continue }
        result.append(
          .init(
            table: number, column: column,
            entityColumn: table.destinationEntityColumn(slot: relationship.slot),
            isOptional: relationship.isOptional, name: "\(mine.name).\(relationship.name)", otherTable: otherNumber,
            otherColumn: otherColumn, otherEntityColumn: other.destinationEntityColumn(slot: relationship.inverseSlot),
            otherSlot: relationship.inverseSlot))
      }
    }
    return result
  }
}

extension EntityTable {
  /// The name of the column with a role; `nil` when there is none.
  fileprivate func name(of role: ColumnDefinition.Role) -> String? { columns.first { $0.role == role }?.name }
}
