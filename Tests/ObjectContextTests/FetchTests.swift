import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import Testing

@Suite("Fetching")
struct FetchTests {
  private func person(
    _ name: String, age: Int64, _ context: ManagedObjectContext, entity: String = "Person"
  ) throws -> ManagedObject {
    let person = try context.insert(entity)
    try person.setValue(.string(name), forKey: "name")
    try person.setValue(.integer(age), forKey: "age")
    return person
  }

  @Test("fetching by key sees what was inserted, changed and deleted here")
  func pendingChanges() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    let people = try ["a", "b", "c", "d"].map { try person($0, age: 30, context) }
    try context.save()
    try people[1].setValue(.integer(31), forKey: "age")
    try context.delete(people[2])
    _ = try person("e", age: 30, context)
    _ = try person("f", age: 31, context)
    #expect(try context.fetch("Person", where: ["age": .integer(30)]).names() == ["a", "d", "e"])
    #expect(try context.fetch("Person", where: ["age": .integer(31)]).names() == ["b", "f"])
    #expect(try context.fetch("Person", where: ["age": .integer(30), "name": .string("e")]).names() == ["e"])
    #expect(try context.fetch("Person", where: ["age": .integer(30), "name": .string("c")]).names() == [])
    #expect(try context.fetchAll("Person").names() == ["a", "b", "d", "e", "f"])
    #expect(try context.count("Person") == 5)
    #expect(try context.count("Person", where: ["age": .integer(31)]) == 2)
    var walked: [String] = []
    try context.forEachObject(of: "Party", batchSize: 2) { walked += [$0].names() }
    #expect(walked == ["a", "b", "d", "e", "f"])
    try context.save()
    #expect(try context.fetch("Person", where: ["age": .integer(30)]).names() == ["a", "d", "e"])
  }

  @Test("null finds objects without a value, which an empty text or zero does not")
  func nulls() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    for (title, count) in [(AttributeValue.null, 2), (.string(""), 3)] {
      for _ in 0..<count { try context.insert("Skill").setValue(title, forKey: "title") }
    }
    for _ in 0..<2 {
      #expect(try context.count("Skill", where: ["title": .null]) == 2)
      #expect(try context.count("Skill", where: ["title": .string("")]) == 3)
      try context.save()
    }
  }

  @Test("an entity's objects include those that inherit from it; an abstract one has none of its own")
  func inheritance() throws {
    let place = try Workplace(try Models.works())
    let context = place.context
    #expect(objectErrorCode { _ = try context.insert("Party") } == .abstractEntity)
    #expect(objectErrorCode { _ = try context.insert("Partie") } == .unknownEntity)
    #expect(objectErrorCode { _ = try context.fetch("Partie") } == .unknownEntity)
    _ = try person("p", age: 1, context)
    let boss = try person("b", age: 1, context, entity: "Boss")
    try boss.setValue(.double(2.5), forKey: "bonus")
    try context.insert("Company").setValue(.string("c"), forKey: "name")
    for _ in 0..<2 {
      #expect(try context.fetch("Party").names() == ["p", "b", "c"])
      #expect(try context.fetch("Person").names() == ["p", "b"])
      #expect(try context.fetch("Boss").names() == ["b"])
      #expect(try context.fetch("Person", where: ["age": .integer(1)]).map(\.entity.name) == ["Person", "Boss"])
      #expect(try ["Party", "Person", "Boss", "Company"].map { try context.count($0) } == [3, 2, 1, 1])
      #expect(objectErrorCode { _ = try context.fetch("Person", where: ["bonus": .double(2.5)]) } == .unknownKey)
      try context.save()
    }
    #expect(
      try place.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Party', 'Person', 'Boss')")
        .sorted() == ["0", "0", "3"])
    try place.verify()
  }

  @Test("a fault learns its own entity, and the keys of it, from the store")
  func faultOfAncestor() throws {
    let place = try Workplace(try Models.works())
    let boss = try person("b", age: 1, place.context, entity: "Boss")
    try boss.setValue(.double(1), forKey: "bonus")
    try place.context.save()
    let uri = boss.objectID.uri.replacing("/Boss/", with: "/Party/")
    let id = try #require(place.coordinator.objectID(forURI: uri))
    #expect(id == boss.objectID)
    let context = place.anotherContext()
    let fault = try context.object(with: id)
    #expect(fault.isFault && fault.entity.name == "Party")
    #expect(try fault.value(forKey: "bonus") == .double(1))
    #expect(fault.entity.name == "Boss")
    let wrong = try #require(place.coordinator.objectID(forURI: uri.replacing("/Party/", with: "/Company/")))
    #expect(try context.existingObject(with: wrong) == nil)
  }

  @Test("a fault without a record throws when it is used")
  func missingRecords() throws {
    let place = try Workplace(try Models.works())
    let uri = "x-coredata://\(try #require(place.coordinator.store).file.metadata.uuid)/Skill/p77"
    let id = try #require(place.coordinator.objectID(forURI: uri))
    let fault = try place.context.object(with: id)
    #expect(objectErrorCode { _ = try fault.value(forKey: "title") } == .notFound)
    #expect(objectErrorCode { try fault.setValue(.null, forKey: "title") } == .notFound)
    #expect(objectErrorCode { try place.context.delete(fault) } == .notFound)
    #expect(try place.context.existingObject(with: id) == nil)
    #expect(fault.isFault)
  }

  @Test("a walk may save, insert and delete on its way")
  func walkWithChanges() throws {
    let place = try Workplace(try Models.works())
    let entity = try #require(place.model.entity(named: "Skill"))
    _ = place.context.insertRows(entity, count: 100)
    try place.context.save()
    var seen = 0
    try place.context.forEachObject(of: "Skill", batchSize: 7) { skill in
      seen += 1
      if seen % 2 == 0 { try place.context.delete(skill) } else { try skill.setValue(.string("odd"), forKey: "title") }
      if seen == 10 || seen == 50 {
        _ = try place.context.insert("Skill")
        try place.context.save()
      }
    }
    #expect(seen == 102)
    try place.context.save()
    #expect(try place.context.count("Skill") == 51)
    #expect(try place.context.count("Skill", where: ["title": .string("odd")]) == 51)
  }
}
