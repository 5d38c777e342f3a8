import MergewalkObjectModel

/// Names the join tables of many-to-many relationships.
struct JoinTableBuilder {
  let model: ManagedObjectModel
  let numbers: [Int]
  private(set) var tables: [JoinTable] = []
  private(set) var warnings: [SchemaWarning] = []
  private var columnNames = ColumnNames()

  init(model: ManagedObjectModel, numbers: [Int]) {
    self.model = model
    self.numbers = numbers
  }

  /// Gives each relationship to the side whose entity the walk meets first.
  mutating func build() {
    for entity in walk() {
      for relationship in entity.relationships where relationship.declaringEntity == entity.index {
        guard relationship.isToMany, relationship.isInverseToMany, !relationship.isTransient else { continue }
        guard numbers[relationship.inverseDeclaringEntity] > 0 else { continue }
        let isKnown = tables.contains { $0.side(entity: entity.index, slot: relationship.slot) != nil }
        if !isKnown { add(relationship) }
      }
    }
  }

  /// All entities in one flat list by name without case, but each after its ancestors.
  private func walk() -> [EntityDescription] {
    var result: [EntityDescription] = []
    var seen = Set<Int>()
    func visit(_ entity: EntityDescription) {
      guard numbers[entity.index] > 0, !seen.contains(entity.index) else { return }
      if let parent = entity.superentityIndex { visit(model.entities[parent]) }
      seen.insert(entity.index)
      result.append(entity)
    }
    let sorted = model.entities.sorted { left, right in
      let (foldedLeft, foldedRight) = (left.name.lowercased(), right.name.lowercased())
      if foldedLeft != foldedRight { return CodePointOrder.precedes(foldedLeft, foldedRight) }
      return CodePointOrder.precedes(left.name, right.name)
    }
    for entity in sorted { visit(entity) }
    return result
  }

  private mutating func add(_ met: RelationshipDescription) {
    if met.isOwnInverse {
      let base = "\(numbers[met.declaringEntity])\(met.name.uppercased())"
      let side = JoinTable.Side(
        entity: met.declaringEntity, slot: met.slot, ownerColumn: columnNames.take("Z_" + base),
        targetColumn: "REFLEXIVE", orderColumn: met.isOrdered ? "Z_FOK_" + base : nil)
      tables.append(JoinTable(name: "Z_" + base, master: side, inverse: side))
      return
    }
    guard
      let other = model.entities[met.inverseDeclaringEntity].relationships.first(where: {
        $0.slot == met.inverseSlot && $0.declaringEntity == met.inverseDeclaringEntity
      })
    else { return }
    var (master, inverse) = (met, other)
    if met.declaringEntity == other.declaringEntity {
      // Core Data follows the hash order of the two names here. Of the few names known, most fit the later one.
      if CodePointOrder.precedes(met.name, other.name) { swap(&master, &inverse) }
      warnings.append(
        SchemaWarning(
          code: .uncertainJoinTable, entity: model.entities[met.declaringEntity].name, property: master.name,
          message: "both ends of the relationship with \(inverse.name) are in one entity; Core Data may expect the"
            + " join table under the name of the other end"))
    }
    tables.append(joinTable(master: master, inverse: inverse))
  }

  private mutating func joinTable(master: RelationshipDescription, inverse: RelationshipDescription) -> JoinTable {
    let masterNumber = numbers[master.declaringEntity]
    let inverseNumber = numbers[inverse.declaringEntity]
    // A column is named after the relationship that leads to its objects.
    let owners = columnNames.take("Z_\(masterNumber)\(inverse.name.uppercased())")
    let targets = columnNames.take("Z_\(inverseNumber)\(master.name.uppercased())")
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
