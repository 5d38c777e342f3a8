import CoreData
import MergewalkTestSupport
import Testing

/// Small programs as servers and widgets have them: requests in flight, batches, history, results that follow.
@Suite("Programs: servers, batches, history")
struct ServerPrograms {
  private let folder = TemporaryFolder()

  private func tracked(_ model: ManagedObjectModel) throws -> (PersistentStoreCoordinator, PersistentStore) {
    let coordinator = PersistentStoreCoordinator(model: model)
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    return (coordinator, try coordinator.addStore(type: .sqlite, at: folder.file("s.sqlite"), options: options))
  }

  private func verify(_ coordinator: PersistentStoreCoordinator) throws {
    try coordinator.close()
    let report = try StoreVerifier.verify(path: folder.file("s.sqlite"), model: ConflictModels.shop())
    #expect(report.findings.filter { $0.severity != .note }.map(\.message) == [])
  }

  private func fill(_ context: ManagedObjectContext, _ count: Int) throws {
    for number in 0..<count {
      let shop = try context.make("Shop", ["name": .string("s\(number)")])
      for place in 0..<3 {
        let item = try context.make(
          "Item", ["code": .string("\(number).\(place)"), "name": .string("n\(place)"), "amount": .integer(1)])
        try item.setObject(shop, forKey: "shop")
      }
    }
    try context.save()
  }

  @Test("a batch delete reaches a results controller by history, with its sections, and a second time changes nothing")
  func batchDeleteByHistory() throws {
    let (coordinator, store) = try tracked(try ConflictModels.shop())
    let (view, worker) = (
      ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator)
    )
    worker.transactionAuthor = "worker"
    try fill(view, 3)
    let request = FetchRequest("Item", sortedBy: [ObjectSortDescriptor("name"), ObjectSortDescriptor("code")])
    let results = try FetchedResults(request, in: view, sectionKeyPath: "name")
    var heard: [FetchedResults.Changes] = []
    results.onChange = { if case .success(let changes) = $0 { heard.append(changes) } }
    let token = try store.currentHistoryToken()
    // One of those that go has unsaved changes here, and an undo step.
    view.undoManager = UndoManager()
    let edited = try #require(try view.fetch("Item", where: ["code": .string("0.1")]).first)
    try edited.setValue(.string("mine"), forKey: "note")
    try view.processPendingChanges()
    heard = []
    var deletion = BatchDeleteRequest(FetchRequest("Item", where: try ObjectPredicate(format: "name == 'n1'")))
    deletion.resultType = .count
    let deleted = try worker.execute(deletion)
    #expect(deleted.deletedCount == 3)
    guard case .transactions(let found) = try store.execute(.fetchHistory(after: token)) else { return }
    #expect(found.map { $0.author } == ["worker"])
    for _ in 0..<2 {
      for transaction in found { try view.mergeChanges(from: transaction) }
    }
    #expect(results.sections.map(\.value) == [.string("n0"), .string("n2")])
    #expect(heard.count == 1 && heard.first?.deleted.count == 3 && heard.first?.deletedSections == [1])
    #expect(edited.isDeleted || !edited.isValid)
    try view.undo()
    try view.save()
    let shop = try #require(try view.fetch("Shop", where: ["name": .string("s0")]).first)
    #expect(try shop.objects(forKey: "items").count == 2)
    try verify(coordinator)
  }

  @Test("others save and are merged while a fetch is between two portions")
  func mergeWhileFetching() async throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    try fill(context, 20)
    let other = place.anotherContext()
    let token = other.observe(.didSave) { event in
      #expect(throws: Never.self) { try context.mergeChanges(from: event) }
    }
    var (codes, gone) = ([String](), 0)
    var number = 0
    let request = FetchRequest("Item", sortedBy: [ObjectSortDescriptor("code")])
    for try await portion in context.asyncFetch(request, portion: 7) {
      let victims = try other.fetch("Item", where: ["name": .string("n\(number % 3)")])
      if let first = victims.first { try other.delete(first) }
      if let last = victims.last, victims.count > 1 { try last.setValue(.string("changed"), forKey: "note") }
      _ = try other.make("Item", ["code": .string("z\(number)"), "name": .string("new")])
      try other.save()
      number += 1
      for object in portion.objects {
        if object.isDeleted || !object.isValid { gone += 1 } else { codes += [object].names("code") }
      }
    }
    token.cancel()
    #expect(number == 9 && codes.count + gone >= 60 - 9 && gone <= 9)
    #expect(Set(codes).count == codes.count)
    #expect(try context.count("Item") == 60)
    #expect(try Set(context.fetchAll("Item").names("code")).count == 60)
    try place.verify()
  }

  @Test("a stream of a container gives one moment's objects while a writer deletes and inserts")
  func streamWhileWriting() async throws {
    let container = try await PersistentContainer.open(
      try ConflictModels.shop(), at: folder.file("c.sqlite"), readers: 2)
    try await container.write { context in try fill(context, 20) }
    var codes: [String] = []
    let request = FetchRequest("Item", sortedBy: [ObjectSortDescriptor("code")])
    let stream = container.stream(request, portion: 10) { object in [object].names("code").first ?? "" }
    for try await code in stream {
      codes.append(code)
      guard codes.count % 20 == 1 else { continue }
      let number = codes.count
      try await container.write { context in
        for item in try context.fetch("Item", where: ["name": .string("n2")]) { try context.delete(item) }
        _ = try context.make("Item", ["code": .string("9\(number)"), "name": .string("n2")])
      }
    }
    #expect(codes.count == 60 && codes == codes.sorted())
    #expect(try await container.read { context in try context.count("Item") } == 41)
    try await container.close()
  }

  @Test("background contexts and the view context of a container: saved there, merged here, edited in both")
  func backgroundEdits() async throws {
    let container = try await PersistentContainer.open(try ConflictModels.shop(), at: folder.file("b.sqlite"))
    try await container.write { context in try fill(context, 2) }
    let view = container.viewContext
    await view.perform { context in
      context.automaticallyMergesChangesFromParent = true
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.undoManager = UndoManager()
    }
    let id = try await view.perform { context in
      let item = try #require(try context.fetch("Item", where: ["code": .string("1.1")]).first)
      try item.setValue(.string("view"), forKey: "name")
      return item.objectID
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          await #expect(throws: Never.self) {
            try await container.performBackgroundTask { context in
              context.mergePolicy = .mergeByPropertyObjectTrump
              let item = try context.object(with: id)
              try item.setValue(.string("background \(number)"), forKey: "note")
              _ = try context.make("Tag", ["title": .string("\(number)")]).add(item, to: "items")
              try context.save()
            }
          }
        }
      }
    }
    let seen = try await view.perform { context in
      let item = try context.object(with: id)
      let before = (try item["name"], try item.objects(forKey: "tags").count)
      try context.save()
      return [before.0, .integer(Int64(before.1))]
    }
    #expect(seen == [.string("view"), .integer(8)])
    let tags = try await container.read { context in try context.object(with: id).objects(forKey: "tags").count }
    #expect(tags == 8)
    try await view.perform { context in
      while context.undoManager?.canUndo ?? false { try context.undo() }
      try context.save()
    }
    let name = try await container.read { context in try context.object(with: id)["name"] }
    #expect(name == .string("n1"))
    try await container.close()
    #expect(try StoreVerifier.verify(path: folder.file("b.sqlite"), model: ConflictModels.shop()).findings.isEmpty)
  }

  @Test("a batch insert at a unique value, a batch update and a pending object of the same code, then the save")
  func batchBesidePending() throws {
    let (coordinator, _) = try tracked(try ConflictModels.shop())
    let context = ManagedObjectContext(coordinator: coordinator)
    try fill(context, 1)
    let pending = try context.make("Item", ["code": .string("new"), "name": .string("mine")])
    let insert = NSBatchInsertRequest(
      entityName: "Item", objects: [["code": "new", "name": "batch", "amount": 5], ["code": "other", "amount": 6]])
    insert.resultType = .objectIDs
    let ids = try #require(try context.execute(insert).result as? [NSManagedObjectID])
    #expect(ids.count == 2)
    try ManagedObjectContext.mergeChanges(fromRemoteContextSave: [.inserted: ids], into: [context])
    #expect(saveError { try context.save() }?.code == .constraint)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(pending.objectID == ids[0])
    #expect(try pending["name"] == .string("mine") && pending["amount"] == .integer(5))
    #expect(try context.count("Item") == 5)
    try verify(coordinator)
  }

  @Test("results of a child follow its parent's merges, its own saves, an undo in the parent and a rollback")
  func resultsOfChild() throws {
    let place = try Workplace(try ConflictModels.shop())
    let parent = place.context
    try fill(parent, 2)
    parent.undoManager = UndoManager()
    let child = ManagedObjectContext(parent: parent)
    child.automaticallyMergesChangesFromParent = true
    let request = FetchRequest("Item", sortedBy: [ObjectSortDescriptor("name"), ObjectSortDescriptor("code")])
    let results = try FetchedResults(request, in: child, sectionKeyPath: "name")
    results.onChange = { _ in }
    func layout() -> String {
      results.sections.map { section in
        "\(section.value):" + results.objects[section.range].map { $0 }.names("code").joined(separator: ",")
      }.joined(separator: " ")
    }
    let before = layout()
    let moved = try #require(results.objects.first)
    try moved.setValue(.string("n9"), forKey: "name")
    try child.processPendingChanges()
    #expect(results.sections.count == 4)
    try child.save()
    try parent.save()
    try parent.undo()
    try parent.save()
    try child.refreshAllObjects()
    _ = try results.update()
    #expect(layout() == before)
    try child.delete(moved)
    try child.processPendingChanges()
    #expect(results.objects.count == 5)
    child.rollback()
    #expect(layout() == before)
    let other = place.anotherContext()
    try other.delete(try other.own(moved))
    let token = other.observe(.didSave) { event in
      #expect(throws: Never.self) { try parent.mergeChanges(from: event) }
    }
    try other.save()
    token.cancel()
    _ = try results.update()
    #expect(results.objects.count == 5 && results.sections.map(\.range.count) == [1, 2, 2])
    try place.verify()
  }

  @Test(
    "a pinned context reads its moment through relationships, aggregates and a refresh, while batches change the store")
  func pinnedMoment() throws {
    let (coordinator, _) = try tracked(try ConflictModels.shop())
    let (context, other) = (
      ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator)
    )
    try fill(context, 2)
    context.reset()
    context.setQueryGeneration(from: try coordinator.currentQueryGeneration())
    #expect(try context.count("Item") == 6)
    _ = try other.execute(BatchDeleteRequest(FetchRequest("Item", where: try ObjectPredicate(format: "name == 'n0'"))))
    _ = try other.execute(BatchUpdateRequest("Item", set: ["amount": 7]))
    let shop = try #require(try context.fetch("Shop", where: ["name": .string("s0")]).first)
    #expect(try shop.objects(forKey: "items").map { try $0["amount"] } == [.integer(1), .integer(1), .integer(1)])
    let item = try #require(try shop.objects(forKey: "items").first { try $0["name"] == .string("n0") })
    try context.refreshAllObjects()
    #expect(try item["amount"] == .integer(1))
    var request = FetchRequest("Shop", where: try ObjectPredicate(format: "items.@sum.amount == 3"))
    #expect(try context.fetch(request).count == 2 && context.count(for: request) == 2)
    // Writing needs the present.
    try item.setValue(.string("late"), forKey: "note")
    #expect(saveError { try context.save() }?.code == .conflict)
    context.rollback()
    context.setQueryGeneration(from: nil)
    try context.refreshAllObjects()
    request.predicate = try ObjectPredicate(format: "items.@sum.amount == 14")
    #expect(try context.fetch(request).count == 2)
    #expect(try shop.objects(forKey: "items").count == 2)
    #expect(objectErrorCode { _ = try item["note"] } == .notFound)
    try coordinator.close()
  }
}
