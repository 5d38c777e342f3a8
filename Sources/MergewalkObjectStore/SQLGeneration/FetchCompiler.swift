import MergewalkDiagnostics
package import MergewalkObjectModel

/// Makes SQL of fetch requests: a pure function of schema and request that runs nothing.
///
/// Values never get into the text, only the schema's names do. What SQL cannot say is an error here, so that a request
/// never turns into a scan in memory unnoticed. `docs/predicates.md` says what the SQL means.
package struct FetchCompiler: Sendable {
  /// The tables and columns.
  package let schema: StoreSchema
  /// The UUID of the store: IDs of other stores' objects name nothing here.
  package let storeUUID: String

  package init(schema: StoreSchema, storeUUID: String) {
    self.schema = schema
    self.storeUUID = storeUUID
  }

  /// Makes the SELECT of a request.
  ///
  /// - Parameter isOrderedByKey: whether values without another order come by primary key.
  /// - Throws: ``PredicateError`` when the request contradicts itself or the model, or cannot be said in SQL.
  package func compile(
    _ request: FetchRequest, selecting selection: FetchSelection, isOrderedByKey: Bool = false
  ) throws(PredicateError) -> CompiledFetch {
    let entity = try entity(named: request.entityName)
    let builder = QueryBuilder(schema: schema, storeUUID: storeUUID, entity: entity)
    var select = try SelectBuilder(builder: builder, request: request, selection: selection)
    select.isOrderedByKey = isOrderedByKey
    return try select.build()
  }

  /// The entity, if this store has it.
  func entity(named name: String) throws(PredicateError) -> EntityDescription {
    if let entity = schema.model.entity(named: name), schema.entityNumbers[entity.index] > 0 { return entity }
    let nearest = NearestName.find(name, in: schema.model.entities.map(\.name))
    throw PredicateError(
      .unknownEntity, "the model has no entity \(name)", hint: nearest.map { "did you mean \($0)?" })
  }
}

extension QueryBuilder {
  /// The rows of the entity among those of its table; `nil` when that are all.
  func entityCondition(includesSubentities: Bool) -> SQLText? {
    let entity = root.entity
    let model = schema.model
    guard model.entities[entity.rootIndex].hasSubentities else { return nil }
    let column = root.column("Z_ENT")
    guard includesSubentities, entity.hasSubentities else {
      return "\(column) = \(name: String(schema.entityNumbers[entity.index]))"
    }
    return entity.isRoot ? nil : "\(column) \(name: schema.entityTest(entity))"
  }

  /// The conditions of a WHERE; `nil` when all rows are meant.
  func filter(_ predicate: ObjectPredicate?, includesSubentities: Bool) throws(PredicateError) -> SQLText? {
    var conditions: [SQLCondition] = []
    if let condition = entityCondition(includesSubentities: includesSubentities) {
      conditions.append(.text(condition.with(.equality), canBeNull: true))
    }
    if let predicate { conditions.append(try condition(predicate)) }
    switch SQLCondition.all(conditions) {
    case .known(true): return nil
    case .known(false): return "0"
    case .text(let text, _): return text
    }
  }
}
