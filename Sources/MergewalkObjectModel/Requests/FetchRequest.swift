/// A description of objects to fetch from a store: a plain value, without a context.
///
/// Source: Apple, [NSFetchRequest](https://developer.apple.com/documentation/coredata/nsfetchrequest).
public struct FetchRequest: Hashable, Sendable {
  /// The kind of result of a fetch.
  public typealias ResultType = FetchRequestTemplate.ResultType

  /// The name of the entity.
  public var entityName: String
  /// The condition on the objects; `nil` for all.
  public var predicate: ObjectPredicate?
  /// The order; without criteria it is unspecified.
  public var sortDescriptors: [ObjectSortDescriptor] = []
  /// The maximum number of results; 0 for no limit.
  public var fetchLimit = 0
  /// The number of results to skip at the beginning.
  public var fetchOffset = 0
  /// The number of objects that one SELECT loads; 0 for all at once.
  public var fetchBatchSize = 0
  /// The kind of result to return.
  public var resultType = ResultType.objects
  /// Whether objects of subentities are fetched, too.
  public var includesSubentities = true
  /// Whether unsaved inserts, changes and deletions in the context count; never for dictionaries.
  public var includesPendingChanges = true
  /// Whether the values are fetched together with the objects; otherwise their first use queries the store again.
  public var includesPropertyValues = true
  /// Whether objects report that they are faults until the first use of their values (which does not query the store if
  /// the values were fetched).
  public var returnsObjectsAsFaults = true
  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults = false
  /// The values in dictionaries, or those fetched with objects; empty for all attributes and to-one relationships.
  public var propertiesToFetch: [FetchedValue] = []
  /// The values to group dictionaries by; every fetched value is one of these or an aggregate.
  public var propertiesToGroupBy: [FetchedValue] = []
  /// The condition on groups; it can use aggregates, the grouped values, and expressions by their names.
  public var havingPredicate: ObjectPredicate?
  /// Relationships whose objects are fetched, too, with one SELECT for each step.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether known objects without changes take the store's values.
  public var shouldRefreshRefetchedObjects = false
  /// The UUIDs of the stores to query; `nil` for all.
  public var affectedStores: [String]?

  /// Creates a request for all objects of an entity.
  public init(
    _ entityName: String, where predicate: ObjectPredicate? = nil, sortedBy sortDescriptors: [ObjectSortDescriptor] = []
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
  }
}

/// One value of a fetch: a property or an expression with a name.
public enum FetchedValue: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The property at a key path over to-one relationships; its name in dictionaries is the path.
  case property(String)
  /// An expression.
  case expression(ExpressionDescription)

  /// Creates a property.
  public init(stringLiteral value: String) { self = .property(value) }

  /// The key in dictionaries.
  public var name: String {
    switch self {
    case .property(let path): path
    case .expression(let description): description.name
    }
  }
}

/// An expression computed by a fetch.
public struct ExpressionDescription: Hashable, Sendable {
  /// The key of its value in dictionaries.
  public var name: String
  /// The expression.
  public var expression: ObjectExpression
  /// The type of its values; ``AttributeType/undefined`` for the type that follows from the expression.
  public var resultType: AttributeType

  /// Creates a description.
  public init(name: String, expression: ObjectExpression, resultType: AttributeType = .undefined) {
    self.name = name
    self.expression = expression
    self.resultType = resultType
  }
}
