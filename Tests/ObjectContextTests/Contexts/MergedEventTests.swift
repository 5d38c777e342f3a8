import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// What contexts, results and parents hear of changes that came from elsewhere.
@Suite struct MergedEventTests {
  @Test("a merged insert is named in objectsDidChange and registered; a merged deletion leaves a deleted object")
  func mergedObjects() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    context.automaticallyMergesChangesFromParent = true
    var events: [ContextEvent] = []
    let token = context.observe(.objectsDidChange) { events.append($0) }
    let other = place.anotherContext()
    let skill = try other.insert("Skill")
    try skill.setValue(.string("a"), forKey: "title")
    try other.save()
    #expect(events.map(\.insertedObjectIDs) == [[skill.objectID]])
    let mine = try #require(context.registeredObject(with: skill.objectID))
    #expect(mine.isFault && !mine.hasChanges)
    #expect(try mine.value(forKey: "title") == .string("a"))
    try other.delete(skill)
    try other.save()
    #expect(events.last?.deletedObjectIDs == [mine.objectID])
    #expect(mine.isDeleted && !mine.isValid && !mine.hasChanges)
    #expect(mine.get("title") == String?.none)
    token.cancel()
  }

  @Test("what a merge brought does not keep its context")
  func mergedObjectsGo() throws {
    let place = try Workplace(try Models.works())
    var context: ManagedObjectContext? = place.anotherContext()
    context?.automaticallyMergesChangesFromParent = true
    context?.retainsRegisteredObjects = false
    let token = context?.observe(.objectsDidChange) { _ in }
    weak let watched = context
    for title in ["a", "b"] {
      try place.context.insert("Skill").setValue(.string(title), forKey: "title")
      try place.context.save()
    }
    #expect(context?.registeredObjects.count == 1)
    context = nil
    #expect(watched == nil)
    withExtendedLifetime(token) {}
  }

  @Test("results follow processPendingChanges, and a save gives the same object another ID, not another object")
  func resultsOfPendingChanges() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let results = try FetchedResults(FetchRequest("Skill", sortedBy: [ObjectSortDescriptor("title")]), in: context)
    var changes: [FetchedResults.Changes] = []
    results.onChange = { if case .success(let change) = $0 { changes.append(change) } }
    let skill = try context.insert("Skill")
    try skill.setValue(.string("b"), forKey: "title")
    try context.processPendingChanges()
    #expect(changes.count == 1 && changes[0].inserted.map(\.objectID) == [skill.objectID])
    try context.processPendingChanges()
    try context.save()
    #expect(changes.count == 1)
    try skill.setValue(.string("c"), forKey: "title")
    try context.processPendingChanges()
    #expect(changes.count == 2 && changes[1].updated.map(\.objectID) == [skill.objectID])
  }

  @Test("results hear that a merge changed the members of a to-many relationship", arguments: [false, true])
  func mergedMembers(isManyToMany: Bool) throws {
    let place = try Workplace(try Models.works())
    let (entity, key) = isManyToMany ? ("Skill", "people") : ("Person", "supplier")
    let context = place.context
    let company = try context.insert("Company")
    try company.setValue(.string("c"), forKey: "name")
    let person = try context.insert("Person")
    try person.setValue(.string("p"), forKey: "name")
    try context.save()
    context.automaticallyMergesChangesFromParent = true
    let watched = isManyToMany ? person : company
    let results = try FetchedResults(FetchRequest(watched.entity.name), in: context)
    var updated: [ManagedObjectID] = []
    results.onChange = { if case .success(let change) = $0 { updated += change.updated.map(\.objectID) } }
    let other = place.anotherContext()
    if isManyToMany {
      let skill = try other.insert(entity)
      try skill.setValue(.string("s"), forKey: "title")
      let relationship = try #require(skill.entity.relationships.first { $0.isToMany })
      try skill.add(try other.object(with: person.objectID), to: relationship.name)
    } else {
      try other.object(with: person.objectID).setObject(try other.object(with: company.objectID), forKey: key)
    }
    try other.save()
    #expect(updated == [watched.objectID])
  }

  @Test("a change of a transient attribute alone reaches the parent with every save")
  func transientsOfChildren() throws {
    let place = try Workplace(try Models.types())
    let thing = try place.context.insert("Thing")
    try place.context.save()
    let child = ManagedObjectContext(parent: place.context)
    let own = try child.object(with: thing.objectID)
    for mood in ["calm", "gay"] {
      try own.setValue(.string(mood), forKey: "mood")
      try child.save()
      #expect(try thing.value(forKey: "mood") == .string(mood))
      #expect(!child.hasChanges)
      try place.context.save()
      #expect(try thing.value(forKey: "mood") == .string(mood))
    }
  }

  @Test("validation methods know the number of objects, mandatory relationships and deny")
  func validationOfRelationships() throws {
    var members = Models.toMany("members", "Person", inverse: "team")
    members.minCount = 2
    members.isOptional = false
    members.deleteRule = .deny
    var team = Models.toOne("team", "Team", inverse: "members")
    team.isOptional = false
    let place = try Workplace(
      try Models.model(
        Models.entity("Team", attributes: [Models.attribute("name", .string)], relationships: [members]),
        Models.entity("Person", relationships: [team])))
    func found(_ body: () throws -> Void) -> [String] {
      do { try body() } catch let error as ValidationError {
        return error.failures.map(\.description)
      } catch {
        return ["\(error)"]
      }
      return []
    }
    let object = try place.context.insert("Team")
    try object.setValue(.string("Blue"), forKey: "name")
    let person = try place.context.insert("Person")
    #expect(
      found { try object.validateForInsert() }
        == ["Team “Blue”: members has too few objects [validate.tooFewObjects]"])
    #expect(found { try person.validateForInsert() } == ["new Person 2: team is required [validate.missing]"])
    try object.add(person, to: "members")
    try object.add(try place.context.insert("Person"), to: "members")
    #expect(found { try object.validateForInsert() }.isEmpty && found { try person.validateForInsert() }.isEmpty)
    try place.context.save()
    #expect(
      found { try object.validateForDelete() }
        == ["Team “Blue”: members still has objects, so it cannot be deleted [validate.deletionDenied]"])
    #expect(found { try person.validateForDelete() }.isEmpty)
  }

  @Test("a container's context is fetched from in portions, which a cancelled task ends")
  func portions() async throws {
    let folder = TemporaryFolder()
    let container = PersistentContainer(model: try Models.works())
    try await container.withCoordinator { [path = folder.file("store.sqlite")] in
      _ = try $0.addSQLiteStore(at: path)
    }
    let background = container.newBackgroundContext()
    try await background.perform { context in
      for number in 0..<25 { try context.insert("Skill").setValue(.string("s\(number)"), forKey: "title") }
      try context.save()
    }
    let request = FetchRequest("Skill")
    let titles = background.asyncFetch(request, portion: 10) { object throws(ObjectError) in
      try object.value(forKey: "title")
    }
    var counts: [Int] = []
    for try await portion in titles { counts.append(portion.count) }
    #expect(counts == [10, 10, 5])
    let task = Task { () async throws -> Int in
      withUnsafeCurrentTask { $0?.cancel() }
      var count = 0
      for try await portion in titles { count += portion.count }
      return count
    }
    let error = await #expect(throws: ObjectError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
    try await container.close()
  }
}
