/// A change of all objects of an entity that satisfy a predicate, made in the store: a plain value.
///
/// Source: Apple, [NSBatchUpdateRequest](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest).
public struct BatchUpdateRequest: Hashable, Sendable {
  /// The name of the entity.
  public var entityName: String
  /// Which objects; `nil` for all.
  public var predicate: ObjectPredicate?
  /// Whether objects of entities that inherit from the entity are changed too.
  public var includesSubentities = true
  /// The new values by property: constants or expressions of the object's old values for attributes, an ID or null for
  /// to-one relationships.
  public var propertiesToUpdate: [String: ObjectExpression]
  /// The kind of result to return.
  public var resultType = BatchResultType.status

  /// Creates a request.
  ///
  /// ```swift
  /// BatchUpdateRequest("Order", where: Key("state") == "new", set: ["quantity": Key("quantity") * 2 + 1, "state": "old"])
  /// ```
  public init(
    _ entityName: String, where predicate: ObjectPredicate? = nil,
    set propertiesToUpdate: [String: any PredicateOperand]
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.propertiesToUpdate = propertiesToUpdate.mapValues(\.expression)
  }
}
