import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// References by relationships without an inverse to objects that go: none is saved that leads nowhere.
@Suite("References to objects that are gone") struct LostTargetTests {
  /// Note –about→ Thing, mandatory on request, Note –inside→ Box, and Box –things→ Thing, all without an inverse.
  private func workplace(isRequired: Bool = false) throws -> Workplace {
    var about = Models.toOne("about", "Thing")
    about.isOptional = !isRequired
    return try Workplace(
      try Models.model(
        Models.entity(
          "Note", attributes: [Models.attribute("text", .string)],
          relationships: [about, Models.toOne("inside", "Box")]),
        Models.entity("Thing", attributes: [Models.attribute("name", .string)]),
        Models.entity("Part", parent: "Thing"),
        Models.entity("Box", relationships: [Models.toMany("things", "Thing")])))
  }

  private let count = "SELECT count(ZABOUT), count(*) FROM ZNOTE"

  @Test("inserted and deleted again", arguments: [false, true], ["Thing", "Part"])
  func annihilated(isPermanent: Bool, entity: String) throws {
    let place = try workplace()
    let note = try place.context.insert("Note")
    let thing = try place.context.insert(entity)
    let box = try place.context.insert("Box")
    try note.setObject(thing, forKey: "about")
    try box.add(thing, to: "things")
    if isPermanent { try place.context.obtainPermanentIDs(for: [thing]) }
    try place.context.delete(thing)
    #expect(try note.object(forKey: "about") == nil)
    try place.context.save()
    #expect(try place.rows(count) == ["0|1"])
    #expect(try box.objects(forKey: "things") == [])
    try place.verify()
  }

  @Test("the insertion is undone, and redone", arguments: [false, true])
  func undone(isPermanent: Bool) throws {
    let place = try workplace()
    let note = try place.context.insert("Note")
    try place.context.save()
    let manager = UndoManager()
    place.context.undoManager = manager
    let thing = try place.context.insert("Thing")
    if isPermanent { try place.context.obtainPermanentIDs(for: [thing]) }
    try place.context.processPendingChanges()
    // What was set without the manager's knowledge is not set back by it.
    place.context.undoManager = nil
    try note.setObject(thing, forKey: "about")
    try place.context.delete(thing)
    #expect(!thing.isValid)
    try place.context.save()
    #expect(try place.rows(count) == ["0|1"])
    try place.verify()
  }

  @Test("undoing the insertion in one step with the reference, and redoing both")
  func undoneTogether() throws {
    let place = try workplace()
    place.context.undoManager = UndoManager()
    let note = try place.context.insert("Note")
    try place.context.processPendingChanges()
    try place.context.save()
    let thing = try place.context.insert("Thing")
    try note.setObject(thing, forKey: "about")
    try place.context.processPendingChanges()
    try place.context.undo()
    try place.context.save()
    #expect(try place.rows(count) == ["0|1"])
    try place.context.redo()
    #expect(try note.object(forKey: "about") == thing)
    try place.context.save()
    #expect(try place.rows(count) == ["1|1"])
    try place.verify()
  }

  @Test("deleted in a child context, or in the parent while a child refers to it", arguments: [false, true])
  func children(isPermanent: Bool) throws {
    let place = try workplace()
    let parent = place.context
    let thing = try parent.insert("Thing")
    let note = try parent.insert("Note")
    try note.setObject(thing, forKey: "about")
    if isPermanent { try parent.obtainPermanentIDs(for: [thing]) }
    let child = ManagedObjectContext(parent: parent)
    let other = try child.insert("Note")
    try other.setObject(try child.object(with: thing.objectID), forKey: "about")
    try child.save()
    let second = ManagedObjectContext(parent: parent)
    try second.delete(try second.object(with: thing.objectID))
    let late = try child.insert("Note")
    try late.setObject(try child.object(with: thing.objectID), forKey: "about")
    try second.save()
    #expect(!thing.isValid)
    try child.save()
    try parent.save()
    #expect(try place.rows(count) == ["0|3"])
    try place.verify()
  }

  @Test("a mandatory reference to what is gone fails the save, by code") func mandatory() throws {
    let place = try workplace(isRequired: true)
    let note = try place.context.insert("Note")
    let thing = try place.context.insert("Thing")
    try note.setObject(thing, forKey: "about")
    try place.context.delete(thing)
    let error = saveError { try place.context.save() }
    #expect(error?.code == .validation)
    #expect(error?.failures.map(\.code) == [.value(.missing)])
    #expect(error?.failures.first?.property == "about")
    try note.setObject(try place.context.insert("Part"), forKey: "about")
    try place.context.save()
    #expect(try place.rows(count) == ["1|1"])
    try place.verify()
  }

  @Test("a saved target is deleted: as a batch delete does", arguments: [false, true], [false, true])
  func saved(isRequired: Bool, atEndOfEvent: Bool) throws {
    let place = try workplace(isRequired: isRequired)
    let (thing, kept) = (try place.context.insert("Part"), try place.context.insert("Thing"))
    for target in [thing, thing, kept] {
      try (try place.context.insert("Note")).setObject(target, forKey: "about")
    }
    try place.context.save()
    try place.reopen()
    let context = place.context
    context.propagatesDeletesAtEndOfEvent = atEndOfEvent
    try context.delete(try context.object(with: thing.objectID))
    let error = saveError { try context.save() }
    if isRequired {
      #expect(error?.failures.map(\.code) == [.value(.missing), .value(.missing)])
      // With those that need it gone too, nothing stands in the way.
      for note in try context.fetch(FetchRequest("Note"))
      where try note.object(forKey: "about")?.objectID != kept.objectID { try context.delete(note) }
      try context.save()
      #expect(try place.rows(count) == ["1|1"])
    } else {
      #expect(error == nil)
      #expect(try place.rows(count) == ["1|3"])
      #expect(try place.rows("SELECT Z_OPT FROM ZNOTE ORDER BY Z_PK") == ["2", "2", "1"])
    }
    try place.verify()
  }

  @Test("undoing the deletion of a saved target brings the references back") func undoneDeletion() throws {
    let place = try workplace()
    let (note, thing) = (try place.context.insert("Note"), try place.context.insert("Thing"))
    try note.setObject(thing, forKey: "about")
    try place.context.save()
    place.context.undoManager = UndoManager()
    try place.context.delete(thing)
    try place.context.processPendingChanges()
    try place.context.save()
    #expect(try place.rows(count) == ["0|1"])
    try place.context.undo()
    try place.context.save()
    #expect(try place.rows(count) == ["1|1"])
    try place.verify()
  }

  @Test("an ID that nobody has is no target") func unknownID() throws {
    let place = try workplace()
    // An entity without subentities: the store is not asked when the relationship is set.
    let (note, box) = (try place.context.insert("Note"), try place.context.insert("Box"))
    try place.context.save()
    let uri = box.objectID.uri
    let unknown = try #require(
      place.coordinator.objectID(forURI: String(uri.dropLast(box.objectID.primaryKey.description.count)) + "77"))
    try note.setObject(try place.context.object(with: unknown), forKey: "inside")
    let error = saveError { try place.context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts == [unknown])
    #expect(try place.rows("SELECT count(ZINSIDE) FROM ZNOTE") == ["0"])
  }
}
