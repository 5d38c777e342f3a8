import CoreData
import MergewalkTestSupport
import Testing

/// Stores by URLs and with dictionaries of options, as Core Data's code opens, moves and removes them.
@Suite("Core Data's coordinator")
struct CoreDataCoordinatorTests {
  private let folder = TemporaryFolder()
  private let model: NSManagedObjectModel

  init() throws {
    try folder.write(
      """
      model: Notes
      entities:
        Note: { attributes: { title: string, stars: integer16 } }
      """, to: "m.yaml")
    model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
  }

  private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

  private func titles(_ coordinator: NSPersistentStoreCoordinator) throws -> [AttributeValue] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    return try NSManagedObjectContext(coordinator: coordinator).fetch(request).map { try $0.value(forKey: "title") }
  }

  @Test("a store is opened, found, copied, moved to another type and removed")
  func life() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
      NSPersistentHistoryTrackingKey: true as NSNumber, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
      NSPersistentStoreTimeoutOption: 1,
    ]
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url("a.sqlite"), options: options)
    #expect(
      coordinator.persistentStore(for: url("a.sqlite")) === store && coordinator.url(for: store) == url("a.sqlite"))
    let context = NSManagedObjectContext(coordinator: coordinator)
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    try note.setValue("first", forKey: "title")
    try context.save()
    #expect(try coordinator.currentPersistentHistoryToken(fromStores: nil) == store.currentHistoryToken())
    #expect(try coordinator.currentPersistentHistoryToken(fromStores: []) == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.file("a.sqlite-wal")))

    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url("a.sqlite"), options: nil)
    #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    let other = try NSManagedObjectModel(ModelDraft(name: "Other", hierarchies: [.entity("Other")]))
    #expect(!other.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))

    try coordinator.replacePersistentStore(
      at: url("b.sqlite"), destinationOptions: nil, withPersistentStoreFrom: url("a.sqlite"), sourceOptions: nil,
      ofType: NSSQLiteStoreType)
    let copy = NSPersistentStoreCoordinator(managedObjectModel: model)
    try copy.addPersistentStore(type: .sqlite, at: url("b.sqlite"))
    #expect(try titles(copy) == [.string("first")])
    let xml = try copy.migratePersistentStore(
      try #require(copy.persistentStores.first), to: url("c.xml"), options: nil, withType: NSXMLStoreType)
    #expect(xml.type == .xml && xml.url == url("c.xml"))
    let wrong: [AnyHashable: Any] = [NSSQLitePragmasOption: ["page_size": 512]]
    #expect(throws: StoreError.self) {
      try copy.migratePersistentStore(xml, to: url("d.sqlite"), options: wrong, type: .sqlite)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("d.sqlite")))
    #expect(try titles(copy) == [.string("first")])
    try copy.destroyPersistentStore(at: url("b.sqlite"), ofType: NSSQLiteStoreType, options: nil)
    #expect(!FileManager.default.fileExists(atPath: folder.file("b.sqlite")))
    try copy.close()
    try coordinator.close()
  }

  @Test(
    "an option that is not known, or has a wrong value, is an error",
    arguments: [
      ["NSPersistentStoreFileProtectionKey": "complete"], [NSReadOnlyPersistentStoreOption: "yes"],
      [NSPersistentStoreTimeoutOption: "soon"], [NSSQLitePragmasOption: "WAL"],
      [NSSQLitePragmasOption: ["page_size": "512"]] as [String: any Sendable],
      [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true],
    ] as [[String: any Sendable]])
  func wrongOptions(_ options: [String: any Sendable]) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = #expect(throws: StoreError.self) {
      try coordinator.addPersistentStore(type: .sqlite, at: url("a.sqlite"), options: options)
    }
    #expect(error?.code == .invalidOption)
    #expect(coordinator.persistentStores.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.file("a.sqlite")))
  }

  @Test("a description has options and pragmas; an unknown one is what loading reports")
  func descriptions() throws {
    let description = NSPersistentStoreDescription(url: url("a.sqlite"))
    #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
    #expect(!description.isReadOnly)
    description.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
    #expect(description.isReadOnly)
    description.isReadOnly = false
    description.timeout = 3
    #expect(description.options[NSPersistentStoreTimeoutOption] == NSNumber(value: 3))
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    #expect(description.sqlitePragmas == ["journal_mode": "DELETE" as NSString])
    description.setOption("complete" as NSString, forKey: "NSPersistentStoreFileProtectionKey")
    var errors: [(any Error)?] = []
    func load() {
      let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
      container.persistentStoreDescriptions = [description]
      container.loadPersistentStores { errors.append($1) }
    }
    load()
    #expect((errors.last as? StoreError)?.code == .invalidOption)
    description.setOption(nil, forKey: "NSPersistentStoreFileProtectionKey")
    load()
    #expect(errors.count == 2 && errors[1] == nil)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    coordinator.addPersistentStore(with: description) { errors.append($1) }
    #expect(errors.count == 3 && errors[2] == nil && coordinator.persistentStores.count == 1)
  }

  private final class GroupContainer: NSPersistentContainer {
    override class func defaultDirectoryURL() -> URL { URL(fileURLWithPath: "/group", isDirectory: true) }
  }

  @Test("the store of a container without descriptions is in its class's folder")
  func defaultFolder() {
    let group = GroupContainer(name: "Notes", managedObjectModel: model)
    #expect(group.persistentStoreDescriptions.map(\.url) == [URL(fileURLWithPath: "/group/Notes.sqlite")])
    let plain = NSPersistentContainer(name: "Notes", managedObjectModel: model)
    let path = plain.persistentStoreDescriptions[0].path ?? ""
    #expect(URL(fileURLWithPath: path) == URL(fileURLWithPath: "Notes.sqlite").absoluteURL)
  }

  @Test("templates, comparisons and variables; an asynchronous request calls its block")
  func requests() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(coordinator: coordinator)
    for stars in 1...3 {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      try note.setPrimitiveValue(Int16(stars), forKey: "stars")
    }
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.predicate = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "stars"), rightExpression: NSExpression(forConstantValue: [1, 3]),
      modifier: .direct, type: .in)
    var found: Int?
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { found = $0.finalResult?.count }
    try context.execute(asynchronous)
    #expect(found == 2)
    let template = NSPredicate(format: "stars >= $LEAST AND title == $TITLE")
    let bound = template.withSubstitutionVariables(["LEAST": 2, "TITLE": "a"])
    #expect(try bound.evaluate(with: ["stars": 2, "title": "a"]))
    #expect(try !bound.evaluate(with: ["stars": 1, "title": "a"]))
    #expect(try model.fetchRequestTemplate(forName: "none") == nil)
  }
}
