import MergewalkObjectModel

extension QueryCollection {
  /// The objects that a to-many relationship of a row leads to, in a SELECT of their own.
  static func elements(
    _ relationship: RelationshipDescription, of row: QueryRow, _ names: QueryNames
  ) throws(PredicateError) -> QueryCollection {
    let level = QueryLevel()
    try names.countToManyStep(in: level, "\(row.entity.name).\(relationship.name)")
    let link = try Link(relationship, names)
    let condition = link.condition(owner: row.key)
    level.add("\(name: link.table) AS \(name: link.alias)")
    level.conditions.append(condition)
    level.order = link.order
    return QueryCollection(
      level: level, element: .row(link.row(level)), name: "\(row.entity.name).\(relationship.name)")
  }

  /// The objects that a to-many relationship of the elements leads to.
  func following(
    _ relationship: RelationshipDescription, of row: QueryRow, _ names: QueryNames
  ) throws(PredicateError) -> QueryCollection {
    try names.countToManyStep(in: level, "\(name).\(relationship.name)")
    let link = try Link(relationship, names)
    level.add("JOIN \(name: link.table) AS \(name: link.alias) ON \(link.condition(owner: row.key))")
    level.order = nil
    return QueryCollection(level: level, element: .row(link.row(level)), name: "\(name).\(relationship.name)")
  }

  /// The table that says which objects a to-many relationship leads to.
  private struct Link {
    let table: String
    let alias: String
    private let ownerColumn: String
    /// The column of a join table with the element's key; `nil` when the elements themselves are in the table.
    private let targetColumn: String?
    private let orderColumn: String?
    private let destination: EntityDescription
    private let names: QueryNames

    init(_ relationship: RelationshipDescription, _ names: QueryNames) throws(PredicateError) {
      let schema = names.schema
      self.names = names
      destination = schema.model.entities[relationship.destinationEntity]
      let join = schema.joinTable(entity: relationship.declaringEntity, slot: relationship.slot)
      if let join, let side = join.side(entity: relationship.declaringEntity, slot: relationship.slot) {
        table = join.name
        ownerColumn = side.ownerColumn
        targetColumn = side.targetColumn
        orderColumn = side.orderColumn
      } else {
        guard schema.contains(destination) else {
          throw PredicateError(
            .notInSQL, "\(relationship.name) leads to \(destination.name), which is not in the store's configuration",
            hint: "name the stores that have it in affectedStores, or filter what was fetched")
        }
        let target = schema.table(forRoot: destination.root)
        func name(_ role: ColumnDefinition.Role) -> String? { target.columns.first { $0.role == role }?.name }
        let owner: String?
        if relationship.inverseSlot >= 0 {
          owner = target.columnName(slot: relationship.inverseSlot)
          orderColumn = target.orderKeyColumn(slot: relationship.inverseSlot)
        } else {
          owner = name(.reverse(ofSlot: relationship.slot, ownerEntity: relationship.declaringEntity))
          orderColumn = name(.reverseOrderKey(ofSlot: relationship.slot, ownerEntity: relationship.declaringEntity))
        }
        guard let owner, !relationship.isTransient else {
          throw PredicateError(
            .notInSQL, "\(relationship.name) is not stored, so there is no SQL for it",
            hint: "fetch without it, and filter what was fetched")
        }
        table = target.name
        ownerColumn = owner
        targetColumn = nil
      }
      alias = names.next()
    }

    func condition(owner: SQLText) -> SQLText { "\(name: alias).\(name: ownerColumn) = \(owner)" }

    var order: SQLText? { orderColumn.map { "\(name: alias).\(name: $0)" } }

    func row(_ level: QueryLevel) -> QueryRow {
      guard let targetColumn else {
        return QueryRow(entity: destination, alias: alias, level: level, names: names)
      }
      return QueryRow(
        entity: destination, key: "\(name: alias).\(name: targetColumn)", entityNumber: nil, isElement: true,
        level: level, names: names)
    }
  }
}
