package import ObjectModel

/// The statements of batch requests, which change rows without objects.
extension FetchCompiler {
  /// Makes the UPDATE of a batch request: all values are computed from the rows as they were, and versions count on.
  ///
  /// Order keys of to-one relationships that are set become null: the objects come last in their ordered inverse.
  ///
  /// - Parameters:
  ///   - request: Which objects; limit, offset and order count too.
  ///   - values: Expressions by attribute or to-one relationship.
  ///   - returningIDs: Whether each changed row gives its primary key and entity number.
  /// - Throws: ``PredicateError`` as ``compile(_:selecting:)``, and `typeMismatch` for values that a property cannot
  ///   hold.
  package func compileUpdate(
    _ request: FetchRequest, set values: [String: Expression], returningIDs: Bool = false
  ) throws(PredicateError) -> CompiledFetch {
    let entity = try entity(named: request.entityName)
    guard !values.isEmpty else {
      throw PredicateError(.invalidRequest, "the update sets no property", hint: "name at least one value")
    }
    let builder = QueryBuilder(schema: schema, storeUUID: storeUUID, entity: entity)
    let table = builder.root.table
    let filter = try builder.filter(request.predicate, includesSubentities: request.includesSubentities)
    var assignments: [(column: String, value: SQLText)] = []
    for name in values.keys.sorted() {
      guard let expression = values[name] else { continue }
      assignments += try self.assignments(name, expression, builder)
    }
    let version: SQLText = "Z_OPT = ifnull(\(name: table.name).Z_OPT, 0) + 1"
    var text: SQLText
    if isPlain(request), builder.level.sourceCount == 1 {
      let sets = assignments.map { "\(name: $0.column) = \($0.value)" as SQLText }
      let version: SQLText = "Z_OPT = ifnull(t0.Z_OPT, 0) + 1"
      text = "UPDATE \(name: table.name) AS t0 SET \(SQLText.joined(sets + [version], ", "))"
      if let filter { text.append(" WHERE \(filter)") }
    } else {
      // Paths need joins, and an UPDATE has none; so the new values are selected first.
      let columns = assignments.enumerated().map { i, assignment in
        "\(assignment.value) AS \(name: "v\(i)")" as SQLText
      }
      let select = SelectBuilder.changes(
        builder, request, [builder.root.key] + columns, filter, order: try SelectBuilder.order(builder, request))
      let sets = assignments.enumerated().map { i, assignment in
        "\(name: assignment.column) = \(name: "u.v\(i)")" as SQLText
      }
      text =
        "UPDATE \(name: table.name) SET \(SQLText.joined(sets + [version], ", ")) FROM (\(select)) AS u WHERE \(name: table.name).Z_PK = u.Z_PK"
    }
    return change(text, entity, returningIDs)
  }

  /// Makes the DELETE of a batch request: rows only, whatever refers to them.
  ///
  /// - Parameter request: Which objects; limit, offset and order count too.
  /// - Throws: ``PredicateError`` as ``compile(_:selecting:)``.
  package func compileDelete(
    _ request: FetchRequest, returningIDs: Bool = false
  ) throws(PredicateError) -> CompiledFetch {
    let entity = try entity(named: request.entityName)
    let builder = QueryBuilder(schema: schema, storeUUID: storeUUID, entity: entity)
    let table = builder.root.table
    let filter = try builder.filter(request.predicate, includesSubentities: request.includesSubentities)
    var text: SQLText
    if isPlain(request), builder.level.sourceCount == 1 {
      text = "DELETE FROM \(name: table.name) AS t0"
      if let filter { text.append(" WHERE \(filter)") }
    } else {
      let select = SelectBuilder.changes(
        builder, request, [builder.root.key], filter, order: try SelectBuilder.order(builder, request))
      text = "DELETE FROM \(name: table.name) WHERE Z_PK IN (\(select))"
    }
    return change(text, entity, returningIDs)
  }

  private func isPlain(_ request: FetchRequest) -> Bool { request.fetchLimit <= 0 && request.fetchOffset <= 0 }

  private func change(_ text: SQLText, _ entity: EntityDescription, _ returningIDs: Bool) -> CompiledFetch {
    var text = text
    var columns: [FetchedColumn] = []
    if returningIDs {
      text.append(" RETURNING Z_PK, Z_ENT")
      columns = [
        FetchedColumn(name: "Z_PK", kind: .primaryKey, position: 0),
        FetchedColumn(name: "Z_ENT", kind: .entityNumber, position: 1),
      ]
    }
    return CompiledFetch(
      sql: text.sql, bindings: text.bindings, columns: columns, firstSortKey: columns.count, entity: entity.index)
  }

  // MARK: Values

  private func assignments(
    _ name: String, _ expression: Expression, _ builder: QueryBuilder
  ) throws(PredicateError) -> [(column: String, value: SQLText)] {
    let row = builder.root
    let value = try builder.value(expression)
    if let attribute = row.entity.attribute(named: name) {
      // Throws for what has no column.
      _ = try builder.value(of: attribute, row)
      guard let column = row.table.columnName(slot: attribute.slot) else { return [] }
      return [(column, try stored(value, attribute, "\(row.entity.name).\(name)"))]
    }
    // Throws for unknown names.
    if case .collection(let collection) = try builder.operand(.keyPath(PropertyPath([.property(name)]))) {
      throw PredicateError(
        .toManyKey, "\(collection.name) is a to-many relationship, which an update cannot set",
        hint: "change the objects at its other end")
    }
    guard let relationship = row.entity.relationship(named: name),
      let column = row.table.columnName(slot: relationship.slot)
    else { return [] }
    let destination = schema.model.entities[relationship.destinationEntity]
    if !value.isNull {
      let isFitting = value.row.map { $0.entity.rootIndex == destination.rootIndex } ?? false
      guard isFitting, !value.isForeign else {
        throw PredicateError(
          .typeMismatch, "\(row.entity.name).\(name) refers to \(destination.name) and cannot be \(value.described)",
          hint: "give the ID of an object of this store")
      }
    }
    var result = [(column, value.text)]
    if let entityColumn = row.table.destinationEntityColumn(slot: relationship.slot) {
      let number: SQLText
      if case .objectID(let id)? = value.constant {
        let own = schema.model.entity(named: id.entity.name)?.index ?? destination.index
        number = SQLText(.integer(Int64(schema.entityNumbers[own])))
      } else {
        number = value.row?.entityNumber() ?? "NULL"
      }
      result.append((entityColumn, number))
    }
    if let orderColumn = row.table.orderKeyColumn(slot: relationship.slot) { result.append((orderColumn, "NULL")) }
    return result
  }

  /// A value as an attribute's column holds it.
  private func stored(
    _ value: SQLValue, _ attribute: AttributeDescription, _ name: String
  ) throws(PredicateError) -> SQLText {
    if value.isNull { return "NULL" }
    let family = SQLFamily(attribute.type)
    let isBytes = family == .opaque && value.family == .binary && attribute.type == .transformable
    guard value.family == family || isBytes, !attribute.allowsExternalBinaryDataStorage else {
      throw PredicateError(
        .typeMismatch, "\(name) is of type \(attribute.type.xmlName) and cannot be \(value.described)",
        hint: "CAST the value, or set the property object by object")
    }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean:
      if value.kind == .integer, let binding = value.text.bindings.first, value.constant != nil {
        guard case .integer(let number) = binding, attribute.type.integerRange?.contains(number) ?? true else {
          throw PredicateError(
            .typeMismatch, "\(name) is of type \(attribute.type.xmlName), which has no such number",
            hint: "give a number in its range")
        }
        return value.text
      }
      return value.kind == .integer && value.isColumn ? value.text : "CAST(\(value.text) AS INTEGER)"
    case .float: return .call(QueryFunctions.singlePrecision, [value.text])
    case .double: return value.kind == .real ? value.text : "CAST(\(value.text) AS REAL)"
    default: return value.text
    }
  }
}

extension SelectBuilder {
  /// The terms of ORDER BY for a request with a limit.
  static func order(_ builder: QueryBuilder, _ request: FetchRequest) throws(PredicateError) -> [SQLText] {
    guard !request.sortDescriptors.isEmpty else { return [] }
    let select = try SelectBuilder(builder: builder, request: request, selection: .primaryKeys(withSortKeys: false))
    return try select.terms()
  }

  /// A SELECT of the rows that a batch request changes.
  static func changes(
    _ builder: QueryBuilder, _ request: FetchRequest, _ columns: [SQLText], _ filter: SQLText?, order: [SQLText]
  ) -> SQLText {
    var text: SQLText = "SELECT \(SQLText.joined(columns, ", ")) FROM \(builder.level.sources)"
    if let filter { text.append(" WHERE \(filter)") }
    if !order.isEmpty { text.append(" ORDER BY \(SQLText.joined(order, ", "))") }
    if request.fetchLimit > 0 || request.fetchOffset > 0 {
      let limit = request.fetchLimit > 0 ? Int64(request.fetchLimit) : -1
      text.append(" LIMIT \(SQLText(.integer(limit))) OFFSET \(SQLText(.integer(Int64(max(request.fetchOffset, 0)))))")
    }
    return text
  }
}
