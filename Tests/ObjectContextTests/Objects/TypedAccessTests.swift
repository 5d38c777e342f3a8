import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

extension ObjectTests {
  @Suite("Typed and primitive access")
  struct TypedAccessTests {
    @Test("NS30: a typed property reads and writes the modelled attribute, for every type")
    func ns30TypedProperties() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      let badge = UniqueID()
      #expect(worker.name == nil && worker.age == 18 && worker.badge == nil && !worker.isActive)
      worker.name = "Ada"
      worker.age = 36
      worker.level = .senior
      worker.badge = badge
      worker.hiredAt = Timestamp("2024-02-29T12:00:00Z")
      worker.wage = DecimalNumber("12.50")
      worker.isActive = true
      worker.site = "https://example.org/"
      worker.set("photo", [1, 2, 3] as [UInt8])
      worker.set("rate", Float(0.1))
      #expect(try worker.value(forKey: "name") == .string("Ada"))
      #expect(try worker.value(forKey: "level") == .integer(7))
      #expect(try worker.value(forKey: "site") == .uri("https://example.org/"))
      #expect(try worker.value(forKey: "hiredAt") == .date(730_900_800))
      try place.context.save()
      try place.reopen()
      try place.setStaffClasses()
      let found = try #require(try place.context.fetch(TypedFetchRequest<Worker>("Worker")).first)
      #expect(found.name == "Ada" && found.age == 36 && found.level == .senior && found.badge == badge)
      #expect(found.hiredAt?.description == "2024-02-29T12:00:00Z")
      #expect(found.wage == DecimalNumber("12.5") && found.isActive && found.site == "https://example.org/")
      #expect(found.get("photo") == [1, 2, 3] as [UInt8])
      #expect(found.get("rate") == Float(0.1))
      #expect(found.get("hiredAt") == 730_900_800.0)
      found.set("hiredAt", 0.0)
      #expect(found.hiredAt == Timestamp(secondsSinceReferenceDate: 0))
      try place.context.save()
      try place.verify()
    }

    @Test("NS27: persistent attributes need no accessor of their own: keyed and generic access reach all of them")
    func ns27NoAccessor() throws {
      let place = try Workplace.staffed()
      let task = try place.context.insert("Task")
      #expect(task.get("title") == String?.none)
      task.set("title", "sweep")
      #expect(task.get("title") == "sweep")
      #expect(try task["title"] == .string("sweep"))
    }

    @Test("NS26: keyed and typed access agree, and hooks come once a set")
    func ns26HooksOnce() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      let team = try place.context.insert(Team.self)
      let log = CallLog()
      Worker.log = log
      defer { Worker.log = nil }
      worker.name = "Ada"
      #expect(log.calls == ["willChange name", "didChange name"])
      log.calls = []
      try worker.setValue(.string("Bob"), forKey: "name")
      #expect(log.calls == ["willChange name", "didChange name"])
      log.calls = []
      #expect(worker.name == "Bob")
      #expect(log.calls == ["willAccess name", "didAccess name"])
      log.calls = []
      #expect(try worker.value(forKey: "name") == .string("Bob"))
      #expect(log.calls == ["willAccess name", "didAccess name"])
      log.calls = []
      worker.team = team
      #expect(log.calls.filter { $0.contains("Change") } == ["willChange team", "didChange team"])
      log.calls = []
      worker.friends.insert(try place.context.insert(Chief.self))
      #expect(log.calls.filter { $0.contains("Change") } == ["willChange friends", "didChange friends"])
      log.calls = []
      #expect(worker.primitive("name") == "Bob")
      worker.setPrimitive("name", "Eve")
      #expect(log.calls == [])
      #expect(worker.name == "Eve")
    }

    @Test("NS26: an observer hears of sets while somebody holds it")
    func ns26Observers() throws {
      let place = try Workplace(try Models.staff())
      let task = try place.context.insert("Task")
      var heard: [String] = []
      var observation: ObjectObservation? = task.observe("title") { heard.append("\($0.key) \($0.object === task)") }
      try task.setValue(.string("a"), forKey: "title")
      task.set("title", "b")
      try task.setPrimitiveValue(.string("c"), forKey: "title")
      #expect(heard == ["title true", "title true"])
      observation?.invalidate()
      task.set("title", "d")
      observation = task.observe("title") { _ in heard.append("again") }
      task.set("title", "e")
      observation = nil
      task.set("title", "f")
      #expect(observation == nil)
      #expect(heard == ["title true", "title true", "again"])
    }

    @Test("NS20: a transient value set primitively is no change; set otherwise it is one that writes nothing")
    func ns20TransientCache() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      try place.context.save()
      worker.setPrimitive("mood", "fine")
      #expect(!worker.hasChanges && !place.context.hasChanges)
      #expect(worker.get("mood") == "fine")
      worker.set("mood", "bad")
      #expect(worker.hasChanges && !worker.hasPersistentChangedValues)
      #expect(try place.statements { try place.context.save() }.filter { $0.hasPrefix("UPDATE") } == [])
      #expect(worker.get("mood") == "bad" && !worker.hasChanges)
    }

    @Test("NS29: a transient attribute keeps any Swift value, for as long as the object lives and is not refreshed")
    func ns29AnyValue() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      try place.context.save()
      #expect(try worker.primitiveTransient(forKey: "thing") == nil)
      try worker.setPrimitiveTransient([1: "one"], forKey: "thing")
      #expect(try worker.primitiveTransient(forKey: "thing") as? [Int: String] == [1: "one"])
      #expect(!worker.hasChanges)
      #expect(objectErrorCode { _ = try worker.primitiveTransient(forKey: "age") } == .unknownKey)
      #expect(objectErrorCode { try worker.setPrimitiveTransient(1, forKey: "nothing") } == .unknownKey)
      try place.context.refresh(worker, mergingChanges: true)
      #expect(try worker.primitiveTransient(forKey: "thing") != nil)
      try place.context.refresh(worker, mergingChanges: false)
      #expect(try worker.primitiveTransient(forKey: "thing") == nil)
    }

    @Test("RL5: a to-one is a reference, a to-many a set that follows changes; duplicates collapse")
    func rl5Collections() throws {
      let place = try Workplace.staffed()
      let team = try place.context.insert(Team.self)
      let workers = try ["a", "b", "c"].map { name in
        let worker = try place.context.insert(Worker.self)
        worker.name = name
        return worker
      }
      let members = team.members
      #expect(members.isEmpty)
      #expect(members.insert(workers[0]))
      #expect(!members.insert(workers[0]))
      workers[1].team = team
      #expect(members.count == 2 && members.contains(workers[1]) && !members.contains(workers[2]))
      #expect(Set(members) == [workers[0], workers[1]])
      #expect(workers[0].team === team)
      members.remove(workers[0])
      #expect(workers[0].team == nil && members.map(\.name) == ["b"])
      members.replace(with: [workers[2], workers[2]])
      #expect(members.map(\.name) == ["c"])

      // The ordered one is a list.
      team.crew.insert(contentsOf: workers)
      #expect(team.crew.map(\.name) == ["a", "b", "c"])
      team.crew.move(from: 0, to: 2)
      #expect(team.crew.map(\.name) == ["b", "c", "a"])
      team.crew.insert(workers[0], at: 1)
      #expect(team.crew.map(\.name) == ["b", "a", "c"])
      #expect(team.crew.remove(at: 1) === workers[0])
      team.crew.replace(at: 0, with: workers[0])
      #expect(team.crew.map(\.name) == ["a", "c"])
      try place.context.save()
      #expect(team.crew.map(\.name) == ["a", "c"])
      // Assigning a collection copies what is in it.
      let other = try place.context.insert(Team.self)
      other.crew = team.crew
      #expect(other.crew.map(\.name) == ["a", "c"] && team.crew.isEmpty)
      try place.context.delete(workers[0])
      #expect(other.crew.map(\.name) == ["c"])
      place.context.rollback()
      #expect(team.crew.map(\.name) == ["a", "c"])
      try place.verify()
    }

    @Test("RL10: a relationship makes no destination objects, also not a mandatory one")
    func rl10NoDestinations() throws {
      var home = Models.toOne("address", "Address")
      home.isOptional = false
      let place = try Workplace(
        try Models.model(
          Models.entity("Employee", relationships: [home]),
          Models.entity("Address", attributes: [Models.attribute("street", .string)])))
      let employee = try place.context.insert("Employee")
      #expect(try employee.object(forKey: "address") == nil)
      #expect(try place.context.count("Address") == 0)
      #expect(saveError { try place.context.save() }?.failures.map(\.property) == ["address"])
    }

    @Test("a record that is gone reads as empty values, and its object is a deleted one")
    func inaccessible() throws {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      worker.age = 40
      try place.context.save()
      let other = place.anotherContext()
      let ghost = try #require(try other.object(with: worker.objectID) as? Worker)
      try place.context.delete(worker)
      try place.context.save()
      #expect(objectErrorCode { _ = try ghost.value(forKey: "age") } == .notFound)
      #expect(!ghost.isDeleted)
      #expect(ghost.age == 0 && ghost.name == nil && ghost.team == nil && ghost.friends.isEmpty)
      #expect(ghost.isDeleted)
      #expect(try place.statements { try other.save() } == [])
    }

    @Test("other failures of typed access stop the program with a message")
    func traps() async {
      await #expect(processExitsWith: .failure) {
        let place = try Workplace(try Models.staff())
        let task = try place.context.insert("Task")
        let number: Int = task.get("nothing")
        print(number)
      }
      await #expect(processExitsWith: .failure) {
        let place = try Workplace(try Models.staff())
        let task = try place.context.insert("Task")
        task.set("title", "text")
        let number: Int = task.get("title")
        print(number)
      }
    }
  }
}
