import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// Small programs as people write them for Core Data, with what its documentation says about the life of objects, from
/// their insertion to their migration.
@Suite("Programs: life of objects, children, history, migration")
struct LifePrograms {
  @Test("awakeFromInsert is called once in an object's life, also when its insertion is undone and redone")
  func awakesOnce() throws {
    let place = try Workplace.staffed()
    place.context.undoManager = UndoManager()
    let log = CallLog()
    Worker.log = log
    defer { Worker.log = nil }
    let worker = try place.context.insert(Worker.self)
    try worker.setPrimitiveValue(.string("baseline"), forKey: "name")
    try place.context.undo()
    #expect(!worker.isValid || worker.isDeleted)
    try place.context.redo()
    #expect(worker.isInserted && worker.name == "baseline")
    #expect(log.count("awakeFromInsert") == 1 && log.count("awakeFromFetch") == 0)
    #expect(log.calls.contains { $0.hasPrefix("snapshot") })
    try place.context.save()
    #expect(try place.anotherContext().count("Worker") == 1)
  }

  @Test("undo() closes the one open group and undoes it; it refuses when groups are nested")
  func undoClosesGroup() throws {
    let garden = try Garden()
    let (context, manager) = (garden.context, garden.manager)
    let node = try garden.insert("Node")
    try context.save()
    manager.removeAllActions()
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    try node.setValue(.string("one"), forKey: "text")
    #expect(manager.groupingLevel == 1 && manager.canUndo)
    try context.undo()
    #expect(try node["text"] == .null && manager.groupingLevel == 0 && manager.canRedo)
    try context.redo()
    #expect(try node["text"] == .string("one"))
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    try node.setValue(.string("two"), forKey: "text")
    #expect(objectErrorCode { try context.undo() } == .invalidRequest)
    #expect(try node["text"] == .string("two") && manager.groupingLevel == 2)
    manager.endUndoGrouping()
    try manager.undoNestedGroup()
    #expect(try node["text"] == .string("one"))
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 0)
  }

  @Test("fetched properties of a child see what the parent has not saved, and again after a refresh")
  func fetchedPropertyInChild() throws {
    let place = try Firm.place()
    let searcher = try place.context.insert("Searcher")
    try searcher.setValue(.string("Zoe"), forKey: "searchTerm")
    try place.context.save()
    let child = ManagedObjectContext(parent: place.context)
    let twin = try child.own(searcher)
    #expect(try twin.fetchedObjects(forKey: "literal").isEmpty)
    let employee = try place.context.insert("Employee")
    try employee.setValue(.string("Zoe"), forKey: "name")
    #expect(try twin.fetchedObjects(forKey: "literal").isEmpty, "the first result is kept")
    try child.refresh(twin, mergingChanges: true)
    #expect(try Array(twin.fetchedObjects(forKey: "literal")).names() == ["Zoe"])
    let own = try child.insert("Employee")
    try own.setValue(.string("Zoe"), forKey: "name")
    try twin.setValue(.string("Zoe"), forKey: "searchTerm")
    try child.refresh(twin, mergingChanges: true)
    #expect(try twin.fetchedObjects(forKey: "literal").count == 2)
    try child.save()
    try place.context.save()
    #expect(try searcher.fetchedObjects(forKey: "literal").count == 2)
  }

  @Test("a batch update is merged into a parent and its child, whose own changes stay")
  func batchIntoFamily() throws {
    let place = try Workplace(try Models.works())
    let people = try ["a", "b"].map { name in
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try person.setValue(.integer(1), forKey: "age")
      return person
    }
    try place.context.save()
    let child = ManagedObjectContext(parent: place.context)
    let twins = try people.map { try child.own($0) }
    #expect(try twins[0]["age"] == .integer(1))
    try twins[1].setValue(.integer(5), forKey: "age")
    try people[0].setValue(.string("A"), forKey: "name")
    var request = BatchUpdateRequest("Person", set: ["age": 9])
    request.resultType = .objectIDs
    let result = try place.context.execute(request)
    try ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [.updated: result.updatedObjectIDs], into: [place.context, child])
    #expect(try people.map { try $0["age"] } == [.integer(9), .integer(9)])
    #expect(try people[0]["name"] == .string("A") && people[0].hasChanges)
    #expect(try twins[0]["age"] == .integer(9) && twins[1]["age"] == .integer(5))
    #expect(!twins[0].hasChanges && twins[1].hasChanges)
    try child.save()
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZAGE FROM ZPARTY ORDER BY Z_PK") == ["A|9", "b|5"])
  }

  @Test("children that rearrange one ordered relationship: the parent has both members, in a sound order")
  func childrenRearrange() throws {
    let place = try Workplace(try Models.works())
    let company = try place.context.insert("Company")
    try company.setValue(.string("co"), forKey: "name")
    for name in ["a", "b", "c", "d"] {
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try company.add(person, to: "staff")
    }
    try place.context.save()
    let child = ManagedObjectContext(parent: place.context)
    let twin = try child.own(company)
    var staff = try twin.objects(forKey: "staff")
    staff.reverse()
    try twin.setObjects(staff, forKey: "staff")
    #expect(try company.objects(forKey: "staff").names() == ["a", "b", "c", "d"])
    let new = try place.context.insert("Person")
    try new.setValue(.string("e"), forKey: "name")
    try company.insert(new, into: "staff", at: 0)
    try child.save()
    #expect(try company.objects(forKey: "staff").names().filter { $0 != "e" } == ["d", "c", "b", "a"])
    #expect(try company.objects(forKey: "staff").count == 5)
    try child.refreshAllObjects()
    #expect(try twin.objects(forKey: "staff").names() == company.objects(forKey: "staff").names())
    try place.context.save()
    let names = try company.objects(forKey: "staff").names()
    try place.reopen()
    #expect(try #require(try place.context.fetchAll("Company").first).objects(forKey: "staff").names() == names)
    try place.verify()
  }

  @Test("a child's save is validated in the child; what it refuses stays there, and its parent knows nothing")
  func childValidates() throws {
    let place = try Workplace(try Models.works())
    let child = ManagedObjectContext(parent: place.context)
    let person = try child.insert("Person")
    let company = try child.insert("Company")
    try person.setObject(company, forKey: "employer")
    let error = #expect(throws: SaveError.self) { try child.save() }
    #expect(error?.code == .validation && error?.failures.count == 2)
    #expect(!place.context.hasChanges && child.insertedObjects.count == 2)
    try person.setValue(.string("p"), forKey: "name")
    #expect(saveError { try child.save() }?.failures.count == 1)
    try company.setValue(.string("c"), forKey: "name")
    try child.save()
    #expect(!child.hasChanges && place.context.insertedObjects.count == 2)
    try place.context.save()
    #expect(try storedNames(place.coordinator, "Party").sorted() == ["c", "p"])
  }

  @Test("abstract entities have no objects of their own and stand for those of their subentities")
  func abstractEntities() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    #expect(objectErrorCode { _ = try context.insert("Party") } == .abstractEntity)
    for (entity, name) in [("Company", "c"), ("Person", "p"), ("Boss", "b")] {
      try context.insert(entity).setValue(.string(name), forKey: "name")
    }
    #expect(try context.fetchAll("Party").map(\.entity.name).sorted() == ["Boss", "Company", "Person"])
    try context.save()
    var request = FetchRequest("Party", sortedBy: [ObjectSortDescriptor("name")])
    #expect(try Array(context.fetch(request)).names() == ["b", "c", "p"])
    request.includesSubentities = false
    #expect(try context.fetch(request).isEmpty && context.count(for: request) == 0)
    var person = FetchRequest("Person")
    #expect(try context.count(for: person) == 2)
    person.includesSubentities = false
    #expect(try Array(context.fetch(person)).names() == ["p"])
    let memo = try context.insert("Memo")
    try memo.setObject(try context.fetchAll("Boss").first, forKey: "about")
    try context.save()
    #expect(try context.fetch(FetchRequest("Memo", where: Key("about.name") == "b")).count == 1)
    let result = try context.execute(BatchDeleteRequest(FetchRequest("Party", where: Key("name") != "p")))
    try context.mergeChanges(from: result)
    context.reset()
    #expect(try context.fetchAll("Party").names() == ["p"])
  }

  @Test("count and fetch agree about limits and offsets, with unsaved changes and without")
  func countsOfParts() throws {
    let place = try Workplace(try Models.works())
    for number in 0..<7 { _ = try skill("s\(number)", place.context) }
    for pass in 0..<2 {
      for (offset, limit) in [(0, 0), (0, 3), (5, 3), (2, 0), (9, 2), (0, 99)] {
        var request = FetchRequest("Skill", sortedBy: [ObjectSortDescriptor("title")])
        (request.fetchOffset, request.fetchLimit) = (offset, limit)
        let found = try Array(place.context.fetch(request)).names("title")
        let all = (0..<7).map { "s\($0)" }.dropFirst(offset)
        #expect(found == Array(limit == 0 ? all : all.prefix(limit)), "\(pass) \(offset) \(limit)")
        #expect(try place.context.count(for: request) == found.count, "\(pass) \(offset) \(limit)")
      }
      try place.context.save()
    }
    var saved = FetchRequest("Skill")
    saved.includesPendingChanges = false
    _ = try skill("new", place.context)
    #expect(try place.context.count(for: saved) == 7 && place.context.count("Skill") == 8)
  }

  @Test("refreshing all objects keeps every unsaved change and takes what others saved beside it")
  func refreshEverything() throws {
    let place = try Workplace(try Models.works())
    let (one, two) = (try skill("one", place.context), try skill("two", place.context))
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try place.context.save()
    let other = place.anotherContext()
    try other.own(one).setValue(.string("their one"), forKey: "title")
    try other.own(two).setValue(.string("their two"), forKey: "title")
    try other.own(person).setValue(.integer(3), forKey: "age")
    try other.save()
    try one.setValue(.string("my one"), forKey: "title")
    try person.add(one, to: "skills")
    let new = try skill("new", place.context)
    try place.context.refreshAllObjects()
    #expect(try one["title"] == .string("my one") && two["title"] == .string("their two") && new.isInserted)
    #expect(try person["age"] == .integer(3) && person.objects(forKey: "skills") == [one])
    place.context.mergePolicy = .error
    try place.context.save()
    #expect(try storedNames(place.coordinator, "Skill", "title").sorted() == ["my one", "new", "their two"])
  }

  @Test("a child that merges by itself follows the parent, and keeps what it changed")
  func childFollows() throws {
    let place = try Workplace(try Models.works())
    let person = try place.context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try place.context.save()
    let (one, two) = (ManagedObjectContext(parent: place.context), ManagedObjectContext(parent: place.context))
    two.automaticallyMergesChangesFromParent = true
    let (mine, theirs) = (try one.own(person), try two.own(person))
    #expect(try theirs["age"] == .null && theirs["name"] == .string("p"))
    try theirs.setValue(.string("two"), forKey: "name")
    try mine.setValue(.string("one"), forKey: "name")
    try mine.setValue(.integer(4), forKey: "age")
    try one.save()
    #expect(try person["age"] == .integer(4))
    #expect(try theirs["age"] == .integer(4) && theirs["name"] == .string("two"))
    try two.save()
    try place.context.save()
    #expect(try place.rows("SELECT ZNAME, ZAGE FROM ZPARTY") == ["two|4"])
  }

  @Test("history by author is merged transaction by transaction, and forgotten before a token")
  func historyOfOthers() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try Models.works())
    var options = PersistentStoreOptions()
    options.tracksHistory = true
    let store = try coordinator.addStore(type: .sqlite, at: folder.file("h.sqlite"), options: options)
    let (app, widget) = (ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator))
    (app.transactionAuthor, widget.transactionAuthor) = ("app", "widget")
    let item = try skill("a", app)
    try app.save()
    let token = try store.currentHistoryToken()
    try widget.own(item).setValue(.string("b"), forKey: "title")
    try widget.save()
    func transactions(after token: PersistentHistoryToken) throws -> [PersistentHistoryTransaction] {
      guard case .transactions(let found) = try store.execute(.fetchHistory(after: token)) else { return [] }
      return found
    }
    let update = try #require(try transactions(after: token).first)
    try app.mergeChanges(from: update)
    #expect(try item["title"] == .string("b"))
    _ = try skill("c", app)
    try app.save()
    try widget.delete(try widget.own(item))
    _ = try skill("d", widget)
    try widget.save()
    let found = try transactions(after: token)
    #expect(found.map { $0.author } == ["widget", "app", "widget"])
    // What was merged already may be merged again, also when the object is gone meanwhile.
    for transaction in found where transaction.author != "app" { try app.mergeChanges(from: transaction) }
    #expect(item.isDeleted || !item.isValid)
    #expect(try app.fetchAll("Skill").names("title").sorted() == ["c", "d"])
    _ = try store.execute(.deleteHistory(before: update.token))
    #expect(try transactions(after: update.token).map { $0.author } == ["app", "widget"])
  }

  @Test("what was renamed and renamed again arrives, step by step or at once")
  func renamedThenMoved() throws {
    func renamed(_ attribute: AttributeDescription, from name: String) -> AttributeDescription {
      var attribute = attribute
      attribute.renamingIdentifier = name
      return attribute
    }
    let first = try Models.model(
      Models.entity(
        "Note", attributes: [Models.attribute("text", .string), Models.attribute("stars", .integer16)],
        relationships: [Models.toMany("tags", "Tag", inverse: "notes", ordered: true)]),
      Models.entity(
        "Tag", attributes: [Models.attribute("name", .string)],
        relationships: [Models.toMany("notes", "Note", inverse: "tags")]))
    var second = first.draft
    second.entities[0].attributes[0] = renamed(Models.attribute("body", .string), from: "text")
    second.entities[0].attributes[1] = Models.attribute("stars", .integer32)
    let middle = try ManagedObjectModel(second)
    var third = second
    third.entities[0].attributes[0] = renamed(Models.attribute("content", .string), from: "text")
    third.entities[0].name = "Memo"
    third.entities[0].renamingIdentifier = "Note"
    third.entities[1].relationships[0].destinationEntityName = "Memo"
    third.entities[1].relationships[0].inverseEntityName = "Memo"
    let last = try ManagedObjectModel(third)
    for models in [[middle, last], [last]] {
      let folder = TemporaryFolder()
      let path = folder.file("n.sqlite")
      do {
        let coordinator = PersistentStoreCoordinator(model: first)
        try coordinator.addSQLiteStore(at: path)
        let context = ManagedObjectContext(coordinator: coordinator)
        let note = try context.insert("Note")
        try note.setValue(.string("hello"), forKey: "text")
        try note.setValue(.integer(5), forKey: "stars")
        for name in ["x", "y", "z"] {
          let tag = try context.insert("Tag")
          try tag.setValue(.string(name), forKey: "name")
          try note.insert(tag, into: "tags", at: 0)
        }
        try context.save()
        try coordinator.close()
      }
      for model in models {
        let coordinator = PersistentStoreCoordinator(model: model)
        var options = PersistentStoreOptions()
        (options.migratesAutomatically, options.infersMapping) = (true, true)
        try coordinator.addStore(type: .sqlite, at: path, options: options)
        try coordinator.close()
      }
      let coordinator = PersistentStoreCoordinator(model: last)
      try coordinator.addSQLiteStore(at: path)
      let context = ManagedObjectContext(coordinator: coordinator)
      let memo = try #require(try context.fetchAll("Memo").first)
      #expect(try memo["content"] == .string("hello") && memo["stars"] == .integer(5))
      #expect(try memo.objects(forKey: "tags").names() == ["z", "y", "x"])
      try coordinator.close()
      #expect(try StoreVerifier.verify(path: path, model: last).isSound)
    }
  }
}
