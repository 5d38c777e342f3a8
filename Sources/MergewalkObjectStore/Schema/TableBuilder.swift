import MergewalkObjectModel

/// Names and orders the columns of the entity tables.
struct TableBuilder {
  let model: ManagedObjectModel
  let numbers: [Int]
  private(set) var tables: [EntityTable] = []
  private(set) var warnings: [SchemaWarning] = []

  mutating func build() {
    let reverse = reverseColumns()
    for root in model.entities where root.isRoot && numbers[root.index] > 0 {
      var names = ColumnNames()
      let members = model.family(of: root.index).filter { numbers[$0.index] > 0 }
      var columns = members.map { ownColumns($0, names: &names) }
      for i in columns.indices {
        columns[i].reverse = (reverse[members[i].index] ?? []).map { reverseColumns(of: $0, names: &names) }
      }
      tables.append(
        EntityTable(
          rootEntity: root.root, name: "Z" + root.name.uppercased(), columns: Self.fixedColumns + ordered(columns)))
    }
  }

  private static let fixedColumns = [
    ColumnDefinition(name: "Z_PK", declaredType: "INTEGER", role: .primaryKey),
    ColumnDefinition(name: "Z_ENT", declaredType: "INTEGER", role: .entity),
    ColumnDefinition(name: "Z_OPT", declaredType: "INTEGER", role: .version),
  ]

  /// The columns that one entity adds to its table, in the groups that the DDL orders them by.
  private struct OwnColumns {
    var attributes: [(type: AttributeType, column: ColumnDefinition)] = []
    /// To-one relationships, each with its entity column.
    var toOne: [[ColumnDefinition]] = []
    var orderKeys: [ColumnDefinition] = []
    var reverse: [[ColumnDefinition]] = []
  }

  /// Names the columns of an entity's own properties: first attributes, then to-one relationships, each by name.
  private mutating func ownColumns(_ entity: EntityDescription, names: inout ColumnNames) -> OwnColumns {
    var result = OwnColumns()
    for attribute in entity.attributes where attribute.declaringEntity == entity.index && !attribute.isTransient {
      guard let type = attribute.type.declaredColumnType else {
        warnings.append(
          SchemaWarning(
            code: .unsupportedAttribute, entity: entity.name, property: attribute.name,
            message: "attributes of type \(attribute.type.xmlName) have no known column and are not stored"))
        continue
      }
      let name = names.take("Z" + Self.columnName(attribute))
      result.attributes.append(
        (attribute.type, ColumnDefinition(name: name, declaredType: type, role: .slot(attribute.slot))))
    }
    for composite in entity.declaration.attributes where composite.type == .composite && !composite.isTransient {
      guard entity.compositeAttributes.contains(where: { $0.name == composite.name }) else { continue }
      warnings.append(
        SchemaWarning(
          code: .uncertainComposite, entity: entity.name, property: composite.name,
          message: "each element of a composite attribute has a column; whether Core Data names it, and the join tables"
            + " of the entity, so is not known"))
    }
    for relationship in entity.relationships
    where relationship.declaringEntity == entity.index && !relationship.isToMany && !relationship.isTransient {
      // What stands beside the column is named after the relationship, and has suffixes of its own.
      let base = relationship.name.uppercased()
      let name = names.take("Z" + base)
      var columns = [ColumnDefinition(name: name, declaredType: "INTEGER", role: .slot(relationship.slot))]
      let destination = model.entities[relationship.destinationEntity]
      if destination.hasSubentities {
        columns.append(
          ColumnDefinition(
            name: names.take("Z\(numbers[destination.index])_" + base), declaredType: "INTEGER",
            role: .destinationEntity(ofSlot: relationship.slot)))
      }
      result.toOne.append(columns)
      if let inverse = model.inverse(of: relationship), inverse.isToMany, inverse.isOrdered {
        result.orderKeys.append(
          ColumnDefinition(
            name: names.take("Z_FOK_" + base), declaredType: "INTEGER",
            role: .orderKey(ofSlot: relationship.slot)))
      }
    }
    return result
  }

  /// The name of an attribute's column without its `Z`: that of `address.city` is `ADDRESS_CITY`.
  private static func columnName(_ attribute: AttributeDescription) -> String {
    let name = attribute.name.uppercased()
    return attribute.compositeKey == nil ? name : String(name.map { $0 == "." ? "_" : $0 })
  }

  /// For each entity index the to-many relationships without an inverse that refer to it.
  private func reverseColumns() -> [Int: [RelationshipDescription]] {
    var result: [Int: [RelationshipDescription]] = [:]
    for entity in model.entities where numbers[entity.index] > 0 {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity.index && relationship.isToMany && !relationship.isTransient
        && relationship.inverseSlot < 0
      {
        result[relationship.destinationEntity, default: []].append(relationship)
      }
    }
    return result
  }

  private func reverseColumns(
    of relationship: RelationshipDescription, names: inout ColumnNames
  ) -> [ColumnDefinition] {
    let owner = relationship.declaringEntity
    let base = "\(numbers[owner])\(relationship.name.uppercased())"
    let name = names.take("Z" + base)
    var columns = [
      ColumnDefinition(
        name: name, declaredType: "INTEGER", role: .reverse(ofSlot: relationship.slot, ownerEntity: owner))
    ]
    if model.entities[owner].hasSubentities {
      columns.append(
        ColumnDefinition(
          name: names.take("Z\(numbers[owner])_" + base), declaredType: "INTEGER",
          role: .reverseEntity(ofSlot: relationship.slot, ownerEntity: owner)))
    }
    if relationship.isOrdered {
      columns.append(
        ColumnDefinition(
          name: names.take("Z_FOK_" + base), declaredType: "INTEGER",
          role: .reverseOrderKey(ofSlot: relationship.slot, ownerEntity: owner)))
    }
    return columns
  }

  /// Puts the columns of all entities of a table into groups; inside a group entity by entity, then by name.
  private func ordered(_ entities: [OwnColumns]) -> [ColumnDefinition] {
    var result: [ColumnDefinition] = []
    for entity in entities {
      result += entity.attributes.filter { $0.type.isInteger }.map(\.column)
      result += entity.toOne.joined()
      result += entity.reverse.joined().filter { !$0.isReverseOrderKey }
    }
    result += entities.flatMap(\.orderKeys)
    result += entities.flatMap { $0.reverse.joined().filter(\.isReverseOrderKey) }
    let groups: [Set<AttributeType>] = [
      [.double, .float, .date], [.decimal], [.string], [.uri], [.uuid], [.transformable], [.binary],
    ]
    for group in groups {
      for entity in entities { result += entity.attributes.filter { group.contains($0.type) }.map(\.column) }
    }
    return result
  }
}

extension ColumnDefinition {
  fileprivate var isReverseOrderKey: Bool {
    if case .reverseOrderKey = role { return true }
    return false
  }
}

/// The names in use in one table; a second use of a name gets the suffix 1, the third 2 and so on.
struct ColumnNames {
  private var used: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  /// Returns the name, with a suffix if it is taken.
  mutating func take(_ name: String) -> String {
    var candidate = name
    var suffix = 0
    while !used.insert(candidate).inserted {
      suffix += 1
      candidate = name + String(suffix)
    }
    return candidate
  }
}
