public import Foundation
public import MergewalkObjectContext
public import MergewalkObjectModel
public import MergewalkObjectStore

/// Apple's `NSPersistentStoreDescription`.
public final class NSPersistentStoreDescription {
  /// The store's path; in-memory stores have none.
  public var path: String?
  /// The type, such as ``NSSQLiteStoreType``; any other name is that of a custom store.
  public var type = NSSQLiteStoreType
  /// The configuration whose entities it has; `nil` for all.
  public var configuration: String?
  /// Whether it is opened read-only.
  public var isReadOnly = false
  /// Whether a store of another version of the model is migrated.
  public var shouldMigrateStoreAutomatically = true
  /// Whether the mapping between two versions is inferred.
  public var shouldInferMappingModelAutomatically = true

  /// The store's location as a file URL; `/dev/null` makes it an in-memory store, as used in tests.
  public var url: URL? {
    get { path.map { URL(fileURLWithPath: $0) } }
    set {
      path = newValue?.path
      if path == "/dev/null" { (path, type) = (nil, NSInMemoryStoreType) }
    }
  }
  /// Whether saves write history; set with ``setOption(_:forKey:)``.
  public private(set) var tracksHistory = false
  /// Whether the changes of others are posted; set with ``setOption(_:forKey:)``.
  public private(set) var postsRemoteChanges = false

  /// Describes the SQLite store at a path.
  public init(path: String) { self.path = path }

  /// Describes the SQLite store at a file URL.
  public convenience init(url: URL) {
    self.init()
    self.url = url
  }

  /// Sets an option: ``NSPersistentHistoryTrackingKey``, ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``,
  /// ``NSReadOnlyPersistentStoreOption`` and those of migration; others are ignored.
  public func setOption(_ option: NSObject?, forKey key: String) {
    let isOn = (option as? NSNumber)?.boolValue ?? false
    switch key {
    case NSPersistentHistoryTrackingKey: tracksHistory = isOn
    case NSPersistentStoreRemoteChangeNotificationPostOptionKey: postsRemoteChanges = isOn
    case NSReadOnlyPersistentStoreOption: isReadOnly = isOn
    case NSMigratePersistentStoresAutomaticallyOption: shouldMigrateStoreAutomatically = isOn
    case NSInferMappingModelAutomaticallyOption: shouldInferMappingModelAutomatically = isOn
    default: break
    }
  }

  /// Describes a store whose path and type are set later.
  public init() {}

  fileprivate var storeType: PersistentStoreType {
    [.sqlite, .inMemory, .xml, .binary].first { $0.name == type } ?? .custom(type)
  }
}

extension PersistentStoreCoordinator {
  /// Apple's initializer.
  public convenience init(managedObjectModel model: ManagedObjectModel) { self.init(model: model) }

  /// The model of its stores.
  public var managedObjectModel: ManagedObjectModel { model }
  /// The open stores.
  public var persistentStores: [PersistentStore] { stores }

  /// The ID for a URI; `nil` if it does not belong to an open store.
  public func managedObjectID(forURIRepresentation url: URL) -> ManagedObjectID? {
    objectID(forURI: url.absoluteString)
  }
}

/// Apple's `NSPersistentContainer`: one coordinator and its contexts, all on the thread that created them.
open class NSPersistentContainer {
  /// The container's name.
  public let name: String
  /// The model of its stores.
  public let managedObjectModel: ManagedObjectModel
  /// The coordinator, which opens the stores.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The stores that ``loadPersistentStores(completionHandler:)`` opens; `NAME.sqlite` in the working folder unless set.
  public var persistentStoreDescriptions: [NSPersistentStoreDescription]
  /// The context.
  public private(set) lazy var viewContext = newBackgroundContext()
  /// What posts the events of contexts that live, and of the last one.
  private(set) var postings: [ContextPosting] = []
  /// What posts the changes of others; `nil` until a description wants that.
  private var remoteChanges: ObservationToken?

  /// Creates a container whose stores are not open yet.
  public init(name: String, managedObjectModel: ManagedObjectModel) {
    self.name = name
    self.managedObjectModel = managedObjectModel
    persistentStoreCoordinator = PersistentStoreCoordinator(model: managedObjectModel)
    persistentStoreDescriptions = [NSPersistentStoreDescription(path: name + ".sqlite")]
  }

  /// Opens or creates the stores, and reports each.
  open func loadPersistentStores(completionHandler: (NSPersistentStoreDescription, (any Error)?) -> Void) {
    for description in persistentStoreDescriptions {
      var options = PersistentStoreOptions()
      options.isReadOnly = description.isReadOnly
      options.migratesAutomatically = description.shouldMigrateStoreAutomatically
      options.infersMapping = description.shouldInferMappingModelAutomatically
      options.tracksHistory = description.tracksHistory
      do throws(StoreError) {
        try persistentStoreCoordinator.addStore(
          type: description.storeType, at: description.path, configuration: description.configuration,
          options: options)
        if description.postsRemoteChanges, remoteChanges == nil {
          remoteChanges = persistentStoreCoordinator.postRemoteChanges()
        }
        completionHandler(description, nil)
      } catch { completionHandler(description, error) }
    }
  }

  /// Creates another context, on the same thread as all of them; for work on other threads, use `PersistentContainer`.
  open func newBackgroundContext() -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator: persistentStoreCoordinator)
    postings.removeAll { $0.context == nil }
    postings.append(ContextPosting(context: context, token: context.postNotifications()))
    return context
  }

  /// Runs work with a new context immediately, on this thread.
  open func performBackgroundTask<Value, Failure: Error>(
    _ block: (ManagedObjectContext) throws(Failure) -> Value
  ) throws(Failure) -> Value { try block(newBackgroundContext()) }
}

/// What posts the events of a context as notifications.
struct ContextPosting {
  weak var context: ManagedObjectContext?
  let token: ObservationToken
}
