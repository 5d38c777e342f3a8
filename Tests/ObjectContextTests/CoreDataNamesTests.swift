import CoreData
import MergewalkTestSupport
import Testing

/// Code in the style of Apple's samples, under Apple's names.
@Suite("Core Data's names")
struct CoreDataNamesTests {
  private final class DataController {
    let container: NSPersistentContainer

    init(path: String, model: NSManagedObjectModel) {
      container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(path: path)]
      container.loadPersistentStores { description, error in
        if let error { fatalError("Unresolved error \(error) of \(description)") }
      }
    }

    func saveContext() throws {
      let context = container.viewContext
      if context.hasChanges { try context.save() }
    }
  }

  @Test("a container opens a store, objects are inserted, fetched, counted and deleted")
  func sample() throws {
    let folder = TemporaryFolder()
    try folder.write(
      "model: Notes\nentities:\n  Note:\n    attributes: { title: string, stars: integer16 }\n", to: "m.yaml")
    let model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    let controller = DataController(path: folder.file("Notes.sqlite"), model: model)
    let context = controller.container.viewContext
    for (title, stars) in [("first", 1), ("second", 5), ("third", 5)] {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      try note.setValue(.string(title), forKey: "title")
      try note.setValue(.integer(Int64(stars)), forKey: "stars")
    }
    try controller.saveContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.predicate = NSPredicate(format: "stars >= %@", 5)
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    #expect(try context.fetch(request).map { try $0.value(forKey: "title") } == [.string("third"), .string("second")])
    request.fetchLimit = 1
    #expect(try context.fetch(request).count == 1)
    let all = NSFetchRequest<NSManagedObject>(entityName: "Note")
    try context.delete(try #require(try context.fetch(all).first))
    try controller.saveContext()
    #expect(try context.count(for: all) == 2)
    let one = NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate(format: "stars > 0"),
        NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "stars == 5")),
      ])
    all.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [one, NSPredicate(format: "title == 'third'")])
    #expect(try context.fetch(all).count == 1)
    _ = try context.execute(NSBatchDeleteRequest(fetchRequest: all))
    all.predicate = nil
    #expect(try context.count(for: all) == 1)
    #expect(NSEntityDescription.entity(forEntityName: "Note", in: context)?.name == "Note")
    #expect(NSEntityDescription.entity(forEntityName: "Notes", in: context) == nil)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    #expect(NSPersistentStoreCoordinator(managedObjectModel: model).stores.isEmpty)
    #expect(NSPredicate(format: "title == nil").predicateFormat == "title == nil")
  }

  private final class Stack: NSPersistentContainer {
    func saveContext(backgroundContext: NSManagedObjectContext? = nil) throws {
      let context = backgroundContext ?? viewContext
      if context.hasChanges { try context.save() }
    }
  }

  private final class Note: NSManagedObject {
    @Managed("title") var title: String
    var insertions = 0

    override func awakeFromInsert() { insertions += 1 }
  }

  @Test("a container of one's own keeps a store in memory; initializers insert; requests find any objects, and IDs")
  func moreSamples() throws {
    let folder = TemporaryFolder()
    try folder.write("model: Notes\nentities:\n  Note:\n    attributes: { title: string }\n", to: "m.yaml")
    let model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    try model.register([Note.self])
    let stack = Stack(name: "Notes", managedObjectModel: model)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    stack.persistentStoreDescriptions = [description]
    stack.loadPersistentStores { description, error in #expect(error == nil, "\(description)") }
    #expect(stack.persistentStoreCoordinator.persistentStores.map(\.type) == [.inMemory])
    let context = stack.newBackgroundContext()
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    let note = try context.performAndWait { () throws(ObjectError) in
      let note = Note(context: context)
      try note.setValue("first", forKey: "title")
      return note
    }
    #expect(note.insertions == 1 && note.isInserted && note.objectID.isTemporaryID)
    #expect(note.managedObjectContext === context && context.insertedObjects.first === note)
    #expect(try context.object(with: note.objectID) === note)
    try stack.saveContext(backgroundContext: context)
    let request: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: "Note")
    request.predicate = NSCompoundPredicate(
      type: .and, subpredicates: [NSPredicate(format: "%K == %@", "title", "first"), NSPredicate(value: true)])
    let notes = try #require(try context.fetch(request) as? [Note])
    #expect(notes.map(\.title) == ["first"] && notes.first === note)
    #expect(try context.fetch(NSFetchRequest<NSManagedObjectID>(entityName: "Note")) == [note.objectID])
    request.predicate = NSCompoundPredicate(type: .not, subpredicates: [NSPredicate(value: true)])
    #expect(try context.count(for: request) == 0)
    #expect(model.entitiesByName["Note"]?.attributesByName.keys.sorted() == ["title"])
    try context.delete(note)
    context.rollback()
    let gone = Note(context: context)
    context.rollback()
    #expect(!gone.isValid && gone.managedObjectContext == nil)
  }

  @Test("what a batch deletes is merged into a context, and history tells of it")
  func batchSample() throws {
    let folder = TemporaryFolder()
    try folder.write("model: Notes\nentities:\n  Note:\n    attributes: { title: string }\n", to: "m.yaml")
    let model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let store: NSPersistentStore = try coordinator.addStore(
      type: .sqlite, at: folder.file("Notes.sqlite"), options: options)
    let context = NSManagedObjectContext(coordinator: coordinator)
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    try context.save()
    let start: NSPersistentHistoryToken = try store.currentHistoryToken()
    let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note"))
    request.resultType = .resultTypeObjectIDs
    let result: NSBatchDeleteResult = try context.execute(request)
    #expect(result.deletedObjectIDs == [note.objectID] && !note.isDeleted)
    try NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result.deletedObjectIDs], into: [context])
    #expect(note.isDeleted)
    let history = try store.history(NSPersistentHistoryChangeRequest.fetchHistory(after: start))
    let transaction: NSPersistentHistoryTransaction = try #require(try history.next())
    #expect(transaction.objectIDs(of: .delete) == result.deletedObjectIDs)
  }
}
