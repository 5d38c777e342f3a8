import CoreData
import MergewalkTestSupport
import Synchronization
import Testing

/// Notifications, history and stores of requests, as public Core Data code uses them.
@Suite("Core Data's notifications and requests")
struct CoreDataNotificationTests {
  private let folder = TemporaryFolder()
  private let model: NSManagedObjectModel
  private let container: NSPersistentContainer
  private var context: NSManagedObjectContext { container.viewContext }
  private var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

  init() throws {
    try folder.write("model: Notes\nentities:\n  Note:\n    attributes: { title: string }\n", to: "m.yaml")
    model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    container = try Self.container(model, folder.file("Notes.sqlite"))
    try add("first")
  }

  private static func container(
    _ model: NSManagedObjectModel, _ path: String, options: [String] = []
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
    let description = NSPersistentStoreDescription(path: path)
    for option in options + [NSPersistentHistoryTrackingKey] {
      description.setOption(true as NSNumber, forKey: option)
    }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  private func add(_ title: String) throws {
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    try note.setValue(title, forKey: "title")
    try context.save()
  }

  @Test("a merge is posted with its IDs, and the save of a context that is pinned with its generation")
  func merge() throws {
    let other = container.newBackgroundContext()
    let theirs = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
    other.setQueryGeneration(from: try coordinator.currentQueryGeneration())
    context.automaticallyMergesChangesFromParent = true
    let (receiver, sender) = (ObjectIdentifier(context), ObjectIdentifier(other))
    let updated = Mutex<[Set<NSManagedObjectID>]>([])
    let generations = Mutex(0)
    let token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { notification in
      guard let object = notification.object as? NSManagedObjectContext else { return }
      switch notification.name {
      case NSManagedObjectContext.didMergeChangesObjectIDsNotification where ObjectIdentifier(object) == receiver:
        let ids = notification.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
        updated.withLock { $0.append(ids) }
      case .NSManagedObjectContextDidSave where ObjectIdentifier(object) == sender,
        .NSManagedObjectContextDidSaveObjectIDs where ObjectIdentifier(object) == sender:
        if notification.userInfo?[NSManagedObjectContextQueryGenerationKey] is NSQueryGenerationToken {
          generations.withLock { $0 += 1 }
        }
      default: break
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try theirs.setValue("second", forKey: "title")
    try other.save()
    #expect(updated.withLock { $0 } == [[theirs.objectID]])
    #expect(generations.withLock { $0 } == 2)
  }

  @Test("history is selected by tokens, in the stores that a request names")
  func history() throws {
    let start = try #require(try coordinator.currentHistoryToken())
    try add("second")
    let selection = try #require(NSPersistentHistoryTransaction.fetchRequest)
    selection.predicate = NSPredicate(format: "token > %@ AND author == nil", start)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: selection)
    func read() throws -> [NSPersistentHistoryTransaction] {
      try #require(try context.execute(request).result as? [NSPersistentHistoryTransaction])
    }
    let found = try read()
    #expect(found.count == 1 && found.first?.changes?.count == 1)
    let end = try #require(found.first?.token)
    selection.predicate = NSPredicate(format: "token == %@", end)
    #expect(try read() == found)
    request.affectedStores = []
    #expect(try read().isEmpty)
    request.affectedStores = coordinator.persistentStores
    #expect(try read() == found)
    let foreign = try #require(
      NSPersistentHistoryToken(storeID: "00000000-0000-0000-0000-000000000000", transactionNumber: 1))
    selection.predicate = NSPredicate(format: "token > %@", foreign)
    let error = #expect(throws: StoreError.self) { try context.execute(request) }
    #expect(error?.code == .foreignHistoryToken)
  }

  @Test("requests work in the stores that they name")
  func affectedStores() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.affectedStores = coordinator.persistentStores
    #expect(try context.fetch(request).count == 1)
    request.affectedStores = []
    #expect(try context.count(for: request) == 0)
    let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note"))
    delete.resultType = .resultTypeCount
    delete.affectedStores = []
    #expect(try context.execute(delete).result as? Int == 0)
    delete.affectedStores = coordinator.persistentStores
    #expect(try context.execute(delete).result as? Int == 1)
  }

  @Test("what others wrote is posted with the end of the history, if a store wants that")
  func remoteChanges() throws {
    let path = folder.file("Notes.sqlite")
    let option = NSPersistentStoreRemoteChangeNotificationPostOptionKey
    let others = [try Self.container(model, path, options: [option]), try Self.container(model, path)]
    let coordinators = others.map(\.persistentStoreCoordinator)
    let places = coordinators.map { ObjectIdentifier($0) }
    let heard = Mutex<[(place: Int, end: String?)]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
    ) { notification in
      guard let object = notification.object as? NSPersistentStoreCoordinator,
        let place = places.firstIndex(of: ObjectIdentifier(object))
      else { return }
      let end = (notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)?.description
      heard.withLock { $0.append((place, end)) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try add("second")
    for coordinator in coordinators { coordinator.processRemoteChanges() }
    let posted = heard.withLock { $0 }
    #expect(posted.map(\.place) == [0])
    let end = try #require(try coordinator.currentHistoryToken())
    #expect(posted.first?.end == end.description)
  }
}
