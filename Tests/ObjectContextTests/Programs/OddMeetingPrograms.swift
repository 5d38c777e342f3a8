import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// Small programs in which features meet that seldom do: children over several stores, pinned contexts, batches, typed
/// queries, results.
@Suite("Programs: where features seldom meet")
struct OddMeetingPrograms {
  @Test("a child over two stores, with undo in both contexts: the objects come, go and come again in both files")
  func childOverTwoStores() throws {
    let atlas = try Atlas()
    let parent = atlas.context
    parent.undoManager = UndoManager()
    let child = ManagedObjectContext(parent: parent)
    child.undoManager = UndoManager()
    let tag = try child.insert("Tag")
    try child.assign(tag, to: atlas.stores[1])
    try tag.setValue(.string("t"), forKey: "name")
    let city = try child.make("City", ["name": .string("t1"), "size": .integer(5)])
    let note = try child.make("Note", ["about": .string("t"), "rank": .integer(1)])
    let region = try child.make("Region", ["name": .string("r")])
    try region.add(city, to: "cities")
    try child.processPendingChanges()
    #expect(objectErrorCode { try note.setObject(city, forKey: "place") } != nil)
    #expect(try Array(note.fetchedObjects(forKey: "cities")).names() == ["t1"])
    try child.save()
    try parent.save()
    func counts() throws -> [String] {
      try [
        (0, "SELECT count(*) FROM ZPLACE"), (0, "SELECT count(*) FROM ZTAG"), (1, "SELECT count(*) FROM ZTAG"),
        (1, "SELECT count(*) FROM ZNOTE"),
      ].flatMap { try atlas.rows($0.0, $0.1) }
    }
    #expect(try counts() == ["2", "0", "1", "1"])
    for _ in 0..<2 {
      try parent.undo()
      try parent.save()
      #expect(try counts() == ["0", "0", "0", "0"])
      try parent.redo()
      try parent.save()
      #expect(try counts() == ["2", "0", "1", "1"])
    }
    // The child undoes what the parent has saved.
    try child.refreshAllObjects()
    try child.undo()
    try child.save()
    try parent.save()
    let last = try counts()
    #expect(last == ["0", "0", "0", "0"])
    try atlas.verify()
  }

  @Test(
    "an object that is assigned to a store can be undone and redone there, with the steps before it",
    arguments: [true, false])
  func assignedAndUndone(endsEvent: Bool) throws {
    let atlas = try Atlas()
    let context = atlas.context
    context.undoManager = UndoManager()
    let city = try atlas.insert("City", "c")
    try context.processPendingChanges()
    let tag = try context.make("Tag", ["name": .string("a")])
    if endsEvent {
      try context.processPendingChanges()
      try tag.setValue(.string("b"), forKey: "name")
    }
    try context.assign(tag, to: atlas.stores[1])
    try tag.setValue(.string("c"), forKey: "name")
    try context.undo()
    if endsEvent {
      #expect(try tag.value(forKey: "name") == .string("a"))
      try context.undo()
    }
    #expect(!tag.isValid && city.isInserted)
    try context.undo()
    #expect(!context.hasChanges)
    while context.undoManager?.canRedo ?? false { try context.redo() }
    #expect(try tag.value(forKey: "name") == .string("c") && city.value(forKey: "name") == .string("c"))
    try context.save()
    #expect(try atlas.rows(1, "SELECT ZNAME FROM ZTAG") == ["c"] && atlas.rows(0, "SELECT ZNAME FROM ZTAG") == [])
    // One that was related to others before takes the steps with it.
    let (one, other) = (try context.make("Tag", [:]), try atlas.insert("Tag", "other"))
    try one.setObject(other, forKey: "parent")
    try context.processPendingChanges()
    try one.setObject(nil, forKey: "parent")
    try context.assign(one, to: atlas.stores[1])
    #expect(context.undoManager?.canUndo == false)
    try context.save()
    try atlas.verify()
  }

  @Test("a batch update is merged into a parent; a child's typed queries see it beside its own changes")
  func batchUnderTypedChild() throws {
    let place = try Tracker.place()
    let parent = place.context
    let child = ManagedObjectContext(parent: parent)
    child.automaticallyMergesChangesFromParent = true
    let ticket = try #require(try child.first(Ticket.self, where: \.title == "A1"))
    ticket.title = "A1 mine"
    let bug = try #require(try child.first(Label.self))
    ticket.labels.insert(bug)
    var update = BatchUpdateRequest("Ticket", set: ["points": 9])
    update.resultType = .objectIDs
    try parent.mergeChanges(from: try parent.execute(update))
    try child.refreshAllObjects()
    #expect(try child.count(Ticket.self, where: \.points == 9) == 6)
    #expect(
      try child.fetch(Ticket.self, where: .any(\.labels, \.name == "bug") && \.points == 9, sort: [.ascending(\.title)])
        .map(\.title) == ["A1 mine", "A2", "B2"])
    #expect(try child.count(Ticket.self, where: .all(\.labels, \.name == "bug")) == 6)
    #expect(try child.count(Ticket.self, where: .none(\.labels, \.name == "bug")) == 3)
    #expect(try child.count(Ticket.self, where: \.project.name == "Project A" && \.labels.count > 0) == 2)
    #expect(try child.fetch(Project.self, where: .any(\.issues, \.title == "A1 mine")).map(\.key) == ["A"])
    try child.save()
    #expect(try parent.count(Ticket.self, where: .beginsWith(\.title, "a1 M", .caseInsensitive)) == 1)
    try parent.save()
    let fresh = place.anotherContext()
    let rows = try fresh.select(
      \.project.key, \.title.greatest, \.points.sum, from: Ticket.self, where: .any(\.labels, \.name == "bug"),
      sort: [.ascending(\.project.key)])
    #expect(rows.map { "\($0.0 ?? "") \($0.1 ?? "") \($0.2 ?? 0)" } == ["A A2 18", "B B2 9"])
    try place.verify()
  }

  private static let conditions: [TypedPredicate<Ticket>] = {
    typealias Condition = TypedPredicate<Ticket>
    var list: [Condition] = []
    func add(_ condition: Condition) { list.append(condition) }
    add(.isIn(\.points, [1, nil]))
    add(.isIn(\.points, [Int32?]()))
    add(!Condition.isIn(\.points, [1, 2]))
    add(.between(\.points, 2, 3))
    add(.between(\.points, nil, 3))
    add(\.points != nil)
    add(\.points != 1)
    add(!(\.points == 1))
    add(\.project.name == nil)
    add(\.project.name != nil)
    add(\.project != nil)
    add(!(\.project.key == "A"))
    add(.that(\.project, \.name == nil))
    add(.that(\.project, !(\.name == "Project A")))
    add(!Condition.that(\.project, \.name == "x"))
    add(.that(\.project, .any(\.issues, \.points == 3)))
    add(.any(\.labels, \.name == ""))
    add(.all(\.labels, .isIn(\.name, ["bug", "ui"])))
    add(.none(\.labels, !(\.name == "bug")))
    add(\.labels.count == 0)
    add(.any(\.labels, .any(\.issues, \.points == 3)))
    add(.all(\.labels, .all(\.issues, \.points > 1)))
    add(\.project.issues.count >= 3)
    add(.that(\.project, \.issues[sum: \.points] > 5))
    add(.everything)
    add(!Condition.everything)
    add(Condition.equals(\.title, "a1", .caseInsensitive) || \.points < \.points)
    add(.contains(\.title, ""))
    add(.matches(\.title, ""))
    add(.isLike(\.title, "*"))
    add(.beginsWith(\.title, ""))
    add(\.title.lowercased == "a1")
    add(\.title > "A2" && \.title <= "B1")
    return list
  }()

  @Test(
    "typed conditions find the same objects in the store, among unsaved changes, and in a child",
    arguments: conditions)
  func typedAlike(condition: TypedPredicate<Ticket>) throws {
    let place = try Tracker.place()
    let context = place.context
    for (title, points) in [("a1", nil), ("", 3), ("Ä1", -1)] as [(String, Int32?)] {
      let loose = try context.insert(Ticket.self)
      loose.title = title
      loose.points = points
      loose.createdAt = Timestamp(secondsSinceReferenceDate: 0)
    }
    let ui = try context.insert(Label.self)
    ui.name = "ui"
    try #require(try context.first(Ticket.self, where: \.title == "A3")).labels.insert(ui)
    let third = try context.insert(Project.self)
    third.key = "C"
    try #require(try context.first(Ticket.self, where: \.title == "")).project = third
    let pending = try context.fetch(Ticket.self, where: condition).map(\.title).sorted()
    let inChild = try ManagedObjectContext(parent: context).fetch(Ticket.self, where: condition).map(\.title).sorted()
    try context.save()
    let stored = try place.anotherContext().fetch(Ticket.self, where: condition).map(\.title).sorted()
    #expect(pending == stored && inChild == stored)
    #expect(try place.anotherContext().count(Ticket.self, where: condition) == stored.count)
    #expect(try place.anotherContext().exists(Ticket.self, where: condition) == !stored.isEmpty)
    // All of them changed, so that every one is judged here.
    let all = try context.fetch(Ticket.self)
    for ticket in all { ticket.createdAt = Timestamp(secondsSinceReferenceDate: 99) }
    #expect(try context.fetch(Ticket.self, where: condition).map(\.title).sorted() == stored)
    #expect(try context.count(Ticket.self, where: condition) == stored.count)
  }

  @Test("a child of a pinned context: what it saves is a conflict, or is merged, and the moment moves on")
  func pinnedParent() throws {
    let place = try Tracker.place()
    let pinned = place.anotherContext()
    pinned.setQueryGeneration(from: try place.coordinator.currentQueryGeneration())
    let ticket = try #require(try place.context.first(Ticket.self, where: \.title == "A1"))
    ticket.points = 50
    try place.context.delete(try #require(try place.context.first(Ticket.self, where: \.title == "B1")))
    try place.context.save()
    let child = ManagedObjectContext(parent: pinned)
    let results = try FetchedResults(FetchRequest("Ticket", sortedBy: [ObjectSortDescriptor("title")]), in: child)
    #expect(results.objects.count == 6)
    let own = try #require(try child.first(Ticket.self, where: \.title == "A1"))
    #expect(own.points == 1)
    own.title = "A0"
    let lost = try #require(try child.first(Ticket.self, where: \.title == "B1"))
    try child.save()
    #expect(saveError { try pinned.save() }?.code == .conflict)
    pinned.mergePolicy = .mergeByPropertyObjectTrump
    try pinned.save()
    #expect(pinned.queryGeneration != nil)
    try child.refreshAllObjects()
    _ = try results.update()
    #expect(results.objects.count == 5 && own.points == 50 && own.title == "A0")
    #expect(lost.title.isEmpty && lost.isDeleted)
    try place.verify()
  }

  @Test("a batch delete under a child with changes and steps: the child's save is an error, its undo stops nothing")
  func batchDeleteUnderChild() throws {
    let place = try Tracker.place()
    let parent = place.context
    parent.undoManager = UndoManager()
    let child = ManagedObjectContext(parent: parent)
    child.undoManager = UndoManager()
    let own = try child.fetch(Ticket.self, where: \.project.key == "A", sort: [.ascending(\.title)])
    for ticket in own { ticket.points = 7 }
    try child.processPendingChanges()
    let label = try child.insert(Label.self)
    label.name = "new"
    own[0].labels.insert(label)
    own[1].project = nil
    try child.processPendingChanges()
    var request = FetchRequest("Ticket", where: try ObjectPredicate(format: "project.key == 'A'"))
    request.fetchLimit = 2
    request.sortDescriptors = [ObjectSortDescriptor("title")]
    var deletion = BatchDeleteRequest(request)
    deletion.resultType = .objectIDs
    try parent.mergeChanges(from: try parent.execute(deletion))
    let error = saveError { try child.save() }
    #expect(error?.code == .conflict, "\(String(describing: error))")
    try child.undo()
    try child.undo()
    try child.redo()
    try child.redo()
    do { try child.save() } catch { child.rollback() }
    #expect(own[2].isValid && own[2].title == "A3")
    try child.refreshAllObjects()
    own[2].points = 8
    try child.save()
    try parent.save()
    #expect(try place.anotherContext().count(Ticket.self) == 4)
    try place.verify()
  }

  @Test("validation in a child over two stores, and of what a batch inserts: sentences, and nothing written")
  func validationOverStores() throws {
    let atlas = try Atlas([.sqlite, .xml])
    let child = ManagedObjectContext(parent: atlas.context)
    let city = try child.make("City", ["name": .string("Oslo")])
    let note = try child.make("Note", ["about": .string("same")])
    _ = try atlas.context.make("Note", ["about": .string("same")])
    try child.save()
    let error = saveError { try atlas.context.save() }
    #expect(error?.code == .constraint)
    #expect(try atlas.rows(0, "SELECT count(*) FROM ZPLACE") == ["0"])
    try note.setValue(.string("other"), forKey: "about")
    try child.save()
    try atlas.context.save()
    #expect(try city.objectID.primaryKey > 0 && atlas.rows(0, "SELECT ZNAME FROM ZPLACE") == ["Oslo"])
    try atlas.verify()
  }

  @Test("a store is removed under a context and its child with changes in it: errors, and the rest is saved")
  func removedStore() throws {
    let atlas = try Atlas()
    let note = try atlas.insert("Note", "n", key: "about")
    let city = try atlas.insert("City", "c")
    try atlas.context.save()
    let child = ManagedObjectContext(parent: atlas.context)
    let own = (note: try child.own(note), city: try child.own(city))
    try own.note.setValue(.string("m"), forKey: "about")
    try own.city.setValue(.string("d"), forKey: "name")
    try atlas.coordinator.remove(atlas.stores[1])
    do { try child.save() } catch { child.rollback() }
    do { try atlas.context.save() } catch { atlas.context.rollback() }
    try city.setValue(.string("e"), forKey: "name")
    try atlas.context.save()
    #expect(try atlas.rows(0, "SELECT ZNAME FROM ZPLACE") == ["e"])
    _ = try? note.value(forKey: "about")
    _ = try? own.note.value(forKey: "about")
    try atlas.coordinator.close()
  }
}
