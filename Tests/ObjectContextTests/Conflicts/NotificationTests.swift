import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// What observers heard.
private final class Heard<Event> {
  var events: [Event] = []
}

@Suite("Notifications")
struct NotificationTests {
  @Test("AP46: a save tells before and after, with final IDs and the names of what was written")
  func ap46Saves() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    context.name = "here"
    context.transactionAuthor = "me"
    let old = try context.make("Item", ["code": .string("old"), "name": .string("n")])
    let gone = try context.make("Item", ["code": .string("gone")])
    let tagged = try context.make("Item", ["code": .string("tagged")])
    let tag = try context.make("Tag", [:])
    try context.save()
    let goneID = gone.objectID
    let heard = Heard<ContextEvent>()
    let token = context.observe(.willSave, .didSave, .didSaveObjectIDs) { heard.events.append($0) }
    let new = try context.make("Item", ["code": .string("new")])
    try old.setValue(.string("m"), forKey: "name")
    try old.setObject(try context.make("Shop", [:]), forKey: "shop")
    try tagged.add(tag, to: "tags")
    try context.delete(gone)
    try context.save()
    try #require(heard.events.map(\.kind) == [.willSave, .didSave, .didSaveObjectIDs])
    let event = heard.events[1]
    #expect(event.contextName == "here" && event.transactionAuthor == "me")
    #expect(event.insertedObjectIDs.contains(new.objectID) && event.insertedObjectIDs.count == 2)
    #expect(event.insertedObjectIDs.allSatisfy { !$0.isTemporary })
    #expect(Set(event.updatedObjectIDs) == [old.objectID, tagged.objectID, tag.objectID])
    #expect(event.deletedObjectIDs == [goneID])
    #expect(event.changedKeys[old.objectID] == ["name", "shop"])
    #expect(event.changedKeys[tagged.objectID] == nil)
    #expect(heard.events[2].changedKeys.isEmpty)
    #expect(heard.events[2].updatedObjectIDs == event.updatedObjectIDs)
    // A save that has nothing to do is none, and a token that went away hears nothing.
    try context.save()
    #expect(heard.events.count == 3)
    token.cancel()
    try old.setValue(.string("k"), forKey: "name")
    try context.save()
    #expect(heard.events.count == 3)
  }

  @Test("AP46: what an observer changes before the save is saved; a save that fails tells nothing afterwards")
  func ap46WillSave() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let heard = Heard<ContextEvent>()
    let item = try context.make("Item", ["code": .string("a")])
    var token: ObservationToken? = context.observe(.willSave) { _ in
      do { try item.setValue(.string("late"), forKey: "name") } catch { Issue.record(error) }
    }
    let other = context.observe(.didSave) { heard.events.append($0) }
    try context.save()
    #expect(try place.rows("SELECT ZNAME FROM ZITEM") == ["late"])
    #expect(heard.events.count == 1)
    #expect(token != nil)
    token = nil
    _ = try context.make("Item", ["code": .string("a")])
    #expect(saveError { try context.save() }?.code == .constraint)
    #expect(heard.events.count == 1)
    other.cancel()
  }

  @Test("AP46: changes are told together, each once, when they are processed and before a save")
  func ap46ObjectsDidChange() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let stored = try context.make("Item", ["code": .string("s")])
    let doomed = try context.make("Item", ["code": .string("d")])
    try context.save()
    let doomedID = doomed.objectID
    let heard = Heard<ContextEvent>()
    let token = context.observe(.objectsDidChange) { heard.events.append($0) }
    func process() throws -> ContextEvent? {
      heard.events = []
      try context.processPendingChanges()
      #expect(heard.events.count <= 1)
      return heard.events.first
    }
    #expect(try process() == nil)
    let new = try context.make("Item", ["code": .string("n")])
    try new.setValue(.string("x"), forKey: "name")
    try stored.setValue(.string("x"), forKey: "name")
    try stored.setValue(.string("y"), forKey: "name")
    try context.delete(doomed)
    let first = try #require(try process())
    #expect(first.insertedObjectIDs == [new.objectID])
    #expect(first.updatedObjectIDs == [stored.objectID])
    #expect(first.deletedObjectIDs == [doomedID])
    #expect(try process() == nil)
    try new.setValue(.string("z"), forKey: "name")
    #expect(try process()?.updatedObjectIDs == [new.objectID])
    try context.obtainPermanentIDs(for: [new])
    #expect(try process() == nil)
    let tag = try context.make("Tag", [:])
    _ = try process()
    try stored.add(tag, to: "tags")
    #expect(try process().map { Set($0.updatedObjectIDs) } == [stored.objectID, tag.objectID])
    // The save tells what is left before it writes.
    try stored.setValue(.string("last"), forKey: "note")
    heard.events = []
    try context.save()
    #expect(heard.events.map(\.updatedObjectIDs) == [[stored.objectID]])
    // Rolled back, refreshed, reset.
    heard.events = []
    try stored.setValue(.string("?"), forKey: "note")
    let never = try context.make("Item", [:])
    let neverID = never.objectID
    try context.processPendingChanges()
    context.rollback()
    #expect(heard.events.last?.refreshedObjectIDs == [stored.objectID])
    #expect(heard.events.last?.deletedObjectIDs == [neverID])
    try context.refresh(stored, mergingChanges: false)
    #expect(heard.events.last?.refreshedObjectIDs == [stored.objectID])
    context.reset()
    #expect(heard.events.last?.isEverythingInvalidated == true)
    token.cancel()
  }

  @Test("AP46: a refresh of all objects is one event, a parent hears of a child's save, a reset names what it ends")
  func ap46Together() throws {
    let place = try Workplace(try ConflictModels.shop())
    let context = place.context
    let items = try ["a", "b"].map { try context.make("Item", ["code": .string($0)]) }
    try context.save()
    let heard = Heard<ContextEvent>()
    let token = context.observe(.objectsDidChange) { heard.events.append($0) }
    try context.refreshAllObjects()
    #expect(heard.events.map { Set($0.refreshedObjectIDs) } == [Set(items.map(\.objectID))])
    heard.events = []
    let child = ManagedObjectContext(parent: context)
    let new = try child.make("Item", ["code": .string("c")])
    try child.save()
    #expect(heard.events.map(\.insertedObjectIDs) == [[new.objectID]])
    let theirs = try #require(try child.existingObject(with: items[0].objectID))
    try theirs.setValue(.string("x"), forKey: "name")
    try child.save()
    #expect(heard.events.dropFirst().map(\.updatedObjectIDs) == [[items[0].objectID]])
    // What was told is not told again.
    try context.processPendingChanges()
    #expect(heard.events.count == 2)
    let alive = Set(context.registeredObjects.map(\.objectID))
    context.reset()
    let last = try #require(heard.events.last)
    #expect(last.isEverythingInvalidated && Set(last.invalidatedObjectIDs) == alive)
    #expect(alive.isSuperset(of: items.map(\.objectID)))
    token.cancel()
  }

  @Test("AP46: events are a sequence for another task, which ends with the context")
  func ap46Sequence() async throws {
    let stream: AsyncStream<ContextEvent>
    var expected: [ManagedObjectID] = []
    do {
      let place = try Workplace(try ConflictModels.shop())
      stream = place.context.events(of: [.didSave])
      for code in ["a", "b", "c"] {
        let item = try place.context.make("Item", ["code": .string(code)])
        try place.context.save()
        expected.append(item.objectID)
      }
    }
    let task = Task {
      var found: [ManagedObjectID] = []
      for await event in stream { found += event.insertedObjectIDs }
      return found
    }
    #expect(await task.value == expected)
  }

  @Test("without observers a save lists nothing")
  func costsNothing() throws {
    let place = try Workplace(try ConflictModels.shop())
    let item = try place.context.make("Item", ["code": .string("a")])
    let heard = Heard<ContextEvent>()
    do {
      let token = place.context.observe(.objectsDidChange) { heard.events.append($0) }
      token.cancel()
    }
    try place.context.save()
    #expect(heard.events.isEmpty)
    #expect(item.isValid)
  }

  @Test("AP46: stores that come and go are told to observers of the coordinator")
  func ap46Stores() throws {
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try ConflictModels.shop())
    let heard = Heard<CoordinatorEvent>()
    let token = coordinator.observe(.storesDidChange) { heard.events.append($0) }
    let store = try coordinator.addSQLiteStore(at: folder.file("a.sqlite"))
    let id = store.identifier
    try coordinator.close()
    #expect(heard.events.map(\.isPresent) == [true, false])
    #expect(heard.events.allSatisfy { $0.storeUUID == id })
    token.cancel()
  }

  @Test("AP51: what another coordinator wrote is told at the next save, and when it is asked for")
  func ap51RemoteChanges() throws {
    let place = try Workplace(try ConflictModels.shop())
    let other = PersistentStoreCoordinator(model: place.model)
    try other.addSQLiteStore(at: place.path)
    let there = ManagedObjectContext(coordinator: other)
    let heard = Heard<CoordinatorEvent>()
    let token = place.coordinator.observe(.remoteChange) { heard.events.append($0) }
    _ = try place.context.make("Item", ["code": .string("own")])
    try place.context.save()
    place.coordinator.processRemoteChanges()
    #expect(heard.events.isEmpty)
    _ = try there.make("Item", ["code": .string("a")])
    try there.save()
    place.coordinator.processRemoteChanges()
    place.coordinator.processRemoteChanges()
    #expect(heard.events.count == 1)
    #expect(heard.events.first?.storeUUID == place.coordinator.store?.identifier)
    _ = try there.make("Item", ["code": .string("b")])
    try there.save()
    _ = try place.context.make("Item", ["code": .string("c")])
    try place.context.save()
    #expect(heard.events.count == 2)
    token.cancel()
    try other.close()
    try place.verify()
  }
}
