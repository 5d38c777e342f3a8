import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

/// The rows of the guide about lifetime, with objects of a class and without.
@Suite("Lifetime of managed objects")
struct ObjectLifetimeTests {
  private func savedID(_ place: Workplace) throws -> ManagedObjectID {
    let object = try skill("a", place.context)
    try place.context.save()
    return object.objectID
  }

  @Test("OL1: a record outlives the objects that stand for it")
  func ol1Records() throws {
    let place = try Workplace(try Models.works())
    _ = try savedID(place)
    #expect(place.context.registeredObjects.isEmpty)
    #expect(try place.context.fetch("Skill").names("title") == ["a"])
  }

  @Test("OL2: a record comes with the save, not with the object")
  func ol2Saving() throws {
    let place = try Workplace(try Models.works())
    _ = try skill("a", place.context)
    #expect(try place.rows("SELECT count(*) FROM ZSKILL") == ["0"])
    try place.context.save()
    #expect(try place.rows("SELECT count(*) FROM ZSKILL") == ["1"])
  }

  @Test("OL3: two contexts have two objects for one record, with equal IDs; so has one context over time")
  func ol3ManyObjects() throws {
    let place = try Workplace(try Models.works())
    let id = try savedID(place)
    let other = place.anotherContext()
    let (one, two) = (try place.context.object(with: id), try other.object(with: id))
    #expect(one !== two && one.objectID == two.objectID)
  }

  @Test("OL4: a context does not keep objects alive; an object that is held has a context, unlike in Core Data")
  func ol4WeakReferences() throws {
    let place = try Workplace(try Models.works())
    let id = try savedID(place)
    var context: ManagedObjectContext? = place.anotherContext()
    var object: ManagedObject? = try context?.fetch("Skill").first
    weak let watched = object
    #expect(object?.objectID == id)
    object = nil
    #expect(watched == nil)
    var kept: ManagedObject? = try context?.object(with: id)
    context = nil
    #expect(kept?.isValid == true && kept?.context != nil)
    #expect(try kept?.value(forKey: "title") == .string("a"))
    try kept?.setValue(.string("b"), forKey: "title")
    #expect(try kept?.value(forKey: "title") == .string("b"))
    try kept?.context?.save()
    weak let last = kept
    kept = nil
    #expect(last == nil)
    #expect(try place.rows("SELECT ZTITLE FROM ZSKILL") == ["b"])
    // With changes it is the same.
    context = place.anotherContext()
    kept = try context?.object(with: id)
    try kept?.setValue(.string("c"), forKey: "title")
    context = nil
    #expect(try kept?.value(forKey: "title") == .string("c"))
    try kept?.context?.save()
    #expect(try place.rows("SELECT ZTITLE FROM ZSKILL") == ["c"])
  }

  @Test("OL5: the context keeps changed objects until save, reset, rollback or refresh: the same objects")
  func ol5ChangedObjects() throws {
    enum End: CaseIterable { case save, reset, rollback, refresh }
    let place = try Workplace(try Models.works())
    let context = place.context
    for end in End.allCases {
      var object: ManagedObject? = try skill("\(end)", context)
      try context.save()
      weak let watched = object
      try object?.setValue(.string("changed"), forKey: "title")
      object = nil
      let survivor = try #require(watched)
      #expect(context.updatedObjects.first === survivor)
      try withExtendedLifetime(survivor) {
        switch end {
        case .save: try context.save()
        case .reset: context.reset()
        case .rollback: context.rollback()
        case .refresh: try context.refresh(survivor, mergingChanges: false)
        }
      }
    }
    for end in End.allCases where end != .refresh {
      weak var watched: ManagedObject?
      do { watched = try skill("new \(end)", context) }
      #expect(watched != nil)
      switch end {
      case .save: try context.save()
      case .reset: context.reset()
      default: context.rollback()
      }
      #expect(watched == nil)
    }
  }

  @Test("OL5: what the other end of a relationship makes a change keeps its object too")
  func ol5OtherEnds() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let (ada, bob) = (try context.insert("Person"), try context.insert("Person"))
    for person in [ada, bob] { try person.setValue(.string("p"), forKey: "name") }
    try context.save()
    let ids = (ada.objectID, bob.objectID)
    let fresh = place.anotherContext()
    weak var spouse: ManagedObject?
    weak var friend: ManagedObject?
    do {
      let ada = try fresh.object(with: ids.0)
      let bob = try fresh.object(with: ids.1)
      try ada.setObject(bob, forKey: "spouse")
      spouse = bob
      try ada.add(bob, to: "friends")
      friend = bob
    }
    #expect(spouse != nil && friend != nil)
    try fresh.save()
    #expect(spouse == nil && friend == nil)
    do {
      let ada = try fresh.object(with: ids.0)
      try fresh.delete(ada)
      spouse = ada
    }
    #expect(spouse != nil)
    fresh.rollback()
    #expect(spouse == nil)
    #expect(fresh.registeredObjects.isEmpty)
  }

  @Test("OL5: rows that are changed without objects keep none")
  func ol5PlainRows() throws {
    let place = try Workplace(try Models.works())
    let entity = try #require(place.model.entity(named: "Skill"))
    _ = place.context.insertRows(entity, count: 1000)
    #expect(place.context.registeredObjects.isEmpty)
  }

  @Test("OL8: a context that retains registered objects keeps all of them, for as long as it is told to")
  func ol8RetainsObjects() throws {
    let place = try Workplace(try Models.works())
    let id = try savedID(place)
    let context = place.anotherContext()
    #expect(!context.retainsRegisteredObjects)
    context.retainsRegisteredObjects = true
    weak var watched: ManagedObject?
    do { watched = try context.object(with: id) }
    #expect(watched != nil && context.registeredObjects.count == 1)
    try context.save()
    #expect(watched != nil)
    context.retainsRegisteredObjects = false
    #expect(watched == nil)
    // Objects that are there already are kept from then on.
    do {
      let object = try context.object(with: id)
      context.retainsRegisteredObjects = true
      watched = object
    }
    #expect(watched != nil)
    context.reset()
    #expect(watched == nil)
    do { watched = try context.object(with: id) }
    #expect(watched != nil)
    // A deleted record is nothing to keep.
    do { try context.delete(try context.object(with: id)) }
    try context.save()
    #expect(watched == nil)
  }

  @Test("OL9, OL11: IDs go to another context while the first keeps the objects it needs in a collection of its own")
  func ol9OwnCollection() throws {
    let place = try Workplace(try Models.works())
    let id = try savedID(place)
    var kept: [ManagedObject] = [try place.context.object(with: id)]
    #expect(place.context.registeredObjects == kept)
    let other = place.anotherContext()
    #expect(try other.object(with: id).value(forKey: "title") == .string("a"))
    kept.removeAll()
    #expect(place.context.registeredObjects.isEmpty)
  }

  @Test("OL10: an ID is all that another context needs: its fault reads the record with one SELECT")
  func ol10FaultsByID() throws {
    let place = try Workplace(try Models.works())
    let id = try savedID(place)
    let other = place.anotherContext()
    let fault = try other.object(with: id)
    #expect(fault.isFault && place.context.registeredObjects.isEmpty)
    var titles: [AttributeValue] = []
    let statements = try place.statements { for _ in 0..<2 { titles.append(try fault.value(forKey: "title")) } }
    #expect(titles == [.string("a"), .string("a")])
    #expect(statements.filter { $0.hasPrefix("SELECT") }.count == 1, "\(statements)")
  }

  @Test("OL27: new objects are held until they are saved, and none of a batch afterwards")
  func ol27Batches() throws {
    let place = try Workplace(try Models.works())
    for batch in 1...4 {
      for i in 0..<250 { _ = try skill("\(batch) \(i)", place.context) }
      #expect(place.context.registeredObjects.count == 250)
      try place.context.save()
      #expect(place.context.registeredObjects.isEmpty)
    }
    #expect(try place.context.count("Skill") == 1000)
  }

  @Test("OL13: letting a context go disconnects it; the store stays open through its coordinator")
  func ol13Disconnecting() throws {
    let place = try Workplace(try Models.works())
    do {
      let context = place.anotherContext()
      _ = try skill("lost", context)
    }
    #expect(try place.context.fetch("Skill").isEmpty)
    _ = try savedID(place)
    #expect(try place.context.count("Skill") == 1)
  }

  @Test("OL14: a graph full of cycles goes away with the last reference to it, and so do its rows")
  func ol14Cycles() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    var people: [ManagedObject] = []
    for i in 0..<50 {
      let person = try context.insert("Person")
      try person.setValue(.string("p\(i)"), forKey: "name")
      people.append(person)
    }
    for (i, person) in people.enumerated() {
      try person.setObject(people[(i + 1) % 50], forKey: "parent")
      try person.add(people[(i + 7) % 50], to: "friends")
      try person.add(people[(i + 3) % 50], to: "likes")
    }
    try context.save()
    // Walk around the circle by objects, in both directions, holding all of them.
    func walk() throws -> [ManagedObject] {
      var seen: [ManagedObject] = []
      for person in people {
        seen += [try #require(try person.object(forKey: "parent"))]
        seen += try person.objects(forKey: "children") + person.objects(forKey: "friends")
        seen += try person.objects(forKey: "likes") + person.objects(forKey: "likedBy")
      }
      return seen
    }
    #expect(try walk().count == 50 * 6)
    weak let watched = people[0]
    let buffer = context.buffer(root: people[0].objectID.entity.root)
    people.removeAll()
    #expect(watched == nil)
    #expect(context.registeredObjects.isEmpty)
    #expect(buffer.count == buffer.freeRows.count)
  }

  @Test("OL15: a refresh without merging makes a fault and lets related objects go")
  func ol15Refault() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let ada = try context.insert("Person")
    try ada.setValue(.string("Ada"), forKey: "name")
    let memo = try context.insert("Memo")
    try ada.add(memo, to: "memos")
    try context.save()
    weak var watched: ManagedObject?
    do { watched = try ada.objects(forKey: "memos").first }
    withExtendedLifetime(memo) { #expect(watched === memo) }
    try context.refresh(ada, mergingChanges: false)
    #expect(ada.isFault)
    #expect(try ada.hasFault(forRelationshipNamed: "memos"))
    #expect(try ada.objects(forKey: "memos") == [memo])
  }

  @Test("OL16, OL17: a merging refresh keeps edits and takes new values; one without drops the edits")
  func ol16Merging() throws {
    let place = try Workplace(try Models.works())
    let ada = try place.context.insert("Person")
    try ada.setValue(.string("Ada"), forKey: "name")
    try place.context.save()
    let other = place.anotherContext()
    let twin = try other.object(with: ada.objectID)
    try ada.setValue(.string("local"), forKey: "name")
    try twin.setValue(.integer(36), forKey: "age")
    try other.save()
    try place.context.refresh(ada, mergingChanges: true)
    #expect(try ada.value(forKey: "name") == .string("local") && ada.value(forKey: "age") == .integer(36))
    #expect(ada.hasChanges)
    try place.context.refresh(ada, mergingChanges: false)
    #expect(!ada.hasChanges && !place.context.hasChanges)
    #expect(try ada.value(forKey: "name") == .string("Ada"))
  }

  @Test("OL18: an object that somebody holds is the same one after it became a fault")
  func ol18Identity() throws {
    let place = try Workplace(try Models.works())
    let object = try skill("a", place.context)
    try place.context.save()
    try place.context.refresh(object, mergingChanges: false)
    #expect(object.isFault && object.isValid)
    #expect(try place.context.fetch("Skill").first === object)
    #expect(!object.isFault)
  }

  @Test("OL28: a reset lets all objects go at once; those that somebody holds have no context any more")
  func ol28Reset() throws {
    let place = try Workplace(try Models.works())
    let clean = try skill("clean", place.context)
    try place.context.save()
    let changed = try skill("changed", place.context)
    place.context.reset()
    #expect(place.context.registeredObjects.isEmpty)
    for object in [clean, changed] {
      #expect(object.context == nil && !object.isValid && !object.hasChanges && !object.isFault)
    }
  }

  @Test("OL29: after its deletion was saved an object is not deleted, has no context, and goes with the last reference")
  func ol29Deleted() throws {
    let place = try Workplace(try Models.works())
    var object: ManagedObject? = try skill("a", place.context)
    try place.context.save()
    weak let watched = object
    try place.context.delete(try #require(object))
    #expect(object?.isDeleted == true)
    try place.context.save()
    #expect(object?.isDeleted == false && object?.context == nil)
    #expect(watched != nil)
    object = nil
    #expect(watched == nil)
    #expect(try place.context.count("Skill") == 0)
  }

  @Test("a context that is used for 200,000 fetches, changes and saves takes no more rows and bytes than at first")
  func weekLong() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    for i in 0..<100 { _ = try skill("skill \(i)", context) }
    try context.save()
    let buffer = context.buffer(root: try #require(place.model.entity(named: "Skill")).root)
    let ids = try context.fetch("Skill").map(\.objectID)
    var most = (rows: 0, bytes: 0)
    for round in 0..<2000 {
      // A batch of a hundred: fetched one by one or all together, changed, saved, let go.
      if round.isMultiple(of: 2) {
        for (i, object) in try context.fetch(FetchRequest("Skill")).enumerated() {
          try object.setValue(.string("round \(round) of object \(i), some text"), forKey: "title")
        }
      } else {
        for id in ids {
          try context.object(with: id).setValue(.string("round \(round) of \(id), another text"), forKey: "title")
        }
      }
      if round.isMultiple(of: 3) { context.rollback() } else { try context.save() }
      most = (max(most.rows, buffer.count), max(most.bytes, buffer.arena.count))
      if round == 20 { #expect(most.rows <= 200 && most.bytes < 160 * 1024) }
    }
    #expect(most.rows <= 200 && most.bytes < 160 * 1024, "\(most)")
    #expect(context.registeredObjects.isEmpty && !context.hasChanges)
    #expect(buffer.snapshots.isEmpty && buffer.touchedRows.isEmpty)
  }
}
