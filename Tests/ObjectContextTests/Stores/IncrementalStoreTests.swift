import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport
import Testing

@Suite("AP50: what an incremental store has brought")
struct IncrementalStoreTests {
  /// Two people and two skills; the people of the first skill are in the order q, p.
  private func place() throws -> Workplace {
    let place = try Workplace(try Models.works(), kind: .incremental)
    var skills: [ManagedObject] = []
    for title in ["a", "b"] {
      let skill = try place.context.insert("Skill")
      try skill.setValue(.string(title), forKey: "title")
      skills.append(skill)
    }
    for name in ["p", "q"] {
      let person = try place.context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try person.insert(skills[0], into: "skills", at: 0)
      try person.insert(skills[1], into: "skills", at: 0)
      try skills[0].insert(person, into: "people", at: 0)
    }
    try place.context.save()
    try place.reopen()
    return place
  }

  private func named(_ name: String, _ place: Workplace) throws -> ManagedObject {
    let request = FetchRequest("Person", where: try ObjectPredicate(format: "name == '\(name)'"))
    return try #require(try place.context.fetch(request).first)
  }

  @Test("AP50: both sides of a relationship keep their order, whichever is brought first", arguments: [false, true])
  func ap50BothOrders(peopleFirst: Bool) throws {
    let place = try place()
    let skill = try #require(try place.context.fetchAll("Skill").first)
    let person = try named("p", place)
    if peopleFirst { #expect(try skill.objects(forKey: "people").names() == ["q", "p"]) }
    #expect(try person.objects(forKey: "skills").names("title") == ["b", "a"])
    #expect(try skill.objects(forKey: "people").names() == ["q", "p"])
    // A move on one side leaves the other one alone, in the store too.
    try person.insert(skill, into: "skills", at: 0)
    try place.context.save()
    try place.reopen()
    #expect(try named("p", place).objects(forKey: "skills").names("title") == ["a", "b"])
    let again = try #require(try place.context.fetchAll("Skill").first)
    #expect(try again.objects(forKey: "people").names() == ["q", "p"])
  }

  @Test("AP50: members that a save brought are asked for again when the save is refused")
  func ap50RolledBack() throws {
    let place = try place()
    let server = Server.at(place.path)
    let person = try named("p", place)
    try person.setValue(.string("x"), forKey: "name")
    server.refusesSaves = true
    server.calls = []
    #expect(saveError { try place.context.save() }?.code == .store)
    #expect(server.calls.contains("newValue skills"), "what is saved is whole: \(server.calls)")
    server.refusesSaves = false
    #expect(try person.objects(forKey: "skills").names("title") == ["b", "a"])
    try place.context.save()
    try place.reopen()
    #expect(try named("x", place).objects(forKey: "skills").names("title") == ["b", "a"])
  }

  @Test("AP50: records that were evicted are changed and deleted as if they were here")
  func ap50Evicted() throws {
    let place = try place()
    let server = Server.at(place.path)
    let (changed, deleted) = (try named("p", place), try named("q", place))
    try changed.setValue(.string("x"), forKey: "name")
    try place.context.delete(deleted)
    let store = try #require(place.coordinator.store)
    try store.evictCachedRecords()
    try place.context.save()
    #expect(server.records["Party"]?.values.map { $0.values["name"] } == [.string("x")])
    // Somebody else's change is noticed although the record is not here.
    let key = changed.objectID.primaryKey
    server.records["Party"]?[key]?.version += 1
    try store.evictCachedRecords()
    try changed.setValue(.string("y"), forKey: "name")
    #expect(saveError { try place.context.save() }?.code == .conflict)
    server.records["Party"]?[key] = nil
    try store.evictCachedRecords()
    #expect(saveError { try place.context.save() }?.code == .conflict)
  }

  @Test("AP51: a store that is read only brings records and members as they are asked for")
  func ap51ReadOnlyMembers() throws {
    let place = try place()
    try place.coordinator.close()
    var options = PersistentStoreOptions()
    options.isReadOnly = true
    let coordinator = StoreKind.incremental.coordinator(place.model)
    let store = try coordinator.addStore(type: StoreKind.incremental.type, at: place.path, options: options)
    let context = ManagedObjectContext(coordinator: coordinator)
    try withExtendedLifetime(context) {
      let skill = try #require(try context.fetchAll("Skill").first)
      #expect(try skill.objects(forKey: "people").names() == ["q", "p"])
      try store.evictCachedRecords()
      #expect(try context.count(for: FetchRequest("Person")) == 2)
    }
  }
}
