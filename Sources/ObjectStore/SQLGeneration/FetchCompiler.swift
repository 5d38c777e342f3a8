package import ObjectModel

/// Makes SQL of fetch requests: a pure function of schema and request that runs nothing.
package struct FetchCompiler: Sendable {
  /// The tables and columns.
  package let schema: StoreSchema
  /// The UUID of the store: IDs of other stores' objects name nothing here.
  package let storeUUID: String

  /// Creates a compiler for a store.
  package init(schema: StoreSchema, storeUUID: String) {
    self.schema = schema
    self.storeUUID = storeUUID
  }

  /// Makes the SELECT of a request.
  ///
  /// - Throws: ``PredicateError`` when the request contradicts itself or the model, or cannot be said in SQL.
  package func compile(
    _ request: FetchRequest, selecting selection: FetchSelection
  ) throws(PredicateError) -> CompiledFetch {
    throw PredicateError(.notInSQL, "not yet")
  }

  /// Makes the UPDATE of a batch request; see ``CompiledFetch``. With `returningIDs` each changed row is returned.
  package func compileUpdate(
    _ entityName: String, where predicate: Predicate?, includesSubentities: Bool = true,
    set values: [String: Expression], returningIDs: Bool = false
  ) throws(PredicateError) -> CompiledFetch {
    throw PredicateError(.notInSQL, "not yet")
  }

  /// Makes the DELETE of a batch request.
  package func compileDelete(
    _ request: FetchRequest, returningIDs: Bool = false
  ) throws(PredicateError) -> CompiledFetch {
    throw PredicateError(.notInSQL, "not yet")
  }
}
