import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Objects that outlive the last reference to their context, with changes and without.
@Suite("Contexts that only objects keep")
struct ContextSuccessorTests {
  private func skill(_ title: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let skill = try context.insert("Skill")
    try skill.setValue(.string(title), forKey: "title")
    return skill
  }

  /// Objects whose context went with the end of the call; one more was inserted, and is not held.
  private func left(_ place: Workplace, _ titles: [String]) throws -> [ManagedObject] {
    let context = place.anotherContext()
    context.name = "left"
    context.transactionAuthor = "Ada"
    context.mergePolicy = .mergeByPropertyObjectTrump
    _ = try skill("not held", context)
    return try titles.map { try skill($0, context) }
  }

  @Test("an object that was inserted and never saved lives on, and is saved, with what else was changed beside it")
  func inserted() throws {
    let place = try Workplace(try Models.works())
    let object = try #require(try left(place, ["a"]).first)
    #expect(object.isValid && object.isInserted && object.hasChanges)
    #expect(try object.value(forKey: "title") == .string("a"))
    try object.setValue(.string("b"), forKey: "title")
    #expect(object.context?.insertedObjects.count == 2)
    try object.context?.save()
    #expect(!object.hasChanges && !object.objectID.isTemporary)
    #expect(try place.rows("SELECT ZTITLE FROM ZSKILL ORDER BY ZTITLE") == ["b", "not held"])
  }

  @Test("the settings of the context stay, and its objects are the same ones")
  func settings() throws {
    let place = try Workplace(try Models.works())
    let objects = try left(place, ["a", "b"])
    let context = try #require(objects[0].context)
    #expect(objects[1].context === context)
    #expect(context.name == "left" && context.transactionAuthor == "Ada")
    #expect(context.mergePolicy.kind == .mergeByPropertyObjectTrump)
    for object in objects { #expect(try context.object(with: object.objectID) === object) }
    context.rollback()
    #expect(objects.allSatisfy { !$0.isValid } && !context.hasChanges)
  }

  @Test("a context goes with its last object, whether it was asked for meanwhile or not")
  func noCycles() throws {
    let place = try Workplace(try Models.works())
    for isAskedFor in [false, true] {
      var objects = try left(place, ["a", "b"])
      weak var context: ManagedObjectContext?
      if isAskedFor {
        let held = try #require(objects[0].context)
        context = held
        try objects[0].setValue(.string("c"), forKey: "title")
        weak let inserted = try skill("d", held)
        #expect(inserted != nil, "a context that is referred to keeps what has changes")
      }
      #expect(context == nil)
      weak let object = objects[0]
      objects.removeFirst()
      #expect(object == nil)
      #expect(try objects[0].value(forKey: "title") == .string("b"))
      #expect(objects[0].context?.insertedObjects.count == (isAskedFor ? 4 : 3))
      weak let last = objects[0]
      objects.removeFirst()
      #expect(last == nil)
    }
    #expect(try place.rows("SELECT count(*) FROM ZSKILL") == ["0"])
  }

  @Test("what is set and related while only objects keep the context is a change of it")
  func changesWithoutContext() throws {
    let place = try Workplace(try Models.works())
    func people() throws -> [ManagedObject] {
      let context = place.anotherContext()
      return try ["Ada", "Bob"].map { name in
        let person = try context.insert("Person")
        try person.setValue(.string(name), forKey: "name")
        return person
      }
    }
    var two = try people()
    try two[0].setObject(two[1], forKey: "spouse")
    try two[0].add(two[1], to: "friends")
    // The other one's handle goes, its row does not.
    two.removeLast()
    #expect(try two[0].object(forKey: "spouse")?.value(forKey: "name") == .string("Bob"))
    try two[0].context?.save()
    #expect(try place.rows("SELECT ZNAME FROM ZPARTY WHERE ZSPOUSE IS NOT NULL ORDER BY ZNAME") == ["Ada", "Bob"])
    #expect(try two[0].objects(forKey: "friends").count == 1)
  }

  @Test("steps of undo and observers end with the reference to the context; merging goes on")
  func whatEnds() throws {
    let place = try Workplace(try Models.works())
    let saved = try skill("a", place.context)
    try place.context.save()
    var context: ManagedObjectContext? = place.anotherContext()
    context?.automaticallyMergesChangesFromParent = true
    let manager = UndoManager()
    context?.undoManager = manager
    var count = 0
    let token = context?.observe(.didSave) { _ in count += 1 }
    let twin = try #require(try context?.object(with: saved.objectID))
    try twin.setValue(.string("b"), forKey: "title")
    try context?.save()
    #expect(manager.canUndo && count == 1)
    context = nil
    #expect(!manager.canUndo && twin.isValid)
    try twin.setValue(.string("c"), forKey: "title")
    try twin.context?.save()
    #expect(count == 1 && !manager.canUndo)
    try place.context.refresh(saved, mergingChanges: false)
    try saved.setValue(.string("d"), forKey: "title")
    try place.context.save()
    #expect(try twin.value(forKey: "title") == .string("d"))
    withExtendedLifetime(token) {}
  }

  @Test("a child's object saves into the parent that the child had")
  func children() throws {
    let place = try Workplace(try Models.works())
    func inserted() throws -> ManagedObject { try skill("a", ManagedObjectContext(parent: place.context)) }
    let object = try inserted()
    #expect(object.context?.parent === place.context)
    try object.context?.save()
    #expect(place.context.insertedObjects.names("title") == ["a"])
    try place.context.save()
    #expect(try object.value(forKey: "title") == .string("a") && !object.objectID.isTemporary)
  }

  @Test("a held object of a class keeps its own variables; one that only the context kept begins anew")
  func variables() throws {
    let place = try Workplace.staffed()
    func workers() throws -> Worker {
      let context = place.anotherContext()
      let (held, other) = (try context.insert(Worker.self), try context.insert(Worker.self))
      held.name = "Ada"
      held.cache = "kept"
      other.name = "Bob"
      other.cache = "lost"
      return held
    }
    let held = try workers()
    #expect(held.cache == "kept")
    let inserted = held.context?.insertedObjects ?? []
    let others = inserted.filter { $0 !== held }.compactMap { $0 as? Worker }
    #expect(others.map(\.name) == ["Bob"] && others.map(\.cache) == [nil])
  }

  @Test("a value that could not be set does not keep object and context for ever, and fails the save")
  func valuesNotSet() throws {
    let place = try Workplace.staffed()
    func worker() throws -> Worker {
      let worker = try place.anotherContext().insert(Worker.self)
      worker.name = "Ada"
      worker.wage = DecimalNumber("12345678901234567.89")
      return worker
    }
    var held: Worker? = try worker()
    #expect(held?.context?.accessFailures.map(\.property) == ["wage"])
    #expect(saveError { try held?.context?.save() }?.failures.map(\.code) == [.notSet])
    weak let watched = held
    held?.wage = DecimalNumber("12345678901234567.89")
    held = nil
    #expect(watched == nil)
  }
}
