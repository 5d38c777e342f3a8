import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

extension ObjectTests {
  @Suite("State of managed objects and faults")
  struct ObjectStateTests {
    private func workers(_ place: Workplace, _ count: Int) throws -> [Worker] {
      let workers = try (0..<count).map { i in
        let worker = try place.context.insert(Worker.self)
        worker.name = "w\(i)"
        return worker
      }
      try place.context.save()
      return workers
    }

    @Test("changedValues says what differs from the store, committedValues what is there")
    func changes() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      #expect(try worker.changedValues() == ["age": .attribute(.integer(18))])
      #expect(
        try worker.committedValues(forKeys: ["age", "team"]) == ["age": .attribute(.null), "team": .object(nil)])
      let team = try place.context.insert(Team.self)
      worker.name = "Ada"
      worker.team = team
      try place.context.save()
      #expect(try worker.changedValues() == [:])
      let other = try place.context.insert(Team.self)
      worker.name = "Eve"
      worker.team = other
      let friend = try place.context.insert(Worker.self)
      worker.friends.insert(friend)
      #expect(
        try worker.changedValues() == [
          "name": .attribute(.string("Eve")), "team": .object(other.objectID), "friends": .objects([friend.objectID]),
        ])
      #expect(
        try worker.committedValues(forKeys: ["name", "team", "friends", "age"]) == [
          "name": .attribute(.string("Ada")), "team": .object(team.objectID), "friends": .objects([]),
          "age": .attribute(.integer(18)),
        ])
      #expect(try team.committedValues(forKeys: ["members"]) == ["members": .objects([worker.objectID])])
      #expect(try team.changedValues() == ["members": .objects([])])
      #expect(worker.hasPersistentChangedValues)
      // Set back, nothing has changed.
      worker.name = "Ada"
      worker.team = team
      worker.friends.removeAll()
      #expect(try worker.changedValues() == [:])
      #expect(!worker.hasPersistentChangedValues)
      #expect(objectErrorCode { _ = try worker.committedValues(forKeys: ["nothing"]) } == .unknownKey)
      #expect(try worker.committedValues().keys.contains("wage"))
      #expect(try worker.committedValues()["mood"] == nil)
      #expect(worker.faultingState == 0)
    }

    @Test("changedValues leaves out transient attributes")
    func transientChanges() throws {
      let place = try Workplace.staffed()
      let worker = try workers(place, 1)[0]
      worker.set("mood", "glad")
      #expect(worker.hasChanges && !worker.hasPersistentChangedValues)
      #expect(try worker.changedValues() == [:])
      worker.name = "Eve"
      #expect(try worker.changedValues() == ["name": .attribute(.string("Eve"))])
    }

    @Test("committedValues names an object that is deleted here")
    func committedOfDeleted() throws {
      let place = try Workplace.staffed()
      let worker = try workers(place, 1)[0]
      let team = try place.context.insert(Team.self)
      worker.team = team
      try place.context.save()
      try place.context.delete(worker)
      try place.context.delete(team)
      #expect(try worker.committedValues(forKeys: ["team"]) == ["team": .object(team.objectID)])
      #expect(try worker.objectIDs(forRelationshipNamed: "team") == [])
      place.context.rollback()
      #expect(worker.team === team)
    }

    @Test("an object that was deleted before it was saved counts as deleted, until undoing brings it back")
    func deletedUnsaved() throws {
      let place = try Workplace.staffed()
      place.context.undoManager = UndoManager()
      let worker = try place.context.insert(Worker.self)
      try place.context.processPendingChanges()
      try place.context.delete(worker)
      #expect(worker.isDeleted && !worker.isValid && !worker.hasChanges)
      try place.context.undo()
      #expect(!worker.isDeleted && worker.isValid && worker.isInserted)
    }

    @Test("a child's save brings transient values to its parent, and a child's fetch takes none from there")
    func transientInFamilies() throws {
      let place = try Workplace.staffed()
      let child = ManagedObjectContext(parent: place.context)
      do {
        let worker = try child.insert(Worker.self)
        worker.set("mood", "glad")
        try child.save()
      }
      let theirs = try #require(place.context.insertedObjects.first as? Worker)
      #expect(theirs.get("mood") == "glad")
      try place.context.save()
      let mine = try #require(try child.fetch(FetchRequest("Worker")).first as? Worker)
      #expect(mine.get("mood") == String?.none)
      mine.set("mood", "sad")
      try child.refresh(mine, mergingChanges: true)
      #expect(mine.get("mood") == "sad")
      try child.save()
      #expect(theirs.get("mood") == "sad" && theirs.hasChanges && !theirs.hasPersistentChangedValues)
    }

    @Test("what a child context saved is registered in its parent")
    func registeredByChild() throws {
      let place = try Workplace.staffed()
      let child = ManagedObjectContext(parent: place.context)
      let worker = try child.insert(Worker.self)
      try child.obtainPermanentIDs(for: [worker])
      try child.save()
      let twin = try #require(place.context.registeredObject(with: worker.objectID))
      #expect(twin.isInserted && place.context.insertedObjects == [twin])
      #expect(child.registeredObject(with: worker.objectID) === worker && !worker.hasChanges)
    }

    @Test("AP40: a fetch of SELF IN faults fires them all with one SELECT; so does fetchValues")
    func ap40BatchFaulting() throws {
      let place = try Workplace.staffed()
      let ids = try workers(place, 20).map(\.objectID)
      for isFetch in [true, false] {
        let context = place.anotherContext()
        let faults = try ids.map { try context.object(with: $0) }
        #expect(faults.allSatisfy { $0.isFault })
        let statements = try place.statements {
          if isFetch {
            let found = try context.fetch(
              FetchRequest("Worker", where: try ObjectPredicate(format: "SELF IN %@", faults)))
            #expect(Set(found) == Set(faults))
          } else {
            try context.fetchValues(of: faults)
          }
          for (i, fault) in faults.enumerated() { #expect(try fault.value(forKey: "name") == .string("w\(i)")) }
        }
        #expect(statements.filter { $0.hasPrefix("SELECT") }.count == 1, "\(statements)")
        #expect(!faults.contains { $0.isFault })
      }
    }

    @Test("AP40: one object a record; firing one object of a fetch asks nobody")
    func ap40Uniquing() throws {
      let place = try Workplace.staffed()
      let saved = try workers(place, 10)
      let context = place.anotherContext()
      let found = Array(try context.fetch(FetchRequest("Worker")))
      #expect(try context.object(with: saved[3].objectID) === found.first { $0.objectID == saved[3].objectID })
      #expect(found.allSatisfy { $0.isFault })
      let statements = try place.statements { for object in found { _ = try object.value(forKey: "name") } }
      #expect(statements == [])
      #expect(!found.contains { $0.isFault })
    }

    @Test("AP41: an object is the same before and after its first save; its ID is temporary, then permanent")
    func ap41TemporaryIDs() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      let temporary = worker.objectID
      #expect(temporary.isTemporary)
      #expect(try place.context.object(with: temporary) === worker)
      try place.context.save()
      #expect(!worker.objectID.isTemporary)
      #expect(place.context.registeredObject(with: worker.objectID) === worker)
      #expect(place.context.registeredObject(with: temporary) == nil)
      #expect(place.coordinator.objectID(forURI: worker.objectID.uri) == worker.objectID)
      let second = try place.context.insert(Worker.self)
      try place.context.obtainPermanentIDs(for: [second])
      #expect(!second.objectID.isTemporary && second.isInserted)
    }

    @Test("permanent IDs are taken in one transaction, in the order of the objects")
    func manyPermanentIDs() throws {
      let place = try Workplace.staffed()
      let workers = try (0..<40).map { _ in try place.context.insert(Worker.self) }
      let team = try place.context.insert(Team.self)
      var objects: [ManagedObject] = workers
      objects += [team, workers[3], team]
      let statements = try place.statements { try place.context.obtainPermanentIDs(for: objects) }
      #expect(statements.filter { $0.hasPrefix("BEGIN") }.count == 1, "\(statements)")
      #expect(statements.count < 10, "\(statements)")
      #expect(!team.objectID.isTemporary)
      let keys = workers.map(\.objectID.primaryKey)
      #expect(keys.map { $0 - keys[0] } == Array(0..<40))
      try place.context.save()
      #expect(workers.map(\.objectID.primaryKey) == keys)
    }

    @Test("faults of relationships are told without firing them")
    func relationshipFaults() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      worker.team = try place.context.insert(Team.self)
      #expect(try !worker.hasFault(forRelationshipNamed: "tasks"))
      try place.context.save()
      let context = place.anotherContext()
      let twin = try context.object(with: worker.objectID)
      var isFault = false
      var statements = try place.statements { isFault = try twin.hasFault(forRelationshipNamed: "team") }
      #expect(isFault && statements == [])
      #expect(try twin.objectIDs(forRelationshipNamed: "team") == [try #require(worker.team).objectID])
      statements = try place.statements { isFault = try twin.hasFault(forRelationshipNamed: "team") }
      #expect(isFault && statements == [])
      #expect(try twin.hasFault(forRelationshipNamed: "friends"))
      #expect(try twin.objects(forKey: "friends") == [])
      #expect(try !twin.hasFault(forRelationshipNamed: "friends"))
      let team = try #require(try twin.object(forKey: "team"))
      #expect(try twin.hasFault(forRelationshipNamed: "team"))
      #expect(try team.objectIDs(forRelationshipNamed: "members") == [twin.objectID])
      #expect(try team.value(forKey: "name") == .null)
      #expect(try !twin.hasFault(forRelationshipNamed: "team"))
      #expect(objectErrorCode { _ = try twin.hasFault(forRelationshipNamed: "name") } == .unknownKey)
    }
  }
}
