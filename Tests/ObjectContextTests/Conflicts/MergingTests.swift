import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Merging what others saved")
struct MergingTests {
  /// Two contexts that know the same three items: one will be changed there, one there and here, one deleted there.
  private func changed(
    in there: ManagedObjectContext, _ items: [ManagedObject]
  ) throws {
    try there.own(items[0]).setValue(.string("theirs"), forKey: "name")
    try there.own(items[1]).setValue(.string("theirs"), forKey: "name")
    try there.own(items[1]).setValue(.string("theirs"), forKey: "note")
    try there.delete(try there.own(items[2]))
    _ = try there.make("Item", ["code": .string("new")])
  }

  private func items(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    let items = try (0..<3).map { try context.make("Item", ["code": .string("\($0)"), "name": .string("base")]) }
    try context.save()
    return items
  }

  private func check(_ context: ManagedObjectContext, _ items: [ManagedObject]) throws {
    #expect(try items[0]["name"] == .string("theirs"))
    #expect(try items[1]["name"] == .string("mine"))
    #expect(try items[1]["note"] == .string("theirs"))
    #expect(!items[2].isValid)
    // What was merged is no conflict.
    try context.save()
  }

  @Test("AP46: a did-save of another context is merged: stored values come, own changes stay, deleted objects go")
  func ap46Event() throws {
    let place = try Workplace(try ConflictModels.shop())
    let items = try items(place.context)
    let there = place.anotherContext()
    var events: [ContextEvent] = []
    let token = there.observe(.didSave) { events.append($0) }
    try changed(in: there, items)
    try items[1].setValue(.string("mine"), forKey: "name")
    try there.save()
    #expect(try items[0]["name"] == .string("base"))
    var told: [ContextEvent] = []
    let watch = place.context.observe(.objectsDidChange) { told.append($0) }
    let goneID = items[2].objectID
    for event in events { try place.context.mergeChanges(from: event) }
    #expect(told.count == 1)
    #expect(told.first?.refreshedObjectIDs == [items[0].objectID, items[1].objectID])
    #expect(told.first?.deletedObjectIDs == [goneID])
    watch.cancel()
    token.cancel()
    try check(place.context, items)
    #expect(
      try place.rows("SELECT ZNAME, ZNOTE FROM ZITEM ORDER BY Z_PK") == ["theirs|null", "mine|theirs", "null|null"])
    try place.verify()
  }

  @Test("AP46: lists of IDs are merged into several contexts, batch results among them")
  func ap46Remote() throws {
    let place = try Workplace(try ConflictModels.shop())
    let items = try items(place.context)
    let second = place.anotherContext()
    let others = try items.map { try second.own($0) }
    for object in others { _ = try object["name"] }
    let there = place.anotherContext()
    try changed(in: there, items)
    try items[1].setValue(.string("mine"), forKey: "name")
    try there.save()
    try ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        .updated: [items[0].objectID], .refreshed: [items[1].objectID], .deleted: [items[2].objectID],
      ], into: [place.context, second])
    #expect(try others[1]["name"] == .string("theirs"))
    #expect(!others[2].isValid)
    try check(place.context, items)

    var request = BatchUpdateRequest("Item", set: ["note": "batch"])
    request.resultType = .objectIDs
    let result = try second.execute(request)
    try ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [.updated: result.updatedObjectIDs], into: [place.context])
    #expect(try items[0]["note"] == .string("batch"))
    // IDs of another store are refused.
    let stranger = try Workplace(place.model)
    let item = try stranger.context.make("Item", [:])
    try stranger.context.save()
    #expect(objectErrorCode { try place.context.mergeChanges(updated: [item.objectID]) } == .otherContext)
  }

  @Test("AP43: a context can follow the others on its coordinator")
  func ap43Automatic() throws {
    let place = try Workplace(try ConflictModels.shop())
    let items = try items(place.context)
    place.context.automaticallyMergesChangesFromParent = true
    let there = place.anotherContext()
    try changed(in: there, items)
    try items[1].setValue(.string("mine"), forKey: "name")
    try there.save()
    try check(place.context, items)
    place.context.automaticallyMergesChangesFromParent = false
    try there.own(items[0]).setValue(.string("later"), forKey: "name")
    try there.save()
    #expect(try items[0]["name"] == .string("theirs"))
    try place.verify()
  }

  @Test("AP43: a child context can follow what its siblings save into their parent")
  func ap43Siblings() throws {
    let place = try Workplace(try ConflictModels.shop())
    let items = try items(place.context)
    let (one, two) = (ManagedObjectContext(parent: place.context), ManagedObjectContext(parent: place.context))
    two.automaticallyMergesChangesFromParent = true
    let seen = try two.own(items[0])
    #expect(try seen["name"] == .string("base"))
    try one.own(items[0]).setValue(.string("one"), forKey: "name")
    try one.save()
    #expect(try seen["name"] == .string("one"))
    #expect(place.context.hasChanges)
  }

  @Test("AP45: two coordinators on one file meet each other's changes as two contexts on one do")
  func ap45TwoCoordinators() throws {
    let place = try Workplace(try ConflictModels.shop())
    let items = try items(place.context)
    let other = PersistentStoreCoordinator(model: place.model)
    try other.addSQLiteStore(at: place.path)
    let there = ManagedObjectContext(coordinator: other)
    try changed(in: there, items)
    try items[1].setValue(.string("mine"), forKey: "name")
    try items[2].setValue(.string("mine"), forKey: "name")
    try there.save()
    let error = try #require(saveError { try place.context.save() })
    #expect(error.mergeConflicts.map(\.newVersion) == [2, 0])
    // A new object on each side with one key.
    let new = try place.context.make("Item", ["code": .string("new"), "name": .string("mine")])
    place.context.mergePolicy = .mergeByPropertyObjectTrump
    try place.context.save()
    #expect(new.isValid)
    #expect(
      try place.rows("SELECT ZCODE, ZNAME, ZNOTE FROM ZITEM ORDER BY ZCODE")
        == ["0|theirs|null", "1|mine|theirs", "2|mine|null", "new|mine|null"])
    try other.close()
    try place.verify()
  }

  @Test("AP53: batch requests are refused by stores that are open for reading only")
  func ap53ReadOnly() throws {
    let place = try Workplace(try ConflictModels.shop())
    _ = try items(place.context)
    try place.coordinator.close()
    var options = PersistentStoreOptions()
    options.isReadOnly = true
    let coordinator = PersistentStoreCoordinator(model: place.model)
    try coordinator.addStore(type: .sqlite, at: place.path, options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    func code(_ body: () throws -> Void) -> SaveError.Code? {
      do {
        try body()
        return nil
      } catch BatchError.save(let error) {
        return error.code
      } catch {
        return nil
      }
    }
    #expect(code { _ = try context.execute(BatchUpdateRequest("Item", set: ["note": "x"])) } == .readOnly)
    #expect(code { _ = try context.execute(BatchDeleteRequest("Item")) } == .readOnly)
    #expect(
      code { _ = try context.execute(BatchInsertRequest("Item", rows: [["code": .attribute(.string("x"))]])) }
        == .readOnly)
    #expect(try context.count("Item") == 3)
    try coordinator.close()
  }
}
