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
