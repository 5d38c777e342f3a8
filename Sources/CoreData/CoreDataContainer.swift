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

  /// The store's location as a file URL; `/dev/null` makes it an in-memory store, as used in tests.
  public var url: URL? {
    get { path.map { URL(fileURLWithPath: $0) } }
    set {
      path = newValue?.path
      if path == "/dev/null" { (path, type) = (nil, NSInMemoryStoreType) }
    }
  }

  /// The options by name: those of ``setOption(_:forKey:)``, and those behind the properties.
  public private(set) var options: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]
  /// Whether it is opened read-only.
  public var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
  }
  /// Whether a store of another version of the model is migrated.
  public var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set { options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
  }
  /// Whether the mapping between two versions is inferred.
  public var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
  }
  /// How long a statement waits for another connection, in seconds.
  public var timeout: TimeInterval {
    get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? PersistentStoreOptions().timeout }
    set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
  }
  /// SQLite's settings by name; set with ``setValue(_:forPragmaNamed:)``.
  public var sqlitePragmas: [String: NSObject] {
    (options[NSSQLitePragmasOption] as? NSDictionary) as? [String: NSObject] ?? [:]
  }
  /// Without effect: stores are open when ``NSPersistentContainer/loadPersistentStores(completionHandler:)`` returns.
  public var shouldAddStoreAsynchronously = false

  /// Describes the SQLite store at a path.
  public init(path: String) { self.path = path }

  /// Describes the SQLite store at a file URL.
  public convenience init(url: URL) {
    self.init()
    self.url = url
  }

  /// Sets an option, or removes it with `nil`; one that is not known is an error when the store is opened.
  public func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

  /// Sets or removes one of SQLite's settings; one that is not known is an error when the store is opened.
  public func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    options[NSSQLitePragmasOption] = pragmas.isEmpty ? nil : NSDictionary(dictionary: pragmas)
  }

  /// Describes a store whose path and type are set later.
  public init() {}

  private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
}

/// Apple's `NSPersistentContainer`: one coordinator and its contexts, all on the thread that created them.
open class NSPersistentContainer {
  /// The container's name.
  public let name: String
  /// The model of its stores.
  public let managedObjectModel: ManagedObjectModel
  /// The coordinator, which opens the stores.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The stores that ``loadPersistentStores(completionHandler:)`` opens; `NAME.sqlite` in ``defaultDirectoryURL()`` unless
  /// set.
  public var persistentStoreDescriptions: [NSPersistentStoreDescription]
  /// The context.
  public private(set) lazy var viewContext = newBackgroundContext()
  /// What posts the events of contexts that live, and of the last one.
  private(set) var postings: [ContextPosting] = []
  /// What posts the changes of others; `nil` until a description wants that.
  private var remoteChanges: ObservationToken?

  /// The folder of the store of a container without descriptions of its own: the working folder unless overridden.
  open class func defaultDirectoryURL() -> URL { URL(fileURLWithPath: ".", isDirectory: true) }

  /// Creates a container whose stores are not open yet.
  public init(name: String, managedObjectModel: ManagedObjectModel) {
    self.name = name
    self.managedObjectModel = managedObjectModel
    persistentStoreCoordinator = PersistentStoreCoordinator(model: managedObjectModel)
    persistentStoreDescriptions = []
    let folder = type(of: self).defaultDirectoryURL()
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.appendingPathComponent(name + ".sqlite"))]
  }

  /// Opens or creates the stores, and reports each.
  open func loadPersistentStores(completionHandler: (NSPersistentStoreDescription, (any Error)?) -> Void) {
    for description in persistentStoreDescriptions {
      do throws(StoreError) {
        let named = try StoreOptions(description.options, path: description.path ?? "")
        try persistentStoreCoordinator.addStore(
          description.type, description.configuration, description.path, named)
        if named.postsRemoteChanges, remoteChanges == nil {
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
