@_exported public import MergewalkObjectContext
@_exported public import MergewalkObjectModel
@_exported public import MergewalkObjectStore

// Core Data's names for what Mergewalk has, so that code about a model reads the same on Linux. What differs:
// `docs/coredata-names.md`.

/// Apple's `NSManagedObject`.
public typealias NSManagedObject = ManagedObject
/// Apple's `NSManagedObjectID`.
public typealias NSManagedObjectID = ManagedObjectID
/// Apple's `NSManagedObjectContext`.
public typealias NSManagedObjectContext = ManagedObjectContext
/// Apple's `NSManagedObjectModel`.
public typealias NSManagedObjectModel = ManagedObjectModel
/// Apple's `NSPersistentStore`.
public typealias NSPersistentStore = PersistentStore
/// Apple's `NSPersistentStoreCoordinator`.
public typealias NSPersistentStoreCoordinator = PersistentStoreCoordinator
/// Apple's `NSEntityDescription`.
public typealias NSEntityDescription = EntityDescription
/// Apple's `NSAttributeDescription`.
public typealias NSAttributeDescription = AttributeDescription
/// Apple's `NSRelationshipDescription`.
public typealias NSRelationshipDescription = RelationshipDescription
/// Apple's `NSSortDescriptor`.
public typealias NSSortDescriptor = ObjectSortDescriptor
/// Apple's `NSExpression`.
public typealias NSExpression = ObjectExpression
/// Apple's `NSMergePolicy`.
public typealias NSMergePolicy = MergePolicy
/// Apple's `NSBatchDeleteRequest`.
public typealias NSBatchDeleteRequest = BatchDeleteRequest
/// Apple's `NSBatchUpdateRequest`.
public typealias NSBatchUpdateRequest = BatchUpdateRequest
/// Apple's `NSBatchInsertRequest`.
public typealias NSBatchInsertRequest = BatchInsertRequest
/// Apple's `NSCompoundPredicate`, whose initializers every predicate has here.
public typealias NSCompoundPredicate = NSPredicate

/// Apple's `NSPredicate`: a format that cannot be read stops the program, as it does there.
public struct NSPredicate: Hashable, Sendable, CustomStringConvertible {
  /// The predicate itself.
  public let predicate: ObjectPredicate

  /// Wraps a predicate.
  public init(_ predicate: ObjectPredicate) { self.predicate = predicate }

  /// Reads a predicate from a format string.
  ///
  /// - Precondition: the format can be read; ``MergewalkObjectModel/ObjectPredicate`` throws instead.
  public init(format: String, _ arguments: any PredicateArgument...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Reads a predicate from a format string, with the arguments in order.
  public init(format: String, argumentArray: [any PredicateArgument]) {
    do throws(PredicateError) {
      predicate = try ObjectPredicate(format: format, arguments: argumentArray)
    } catch {
      preconditionFailure("“\(format)” is no predicate: \(error)")
    }
  }

  /// A predicate that is always true or always false.
  public init(value: Bool) { predicate = .value(value) }

  /// The format string.
  public var description: String { predicate.description }
  /// The format string.
  public var predicateFormat: String { predicate.description }
}

extension NSPredicate {
  /// All of the predicates hold; true for none.
  public init(andPredicateWithSubpredicates predicates: [NSPredicate]) {
    self.init(.and(predicates.map(\.predicate)))
  }

  /// At least one of the predicates holds; false for none.
  public init(orPredicateWithSubpredicates predicates: [NSPredicate]) { self.init(.or(predicates.map(\.predicate))) }

  /// The predicate does not hold.
  public init(notPredicateWithSubpredicate predicate: NSPredicate) { self.init(.not(predicate.predicate)) }
}

extension BatchDeleteRequest {
  /// Apple's initializer.
  public init<Object: ManagedObject>(fetchRequest: NSFetchRequest<Object>) { self.init(fetchRequest.request) }
}

extension PersistentStoreCoordinator {
  /// Apple's initializer.
  public convenience init(managedObjectModel model: ManagedObjectModel) { self.init(model: model) }
}

extension ObjectSortDescriptor {
  /// Apple's initializer.
  public init(key: String, ascending: Bool) { self.init(key, ascending: ascending) }
}

/// Apple's `NSFetchRequest`.
public final class NSFetchRequest<ResultType: ManagedObject> {
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

  /// How many objects a request finds.
  public func count<Object: ManagedObject>(for request: NSFetchRequest<Object>) throws(ObjectError) -> Int {
    try count(for: request.request)
  }
}

extension EntityDescription {
  /// The entity of a name, `nil` when the context's model has none.
  public static func entity(forEntityName name: String, in context: ManagedObjectContext) -> EntityDescription? {
    context.model.entity(named: name)
  }

  /// Makes an object of an entity; stops the program where the model has none of the name, as Core Data does.
  public static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext
  ) -> ManagedObject {
    do throws(ObjectError) { return try context.insert(name) } catch {
      preconditionFailure("no object of “\(name)” can be made: \(error)")
    }
  }
}

/// Apple's `NSPersistentStoreDescription`, with a path in place of a URL.
public struct NSPersistentStoreDescription: Sendable {
  /// Where the store is.
  public var path: String
  /// The configuration whose entities it has; `nil` for all.
  public var configuration: String?
  /// Whether it is opened for reading only.
  public var isReadOnly = false
  /// Whether a store of another version of the model is migrated.
  public var shouldMigrateStoreAutomatically = true
  /// Whether the way between two versions is inferred.
  public var shouldInferMappingModelAutomatically = true

  /// Describes the SQLite store at a path.
  public init(path: String) { self.path = path }
}

/// Apple's `NSPersistentContainer`: one coordinator and one context, on the thread that made it.
public final class NSPersistentContainer {
  /// The container's name.
  public let name: String
  /// The model of its stores.
  public let managedObjectModel: ManagedObjectModel
  /// The coordinator, which opens the stores.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The stores that ``loadPersistentStores(completionHandler:)`` opens; `NAME.sqlite` in the working folder unless set.
  public var persistentStoreDescriptions: [NSPersistentStoreDescription]
  /// The context.
  public private(set) lazy var viewContext = ManagedObjectContext(coordinator: persistentStoreCoordinator)

  /// Makes a container whose stores are not open yet.
  public init(name: String, managedObjectModel: ManagedObjectModel) {
    self.name = name
    self.managedObjectModel = managedObjectModel
    persistentStoreCoordinator = PersistentStoreCoordinator(model: managedObjectModel)
    persistentStoreDescriptions = [NSPersistentStoreDescription(path: name + ".sqlite")]
  }

  /// Opens the stores, or makes those that are not there, and tells of each.
  public func loadPersistentStores(completionHandler: (NSPersistentStoreDescription, (any Error)?) -> Void) {
    for description in persistentStoreDescriptions {
      var options = PersistentStoreOptions()
      options.isReadOnly = description.isReadOnly
      options.migratesAutomatically = description.shouldMigrateStoreAutomatically
      options.infersMapping = description.shouldInferMappingModelAutomatically
      do throws(StoreError) {
        try persistentStoreCoordinator.addStore(
          type: .sqlite, at: description.path, configuration: description.configuration, options: options)
        completionHandler(description, nil)
      } catch { completionHandler(description, error) }
    }
  }
}
