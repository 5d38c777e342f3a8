import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

extension ObjectTests {
  @Suite("Life cycle of managed objects")
  struct LifeCycleTests {
    /// Counts what workers hear of while `body` runs.
    private func calls(_ body: () throws -> Void) rethrows -> [String] {
      let log = CallLog()
      Worker.log = log
      defer { Worker.log = nil }
      try body()
      return log.calls.filter { !$0.contains("Access") && !$0.contains("Change") }
    }

    private func savedWorker(_ place: Workplace, _ name: String = "Ada") throws -> Worker {
      let worker = try place.context.insert(Worker.self)
      worker.name = name
      try place.context.save()
      return worker
    }

    @Test("AP49: an insert, a save, a refresh, a fetch, a deletion and a rollback are told to the object, each once")
    func ap49Hooks() throws {
      let place = try Workplace.staffed()
      var worker: Worker?
      #expect(try calls { worker = try place.context.insert(Worker.self) } == ["awakeFromInsert"])
      let saved = try #require(worker)
      #expect(try calls { try place.context.save() } == ["willSave", "didSave false false"])
      #expect(try calls { try place.context.save() } == [])
      saved.name = "Ada"
      #expect(try calls { try place.context.save() } == ["willSave", "didSave false false"])
      #expect(
        try calls { try place.context.refresh(saved, mergingChanges: false) }
          == ["willTurnIntoFault false", "didTurnIntoFault"])
      // The object is a fault already: there is nothing to forget.
      #expect(try calls { try place.context.refresh(saved, mergingChanges: false) } == [])
      #expect(calls { _ = saved.name } == ["awakeFromFetch"])
      #expect(calls { _ = saved.age } == [])
      saved.name = "Eve"
      #expect(calls { place.context.rollback() } == ["snapshot \(SnapshotEvents.rollback.rawValue)"])
      #expect(saved.name == "Ada")
      let other = place.anotherContext()
      let found = try #require(try other.fetch(TypedFetchRequest<Worker>("Worker")).first)
      #expect(calls { _ = found.name } == ["awakeFromFetch"])
      #expect(try calls { try place.context.delete(saved) } == ["prepareForDeletion true"])
      #expect(try calls { try place.context.save() } == ["willSave", "didSave false true"])
    }

    @Test("AP49: what awakeFromFetch sets is no change; relationships are still there in prepareForDeletion")
    func ap49AwakeIsNoChange() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      worker.team = try place.context.insert(Team.self)
      try place.context.save()
      try place.context.refresh(worker, mergingChanges: false)
      Worker.onFetch = { $0.age = 77 }
      defer { Worker.onFetch = nil }
      #expect(worker.name == "Ada")
      #expect(worker.age == 77 && !worker.hasChanges && !place.context.hasChanges)
      #expect(try place.statements { try place.context.save() } == [])
      #expect(try calls { try place.context.delete(worker) } == ["prepareForDeletion false"])
    }

    @Test("an object hears of its deletion at once, also when delete rules wait for the end of the event")
    func lateDeleteRules() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      worker.team = try place.context.insert(Team.self)
      try place.context.save()
      place.context.propagatesDeletesAtEndOfEvent = true
      #expect(try calls { try place.context.delete(worker) } == ["prepareForDeletion false"])
      #expect(worker.isDeleted)
      #expect(try calls { try place.context.processPendingChanges() } == [])
      #expect(try calls { try place.context.save() } == ["willSave", "didSave false true"])
    }

    @Test("willSave may change values; it is called again until nothing changes, and a save without an end is refused")
    func willSaveLoop() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      let friend = try savedWorker(place, "Bob")
      Worker.onWillSave = { object in
        if object.age < 21 { object.age += 1 }
        if object.name == "Ada" { friend.age = 50 }
      }
      defer { Worker.onWillSave = nil }
      worker.name = "Ada "
      worker.name = "Ada"
      worker.age = 19
      let told = try calls { try place.context.save() }
      #expect(worker.age == 21 && friend.age == 50)
      // 19 to 21 takes two rounds that change something and one that does not; the friend comes in with the first.
      #expect(told.filter { $0 == "willSave" }.count == 4)
      #expect(told.filter { $0.hasPrefix("didSave") }.count == 2)
      #expect(try place.rows("SELECT ZAGE FROM ZUNIT ORDER BY Z_PK") == ["21", "50"])
      Worker.onWillSave = { $0.age = $0.age == 60 ? 61 : 60 }
      worker.age = 55
      #expect(saveError { try place.context.save() }?.code == .unstable)
      #expect(place.context.hasChanges)
      // Set primitively, no round follows.
      Worker.onWillSave = { $0.setPrimitive("age", $0.age == 60 ? Int16(61) : Int16(60)) }
      let age = worker.age
      #expect(try calls { try place.context.save() }.filter { $0 == "willSave" }.count == 1)
      #expect(worker.age == (age == 60 ? 61 : 60))
    }

    @Test("rows of entities without a class make no objects when they are saved")
    func plainRows() throws {
      let place = try Workplace.staffed()
      let task = try #require(place.model.entity(named: "Task"))
      _ = place.context.insertRows(task, count: 100)
      try place.context.save()
      #expect(place.context.registeredObjects.isEmpty)
      // With a class, the rows get objects, so that these can be asked.
      let worker = try #require(place.model.entity(named: "Worker"))
      _ = place.context.insertRows(worker, count: 3)
      #expect(try calls { try place.context.save() }.count == 6)
      #expect(place.context.registeredObjects.isEmpty)
    }

    @Test("NS21: a variable of one's own is set back in didTurnIntoFault, which a refresh calls once")
    func ns21CustomVariables() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      worker.cache = "computed"
      let told = try calls { try place.context.refresh(worker, mergingChanges: false) }
      #expect(told.filter { $0 == "didTurnIntoFault" }.count == 1)
      #expect(worker.cache == nil)
    }

    @Test("NS22: transient values from before a merging refresh win over those of awakeFromFetch")
    func ns22PreRefreshValues() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      try place.context.refresh(worker, mergingChanges: false)
      Worker.onFetch = { $0.setPrimitive("mood", "from fetch of \($0.name ?? "")") }
      defer { Worker.onFetch = nil }
      #expect(worker.get("mood") == "from fetch of Ada")
      worker.setPrimitive("mood", "own")
      try worker.setPrimitiveTransient(1, forKey: "thing")
      let other = place.anotherContext()
      let twin = try #require(try other.object(with: worker.objectID) as? Worker)
      twin.name = "Eve"
      try other.save()
      worker.age = 30
      #expect(
        try calls { try place.context.refresh(worker, mergingChanges: true) } == [
          "willTurnIntoFault false", "didTurnIntoFault", "awakeFromFetch",
          "snapshot \(SnapshotEvents.refresh.rawValue)",
        ])
      #expect(worker.get("mood") == "own" && worker.name == "Eve" && worker.age == 30)
      #expect(try worker.primitiveTransient(forKey: "thing") as? Int == 1)
      #expect(try worker.changedValues() == ["age": .attribute(.integer(30))])
      // Without merging the value of awakeFromFetch stays.
      try place.context.refresh(worker, mergingChanges: false)
      #expect(worker.get("mood") == "from fetch of Eve")
    }

    @Test("NS23: the remedy: a cache that is valid until didTurnIntoFault is computed anew after a merging refresh")
    func ns23ValidityFlag() throws {
      let place = try Workplace.staffed()
      let worker = try savedWorker(place)
      func greeting() -> String {
        if worker.cache == nil { worker.cache = "Hello \(worker.name ?? "")" }
        return worker.cache ?? ""
      }
      #expect(greeting() == "Hello Ada")
      let other = place.anotherContext()
      let twin = try #require(try other.object(with: worker.objectID) as? Worker)
      twin.name = "Eve"
      try other.save()
      #expect(greeting() == "Hello Ada")
      try place.context.refresh(worker, mergingChanges: true)
      #expect(greeting() == "Hello Eve")
    }
  }
}
