public import MergewalkObjectContext
public import MergewalkObjectModel

/// The kinds of things that requests find; Apple's `NSFetchRequestResult`.
public protocol NSFetchRequestResult {}

extension ManagedObject: NSFetchRequestResult {}
extension ManagedObjectID: NSFetchRequestResult {}

/// Apple's `NSFetchRequest`: for the objects of a class, for `NSManagedObjectID`, or for `NSFetchRequestResult`, which are
/// objects of any class.
public final class NSFetchRequest<ResultType> {
  /// The request itself.
  public var request: FetchRequest

  /// Makes a request for the objects of an entity.
  public init(entityName: String) { request = FetchRequest(entityName) }

  /// The entity's name.
  public var entityName: String { request.entityName }
  /// The condition on the objects; `nil` fetches all.
  public var predicate: NSPredicate? {
    get { request.predicate.map { NSPredicate($0) } }
    set { request.predicate = newValue?.predicate }
  }
  /// Their order.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { request.sortDescriptors }
    set { request.sortDescriptors = newValue ?? [] }
  }
  /// The greatest number of objects; 0 for all.
  public var fetchLimit: Int {
    get { request.fetchLimit }
    set { request.fetchLimit = newValue }
  }
  /// How many objects at the beginning are left out.
  public var fetchOffset: Int {
    get { request.fetchOffset }
    set { request.fetchOffset = newValue }
  }
  /// How many objects a batch loads; 0 for all at once.
  public var fetchBatchSize: Int {
    get { request.fetchBatchSize }
    set { request.fetchBatchSize = newValue }
  }
  /// Whether objects of entities that inherit from the entity are among them.
  public var includesSubentities: Bool {
    get { request.includesSubentities }
    set { request.includesSubentities = newValue }
  }
  /// Whether objects come as faults.
  public var returnsObjectsAsFaults: Bool {
    get { request.returnsObjectsAsFaults }
    set { request.returnsObjectsAsFaults = newValue }
  }
  /// Whether the objects come with their values; else each asks the store for its own at its first use.
  public var includesPropertyValues: Bool {
    get { request.includesPropertyValues }
    set { request.includesPropertyValues = newValue }
  }
  /// Whether changes that are not saved count.
  public var includesPendingChanges: Bool {
    get { request.includesPendingChanges }
    set { request.includesPendingChanges = newValue }
  }
  /// Whether objects that the context has get the store's values.
  public var shouldRefreshRefetchedObjects: Bool {
    get { request.shouldRefreshRefetchedObjects }
    set { request.shouldRefreshRefetchedObjects = newValue }
  }
  /// The relationships whose objects are fetched along.
  public var relationshipKeyPathsForPrefetching: [String]? {
    get { request.relationshipKeyPathsForPrefetching }
    set { request.relationshipKeyPathsForPrefetching = newValue ?? [] }
  }
}

extension ManagedObjectContext {
  /// The objects that a request finds, in its order.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as the fetch of a typed request does.
  public func fetch<Object: ManagedObject>(_ request: NSFetchRequest<Object>) throws(ObjectError) -> [Object] {
    try fetch(TypedFetchRequest<Object>(request.request))
  }

  /// The objects that a request finds, of any class.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch.
  public func fetch(
    _ request: NSFetchRequest<any NSFetchRequestResult>
  ) throws(ObjectError) -> [any NSFetchRequestResult] {
    Array(try fetch(request.request))
  }

  /// The IDs of the objects that a request finds.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch.
  public func fetch(_ request: NSFetchRequest<ManagedObjectID>) throws(ObjectError) -> [ManagedObjectID] {
    Array(try fetchObjectIDs(request.request))
  }

  /// How many objects a request finds.
  ///
  /// - Throws: ``MergewalkObjectContext/ObjectError`` as every fetch.
  public func count<Result>(for request: NSFetchRequest<Result>) throws(ObjectError) -> Int {
    try count(for: request.request)
  }
}

extension BatchDeleteRequest {
  /// Apple's initializer.
  public init<Result>(fetchRequest: NSFetchRequest<Result>) { self.init(fetchRequest.request) }
}
