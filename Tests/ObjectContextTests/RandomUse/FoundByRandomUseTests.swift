import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// What random programs ended with a signal on, one by one; each in a process of its own.
@Suite("What random use found")
struct FoundByRandomUseTests {
  private struct Broken: Error {}

  private static func claim(_ holds: Bool) throws { if !holds { throw Broken() } }

  @Test("an object of another entity is no member, and taking it out changes nothing")
  func foreignMember() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      let (team, task) = (try place.context.insert(Team.self), try place.context.insert("Task"))
      for key in ["members", "crew"] { try Self.claim(try !team.remove(task, from: key)) }
      try Self.claim(try !task.remove(team, from: "workers"))
      try Self.claim(objectErrorCode { try team.add(task, to: "members") } == .wrongEntity)
    }
  }

  @Test("a sequence that has come to its end gives out its last key, and then fails saves")
  func lastKey() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      let store = try #require(place.coordinator.store)
      try store.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806")
      try place.reopen()
      try place.setStaffClasses()
      let last = try place.context.insert(Worker.self)
      try place.context.save()
      try Self.claim(last.objectID.primaryKey == .max)
      _ = try place.context.insert(Worker.self)
      try Self.claim(saveError { try place.context.save() } != nil)
    }
  }

  @Test("positions that are as great as numbers get: what is added comes last, and a place between two is found")
  func greatestPositions() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace(try Models.works())
      let company = try place.context.insert("Company")
      let person = try place.context.insert("Person")
      try person.setValue(.string("p"), forKey: "name")
      try company.setValue(.string("c"), forKey: "name")
      func add(_ name: String, to object: ManagedObject, _ key: String) throws -> ManagedObject {
        let other = try place.context.insert(key == "staff" ? "Person" : "Skill")
        try other.setValue(.string(name), forKey: key == "staff" ? "name" : "title")
        try object.add(other, to: key)
        return other
      }
      for name in ["a", "b"] {
        _ = try add(name, to: company, "staff")
        _ = try add(name, to: person, "skills")
      }
      try place.context.save()
      let store = try #require(place.coordinator.store)
      let pairs = try #require(try place.rows("SELECT name FROM sqlite_master WHERE name LIKE 'Z_%SKILLS'").first)
      let order = try #require(
        try place.rows("SELECT name FROM pragma_table_info('\(pairs)') WHERE name LIKE '%FOK%SKILLS'").first)
      for (table, column, key) in [("ZPARTY", "Z_FOK_EMPLOYER", "ZNAME"), (pairs, order, "rowid")] {
        let least = key == "rowid" ? "(SELECT min(rowid) FROM \(table))" : "'a'"
        try store.connection.execute("UPDATE \(table) SET \(column) = '1e400'")
        try store.connection.execute("UPDATE \(table) SET \(column) = -9223372036854775807 WHERE \(key) = \(least)")
      }
      try place.reopen()
      let people = try place.context.fetchAll("Person").filter { try $0.value(forKey: "name") == .string("p") }
      let owners: [(ManagedObject, String, String)] = [
        (try #require(try place.context.fetchAll("Company").first), "staff", "name"),
        (try #require(people.first), "skills", "title"),
      ]
      for (owner, key, name) in owners {
        _ = try add("c", to: owner, key)
        try Self.claim(try owner.objects(forKey: key).names(name) == ["a", "b", "c"])
        let middle = try add("d", to: owner, key)
        try owner.insert(middle, into: key, at: 1)
        try Self.claim(try owner.objects(forKey: key).names(name) == ["a", "d", "b", "c"])
        let last = try add("e", to: owner, key)
        try owner.insert(last, into: key, at: 4)
      }
      try place.context.save()
      try place.reopen()
      for (entity, key, name) in [("Company", "staff", "name"), ("Person", "skills", "title")] {
        let lists = try place.context.fetchAll(entity).map { try $0.objects(forKey: key).names(name) }
        try Self.claim(lists.contains(["a", "d", "b", "c", "e"]))
      }
    }
  }

  @Test("a child context saves into a parent whose store was closed: an error")
  func closedBelow() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      try place.context.save()
      let parent = place.anotherContext()
      let child = ManagedObjectContext(parent: parent)
      let theirs = try child.object(with: worker.objectID)
      try theirs.setValue(.string("Eve"), forKey: "name")
      try parent.refreshAllObjects()
      try place.coordinator.close()
      try Self.claim(saveError { try child.save() } != nil)
      try Self.claim(theirs.hasChanges)
    }
  }

  @Test("members may go while somebody maps, turns round or walks through them")
  func shrinkingMembers() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      let team = try place.context.insert(Team.self)
      func fill() throws { for _ in 0..<4 { team.members.insert(try place.context.insert(Worker.self)) } }
      let walks: [(RelatedObjects<Worker>) -> Int] = [
        { members in members.map { members.remove($0) }.count },
        { members in
          for member in members.reversed() { members.remove(member) }
          return 4
        },
        { members in
          for member in members.prefix(4) { members.remove(member) }
          return 4
        },
      ]
      for walk in walks {
        try fill()
        try Self.claim(walk(team.members) == 4 && team.members.isEmpty)
      }
    }
  }

  @Test("a hook that resets the context while a relationship is set: the object is invalid")
  func resetInHook() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      let (team, worker) = (try place.context.insert(Team.self), try place.context.insert(Worker.self))
      try place.context.save()
      let context = place.anotherContext()
      let (first, second) = (try context.object(with: team.objectID), try context.object(with: worker.objectID))
      Worker.onFetch = { $0.context?.reset() }
      try Self.claim(objectErrorCode { try second.setObject(first, forKey: "team") } == .invalid)
      try Self.claim(objectErrorCode { try second.setValue(.string("Eve"), forKey: "name") } == .invalid)
    }
  }

  @Test("an initializer that resets its context makes an object of no record, which nothing finds again")
  func resetInInitializer() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace.staffed()
      for _ in 0..<3 { _ = try place.context.insert("Task") }
      try place.context.save()
      try place.reopen()
      try place.coordinator.setClasses(["Task": Forgetful.self])
      let context = place.anotherContext()
      Forgetful.meddled = context
      do {
        let inserted = try context.insert("Task")
        try Self.claim(objectErrorCode { _ = try inserted.value(forKey: "title") } == .invalid)
        try Self.claim(context.insertedObjects.isEmpty)
        let objects = Array(try context.fetch(FetchRequest("Task")))
        try Self.claim(objects.count == 3)
        for object in objects {
          try Self.claim(objectErrorCode { try object.setValue(.string("x"), forKey: "title") } == .invalid)
        }
      }
      // Their memory is gone: whoever found them now would read that of others.
      Forgetful.meddled = nil
      for object in try context.fetch(FetchRequest("Task")) { try object.setValue(.string("y"), forKey: "title") }
      try context.save()
      try Self.claim(try context.count(for: FetchRequest("Task", where: ObjectPredicate(format: "title == 'y'"))) == 3)
    }
  }
}

/// Resets a context while an object is made.
private final class Forgetful: ManagedObject {
  nonisolated(unsafe) static var meddled: ManagedObjectContext?

  required init(_ handle: ObjectHandle) {
    super.init(handle)
    Self.meddled?.reset()
  }
}
