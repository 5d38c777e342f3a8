/// A deletion of many objects directly in the store: a plain value.
///
/// Source: Apple, [NSBatchDeleteRequest](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest).
public struct BatchDeleteRequest: Hashable, Sendable {
  /// The selection of objects.
  public enum Selection: Hashable, Sendable {
    /// The objects that a request finds in the store, with its predicate, order, limit and offset.
    case fetch(FetchRequest)
    /// Objects of one entity and its subentities; objects that no longer exist are ignored.
    case objectIDs([ManagedObjectID])
  }

  /// The objects.
  public var selection: Selection
  /// The kind of result to return.
  public var resultType = BatchResultType.status
  /// The identifiers of the stores whose objects are deleted; `nil` for all.
  public var affectedStores: [String]?

  /// Creates a request for the objects that a fetch request finds.
  public init(_ fetchRequest: FetchRequest) { selection = .fetch(fetchRequest) }

  /// Creates a request for the objects of an entity that satisfy a predicate.
  public init(_ entityName: String, where predicate: ObjectPredicate? = nil) {
    selection = .fetch(FetchRequest(entityName, where: predicate))
  }

  /// Creates a request for objects whose IDs are known.
  public init(objectIDs: [ManagedObjectID]) { selection = .objectIDs(objectIDs) }
}
