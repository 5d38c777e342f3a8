import MergewalkObjectModel

/// The checks of rows that need a model: values, references, inverses, positions.
struct ContentChecks {
  let schema: StoreSchema
  private var model: ManagedObjectModel { schema.model }

  func run(_ verifier: inout StoreVerifier) {
    for table in schema.tables {
      let root = model.entities[table.rootEntity.index]
      let family = model.family(of: root.index)
      checkAbstract(table, root, &verifier)
      // The verifier has looked at the first three, which every table has.
      let values = Set(family.flatMap { $0.attributes.map(\.slot) })
      let others = table.columns.dropFirst(3).filter { column in
        if case .slot(let slot) = column.role { !values.contains(slot) } else { true }
      }
      verifier.checkIntegers(in: others.map(\.name), of: table.name)
      for entity in family {
        for attribute in entity.attributes where attribute.declaringEntity == entity.index {
          check(attribute, table, &verifier)
        }
        for relationship in entity.relationships
        where relationship.declaringEntity == entity.index && !relationship.isToMany {
          check(relationship, table, &verifier)
        }
      }
      for column in table.columns { checkReverse(column, table, &verifier) }
    }
    for join in schema.joinTables { check(join, &verifier) }
    checkIndexes(&verifier)
  }

  private func checkAbstract(_ table: EntityTable, _ root: EntityDescription, _ verifier: inout StoreVerifier) {
    let abstract = model.family(of: root.index).filter {
      $0.isAbstract && schema.entityNumbers[$0.index] > 0
    }
    guard !abstract.isEmpty else { return }
    let list = abstract.map { String(schema.entityNumbers[$0.index]) }.joined(separator: ", ")
    verifier.addRows(
      .rowEntity, table: table.name, "objects of an abstract entity",
      query: "Z_PK AS k FROM \(table.name) WHERE Z_ENT IN (\(list))")
  }

  private func check(_ attribute: AttributeDescription, _ table: EntityTable, _ verifier: inout StoreVerifier) {
    guard let column = table.columnName(slot: attribute.slot) else { return }
    for misfit in ColumnMisfit.all(attribute, in: column) {
      verifier.addRows(
        .valueType, table: table.name, "\(attribute.name) (\(attribute.type.xmlName)) \(misfit.problem)",
        query: "Z_PK AS k FROM \(table.name) WHERE \(misfit.condition)")
    }
    if attribute.allowsExternalBinaryDataStorage {
      // Our readers take such a cell for the bytes themselves; what Core Data does is not known.
      verifier.addRows(
        .valueType, as: .warning, table: table.name,
        "\(attribute.name) does not begin with the tag of external storage",
        query: "Z_PK AS k FROM \(table.name) WHERE substr(\(column), 1, 1) NOT IN (x'', x'01', x'02')")
      verifier.addRows(
        .valueType, as: .warning, table: table.name,
        "\(attribute.name) has the tag of a file, but not the length of a file's name",
        query: "Z_PK AS k FROM \(table.name) WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'02'"
          + " AND length(\(column)) <> \(ExternalData.fileCellLength)")
    }
    guard !attribute.isOptional, !attribute.isDerived else { return }
    checkMissing(attribute.name, column, of: attribute.declaringEntity, table, &verifier)
  }

  /// Core Data opens such a store, and refuses to save the object.
  private func checkMissing(
    _ property: String, _ column: String, of entity: Int, _ table: EntityTable, _ verifier: inout StoreVerifier
  ) {
    let entity = model.entities[entity]
    guard schema.entityNumbers[entity.index] > 0 else { return }
    verifier.addRows(
      .missingValue, as: .warning, table: table.name, "\(property) of \(entity.name) is mandatory and has no value",
      query: "Z_PK AS k FROM \(table.name) WHERE \(column) IS NULL AND Z_ENT \(schema.entityTest(entity))")
  }

  private func check(_ relationship: RelationshipDescription, _ table: EntityTable, _ verifier: inout StoreVerifier) {
    guard let column = table.columnName(slot: relationship.slot) else { return }
    if !relationship.isOptional {
      checkMissing(relationship.name, column, of: relationship.declaringEntity, table, &verifier)
    }
    let destination = model.entities[relationship.destinationEntity]
    guard schema.entityNumbers[destination.index] > 0 else { return }
    let other = schema.table(forRoot: destination.root).name
    verifier.addRows(
      .danglingReference, table: table.name, "\(relationship.name) refers to no \(destination.name)",
      query: "s.Z_PK AS k FROM \(table.name) s WHERE \(schema.refersToNothing("s.\(column)", destination))")
    if let entityColumn = table.destinationEntityColumn(slot: relationship.slot) {
      verifier.addRows(
        .referenceEntity, table: table.name, "\(entityColumn) does not name the entity that \(column) refers to",
        query: "s.Z_PK AS k FROM \(table.name) s LEFT JOIN \(other) d ON d.Z_PK = s.\(column)"
          + " WHERE s.\(entityColumn) IS NOT d.Z_ENT")
    }
    if let orderColumn = table.orderKeyColumn(slot: relationship.slot) {
      verifier.addRows(
        .orderKey, table: table.name, "\(orderColumn) is missing although \(column) is set",
        query: "Z_PK AS k FROM \(table.name) WHERE \(column) IS NOT NULL AND \(orderColumn) IS NULL")
    }
    guard relationship.inverseSlot >= 0, !relationship.isInverseToMany,
      let inverseColumn = schema.table(forRoot: destination.root).columnName(slot: relationship.inverseSlot)
    else { return }
    let inverse = relationship.inverseName ?? "the inverse"
    let pairs = "s.Z_PK AS k FROM \(table.name) s JOIN \(other) d ON d.Z_PK = s.\(column)"
    verifier.addRows(
      .inverse, table: table.name, "\(inverse) of \(relationship.name) refers to another object",
      query: "\(pairs) WHERE d.\(inverseColumn) <> s.Z_PK")
    // Apple's own stores have such rows: the far side was never set.
    verifier.addRows(
      .inverse, as: .note, table: table.name, "\(inverse) of \(relationship.name) is not set",
      query: "\(pairs) WHERE d.\(inverseColumn) IS NULL")
  }

  /// The columns of to-many relationships without an inverse.
  private func checkReverse(_ column: ColumnDefinition, _ table: EntityTable, _ verifier: inout StoreVerifier) {
    guard case .reverse(_, let owner) = column.role else { return }
    let entity = model.entities[owner]
    verifier.addRows(
      .danglingReference, table: table.name, "\(column.name) refers to no \(entity.name)",
      query: "s.Z_PK AS k FROM \(table.name) s WHERE \(schema.refersToNothing("s.\(column.name)", entity))")
  }

  private func check(_ join: JoinTable, _ verifier: inout StoreVerifier) {
    verifier.checkIntegers(in: join.keyColumns + join.orderColumns, of: join.name, key: join.keyColumns[0])
    // The owner column of a side holds objects of the entity that declares the side's relationship.
    for side in join.isReflexive ? [join.master] : [join.master, join.inverse] {
      let columns = join.isReflexive ? join.keyColumns : [side.ownerColumn]
      let entity = model.entities[side.entity]
      for column in columns {
        // In Apple's own stores pairs of a relationship with itself outlive their objects.
        verifier.addRows(
          .joinRow, as: join.isReflexive ? .note : .error, table: join.name, "\(column) refers to no \(entity.name)",
          query: "j.\(column) AS k FROM \(join.name) j"
            + " WHERE j.\(column) IS NULL OR \(schema.refersToNothing("j.\(column)", entity))")
      }
      if let order = side.orderColumn {
        verifier.addRows(
          .orderKey, table: join.name, "\(order) is missing",
          query: "\(side.ownerColumn) AS k FROM \(join.name) WHERE \(order) IS NULL")
      }
    }
  }

  private func checkIndexes(_ verifier: inout StoreVerifier) {
    for index in schema.missingIndexes {
      if index.isUnique {
        verifier.add(
          .warning, .missingUniqueIndex, table: index.table,
          message: "there is no index \(index.name), so nothing keeps the values unique")
        verifier.addRows(
          .missingUniqueIndex, as: .warning, table: index.table,
          "\(schema.propertyNames(index)) must be unique and has the value of an earlier row",
          query: "k FROM \(schema.duplicates(index))")
      } else if index.isOfModel {
        verifier.add(
          .note, .missingIndex, table: index.table,
          message: "there is no index \(index.name), so searches are slower; “mergewalk store migrate” makes it")
      }
    }
  }
}
