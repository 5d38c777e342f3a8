import MergewalkObjectModel

/// Names the join tables of many-to-many relationships.
struct JoinTableBuilder {
  let model: ManagedObjectModel
  let numbers: [Int]
  private(set) var tables: [JoinTable] = []
  /// The names of join columns in use, by the root entity whose objects they refer to.
  private var columnNames: [RootIndex: ColumnNames] = [:]

  init(model: ManagedObjectModel, numbers: [Int]) {
    self.model = model
    self.numbers = numbers
  }

  /// Gives each relationship to the side that the walk meets first: over all entities in one list by name without case,
  /// in each over what it has and inherits.
  ///
  /// - Parameter entityTables: Whose columns count in the order of properties.
  mutating func build(_ entityTables: [EntityTable]) {
    // Most models have none, and every store that is opened has a schema.
    guard model.entities.contains(where: { $0.relationships.contains { model.place(of: $0) == .join } }) else { return }
    var order = PropertyOrder(model: model, numbers: numbers, tables: entityTables)
    let entities = model.entities.sorted { left, right in
      let (foldedLeft, foldedRight) = (left.name.lowercased(), right.name.lowercased())
      if foldedLeft != foldedRight { return CodePointOrder.precedes(foldedLeft, foldedRight) }
      return CodePointOrder.precedes(left.name, right.name)
    }
    for entity in entities where numbers[entity.index] > 0 {
      for relationship in order.manyToManyRelationships(of: entity) {
        guard numbers[relationship.inverseDeclaringEntity] > 0 else { continue }
        let (declaring, slot) = (relationship.declaringEntity, relationship.slot)
        if !tables.contains(where: { $0.side(entity: declaring, slot: slot) != nil }) { add(relationship) }
      }
    }
    tables.sort { left, right in
      let (mine, other) = (numbers[left.master.entity], numbers[right.master.entity])
      return mine == other ? CodePointOrder.precedes(left.name, right.name) : mine < other
    }
  }

  private mutating func add(_ met: RelationshipDescription) {
    if met.isOwnInverse {
      let base = "\(numbers[met.declaringEntity])\(met.name.uppercased())"
      let side = JoinTable.Side(
        entity: met.declaringEntity, slot: met.slot, ownerColumn: column(met.declaringEntity, named: met.name),
        targetColumn: "REFLEXIVE", orderColumn: met.isOrdered ? "Z_FOK_" + base : nil)
      tables.append(JoinTable(name: "Z_" + base, master: side, inverse: side))
      return
    }
    guard let other = model.inverse(of: met) else { return }
    tables.append(joinTable(master: met, inverse: other))
  }

  /// The column with the keys of an entity's objects, which is named after the relationship that leads to them.
  private mutating func column(_ entity: Int, named name: String) -> String {
    columnNames[model.entities[entity].root, default: ColumnNames()]
      .take("Z_\(numbers[entity])\(name.uppercased())")
  }

  private mutating func joinTable(master: RelationshipDescription, inverse: RelationshipDescription) -> JoinTable {
    let masterNumber = numbers[master.declaringEntity]
    // In this order: it tells which of two equal names gets a suffix.
    let targets = column(inverse.declaringEntity, named: master.name)
    let owners = column(master.declaringEntity, named: inverse.name)
    return JoinTable(
      name: "Z_\(masterNumber)\(master.name.uppercased())",
      master: JoinTable.Side(
        entity: master.declaringEntity, slot: master.slot, ownerColumn: owners, targetColumn: targets,
        orderColumn: master.isOrdered ? "Z_FOK_" + targets.dropFirst(2) : nil),
      inverse: JoinTable.Side(
        entity: inverse.declaringEntity, slot: inverse.slot, ownerColumn: targets, targetColumn: owners,
        orderColumn: inverse.isOrdered ? "Z_FOK_" + owners.dropFirst(2) : nil))
  }
}
