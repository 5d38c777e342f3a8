import MergewalkObjectModel

/// Lists the indexes of a new store.
struct IndexBuilder {
  let model: ManagedObjectModel
  let numbers: [Int]
  let tables: [EntityTable]
  let joinTables: [JoinTable]
  private(set) var indexes: [IndexDefinition] = []
  private(set) var warnings: [SchemaWarning] = []
  /// The indexes by their names as SQLite compares them.
  private var byName: [String: IndexDefinition] = [:]
  /// The key of a root entity's user info by which its table has no index of entity numbers.
  private static let omittedKey = "_NSEntityOmitSubentityColumnIndex"

  init(model: ManagedObjectModel, numbers: [Int], tables: [EntityTable], joinTables: [JoinTable]) {
    self.model = model
    self.numbers = numbers
    self.tables = tables
    self.joinTables = joinTables
  }

  mutating func build() {
    for table in tables {
      let root = model.entities[table.rootEntity.index]
      addForeignKeys(table)
      if root.hasSubentities, root.declaration.userInfo[Self.omittedKey] != "YES" {
        add("\(table.name)_Z_ENT_INDEX", table, ["Z_ENT"], .entity, root)
      }
      for entity in model.family(of: root.index) where numbers[entity.index] > 0 {
        addIndexes(of: entity, table)
      }
    }
    for join in joinTables {
      let (first, second) = (join.master.ownerColumn, join.master.targetColumn)
      add(
        IndexDefinition(
          name: "\(join.name)_\(second)_INDEX", table: join.name, columns: [second, first], descending: [false, false],
          origin: .joinTable, entity: nil))
    }
  }

  /// To-one columns, those of to-many relationships without an inverse included.
  private mutating func addForeignKeys(_ table: EntityTable) {
    for column in table.columns {
      let owner: EntityDescription
      switch column.role {
      case .slot(let slot):
        let members = model.family(of: table.rootEntity)
        guard let entity = members.first(where: { $0.relationships.contains { $0.slot == slot } }) else { continue }
        owner = entity
      case .reverse(_, let entity): owner = model.entities[entity]
      default: continue
      }
      add("\(table.name)_\(column.name)_INDEX", table, [column.name], .foreignKey, owner)
    }
  }

  private mutating func addIndexes(of entity: EntityDescription, _ table: EntityTable) {
    let declaration = entity.declaration
    for attribute in entity.ownIndexes {
      guard let column = table.columnName(slot: attribute.slot) else { continue }
      add("Z_\(entity.name)_\(attribute.name)", table, [column], .attribute, entity, as: attribute.name)
    }
    for compound in declaration.compoundIndexes {
      guard let columns = columns(compound, of: entity, table) else { continue }
      add(
        "Z_\(entity.name)_\(compound.joined(separator: "_"))", table, columns, .compound, entity,
        as: compound.joined(separator: ", "))
    }
    for fetchIndex in declaration.fetchIndexes where !isRelationship(fetchIndex, of: entity) {
      guard let index = index(fetchIndex, of: entity, table) else {
        // An R-tree is a table of its own, see ``StoreSchema/spatialIndexes``.
        let isSpatial = entity.isRoot && fetchIndex.elements.allSatisfy { $0.kind == .rTree && $0.propertyName != nil }
        guard !isSpatial else { continue }
        warnings.append(
          SchemaWarning(
            code: .unsupportedIndex, entity: entity.name, property: fetchIndex.name,
            message:
              "the index has an expression, a predicate or a property that cannot be a part of an index; left out"))
        continue
      }
      add(index, as: fetchIndex.name)
    }
    for constraint in declaration.uniquenessConstraints where entity.uniquenessConstraints.contains(constraint) {
      guard let columns = columns(constraint, of: entity, table) else { continue }
      add(
        "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))", table, columns, .unique, entity,
        as: constraint.joined(separator: ", "))
    }
  }

  /// The index of a fetch index; `nil` when a part of it is not understood.
  private func index(
    _ fetchIndex: FetchIndexDescription, of entity: EntityDescription, _ table: EntityTable
  ) -> IndexDefinition? {
    let columns = fetchIndex.elements.map { element -> String? in
      guard element.kind == .binary else { return nil }
      if let name = element.propertyName { return self.columns([name], of: entity, table)?.first }
      return element.expression.flatMap { PartialCondition(entity: entity, table: table).value($0) }
    }
    let known = columns.compactMap { $0 }
    guard !known.isEmpty, known.count == columns.count else { return nil }
    var condition: String?
    if let text = fetchIndex.partialIndexPredicateText {
      guard let predicate = try? ObjectPredicate(format: text),
        let sql = PartialCondition(entity: entity, table: table).sql(predicate)
      else { return nil }
      condition = sql
    }
    return IndexDefinition(
      name: "Z_\(entity.name)_\(fetchIndex.name)", table: table.name, columns: known,
      descending: fetchIndex.elements.map { !$0.isAscending }, origin: .fetchIndex, entity: entity.index,
      condition: condition)
  }

  /// Whether a fetch index is that of one relationship: Core Data makes none, as the column of a to-one relationship has one.
  private func isRelationship(_ fetchIndex: FetchIndexDescription, of entity: EntityDescription) -> Bool {
    fetchIndex.onlyProperty.flatMap { entity.relationship(named: $0) }.map { !$0.isTransient } == true
  }

  /// The columns of attributes and to-one relationships; `nil` when one of them has none.
  private func columns(_ properties: [String], of entity: EntityDescription, _ table: EntityTable) -> [String]? {
    var result: [String] = []
    for name in properties {
      let slot = entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot
      guard let slot, let column = table.columnName(slot: slot) else { return nil }
      result.append(column)
    }
    return result.isEmpty ? nil : result
  }

  private mutating func add(
    _ name: String, _ table: EntityTable, _ columns: [String], _ origin: IndexDefinition.Origin,
    _ entity: EntityDescription, as declared: String? = nil
  ) {
    add(
      IndexDefinition(
        name: name, table: table.name, columns: columns, descending: columns.map { _ in false }, origin: origin,
        entity: entity.index), as: declared)
  }

  /// Adds an index unless the name is taken: `indexed` and a fetch index of the same name are one index.
  ///
  /// Core Data leaves out what has a taken name too: it makes indexes with `CREATE INDEX IF NOT EXISTS`.
  ///
  /// - Parameter declared: What the model calls the index; `nil` for those that the model does not name.
  private mutating func add(_ index: IndexDefinition, as declared: String? = nil) {
    var index = index
    // The elements of composite attributes have points in their names.
    if index.name.contains(".") { index.name = String(index.name.map { $0 == "." ? "_" : $0 }) }
    let name = index.name.foldedForSQLite
    guard let known = byName[name] else {
      byName[name] = index
      indexes.append(index)
      return
    }
    guard let declared, let entity = index.entity, !index.worksLike(known) else { return }
    warnings.append(
      SchemaWarning(
        code: .sameIndexName, entity: model.entities[entity].name, property: declared,
        message: "the store has the index \(known.name) already, and SQLite takes \(index.name) for the same name; "
          + (index.isUnique ? "left out, so the store does not refuse equal values" : "left out")))
  }
}
