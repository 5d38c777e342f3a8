/// A change of all objects of an entity that satisfy a predicate, directly in the store: a plain value.
///
/// Source: Apple, [NSBatchUpdateRequest](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest).
public struct BatchUpdateRequest: Hashable, Sendable {
  /// The name of the entity.
  public var entityName: String
  /// The condition on the objects; `nil` for all.
  public var predicate: ObjectPredicate?
  /// Whether objects of subentities are changed, too.
  public var includesSubentities = true
  /// The new values by property: constants or expressions over the object's old values for attributes, an ID or null
  /// for to-one relationships.
  public var propertiesToUpdate: [String: ObjectExpression]
  /// The kind of result to return.
  public var resultType = BatchResultType.status
  /// The identifiers of the stores whose objects are changed; `nil` for all.
  public var affectedStores: [String]?

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
