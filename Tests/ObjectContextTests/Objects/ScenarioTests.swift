import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// What is in a store, what somebody typed and what another task did meanwhile stops no process: each scenario runs in a
/// process of its own, which ends without a signal.
@Suite("No data kills a process")
struct ScenarioTests {
  @Test(arguments: Scenario.all.keys.sorted())
  func survives(_ name: String) async {
    await #expect(processExitsWith: .success) { [name = name as String] in
      try Scenario.all[name]?()
    }
  }
}

/// A claim that does not hold.
private struct Broken: Error, CustomStringConvertible {
  var description: String
}

private func claim(_ holds: Bool, line: Int = #line) throws {
  if !holds { throw Broken(description: "the claim in line \(line) does not hold") }
}

private enum Scenario {
  static let all: [String: @Sendable () throws -> Void] = [
    "merged deletion": {
      let (place, worker) = try saved()
      let other = place.anotherContext()
      let theirs = try #require(try other.existingObject(with: worker.objectID))
      place.context.automaticallyMergesChangesFromParent = true
      try other.delete(theirs)
      try other.save()
      try expectGone(worker)
    },
    "own saved deletion": {
      let (place, worker) = try saved()
      try place.context.delete(worker)
      try place.context.save()
      try expectGone(worker)
      try place.context.save()
    },
    "rolled back insert": {
      let place = try Workplace.staffed()
      let worker = try place.context.insert(Worker.self)
      worker.name = "Ada"
      place.context.rollback()
      try expectGone(worker)
    },
    "undone insert": {
      let place = try Workplace.staffed()
      place.context.undoManager = UndoManager()
      let worker = try place.context.insert(Worker.self)
      worker.name = "Ada"
      try place.context.undo()
      try expectGone(worker)
      try place.context.redo()
      try claim(worker.isValid && !worker.isDeleted && worker.name == "Ada")
    },
    "reset": {
      let (place, worker) = try saved()
      place.context.reset()
      try expectInvalid(worker)
    },
    "context let go with changes": {
      let place = try Workplace.staffed()
      var context: ManagedObjectContext? = place.anotherContext()
      let worker = try #require(context).insert(Worker.self)
      worker.name = "Ada"
      context = nil
      try claim(worker.isInserted && worker.name == "Ada")
      worker.name = "Eve"
      try worker.context?.save()
      try claim(try place.rows("SELECT ZNAME FROM ZUNIT").contains("Eve"))
    },
    "context let go without changes": {
      let place = try Workplace.staffed()
      func load() throws -> (Worker, FetchedObjects) {
        let context = place.anotherContext()
        let worker = try context.insert(Worker.self)
        worker.name = "Ada"
        try context.save()
        return (worker, try context.fetch(FetchRequest("Worker")))
      }
      let (worker, found) = try load()
      try claim(worker.name == "Ada" && found.count == 1)
      worker.name = "Eve"
      try worker.context?.save()
      try claim(try found[0].value(forKey: "name") == .string("Eve"))
    },
    "overlong decimal": {
      let (place, worker) = try saved()
      worker.wage = DecimalNumber("12345678901234567.89")
      try claim(worker.wage == DecimalNumber("12.5"))
      try claim(place.context.accessFailures.map(\.property) == ["wage"])
      // The save says so until something is done about it.
      for _ in 0..<2 {
        let error = saveError { try place.context.save() }
        try claim(error?.failures.map(\.code) == [.notSet])
      }
      worker.wage = DecimalNumber("1.25")
      try place.context.save()
      // With a power of ten that no computation of ours overflows.
      worker.wage = DecimalNumber(significand: Int128(10).power(37) + 1, exponent: 18)
      try claim(saveError { try place.context.save() }?.failures.count == 1)
      place.context.rollback()
      try place.context.save()
      try claim(worker.wage == DecimalNumber("1.25"))
    },
    "unknown case": {
      let (place, worker) = try saved()
      try worker.setValue(.integer(99), forKey: "level")
      try place.context.save()
      try claim(worker.level == .junior && worker.get("level") == Optional(Level.junior))
      try claim(objectErrorCode { _ = try worker.read("level") as Level } == .unreadable)
      try claim(saveError { try place.context.save() }?.failures.map(\.code) == [.unreadable])
      try place.context.save()
      // A declared fallback is no failure.
      try claim(worker.get("level") == Grade.other && worker.get("level") == Optional(Grade.other))
      try claim(try worker.read("level") == Grade.other)
      try place.context.save()
    },
    "number out of range in the file": {
      let (place, worker) = try saved()
      try #require(place.coordinator.store).connection.execute("UPDATE ZUNIT SET ZAGE = 70000, ZNAME = 5, ZRATE = 'x'")
      try place.context.refresh(worker, mergingChanges: false)
      try claim(worker.age == 0 && worker.get("age") == Optional<Int16>(0) && worker.get("age") == 70_000)
      try claim(worker.get("rate") == Float(0))
      try claim(objectErrorCode { _ = try worker.read("age") as Int16 } == .unreadable)
      try claim(try worker.value(forKey: "age") == .integer(70_000))
      try claim(saveError { try place.context.save() }?.code == .validation)
    },
    "setting what is to be deleted": {
      let (place, worker) = try saved()
      let team = try place.context.insert(Team.self)
      try place.context.delete(worker)
      worker.name = "Eve"
      worker.team = team
      try worker.setValue(.integer(50), forKey: "age")
      try claim(worker.name == "Eve" && worker.isDeleted && !worker.isUpdated)
      place.context.rollback()
      try claim(worker.name == "Ada" && worker.age == 36 && !worker.hasChanges)
      try place.context.delete(worker)
      worker.name = "Eve"
      try place.context.save()
      try claim(try place.context.count("Worker") == 0)
    },
    "deleted member": {
      let (place, worker) = try saved()
      let team = try place.context.insert(Team.self)
      try place.context.delete(worker)
      team.members.insert(worker)
      worker.name = "Eve"
      try claim(saveError { try place.context.save() }?.failures.map(\.property) == ["members"])
    },
    "places": {
      let (place, worker) = try saved()
      let team = try place.context.insert(Team.self)
      try team.insert(worker, into: "crew", at: -5)
      try team.insert(worker, into: "crew", at: 5)
      let crew = team.crew
      try claim(crew.count == 1)
      try place.context.delete(worker)
      try claim(crew.isEmpty && crew[0] === worker)
      let all = place.context.asyncFetch(FetchRequest("Worker"), portion: 0)
      _ = all
      try claim(
        objectErrorCode { try place.context.forEachObject(of: "Worker", batchSize: 0) { _ in } } == .invalidRequest)
    },
    "ID of a larger model": {
      let (place, _) = try saved()
      let large = try ManagedObjectModel(
        { () -> ModelDraft in
          var draft = ModelDraft()
          draft.entities = (0..<40).map { Models.entity("E\($0)") }
          return draft
        }())
      let other = try Workplace(large)
      let object = try other.context.insert("E39")
      try other.context.save()
      try claim(objectErrorCode { _ = try place.context.object(with: object.objectID) } == .otherContext)
      try claim(place.context.registeredObject(with: object.objectID) == nil)
    },
    "closed store": {
      let (place, worker) = try saved()
      let other = place.anotherContext()
      let theirs = try #require(try other.object(with: worker.objectID) as? Worker)
      try place.coordinator.close()
      try claim(theirs.name == nil && theirs.age == 0 && theirs.team == nil && theirs.friends.isEmpty)
      try claim(!theirs.isDeleted)
      try claim(other.accessFailures.contains { $0.code == .unreadable && $0.property == "name" })
      try claim(saveError { try other.save() } != nil)
    },
    "undo out of turn": {
      let place = try Workplace.staffed()
      let manager = UndoManager()
      place.context.undoManager = manager
      manager.endUndoGrouping()
      manager.disableUndoRegistration()
      manager.removeAllActions()
      manager.enableUndoRegistration()
      manager.levelsOfUndo = -1
      manager.beginUndoGrouping()
      _ = try place.context.insert(Worker.self)
      try claim(objectErrorCode { try manager.undo() } == .invalidRequest)
      manager.endUndoGrouping()
      try manager.undo()
      try claim(try place.context.count("Worker") == 0)
    },
    "undo handler that ends other groups": {
      let garden = try Garden()
      garden.manager.registerUndo(withTarget: garden) { garden in
        garden.manager.endUndoGrouping()
        garden.manager.endUndoGrouping()
      }
      try garden.manager.undo()
      try claim(!garden.manager.canUndo && garden.manager.groupingLevel == 0)
    },
    "event ended in a hook of a deletion": {
      let garden = try Garden()
      try garden.place.coordinator.setClass(EventEnder.self, forEntity: "Node")
      let (parent, child) = (try garden.insert("Node"), try garden.insert("Node"))
      try child.setObject(parent, forKey: "parent")
      try garden.context.save()
      garden.context.propagatesDeletesAtEndOfEvent = true
      try garden.context.delete(parent)
      try garden.context.processPendingChanges()
      try claim(parent.isDeleted && child.isDeleted)
      try garden.context.save()
      try claim(try garden.context.count("Node") == 0)
    },
    "negative window of several stores": {
      let atlas = try Atlas([.inMemory, .inMemory])
      for store in 0...1 { _ = try atlas.insert("Tag", "a", into: store) }
      try expectRefusedWindows(atlas.context, "Tag")
    },
    "negative window of a child with changes": {
      let (place, _) = try saved()
      let child = ManagedObjectContext(parent: place.context)
      _ = try child.insert(Worker.self)
      try expectRefusedWindows(child, "Worker")
    },
    "batch row without such a property": {
      let place = try Workplace.staffed()
      let request = BatchInsertRequest("Worker", properties: ["name"])
      for number in [-1, 1, 7] {
        do {
          _ = try place.context.execute(request) { row in
            try row.set(number, integer: 5)
            return false
          }
          try claim(false)
        } catch let error as BatchError {
          guard case .object(let cause) = error else { throw error }
          try claim(cause.code == .unknownKey)
        }
      }
    },
    "coordinator without a store": {
      let context = ManagedObjectContext(coordinator: PersistentStoreCoordinator(model: try Models.staff()))
      try claim(objectErrorCode { _ = try context.insert("Worker") } == .closed)
      try claim(objectErrorCode { _ = try context.fetch(FetchRequest("Worker")) } != nil)
    },
  ]

  /// A saved worker of 36 called Ada who earns 12.50.
  private static func saved() throws -> (Workplace, Worker) {
    let place = try Workplace.staffed()
    let worker = try place.context.insert(Worker.self)
    worker.name = "Ada"
    worker.age = 36
    worker.wage = DecimalNumber("12.5")
    try place.context.save()
    return (place, worker)
  }

  /// Numbers below 0 are refused, whatever is asked and in whichever way.
  private static func expectRefusedWindows(_ context: ManagedObjectContext, _ entity: String) throws {
    let numbers: [WritableKeyPath<FetchRequest, Int>] = [\.fetchLimit, \.fetchOffset, \.fetchBatchSize]
    for number in numbers {
      for value in [-1, Int.min] {
        var request = FetchRequest(entity)
        request.propertiesToFetch = ["name"]
        request[keyPath: number] = value
        try claim(predicateErrorCode { _ = try context.fetch(request) } == .invalidRequest)
        try claim(predicateErrorCode { _ = try context.fetchObjectIDs(request) } == .invalidRequest)
        try claim(predicateErrorCode { _ = try context.fetchDictionaries(request) } == .invalidRequest)
        try claim(predicateErrorCode { _ = try context.count(for: request) } == .invalidRequest)
      }
    }
  }

  private static func expectGone(_ worker: Worker) throws {
    try expectInvalid(worker)
    try claim(worker.isDeleted)
  }

  /// Keyed access throws, typed access gives empty values, and setting does nothing.
  private static func expectInvalid(_ worker: Worker) throws {
    try claim(!worker.isValid && !worker.hasChanges && worker.context == nil)
    try claim(worker.name == nil && worker.age == 0 && worker.team == nil && worker.friends.isEmpty)
    worker.name = "Eve"
    worker.team = nil
    worker.friends.insert(worker)
    try claim(worker.name == nil)
    let keyed: [() throws -> Void] = [
      { _ = try worker.value(forKey: "name") }, { try worker.setValue(.null, forKey: "name") },
      { _ = try worker.object(forKey: "team") }, { _ = try worker.objects(forKey: "friends") },
      { try worker.setObjects([], forKey: "friends") }, { _ = try worker.changedValues() },
      { _ = try worker.committedValues() }, { _ = try worker.primitiveValue(forKey: "name") },
      { _ = try worker.read("name") as String }, { _ = try worker.objectIDs(forRelationshipNamed: "team") },
      { _ = try worker.transformedValue(forKey: "mood") },
    ]
    for (number, access) in keyed.enumerated() {
      guard objectErrorCode(access) == .invalid else { throw Broken(description: "access \(number) throws no invalid") }
    }
  }
}

/// Ends the event when it hears of its deletion.
private final class EventEnder: ManagedObject {
  private var isTold = false

  override func prepareForDeletion() {
    if isTold { return }
    isTold = true
    try? context?.processPendingChanges()
  }
}

/// Levels as a program knows them that is older than the store.
private enum Grade: Int16, ManagedValue {
  case first = 1
  case other = -1
  static var emptyValue: Grade { .first }
  static var fallbackValue: Grade? { .other }
}

extension Int128 {
  fileprivate func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { result, _ in result * self } }
}
