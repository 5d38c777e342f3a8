@testable import CoreData
import MergewalkTestSupport
import Testing

/// What public Core Data code does beyond the first steps; Foundation comes with the import.
@Suite("Core Data's samples")
struct CoreDataSampleTests {
  private final class Item: NSManagedObject {
    @Managed("title") var title: String
    @Managed("category") var category: String
    @Managed("price") var price: Double
    @Managed("stock") var stock: Int32
    @Managed("added") var added: Date
    @Managed("isSold") var isSold: Bool
  }

  private let folder = TemporaryFolder()
  private let container: NSPersistentContainer
  private var context: NSManagedObjectContext { container.viewContext }

  init() throws {
    try folder.write(
      """
      model: Shop
      entities:
        Item:
          attributes:
            title: string
            category: string
            price: double
            stock: integer32
            added: date
            isSold: { type: boolean, default: false }
            code: uuid
            page: uri
            cost: decimal
      """, to: "m.yaml")
    let model = try NSManagedObjectModel(try ModelReader.read(folder.file("m.yaml")))
    try model.register([Item.self])
    container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: folder.file("Shop.sqlite")))
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  @discardableResult
  private func item(_ title: String, _ category: String, _ price: Double, _ stock: Int32 = 1) -> Item {
    let item = Item(context: context)
    (item.title, item.category, item.price, item.stock) = (title, category, price, stock)
    item.added = Date(timeIntervalSinceReferenceDate: price)
    return item
  }

  private func fill() throws {
    item("apple", "fruit", 2, 10)
    item("banana", "fruit", 1, 20)
    item("carrot", "vegetable", 3, 30)
    try context.save()
  }

  @Test("the greatest value is a dictionary's, as a number of any type")
  func greatest() throws {
    try fill()
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    let description = NSExpressionDescription()
    description.name = "maxStock"
    description.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "stock")])
    description.expressionResultType = .integer32AttributeType
    request.propertiesToFetch = [description]
    let result = try #require(try context.fetch(request).first)
    #expect(result["maxStock"] as? Int32 == 30)
    #expect(result["maxStock"] as? Int == 30)
  }

  @Test("groups have counts and sums")
  func groups() throws {
    try fill()
    let count = NSExpressionDescription()
    count.name = "count"
    count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
    count.resultType = .integer64AttributeType
    let total = NSExpressionDescription()
    total.name = "total"
    total.expression = try NSExpression(format: "sum:(price)")
    let request: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: "Item")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["category"]
    request.propertiesToFetch = ["category", count, total]
    request.havingPredicate = NSPredicate(format: "sum:(price) >= %f", 1.0)
    request.sortDescriptors = [NSSortDescriptor(key: "category", ascending: true)]
    let rows = try #require(try context.fetch(request) as? [[String: Any]])
    #expect(rows.map { $0["category"] as? String } == ["fruit", "vegetable"])
    #expect(rows.map { $0["count"] as? Int } == [2, 1])
    #expect(rows.map { $0["total"] as? Double } == [3, 3])
    let distinct = NSFetchRequest<NSDictionary>()
    distinct.entity = NSEntityDescription.entity(forEntityName: "Item", in: context)
    distinct.propertiesToFetch = ["category"]
    distinct.returnsDistinctResults = true
    #expect(Set(try context.fetch(distinct).compactMap { $0["category"] as? String }) == ["fruit", "vegetable"])
  }

  @Test("requests give IDs, counts and objects by their result type; others than the request's type are an error")
  func resultTypes() throws {
    try fill()
    let request: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: "Item")
    request.predicate = NSPredicate(
      format: "added >= %@ AND price < %@ AND isSold == %@", NSDate(timeIntervalSinceReferenceDate: 2),
      NSNumber(value: 3), NSNumber(value: false))
    request.resultType = .managedObjectIDResultType
    let ids = try #require(try context.fetch(request) as? [NSManagedObjectID])
    request.resultType = .countResultType
    #expect(try context.fetch(request).first as? NSNumber == 1)
    request.resultType = .managedObjectResultType
    #expect(try context.fetch(request).compactMap { ($0 as? Item)?.objectID } == ids)
    #expect(try context.fetch(NSFetchRequest<NSNumber>(entityName: "Item")) == [3])
    let typed = NSFetchRequest<Item>(entityName: "Item")
    typed.predicate = NSPredicate(format: "title IN %@", argumentArray: [["apple", "carrot"]])
    #expect(try context.fetch(typed).count == 2)
    typed.resultType = .dictionaryResultType
    let error = #expect(throws: ObjectError.self) { try context.fetch(typed) }
    #expect(error?.code == .wrongClass)
  }

  @Test("an ID goes through a URL and back")
  func uri() throws {
    try fill()
    let request = NSFetchRequest<Item>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let apple = try #require(try context.fetch(request).first)
    let url = apple.objectID.uriRepresentation()
    #expect(url.absoluteString == apple.objectID.uri)
    let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url))
    #expect(try context.existingObject(with: id) === apple)
    let stranger = try #require(URL(string: "x-coredata://nobody/Item/p1"))
    #expect(container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: stranger) == nil)
  }

  private final class Listener: NSFetchedResultsControllerDelegate {
    var heard: [String] = []
    var hears: (NSFetchedResultsController<any NSFetchRequestResult>) -> Void = { _ in }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      heard.append("begin")
    }
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) { heard.append("\(type) section \(sectionIndex) \(sectionInfo.name)") }
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      func text(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }
      heard.append("\(type) \(text(indexPath)) \(text(newIndexPath))")
    }
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      heard.append("end")
      hears(controller)
    }
  }

  @Test("a results controller has sections, and tells its delegate what a save changed")
  func resultsController() throws {
    try fill()
    let request = NSFetchRequest<Item>(entityName: "Item")
    request.sortDescriptors = [
      NSSortDescriptor(key: "category", ascending: true), NSSortDescriptor(key: "title", ascending: true),
    ]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "category", cacheName: nil)
    #expect(controller.fetchedObjects == nil && controller.sections == nil)
    let listener = Listener()
    controller.delegate = listener
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["fruit", "vegetable"])
    #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
    #expect(controller.sectionIndexTitles == ["F", "V"])
    let banana = controller.object(at: IndexPath(row: 1, section: 0))
    #expect(banana.title == "banana" && controller.indexPath(forObject: banana) == IndexPath(item: 1, section: 0))
    banana.stock = 5
    item("elder", "herb", 4)
    try context.delete(controller.object(at: IndexPath(row: 0, section: 1)))
    var isSame = false
    listener.hears = { isSame = controller == $0 && $0.fetchedObjects?.count == 3 }
    try context.save()
    #expect(
      listener.heard == [
        "begin", "delete section 1 vegetable", "insert section 1 herb", "delete 1.0 -", "insert - 1.0",
        "update 0.1 0.1", "end",
      ])
    #expect(isSame && controller.fetchedObjects?.map(\.title) == ["apple", "banana", "elder"])
    listener.heard = []
    banana.title = "aa"
    try context.processPendingChanges()
    #expect(listener.heard.count == 3 && listener.heard[1].hasPrefix("move 0."))
    controller.delegate = nil
    try context.save()
    #expect(controller.fetchedObjects?.first === banana)
  }

  @Test("batches insert, update and delete, with dictionaries, and say what they did")
  func batches() throws {
    let rows: [[String: Any]] = [
      ["title": "a", "category": "x", "price": 1, "stock": Int16(3), "isSold": true, "page": "https://example.org"],
      ["title": "b", "category": "x", "price": 2.5, "stock": 4, "code": UUID(), "added": Date(), "cost": Decimal(7)],
    ]
    let insert = NSBatchInsertRequest(entityName: "Item", objects: rows)
    insert.resultType = .statusOnly
    #expect(try context.execute(insert).result as? Bool == true)
    var number = 0
    let more = NSBatchInsertRequest(entityName: "Item") { (row: NSMutableDictionary) in
      guard number < 3 else { return true }
      row.addEntries(from: ["title": "more \(number)", "category": "y", "price": 1.5, "stock": number])
      number += 1
      return false
    }
    #expect(try context.execute(more).insertedObjectIDs.isEmpty)
    let update = NSBatchUpdateRequest(entityName: "Item")
    update.predicate = NSPredicate(format: "category == %@", "y")
    update.propertiesToUpdate = ["isSold": true, "stock": try NSExpression(format: "stock + 10"), "price": 9]
    update.resultType = .updatedObjectsCountResultType
    #expect(try context.execute(update).result as? Int == 3)
    let sold = NSFetchRequest<Item>(entityName: "Item")
    sold.predicate = NSPredicate(format: "isSold == %@ AND stock >= %d", true, 10)
    #expect(try context.count(for: sold) == 3)
    let delete = NSBatchDeleteRequest(fetchRequest: sold)
    delete.resultType = .resultTypeObjectIDs
    let ids = try #require(try context.execute(delete).result as? [NSManagedObjectID])
    #expect(ids.count == 3)
    let changes: [AnyHashable: Any] = [NSDeletedObjectsKey: ids]
    try NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
    #expect(try context.count(for: NSFetchRequest<Item>(entityName: "Item")) == 2)
    let wrong = NSBatchInsertRequest(entityName: "Item", objects: [["titel": "a"]])
    #expect(throws: BatchError.self) { try context.execute(wrong) }
    let strange = NSBatchInsertRequest(entityName: "Item", objects: [["title": folder]])
    #expect(throws: BatchError.self) { try context.execute(strange) }
  }

  @Test("history is read through the context, filtered, merged and forgotten")
  func history() throws {
    context.transactionAuthor = "me"
    try fill()
    let other = container.newBackgroundContext()
    other.transactionAuthor = "them"
    let theirs = try #require(
      try other.fetch(NSFetchRequest<Item>(entityName: "Item")).first { $0.title == "apple" })
    let mine = try #require(try context.existingObject(with: theirs.objectID) as? Item)
    #expect(mine.title == "apple")
    theirs.title = "apricot"
    try other.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let fetchRequest = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetchRequest.predicate = NSPredicate(format: "author != %@", "me")
    request.fetchRequest = fetchRequest
    let transactions = try #require(try context.execute(request).result as? [NSPersistentHistoryTransaction])
    #expect(transactions.map(\.author) == ["them"])
    for transaction in transactions { try context.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
    #expect(mine.title == "apricot")
    request.resultType = .count
    #expect(try context.execute(request).result as? Int == 1)
    try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
    let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
    #expect((try context.execute(all).result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
  }

  @Test("contexts of a container post notifications with objects, which other contexts merge")
  func notifications() throws {
    try fill()
    let other = container.newBackgroundContext()
    let theirs = try #require(try other.fetch(NSFetchRequest<Item>(entityName: "Item")).first)
    let mine = try #require(try context.existingObject(with: theirs.objectID) as? Item)
    let before = mine.title
    // Foundation has the closure sendable, for queues; without one it is called where the context saves.
    nonisolated(unsafe) var titles: [String] = []
    nonisolated(unsafe) let context = context
    nonisolated(unsafe) let sender = other
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { notification in
      guard notification.object as? NSManagedObjectContext === sender else { return }
      titles += (notification.userInfo?[NSUpdatedObjectsKey] as? Set<Item>)?.map(\.title) ?? []
      #expect(throws: Never.self) { try context.mergeChanges(fromContextDidSave: notification) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    theirs.title = "new"
    #expect(mine.title == before)
    try other.save()
    #expect(titles == ["new"] && mine.title == "new")
  }

  @Test("the contexts of background tasks leave nothing behind in their container")
  func manyTasks() {
    for _ in 0..<50 { container.performBackgroundTask { _ in } }
    #expect(container.postings.count <= 2)
  }

  @Test("work is done at once")
  func performNow() {
    context.perform { item("a", "b", 1) }
    #expect(context.insertedObjects.count == 1)
  }

  @Test("work is done at once, with errors as they are")
  func perform() async throws {
    let context = context
    item("a", "b", 1)
    let count = try await context.perform { try context.count(for: NSFetchRequest<Item>(entityName: "Item")) }
    #expect(count == 1)
    let scheduled = try await context.perform(schedule: .immediate) {
      try context.count(for: NSFetchRequest<Item>(entityName: "Item"))
    }
    #expect(scheduled == 1)
    let made = try container.performBackgroundTask { context throws -> NSManagedObjectID in
      let item = Item(context: context)
      (item.title, item.category) = ("x", "y")
      try context.save()
      return item.objectID
    }
    #expect(!made.isTemporaryID)
    let isApple = NSPredicate(format: "title == 'a'")
    #expect(try context.insertedObjects.allSatisfy { try isApple.evaluate(with: $0) })
  }
}
